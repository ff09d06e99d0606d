(* thm:asap_privacy, pure: noise that covers the sampler's error.

   A sampler draws x within `near` of a draw y of a private reference mechanism.
   Noise whose law changes by at most e^(eps'/2) between near points makes the
   draw private: eps of the reference plus eps' for the noise.

   The proof goes along the chain
     release of D  ->  reference of D  ->  reference of D'  ->  release of D'
   and pays e^(eps'/2), e^eps, e^(eps'/2).  The two outer steps each use the
   coupling of one data set alone, so no conditional law is ever formed: there is
   no disintegration, no metric and no density in this file.

   thm_asap_privacy_rounded is what the program needs.  It rounds x to a lattice
   before it adds noise, so the law of the noise around a rounded point is
   compared with weights around the *unrounded* reference point.  These weights
   (`centre`) need not have mass 1: they only stand in the middle of the chain. *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp.
From AsapDP Require Import Kernels PureDP Coupling.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section asap.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (near : T -> T -> Prop) (eps' : R).
Variables (noise centre : kernel T U R).
Hypothesis noise_to_centre :
  forall x y, near x y -> dp (eps' / 2) (noise x) (centre y).
Hypothesis centre_to_noise :
  forall x y, near x y -> dp (eps' / 2) (centre y) (noise x).

Let measurable_fst_comp (f : T -> \bar R) :
  measurable_fun setT f -> measurable_fun setT (fun z : T * T => f z.1).
Proof. by move=> mf; apply: measurable_fun_comp mf _; exact: measurable_fst. Qed.

Let measurable_snd_comp (f : T -> \bar R) :
  measurable_fun setT f -> measurable_fun setT (fun z : T * T => f z.2).
Proof. by move=> mf; apply: measurable_fun_comp mf _; exact: measurable_snd. Qed.

Variables (mu nu : {measure set T -> \bar R}).
Hypothesis munu : within near mu nu.

Lemma asap_sample_to_reference : dp (eps' / 2) (bind mu noise) (bind nu centre).
Proof.
move=> A mA; have [pi [pimn [N [mN N0 subN]]]] := munu.
have mnoise := kernel_measurable noise mA.
have mcentre := kernel_measurable centre mA.
rewrite /bind -ge0_integralM_EFin //; last exact: expR_ge0.
rewrite -(integral_coupling_first pimn) //.
rewrite -(integral_coupling_second pimn); last 2 first.
- by move=> y; rewrite mule_ge0 // expR_weight_ge0.
- exact: measurable_funeM.
apply: ae_ge0_le_integral.
- by move=> z.
- by move=> z; rewrite mule_ge0 // expR_weight_ge0.
- exact: (measurable_fst_comp mnoise).
- exact: (measurable_snd_comp (measurable_funeM _ mcentre)).
- exists N; split => // z /= notle; apply: subN => /= nz.
  exact/notle/noise_to_centre.
Qed.

Lemma asap_reference_to_sample : dp (eps' / 2) (bind nu centre) (bind mu noise).
Proof.
move=> A mA; have [pi [pimn [N [mN N0 subN]]]] := munu.
have mnoise := kernel_measurable noise mA.
have mcentre := kernel_measurable centre mA.
rewrite /bind -ge0_integralM_EFin //; last exact: expR_ge0.
rewrite -(integral_coupling_second pimn) //.
rewrite -(integral_coupling_first pimn); last 2 first.
- by move=> y; rewrite mule_ge0 // expR_weight_ge0.
- exact: measurable_funeM.
apply: ae_ge0_le_integral.
- by move=> z.
- by move=> z; rewrite mule_ge0 // expR_weight_ge0.
- exact: (measurable_snd_comp mcentre).
- exact: (measurable_fst_comp (measurable_funeM _ mnoise)).
- exists N; split => // z /= notle; apply: subN => /= nz.
  exact/notle/centre_to_noise.
Qed.

End asap.

Section asap_privacy.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (near : T -> T -> Prop) (eps eps' : R).
(* Of the data sets D and D': the sampler's laws and the reference's. *)
Variables (sample sample' reference reference' : {measure set T -> \bar R}).
Hypothesis reference_private : dp eps reference reference'.
Hypothesis sample_within : within near sample reference.
Hypothesis sample_within' : within near sample' reference'.

Theorem thm_asap_privacy_rounded (noise centre : kernel T U R) :
  (forall x y, near x y -> dp (eps' / 2) (noise x) (centre y)) ->
  (forall x y, near x y -> dp (eps' / 2) (centre y) (noise x)) ->
  dp (eps + eps') (bind sample noise) (bind sample' noise).
Proof.
move=> to_centre from_centre.
have -> : (eps + eps' = eps' / 2 + eps + eps' / 2)%R.
  by rewrite addrAC -splitr addrC.
apply: dp_trans (asap_reference_to_sample from_centre sample_within').
apply: dp_trans (asap_sample_to_reference to_centre sample_within) _.
exact: dp_bind.
Qed.

Theorem thm_asap_privacy (noise : kernel T U R) :
  (forall x y, near x y -> near y x) ->
  (forall x y, near x y -> dp (eps' / 2) (noise x) (noise y)) ->
  dp (eps + eps') (bind sample noise) (bind sample' noise).
Proof.
move=> near_sym noise_ratio; apply: (@thm_asap_privacy_rounded _ noise) => //.
by move=> x y /near_sym; exact: noise_ratio.
Qed.

End asap_privacy.
