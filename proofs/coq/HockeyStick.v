(* def:hockey_stick, def:gdp: (eps, delta)-bounds by test functions.

   H_{e^eps}(P || Q) <= delta says that no test, a function with values in [0, 1],
   has a mean above e^eps times its Q-mean plus delta under P.  In this form
   post-processing, adaptive composition and ASAP need no density of P by Q.

     test f                       measurable, with values in [0, 1]
     hockey_stick eps delta P Q   the bound for all tests
     profile p P Q                a family of bounds: delta = p eps for every real
                                  eps; mu-GDP is the profile of two Gaussians
     composes p p' q              adaptive composition of profiles, as a statement

   Proved: what follows for every profile.  That of the normal law: [GaussCurve]. *)
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

(** * Tests *)

Section test.
Context d (T : measurableType d) (R : realType).
Implicit Types (f : T -> \bar R) (mu : {measure set T -> \bar R}).

Definition test f :=
  [/\ measurable_fun setT f, forall x, 0 <= f x & forall x, f x <= 1].

Lemma test_indic (A : set T) : measurable A -> test (fun x => (\1_A x)%:E).
Proof.
move=> mA; split=> [|x|x]; first exact/EFin_measurable_fun/measurable_fun_indic.
  by rewrite lee_fin.
by rewrite lee_fin indicE lern1 leq_b1.
Qed.

Lemma integral_one mu : mu setT = 1 -> \int[mu]_x 1 = 1.
Proof. by move=> mu1; rewrite integral_cst // mul1e. Qed.

Lemma integral_test_le1 mu f : mu setT = 1 -> test f -> \int[mu]_x f x <= 1.
Proof.
move=> mu1 [mf f0 f1]; rewrite -(integral_one mu1).
by apply: ge0_le_integral => //; exact: measurable_fun_cst.
Qed.

(* A constant bound may be integrated. *)
Lemma integral_le_cst mu f (c : R) : mu setT = 1 -> measurable_fun setT f ->
  (forall x, 0 <= f x) -> (0 <= c)%R -> {ae mu, forall x, f x <= c%:E} ->
  \int[mu]_x f x <= c%:E.
Proof.
move=> mu1 mf f0 c0 fc; rewrite -[leRHS]mule1 -mu1 -integral_cst //.
by apply: ae_ge0_le_integral => //; exact: measurable_fun_cst.
Qed.

End test.

Lemma test_bind d d' (T : measurableType d) (U : measurableType d') (R : realType)
    (K : markov_kernel T U R) (f : U -> \bar R) :
  test f -> test (fun x => \int[K x]_y f y).
Proof.
move=> tf; have [mf f0 f1] := tf; split=> [|x|x].
- exact: measurable_kernel_integral.
- exact: integral_ge0.
- by apply: integral_test_le1 => //; exact: markov_total.
Qed.

(** * Two laws *)

Section hockey_stick.
Context d (T : measurableType d) (R : realType).
Implicit Types (eps delta : R) (mu nu rho : {measure set T -> \bar R}).

Definition hockey_stick eps delta mu nu := forall f, test f ->
  \int[mu]_x f x <= (expR eps)%:E * \int[nu]_x f x + delta%:E.

Lemma hockey_stick_delta_ge0 eps delta mu nu :
  hockey_stick eps delta mu nu -> (0 <= delta)%R.
Proof.
move=> /(_ (cst 0)); rewrite /= !integral0 mule0 add0e lee_fin; apply.
by split=> //; [exact: measurable_fun_cst|move=> x; exact: lee01].
Qed.

Lemma hockey_stick_set eps delta mu nu A : hockey_stick eps delta mu nu ->
  measurable A -> mu A <= (expR eps)%:E * nu A + delta%:E.
Proof.
move=> munu mA; have := munu _ (test_indic R mA).
by rewrite !integral_indic // !setIT.
Qed.

(* delta = 0 is pure privacy. *)
Lemma dp_hockey_stick eps mu nu : dp eps mu nu <-> hockey_stick eps 0 mu nu.
Proof.
split=> [munu f [_ f0 _]|munu A mA]; first by rewrite adde0; exact: dp_integral.
by have := hockey_stick_set munu mA; rewrite adde0.
Qed.

Lemma hockey_stick_weaken eps delta eps' delta' mu nu :
  (eps <= eps')%R -> (delta <= delta')%R ->
  hockey_stick eps delta mu nu -> hockey_stick eps' delta' mu nu.
Proof.
move=> ee' dd' munu f tf; apply: le_trans (munu f tf) _; apply: lee_add; last first.
  by rewrite lee_fin.
case: tf => _ f0 _; apply: lee_wpmul2r; first exact: integral_ge0.
by rewrite lee_fin ler_expR.
Qed.

Lemma hockey_stick_trans eps1 delta1 eps2 delta2 mu nu rho :
  hockey_stick eps1 delta1 mu nu -> hockey_stick eps2 delta2 nu rho ->
  hockey_stick (eps1 + eps2) (delta1 + expR eps1 * delta2) mu rho.
Proof.
move=> munu nurho f tf; apply: le_trans (munu f tf) _.
have d2 := hockey_stick_delta_ge0 nurho; have [_ f0 _] := tf.
apply: (@le_trans _ _ ((expR eps1)%:E * ((expR eps2)%:E * \int[rho]_x f x + delta2%:E)
    + delta1%:E)).
  by apply: lee_add => //; apply: lee_wpmul2l; [exact: expR_weight_ge0|exact: nurho].
rewrite ge0_muleDr ?lee_fin //; last first.
  by rewrite mule_ge0 ?expR_weight_ge0 // integral_ge0.
by rewrite muleA -EFinM -expRD -addeA -EFinM -EFinD [(_ * _ + _)%R]addrC.
Qed.

End hockey_stick.

(** * Post-processing and composition *)

Section composition.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Implicit Types (mu nu : {measure set T -> \bar R}) (K : markov_kernel T U R).
Implicit Types (eps delta : R).

Theorem hockey_stick_post_processing eps delta mu nu K :
  hockey_stick eps delta mu nu -> hockey_stick eps delta (bind mu K) (bind nu K).
Proof.
move=> munu f tf; have [mf f0 _] := tf; rewrite !ge0_integral_bind //.
exact: munu (test_bind K tf).
Qed.

(* The middle: e^eps2 times the second mean, cut off at 1, is again a test. *)
Theorem hockey_stick_composition eps1 delta1 eps2 delta2 mu nu K K' :
  mu setT = 1 -> hockey_stick eps1 delta1 mu nu ->
  (forall x, hockey_stick eps2 delta2 (K x) (K' x)) ->
  hockey_stick (eps1 + eps2) (delta1 + delta2) (bind mu K) (bind nu K').
Proof.
move=> mu1 munu KK' f tf; have [mf f0 _] := tf; rewrite !ge0_integral_bind //.
have d2 := hockey_stick_delta_ge0 (KK' point).
pose g x := \int[K' x]_y f y.
have [mg g0 g1] : test g := test_bind K' tf.
pose h x := mine 1 ((expR eps2)%:E * g x).
have eg0 x : 0 <= (expR eps2)%:E * g x.
  by apply: mule_ge0; [exact: expR_weight_ge0|exact: g0].
have th : test h.
  split=> [|x|x]; last by rewrite le_minl lexx.
    by apply: emeasurable_fun_min; [exact: measurable_fun_cst|exact: measurable_funeM].
  by rewrite le_minr lee_fin ler01 eg0.
have [mh h0 _] := th.
have step x : \int[K x]_y f y <= h x + delta2%:E.
  rewrite /h; have [_ _ /(_ x) k1] := test_bind K tf.
  have [_|_] := leP 1 ((expR eps2)%:E * g x); last exact: KK'.
  by apply: le_trans k1 _; rewrite lee_addl // lee_fin.
apply: (@le_trans _ _ (\int[mu]_x (h x + delta2%:E))).
  apply: ge0_le_integral => //.
  - by move=> x _; exact: integral_ge0.
  - exact: measurable_kernel_integral.
  - by move=> x _; rewrite adde_ge0 ?lee_fin.
  - by apply: emeasurable_funD => //; exact: measurable_fun_cst.
rewrite ge0_integralD //; last exact: measurable_fun_cst.
rewrite integral_cst // mu1 mule1 EFinD addeA; apply: lee_add => //.
apply: le_trans (munu h th) _; apply: lee_add => //.
rewrite expRD EFinM -muleA; apply: lee_wpmul2l; first exact: expR_weight_ge0.
have -> : (expR eps2)%:E * \int[nu]_x g x = \int[nu]_x ((expR eps2)%:E * g x).
  by rewrite ge0_integralM_EFin //; exact: expR_ge0.
apply: ge0_le_integral => // [|x _]; first exact: measurable_funeM.
by rewrite le_minl lexx orbT.
Qed.

End composition.

Section joint.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Implicit Types (mu nu : {measure set T -> \bar R}) (K : markov_kernel T U R).

Lemma hockey_stick_graph (eps delta : R) K K' x :
  hockey_stick eps delta (K x) (K' x) -> hockey_stick eps delta (graph K x) (graph K' x).
Proof.
move=> KK' f [mf f0 f1]; rewrite !ge0_integral_graph //; apply: KK'.
split=> // ; apply: (measurable_fun_comp (f := f)) => //.
by apply/prod_measurable_funP; split; [exact: measurable_fun_cst|exact: measurable_fun_id].
Qed.

(* Both outcomes are released. *)
Theorem hockey_stick_adaptive_composition (eps1 delta1 eps2 delta2 : R) mu nu K K' :
  mu setT = 1 -> hockey_stick eps1 delta1 mu nu ->
  (forall x, hockey_stick eps2 delta2 (K x) (K' x)) ->
  hockey_stick (eps1 + eps2) (delta1 + delta2) (joint mu K) (joint nu K').
Proof.
move=> mu1 munu KK'; apply: hockey_stick_composition => // x.
exact: hockey_stick_graph.
Qed.

End joint.

(** * Coupled noise: thm:asap_privacy *)

Section coupled.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (eps' delta' : R) (noise : markov_kernel T U R).

(* From a sample to its reference. *)
Theorem hockey_stick_coupled (near : T -> T -> Prop) (mu nu : {measure set T -> \bar R}) :
  mu setT = 1 -> within near mu nu ->
  (forall x y, near x y -> hockey_stick eps' delta' (noise x) (noise y)) ->
  (0 <= delta')%R ->
  hockey_stick eps' delta' (bind mu noise) (bind nu noise).
Proof.
move=> mu1 [pi [pimunu near_pi]] noise_near delta0 f tf.
have [mf f0 _] := tf; rewrite !ge0_integral_bind //.
pose h x := \int[noise x]_y f y.
have [mh h0 _] : test h := test_bind noise tf.
have pi1 : pi setT = 1 by rewrite -mu1 -(proj1 pimunu) // setMTT.
have mh1 : measurable_fun setT (fun z : T * T => h z.1).
  exact: measurable_fun_comp mh (@measurable_fst _ _ T T).
have mh2 : measurable_fun setT (fun z : T * T => h z.2).
  exact: measurable_fun_comp mh (@measurable_snd _ _ T T).
have eh0 (z : T * T) : 0 <= (expR eps')%:E * h z.2.
  by rewrite mule_ge0 ?expR_weight_ge0.
rewrite -(integral_coupling_first pimunu h0 mh) -(integral_coupling_second pimunu h0 mh).
apply: (@le_trans _ _ (\int[pi]_z ((expR eps')%:E * h z.2 + delta'%:E))).
  apply: ae_ge0_le_integral => //.
  - by move=> z; rewrite adde_ge0 ?lee_fin.
  - by apply: emeasurable_funD; [exact: measurable_funeM|exact: measurable_fun_cst].
  - case: near_pi => N [mN N0 subN]; exists N; split=> // z /= far; apply: subN => nz.
    exact/far/(noise_near _ _ nz f tf).
rewrite ge0_integralD //; last 2 first.
- exact: measurable_funeM.
- exact: measurable_fun_cst.
rewrite integral_cst // pi1 mule1 ge0_integralM_EFin //; exact: expR_ge0.
Qed.

(* Two samples of one reference point: all pairs that can occur are covered. *)
Lemma hockey_stick_common (ok : T -> Prop) (mu nu : {measure set T -> \bar R}) :
  mu setT = 1 -> nu setT = 1 -> (0 <= delta')%R ->
  {ae mu, forall x, ok x} -> {ae nu, forall x, ok x} ->
  (forall x x', ok x -> ok x' -> hockey_stick eps' delta' (noise x) (noise x')) ->
  hockey_stick eps' delta' (bind mu noise) (bind nu noise).
Proof.
move=> mu1 nu1 delta0 ok_mu ok_nu noise_ok f tf.
have [mf f0 _] := tf; rewrite !ge0_integral_bind //.
pose h x := \int[noise x]_y f y.
have [mh h0 h1] : test h := test_bind noise tf.
have meh : measurable_fun setT (fun x => (expR eps')%:E * h x) by exact: measurable_funeM.
have eh0 x : 0 <= (expR eps')%:E * h x by rewrite mule_ge0 ?expR_weight_ge0.
have one x : ok x -> h x <= (expR eps')%:E * \int[nu]_x' h x' + delta'%:E.
  move=> okx; apply: (@le_trans _ _ (\int[nu]_x' ((expR eps')%:E * h x' + delta'%:E))).
    rewrite -[leLHS]mule1 -nu1 -integral_cst //; apply: ae_ge0_le_integral => //.
    - by move=> x'; exact: h0.
    - by move=> x'; rewrite adde_ge0 ?lee_fin.
    - exact: measurable_fun_cst.
    - by apply: emeasurable_funD => //; exact: measurable_fun_cst.
    - case: ok_nu => N [mN N0 subN]; exists N; split=> // x' /= bad.
      by apply: subN => okx'; exact/bad/(noise_ok _ _ okx okx' f tf).
  rewrite ge0_integralD //; last exact: measurable_fun_cst.
  rewrite integral_cst // nu1 mule1 ge0_integralM_EFin //; exact: expR_ge0.
pose c := (expR eps')%:E * \int[nu]_x h x + delta'%:E.
have c0 : 0 <= c by rewrite adde_ge0 ?lee_fin // mule_ge0 ?expR_weight_ge0 ?integral_ge0.
rewrite -/c -[leRHS]mule1 -mu1 -integral_cst //; apply: ae_ge0_le_integral => //.
- exact: measurable_fun_cst.
- case: ok_mu => N [mN N0 subN]; exists N; split=> // x /= bad.
  by apply: subN => okx; exact/bad/one.
Qed.

End coupled.

Section asap.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (near : T -> T -> Prop) (eps delta eps' delta' : R).
Variables (sample sample' reference reference' : {measure set T -> \bar R}).

(* Along the chain of thm_asap_privacy; each step charges its delta once, the
   later ones weighted. *)
Theorem thm_asap_privacy_hockey_stick (noise : markov_kernel T U R) :
  sample setT = 1 -> reference' setT = 1 ->
  hockey_stick eps delta reference reference' ->
  within near sample reference -> within near reference' sample' ->
  (forall x y, near x y -> hockey_stick eps' delta' (noise x) (noise y)) ->
  (0 <= delta')%R ->
  hockey_stick (eps' + eps + eps')
    (delta' + expR eps' * delta + expR (eps' + eps) * delta')
    (bind sample noise) (bind sample' noise).
Proof.
move=> s1 r1 ref near_s near_s' noise_near delta0.
apply: hockey_stick_trans (hockey_stick_coupled r1 near_s' noise_near delta0).
apply: hockey_stick_trans (hockey_stick_coupled s1 near_s noise_near delta0) _.
exact: hockey_stick_post_processing.
Qed.

End asap.
