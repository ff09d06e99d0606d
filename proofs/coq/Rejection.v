(* own:exact and own:fallback: rejection with a cap, then another sampler.

   One try proposes x ~ q and accepts it with probability a x.  After N tries in
   vain a fallback draws.  Whatever N is, the result is a mixture: with weight
   1 - w an accepted point, whose law does not depend on the number of the try,
   and with weight w = (1 - p)^N the fallback's, p the acceptance probability.
   So a coupling of the fallback with the target is all that its use costs.

     tries N                 the law of the whole draw, as the program makes it
     own_exact_mixture       it is (1 - w) * accepted + w * fallback
     own_exact_limit         without a cap it is the accepted law
     own_exact_accepted      proposal e^(-m), acceptance e^(-(f - m)) on Theta,
                             m <= f there: the accepted law is e^(-f) on Theta
     own_fallback_coupling   both parts within `near` of the target: so is the draw

   own_exact_mixture holds for N = 0 and for p = 0, too: going straight to the
   fallback is a case of it.  Capped.v has the two caps of the program.          *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp.
From mathcomp.analysis Require Import nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Gibbs.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Lemma cvg_vanishing (R : realType) (w : nat -> R) (a c : R) :
  w --> (0 : R)%R -> (fun N => a + w N * c)%R --> a.
Proof.
move=> w0; rewrite -[X in _ --> X]addr0 -(mul0r c).
by apply: (@cvgD _ [normedModType R of R^o]); [exact: cvg_cst|exact: cvgMl].
Qed.

Section rejection.
Context d (T : measurableType d) (R : realType).
Variables (q : {measure set T -> \bar R}) (a : {mfun T >-> R}).
Hypothesis q_total : q setT = 1.
Hypothesis a_ge0 : forall x, (0 <= a x)%R.
Hypothesis a_le1 : forall x, (a x <= 1)%R.

Let reject_ge0 x : (0 <= 1 - a x)%R.
Proof. by rewrite subr_ge0. Qed.

Definition accept_weight x : {nonneg R} := NngNum (a_ge0 x).
Definition reject_weight x : {nonneg R} := NngNum (reject_ge0 x).

Let measurable_accept : measurable_fun setT (fun x => (accept_weight x)%:num).
Proof. exact: measurable_funP. Qed.

Let measurable_reject : measurable_fun setT (fun x => (reject_weight x)%:num).
Proof. by apply: measurable_funB; [exact: measurable_fun_cst|]. Qed.

(** * The law of the draw *)

Section one_try.
Variable rest : {measure set T -> \bar R}.

Let try_law x : {measure set T -> \bar R} :=
  mix (accept_weight x) (reject_weight x)
    [the {measure set T -> \bar R} of dirac x] rest.

Let try_measurable A : measurable A -> measurable_fun setT (fun x => try_law x A).
Proof.
move=> mA; under eq_fun do rewrite mixE.
apply: emeasurable_funD; apply: emeasurable_funM.
- exact/EFin_measurable_fun.
- exact/EFin_measurable_fun/measurable_fun_indic.
- exact/EFin_measurable_fun.
- exact: measurable_fun_cst.
Qed.

(* Propose, then accept the point or go on with `rest`. *)
Definition one_try : {measure set T -> \bar R} :=
  [the {measure set T -> \bar R} of bind q (Kernel try_measurable)].

Lemma one_try_integral A : one_try A =
  \int[q]_x ((a x)%:E * (\1_A x)%:E + (1 - a x)%:E * rest A).
Proof. by apply: eq_integral => x _; exact: mixE. Qed.

End one_try.

Variable fallback : {measure set T -> \bar R}.

Definition tries N : {measure set T -> \bar R} := iter N one_try fallback.

(** * It is a mixture *)

(* The sub-law of "accepted, and in A", and its mass. *)
Definition accepted_mass : {measure set T -> \bar R} := density q measurable_accept.
Definition accept_prob : R := fine (accepted_mass setT).

Let measurable_in A : measurable A ->
  measurable_fun setT (fun x => (a x)%:E * (\1_A x)%:E).
Proof.
move=> mA; apply: emeasurable_funM; first exact/EFin_measurable_fun.
exact/EFin_measurable_fun/measurable_fun_indic.
Qed.

Let ge0_in A x : 0 <= (a x)%:E * (\1_A x)%:E.
Proof. by rewrite -EFinM lee_fin mulr_ge0. Qed.

Let measurable_out : measurable_fun setT (fun x => (1 - a x)%:E).
Proof. exact/EFin_measurable_fun. Qed.

Let accepted_massE A : accepted_mass A = \int[q]_x ((a x)%:E * (\1_A x)%:E).
Proof. exact: densityE. Qed.

Let accepted_total : accepted_mass setT = \int[q]_x (a x)%:E.
Proof.
by rewrite accepted_massE; apply: eq_integral => x _; rewrite indicE in_setT mule1.
Qed.

Let accepted_add_rejected :
  accepted_mass setT + \int[q]_x (1 - a x)%:E = 1.
Proof.
rewrite accepted_total -ge0_integralD; first last.
- exact: measurable_out.
- by move=> x _; rewrite lee_fin.
- exact/EFin_measurable_fun.
- by move=> x _; rewrite lee_fin.
- exact: measurableT.
under eq_integral do rewrite -EFinD addrC subrK.
by rewrite integral_cst // mul1e.
Qed.

Let rejected_ge0 : 0 <= \int[q]_x (1 - a x)%:E.
Proof. by apply: integral_ge0 => x _; rewrite lee_fin. Qed.

Lemma accepted_mass_le1 : accepted_mass setT <= 1.
Proof. by rewrite -accepted_add_rejected lee_addl. Qed.

Lemma accept_probK : accept_prob%:E = accepted_mass setT.
Proof.
by rewrite fineK // ge0_fin_numE // (le_lt_trans accepted_mass_le1) // ltey.
Qed.

Lemma accept_prob_ge0 : (0 <= accept_prob)%R.
Proof. exact: fine_ge0. Qed.

Lemma accept_prob_le1 : (accept_prob <= 1)%R.
Proof. by rewrite -lee_fin accept_probK accepted_mass_le1. Qed.

Let rejected_prob : \int[q]_x (1 - a x)%:E = (1 - accept_prob)%:E.
Proof.
have := accepted_add_rejected; rewrite -accept_probK.
case: (\int[q]_x _) rejected_ge0 => [r _|//|//].
by rewrite -EFinD => -[<-]; rewrite addrC addKr.
Qed.

Lemma one_tryE rest A : measurable A ->
  one_try rest A = accepted_mass A + (1 - accept_prob)%:E * rest A.
Proof.
move=> mA; rewrite one_try_integral ge0_integralD; first last.
- by apply: emeasurable_funM; [exact: measurable_out|exact: measurable_fun_cst].
- by move=> x _; rewrite mule_ge0 // lee_fin.
- exact: measurable_in.
- by move=> x _; exact: ge0_in.
- exact: measurableT.
rewrite -accepted_massE; congr (_ + _).
under eq_integral do rewrite muleC.
rewrite ge0_integralM.
- by rewrite rejected_prob muleC.
- exact: measurableT.
- exact: measurable_out.
- by move=> x _; rewrite lee_fin.
- exact: measure_ge0.
Qed.

(* The law of an accepted point.  Where p = 0 every law will do. *)
Variable accepted : {measure set T -> \bar R}.
Hypothesis accepted_law :
  forall A, measurable A -> accepted_mass A = accept_prob%:E * accepted A.

Lemma fallback_prob_ge0 N : (0 <= (1 - accept_prob) ^+ N)%R.
Proof. by rewrite exprn_ge0 // subr_ge0 accept_prob_le1. Qed.

Lemma fallback_prob_le1 N : (0 <= 1 - (1 - accept_prob) ^+ N)%R.
Proof.
rewrite subr_ge0 exprn_ile1 ?subr_ge0 ?accept_prob_le1 //.
by rewrite ler_subl_addr ler_addl accept_prob_ge0.
Qed.

Theorem own_exact_mixture N A : measurable A ->
  tries N A = mix (NngNum (fallback_prob_le1 N)) (NngNum (fallback_prob_ge0 N))
    accepted fallback A.
Proof.
move=> mA; rewrite mixE /=; elim: N => [|N IH].
  by rewrite expr0 subrr mul0e add0e mul1e.
rewrite /tries iterS -/(tries N) one_tryE // accepted_law // IH.
have p1 : (0 <= 1 - accept_prob)%R by rewrite subr_ge0 accept_prob_le1.
have u0 := fallback_prob_le1 N; have w0 := fallback_prob_ge0 N.
rewrite ge0_muleDr ?mule_ge0 ?lee_fin // addeA !muleA -!EFinM.
rewrite -ge0_muleDl ?lee_fin ?accept_prob_ge0 ?mulr_ge0 // -EFinD.
by congr ((_)%:E * _ + (_)%:E * _); rewrite exprS //; nsatz.
Qed.

Lemma tries_total N : accepted setT = 1 -> fallback setT = 1 -> tries N setT = 1.
Proof.
move=> a1 f1; rewrite own_exact_mixture // mixE a1 f1 !mule1 -EFinD.
by rewrite /= subrK.
Qed.

Theorem own_exact_limit A : measurable A -> (0 < accept_prob)%R ->
  accepted A \is a fin_num -> fallback A \is a fin_num ->
  (fun N => tries N A) --> accepted A.
Proof.
move=> mA p0 /fineK acceptedK /fineK fallbackK.
pose u N := (fine (accepted A) +
  (1 - accept_prob) ^+ N * (fine (fallback A) - fine (accepted A)))%R.
have -> : (fun N => tries N A) = (fun N => (u N)%:E).
  apply/funext => N; rewrite own_exact_mixture // mixE -acceptedK -fallbackK.
  by rewrite -!EFinM -EFinD; congr EFin; rewrite /u /=; nsatz.
have w0 : (fun N => (1 - accept_prob) ^+ N)%R --> (0 : R)%R.
  apply: cvg_expr; rewrite ger0_norm ?subr_ge0 ?accept_prob_le1 //.
  by rewrite ltr_subl_addr ltr_addl.
rewrite -acceptedK; apply: cvg_EFin; first exact: nearW.
exact: cvg_vanishing.
Qed.

(* A mixture of couplings is a coupling: the cap costs nothing in distance. *)
Theorem own_fallback_coupling near (target : {measure set T -> \bar R}) N :
  within near accepted target -> within near fallback target ->
  within near (tries N) target.
Proof.
move=> accepted_near fallback_near.
apply: (eq_within (mu := mix (NngNum (fallback_prob_le1 N))
  (NngNum (fallback_prob_ge0 N)) accepted fallback) (nu := target)) => //.
  by move=> A mA; rewrite own_exact_mixture.
by apply: within_mix_common => //=; rewrite subrK.
Qed.

End rejection.

(** * What is accepted *)

Section exact_draw.
Context d (T : measurableType d) (R : realType).
Variables (mu : {measure set T -> \bar R}) (Theta : set T).
Hypothesis mTheta : measurable Theta.
(* The energy of the target, and a lower bound of it on Theta (own:exact). *)
Variables (f m : {mfun T >-> R}).
Hypothesis minorant : forall x, Theta x -> (m x <= f x)%R.

(* The program sets an energy gap below 0 to 0, so that its answer is always a
   probability; under `minorant` there is no such gap on Theta. *)
Definition acceptance (x : T) : R :=
  (\1_Theta x * expR (- Num.max 0 (f x - m x)))%R.

Lemma acceptance_ge0 x : (0 <= acceptance x)%R.
Proof. by rewrite mulr_ge0 // expR_ge0. Qed.

Lemma acceptance_le1 x : (acceptance x <= 1)%R.
Proof.
rewrite -[leRHS]mulr1 ler_pmul ?expR_ge0 //.
  by rewrite indicE; case: (_ \in _); rewrite ?ler01.
by rewrite -[leRHS](@expR0 R) ler_expR oppr_le0 le_maxr lexx.
Qed.

Lemma measurable_acceptance : measurable_fun setT acceptance.
Proof.
apply: measurable_funM; first exact: measurable_fun_indic.
apply: (measurable_fun_comp (f := @expR R)).
  by apply: continuous_measurable_fun; exact: continuous_expR.
apply: (@measurable_funN _ _ _ _ (fun x => Num.max 0 (f x - m x))%R).
apply: measurable_fun_max; first exact: measurable_fun_cst.
by apply: measurable_funB; exact: measurable_funP.
Qed.

HB.instance Definition _ := @IsMeasurableFun.Build _ _ R acceptance
  measurable_acceptance.

Definition acceptance_mfun : {mfun T >-> R} := [the {mfun T >-> R} of acceptance].

(* The base measure, restricted to Theta. *)
Let indicator_ge0 (x : T) : (0 <= \1_Theta x :> R)%R.
Proof. by []. Qed.

Let measurable_indicator :
  measurable_fun setT (fun x => (NngNum (indicator_ge0 x))%:num).
Proof. exact: measurable_fun_indic. Qed.

Definition restricted : {measure set T -> \bar R} := density mu measurable_indicator.

Lemma restricted_on : restricted (~` Theta) = 0.
Proof.
rewrite densityE; under eq_integral => x _.
  rewrite /= -EFinM [X in X%:E](_ : _ = 0%R); first over.
  rewrite !indicE in_setC; case: (x \in Theta); by rewrite ?mulr0 ?mul0r.
by rewrite integral0.
Qed.

Lemma restrictedE A : measurable A -> restricted A = mu (A `&` Theta).
Proof.
move=> mA; rewrite densityE -(setIT (A `&` Theta)) -integral_indic //.
  by apply: eq_integral => x _; rewrite /= -EFinM !indicE in_setI -natrM mulnb andbC.
exact: measurableI.
Qed.

Hypothesis f_normalisable : normalisable restricted f.
Hypothesis m_normalisable : normalisable mu m.

Let proposal := gibbs mu m.
Let accepting := accepted_mass proposal (a := acceptance_mfun) acceptance_ge0.

Let accepting_weight A : measurable A ->
  accepting A = ((fine (partition mu m))^-1)%:E * gibbs_weight restricted f A.
Proof.
move=> mA.
have mA1 : measurable_fun setT (fun x => (\1_A x)%:E : \bar R).
  exact/EFin_measurable_fun/measurable_fun_indic.
rewrite [LHS]densityE [X in _ * X]densityE /=.
rewrite ge0_integral_mscale; first last.
- by move=> x _; rewrite -EFinM lee_fin mulr_ge0 // acceptance_ge0.
- apply: emeasurable_funM => //; apply/EFin_measurable_fun.
  exact: measurable_acceptance.
- exact: measurableT.
congr (_ * _); rewrite [LHS]ge0_integral_density; first last.
- apply: emeasurable_funM => //; apply/EFin_measurable_fun.
  exact: measurable_acceptance.
- by move=> x; rewrite -EFinM lee_fin mulr_ge0 // acceptance_ge0.
rewrite [RHS]ge0_integral_density; first last.
- apply: emeasurable_funM => //; apply/EFin_measurable_fun.
  exact: measurable_boltzmann.
- by move=> x; rewrite -EFinM lee_fin mulr_ge0 // expR_ge0.
apply: eq_integral => x _; rewrite /= -!EFinM !mulrA; congr (_ * _)%:E.
rewrite /acceptance indicE; have [/[!inE] Tx|xT] := boolP (x \in Theta).
  rewrite !(mul1r, mulr1) -expRD max_r ?subr_ge0 ?minorant //.
  by congr expR; nsatz.
by rewrite !(mul0r, mulr0).
Qed.

(* own:exact: an accepted point has the law of the target, exactly. *)
Theorem own_exact_accepted A : measurable A ->
  accepting A =
  (accept_prob proposal (a := acceptance_mfun) acceptance_ge0)%:E *
  gibbs restricted f A.
Proof.
move=> mA; rewrite accept_probK; last 2 first.
- exact: gibbs_total.
- exact: acceptance_le1.
rewrite -/accepting [LHS]accepting_weight // [X in _ = X * _]accepting_weight //.
rewrite [X in _ = _ * X]gibbsE -[RHS]muleA -/(partition restricted f).
rewrite -(partition_fineK f_normalisable); congr (_ * _); rewrite muleA.
by rewrite -EFinM mulfV ?mul1e // gt_eqF // partition_fine_gt0.
Qed.

End exact_draw.
