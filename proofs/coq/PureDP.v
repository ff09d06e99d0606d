(* Pure differential privacy of laws on measurable spaces (defn:dp), and the two
   ways in which every proof of this folder moves it along: post-processing and
   adaptive composition (lem:adaptive_composition).

   The interface:

     dp eps mu nu             mu A <= e^eps * nu A for every measurable A
     indistinguishable eps    dp in both directions
     private eps near M       dp of M D, M D' for all neighbours D, D'
     dp_integral              the same bound for integrals of functions >= 0
     dp_ae                    what nu knows almost surely, mu knows
     dp_bind, dp_pushforward  post-processing by a kernel, by a measurable map
     lem_adaptive_composition           the joint law of both releases
     lem_adaptive_composition_marginal  the law of the second alone
     lem_adaptive_composition_ae,
     lem_adaptive_composition_marginal_ae   second stage private for almost every
                                            first outcome only

   dp is stated in one direction: a neighbour relation that is symmetric (both of
   the project's are) gives the other, see private_indistinguishable.  No lemma
   needs total mass 1; laws are just measures. *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp.
From AsapDP Require Import Kernels.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(** * Two laws *)

Section dp.
Context d (T : measurableType d) (R : realType).
Implicit Types (eps : R) (mu nu : {measure set T -> \bar R}).

Definition dp eps (mu nu : set T -> \bar R) :=
  forall A, measurable A -> mu A <= (expR eps)%:E * nu A.

Definition indistinguishable eps (mu nu : set T -> \bar R) :=
  dp eps mu nu /\ dp eps nu mu.

Lemma expR_ge0 eps : (0 <= expR eps)%R.
Proof. exact/ltW/expR_gt0. Qed.

Lemma expR_weight_ge0 eps : 0 <= (expR eps)%:E.
Proof. by rewrite lee_fin expR_ge0. Qed.

Lemma dp_refl mu : dp 0 mu mu.
Proof. by move=> A _; rewrite expR0 mul1e. Qed.

(* Privacy may be given away: a larger budget is a weaker claim. *)
Lemma dp_weaken eps eps' mu nu : (eps <= eps')%R -> dp eps mu nu -> dp eps' mu nu.
Proof.
move=> ee' munu A mA; apply: (le_trans (munu A mA)).
by apply: lee_wpmul2r => //; rewrite lee_fin ler_expR.
Qed.

Lemma dp_trans eps1 eps2 mu nu rho :
  dp eps1 mu nu -> dp eps2 nu rho -> dp (eps1 + eps2) mu rho.
Proof.
move=> munu nurho A mA; apply: (le_trans (munu A mA)).
rewrite expRD EFinM -muleA.
by apply: lee_wpmul2l; [exact: expR_weight_ge0|exact: nurho].
Qed.

Lemma dp_integral eps mu nu (f : T -> \bar R) : dp eps mu nu ->
  (forall x, 0 <= f x) -> \int[mu]_x f x <= (expR eps)%:E * \int[nu]_x f x.
Proof.
move=> munu f0; rewrite !ge0_integralTE //.
apply: ub_ereal_sup => _ [h /= hf <-].
apply: (@le_trans _ _ ((expR eps)%:E * sintegral nu h)); last first.
  apply: lee_wpmul2l; first exact: expR_weight_ge0.
  by apply: ereal_sup_ub; exists h.
rewrite !sintegralE ge0_mule_fsumr; last first.
  by move=> r; exact: nnsfun_mulemu_ge0.
apply: lee_fsum => [|r [x _ <-]]; first exact: fimfunP.
by rewrite muleCA; apply: lee_wpmul2l; [rewrite lee_fin|exact: munu].
Qed.

Lemma dp_null eps mu nu A :
  measurable A -> dp eps mu nu -> nu A = 0 -> mu A = 0.
Proof.
move=> mA munu nuA; apply/eqP; rewrite eq_le measure_ge0 andbT.
by rewrite (le_trans (munu A mA)) // nuA mule0.
Qed.

Lemma dp_ae eps mu nu (P : T -> Prop) : dp eps mu nu ->
  {ae nu, forall x, P x} -> {ae mu, forall x, P x}.
Proof.
by move=> munu [N [mN N0 subN]]; exists N; split => //; exact: dp_null munu N0.
Qed.

End dp.

(** * Post-processing *)

Section post_processing.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (eps : R) (mu nu : {measure set T -> \bar R}).
Hypothesis munu : dp eps mu nu.

Lemma dp_bind (K : kernel T U R) : dp eps (bind mu K) (bind nu K).
Proof. by move=> A mA; apply: dp_integral => // x. Qed.

Lemma dp_pushforward (f : T -> U) (mf : measurable_fun setT f) :
  dp eps (pushforward mu mf) (pushforward nu mf).
Proof.
by move=> A mA; apply: munu; rewrite -(setTI (f @^-1` A)); exact: mf.
Qed.

End post_processing.

(** * Adaptive composition *)

Section adaptive_composition.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (eps1 eps2 : R) (mu nu : {measure set T -> \bar R}).
Hypothesis munu : dp eps1 mu nu.

(* The core: change the second stage under mu, then the first stage. *)
Let compose_integrals (f g : T -> \bar R) :
  (forall x, 0 <= f x) -> (forall x, 0 <= g x) ->
  measurable_fun setT f -> measurable_fun setT g ->
  {ae nu, forall x, f x <= (expR eps2)%:E * g x} ->
  \int[mu]_x f x <= (expR (eps1 + eps2))%:E * \int[nu]_x g x.
Proof.
move=> f0 g0 mf mg fg.
apply: (@le_trans _ _ (\int[mu]_x ((expR eps2)%:E * g x))).
  apply: ae_ge0_le_integral => //; last exact: (dp_ae munu).
  - by move=> x; rewrite mule_ge0 // expR_weight_ge0.
  - exact: measurable_funeM.
rewrite ge0_integralM_EFin //; last exact: expR_ge0.
rewrite addrC expRD EFinM -muleA; apply: lee_wpmul2l.
  exact: expR_weight_ge0.
exact: dp_integral.
Qed.

Lemma lem_adaptive_composition_marginal_ae (K K' : kernel T U R) :
  {ae nu, forall x, dp eps2 (K x) (K' x)} ->
  dp (eps1 + eps2) (bind mu K) (bind nu K').
Proof.
move=> [N [mN N0 subN]] A mA.
apply: compose_integrals => //; try exact: kernel_measurable.
exists N; split => // x /= notA; apply: subN => /= KK'.
exact/notA/KK'.
Qed.

Lemma lem_adaptive_composition_marginal (K K' : kernel T U R) :
  (forall x, dp eps2 (K x) (K' x)) -> dp (eps1 + eps2) (bind mu K) (bind nu K').
Proof.
by move=> KK'; apply: lem_adaptive_composition_marginal_ae; exact: aeW.
Qed.

Lemma dp_graph (K K' : markov_kernel T U R) x :
  dp eps2 (K x) (K' x) -> dp eps2 (graph K x) (graph K' x).
Proof.
by move=> KK' A mA; rewrite !graphE; apply: KK'; exact: measurable_xsection.
Qed.

End adaptive_composition.

Section joint_composition.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (eps1 eps2 : R) (mu nu : {measure set T -> \bar R}).
Variables (K K' : markov_kernel T U R).
Hypothesis munu : dp eps1 mu nu.

(* lem:adaptive_composition: both outcomes are released. *)
Lemma lem_adaptive_composition_ae :
  {ae nu, forall x, dp eps2 (K x) (K' x)} ->
  dp (eps1 + eps2) (joint mu K) (joint nu K').
Proof.
move=> [N [mN N0 subN]]; apply: lem_adaptive_composition_marginal_ae => //.
exists N; split => // x /= notA; apply: subN => /= KK'.
exact/notA/dp_graph.
Qed.

Lemma lem_adaptive_composition :
  (forall x, dp eps2 (K x) (K' x)) ->
  dp (eps1 + eps2) (joint mu K) (joint nu K').
Proof. by move=> KK'; apply: lem_adaptive_composition_ae; exact: aeW. Qed.

End joint_composition.

(** * Mechanisms *)

Section mechanism.
Context (Data : Type) (neighbours : Data -> Data -> Prop).
Context d (T : measurableType d) (R : realType).
Implicit Types (eps : R) (M : Data -> set T -> \bar R).

Definition private eps M :=
  forall D D', neighbours D D' -> dp eps (M D) (M D').

Lemma private_indistinguishable eps M :
  (forall D D', neighbours D D' -> neighbours D' D) -> private eps M ->
  forall D D', neighbours D D' -> indistinguishable eps (M D) (M D').
Proof. by move=> sym pM D D' DD'; split; apply: pM => //; exact: sym. Qed.

End mechanism.

Section mechanism_composition.
Context (Data : Type) (neighbours : Data -> Data -> Prop).
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (eps1 eps2 : R) (M1 : Data -> {measure set T -> \bar R}).
Hypothesis M1_private : private neighbours eps1 M1.

Lemma private_post_processing (K : kernel T U R) :
  private neighbours eps1 (fun D => bind (M1 D) K).
Proof. by move=> D D' DD'; apply: dp_bind; exact: M1_private. Qed.

Lemma private_adaptive_composition (M2 : Data -> markov_kernel T U R) :
  (forall x, private neighbours eps2 (fun D => M2 D x)) ->
  private neighbours (eps1 + eps2) (fun D => joint (M1 D) (M2 D)).
Proof.
move=> M2_private D D' DD'; apply: lem_adaptive_composition.
  exact: M1_private.
by move=> x; exact: M2_private.
Qed.

End mechanism_composition.
