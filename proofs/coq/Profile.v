(* Families of (eps, delta)-bounds, one for every real eps: def:gdp and the GDP
   form of thm:asap_privacy, as far as they hold for every such family.

     profile p P Q       hockey_stick eps (p eps) P Q for every eps
     composes p p' q     adaptive composition of p and p' gives q

   The family of the normal law is in [GaussCurve], its composition in [GaussCompose]. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid HockeyStick.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section profile.
Context d (T : measurableType d) (R : realType).
Implicit Types (p q : R -> R) (mu nu : {measure set T -> \bar R}).

Definition profile p mu nu := forall eps, hockey_stick eps (p eps) mu nu.

Lemma profile_weaken p q mu nu :
  (forall eps, p eps <= q eps)%R -> profile p mu nu -> profile q mu nu.
Proof. by move=> pq munu eps; apply: hockey_stick_weaken (munu eps). Qed.

Lemma profile_ge0 p mu nu eps : profile p mu nu -> (0 <= p eps)%R.
Proof. by move=> munu; exact: hockey_stick_delta_ge0 (munu eps). Qed.

End profile.

Section composition.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Implicit Types (p q : R -> R) (mu nu : {measure set T -> \bar R}).
Implicit Types K : markov_kernel T U R.

Theorem profile_post_processing p mu nu K :
  profile p mu nu -> profile p (bind mu K) (bind nu K).
Proof. by move=> munu eps; apply: hockey_stick_post_processing. Qed.

Definition composes p p' q := forall mu nu K K', mu setT = 1 -> nu setT = 1 ->
  profile p mu nu -> (forall x, profile p' (K x) (K' x)) ->
  profile q (bind mu K) (bind nu K').

(* Any way to split eps will do; for Gaussian profiles there is a better q. *)
Theorem composes_by_splitting p p' q :
  (forall eps, exists eps1 eps2, eps = (eps1 + eps2)%R /\ (p eps1 + p' eps2 <= q eps)%R) ->
  composes p p' q.
Proof.
move=> split mu nu K K' mu1 _ munu KK' eps; have [eps1 [eps2 [-> le_q]]] := split eps.
apply: hockey_stick_weaken (lexx _) le_q _.
by apply: hockey_stick_composition => // x; exact: KK'.
Qed.

(* Noise around two laws that are near. *)
Theorem profile_coupled p (near : T -> T -> Prop) mu nu K :
  mu setT = 1 -> within near mu nu -> (forall eps, 0 <= p eps)%R ->
  (forall x y, near x y -> profile p (K x) (K y)) -> profile p (bind mu K) (bind nu K).
Proof.
move=> mu1 munu p0 noise eps; apply: hockey_stick_coupled munu _ (p0 eps) => //.
by move=> x y /noise; exact.
Qed.

End composition.

(** * thm:asap_privacy *)

Lemma integral_bind_bind d d' d'' (S : measurableType d) (T : measurableType d')
    (U : measurableType d'') (R : realType) (mu : {measure set S -> \bar R})
    (K : markov_kernel S T R) (L : markov_kernel T U R) (f : U -> \bar R) :
  test f -> \int[bind (bind mu K) L]_z f z = \int[bind mu (comp K L)]_z f z.
Proof.
move=> tf; have [mf f0 _] := tf; have [mh h0 _] := test_bind L tf.
rewrite !(ge0_integral_bind _ _ f0 mf) (ge0_integral_bind _ _ h0 mh).
by apply: eq_integral => x _; rewrite (ge0_integral_bind _ _ f0 mf).
Qed.

Section asap.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (near : T -> T -> Prop) (p p' q : R -> R).
Variables (reference reference' : {measure set T -> \bar R}).
(* Given the reference point y, the sample: the coupling, disintegrated. *)
Variables (draw draw' : markov_kernel T T R) (noise : markov_kernel T U R).

(* The proof of the spec: release y, then, y given, the noisy sample; both samples
   are near the same y, and the noise covers all pairs of such points. *)
Theorem thm_asap_privacy_profile :
  composes T U p p' q ->
  reference setT = 1 -> reference' setT = 1 -> profile p reference reference' ->
  (forall y, {ae draw y, forall x, near x y}) ->
  (forall y, {ae draw' y, forall x, near x y}) ->
  (forall y x x', near x y -> near x' y -> profile p' (noise x) (noise x')) ->
  (forall eps, 0 <= p' eps)%R ->
  profile q (bind (bind reference draw) noise) (bind (bind reference' draw') noise).
Proof.
move=> compose r1 r1' ref near_d near_d' noise_near p0 eps f tf.
have second y : profile p' (comp draw noise y) (comp draw' noise y).
  move=> eps2; apply: (hockey_stick_common _ _ (p0 eps2) (near_d y) (near_d' y)).
  - exact: markov_total.
  - exact: markov_total.
  - by move=> x x' nx nx'; exact: noise_near nx nx' eps2.
rewrite (integral_bind_bind reference draw noise tf).
rewrite (integral_bind_bind reference' draw' noise tf).
exact: (compose _ _ _ _ r1 r1' ref second eps f tf).
Qed.

End asap.

(** * Pure privacy as a profile: lem:convert_pure_G_DP *)

(* The profile of randomised response, the worst pair of laws that are
   eps0-indistinguishable. *)
Section randomised_response.
Variables (R : realType) (eps0 : R).

Definition randomised_response (eps : R) : R :=
  if (eps <= - eps0)%R then (1 - expR eps)%R
  else if (eps <= eps0)%R then ((expR eps0 - expR eps) / (1 + expR eps0))%R
  else 0%R.

(* The means P, Q of a test: P <= a Q, and the same of the opposite test. *)
Lemma randomised_response_real (eps P Q : R) : (0 <= Q)%R -> (P <= 1)%R ->
  (P <= expR eps0 * Q)%R -> (1 - Q <= expR eps0 * (1 - P))%R ->
  (P <= expR eps * Q + randomised_response eps)%R.
Proof.
move=> Q0 P1 PQ QP; rewrite /randomised_response.
set a := expR eps0 in PQ QP *; set t := expR eps.
have t0 : (0 <= t)%R := expR_ge0 _.
case: ifPn => [le_eps|]; last rewrite -ltNge => gt_eps; last case: ifPn => [le_eps|].
- have ta1 : (t * a <= 1)%R.
    by rewrite -expRD -(expR0 R) ler_expR -ler_subr_addr sub0r.
  have h : (t * (1 - Q) <= 1 - P)%R.
    apply: le_trans (ler_wpmul2l t0 QP) _.
    by rewrite mulrA ler_pimull // subr_ge0.
  by apply: le_from h _; nsatz.
- have ta1 : (0 <= t * a - 1)%R.
    by rewrite subr_ge0 -expRD -(expR0 R) ler_expR -ler_subl_addr sub0r ltW.
  have at0 : (0 <= a - t)%R by rewrite subr_ge0 ler_expR.
  have a1 : (1 < a)%R.
    rewrite -(expR0 R) ltr_expR; have := lt_le_trans gt_eps le_eps.
    by rewrite -subr_gt0 opprK -mulr2n pmulrn_lgt0.
  have pos : (0 < (a - 1) * (1 + a))%R.
    by rewrite mulr_gt0 ?subr_gt0 // addr_gt0 ?ltr01 // (lt_trans ltr01 a1).
  have wE : ((a - t) / (1 + a) * (1 + a) = a - t)%R.
    by rewrite divfK // gt_eqF // addr_gt0 ?ltr01 // (lt_trans ltr01 a1).
  have h := ler_add (ler_wpmul2l ta1 PQ) (ler_wpmul2l at0 QP).
  rewrite -(ler_pmul2l pos); apply: le_from h _.
  by move: ((a - t) / (1 + a))%R wE => w wE; nsatz.
- rewrite -ltNge addr0 => /ltW le_eps; apply: le_trans PQ _.
  by rewrite ler_wpmul2r // ler_expR.
Qed.

Context d (T : measurableType d).

Theorem lem_convert_pure_profile (mu nu : {measure set T -> \bar R}) :
  mu setT = 1 -> nu setT = 1 -> indistinguishable eps0 mu nu ->
  profile randomised_response mu nu.
Proof.
move=> mu1 nu1 [munu numu] eps f tf; have [mf f0 f1] := tf.
pose f' x := 1 - f x.
have ffin x : f x \is a fin_num.
  by rewrite ge0_fin_numE //; apply: le_lt_trans (f1 x) _; exact: ltey.
have f'0 x : 0 <= f' x by rewrite sube_ge0 ?ffin.
have mf' : measurable_fun setT f'.
  by apply: emeasurable_funB => //; exact: measurable_fun_cst.
have total (m : {measure set T -> \bar R}) : m setT = 1 ->
    \int[m]_x f x + \int[m]_x f' x = 1.
  move=> m1; rewrite -ge0_integralD // -[RHS](integral_one m1).
  by apply: eq_integral => x _; rewrite /f' addeC subeK.
have finite (m : {measure set T -> \bar R}) : m setT = 1 -> \int[m]_x f x \is a fin_num.
  move=> m1; rewrite ge0_fin_numE ?integral_ge0 //.
  by apply: le_lt_trans (integral_test_le1 m1 tf) _; exact: ltey.
have opposite (m : {measure set T -> \bar R}) : m setT = 1 ->
    \int[m]_x f' x = 1 - \int[m]_x f x.
  by move=> m1; rewrite -(total m m1) addeAC subee ?finite // add0e.
have := dp_integral numu f'0; rewrite !opposite // => QP.
have := dp_integral munu f0 => PQ.
have := integral_test_le1 mu1 tf.
have : 0 <= \int[nu]_x f x by exact: integral_ge0.
rewrite -(fineK (finite mu mu1)) -(fineK (finite nu nu1)) in PQ QP *.
move: (fine _) (fine _) PQ QP => P Q.
rewrite -!EFinB -!EFinM -!EFinD !lee_fin => PQ QP Q0 P1.
exact: randomised_response_real.
Qed.

End randomised_response.
