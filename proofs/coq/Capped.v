(* own:exact with the two caps of the program.

   The program stops after so many proposals drawn, and after so many evaluated: a
   proposal outside of the ball is drawn but not evaluated.  As in Rejection.v the
   result is a mixture of the accepted law and the fallback's; only the weight of
   the fallback is another number.

     capped N' N               at most N' proposals drawn and N evaluated
     own_exact_capped          its law is (1 - w) * accepted + w * fallback
     own_fallback_capped       within `near` of the target, if both parts are    *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp.
From mathcomp.analysis Require Import nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Rejection.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section capped.
Context d (T : measurableType d) (R : realType).
Variables (q : {measure set T -> \bar R}) (a : {mfun T >-> R}) (inside : set T).
Hypothesis q_total : q setT = 1.
Hypothesis a_ge0 : forall x, (0 <= a x)%R.
Hypothesis a_le1 : forall x, (a x <= 1)%R.
Hypothesis minside : measurable inside.

(** * One trial *)

(* Rejected, inside of `B`: the weight with which the trial goes on. *)
Let rejected_ge0 (B : set T) x : (0 <= (1 - a x) * \1_B x)%R.
Proof. by rewrite mulr_ge0 // subr_ge0. Qed.

Let rejected B x : {nonneg R} := NngNum (rejected_ge0 B x).

Let measurable_rejected B : measurable B ->
  measurable_fun setT (fun x => (rejected B x)%:num%:E).
Proof.
move=> mB; apply/EFin_measurable_fun; apply: measurable_funM.
  by apply: measurable_funB; [exact: measurable_fun_cst|exact: measurable_funP].
exact: measurable_fun_indic.
Qed.

Let one : {nonneg R} := NngNum (@ler01 R).

Section trial.
Variables (rest_in rest_out : {measure set T -> \bar R}).

Let trial_law x : {measure set T -> \bar R} :=
  mix (accept_weight a_ge0 x) one [the {measure set T -> \bar R} of dirac x]
    (mix (rejected inside x) (rejected (~` inside) x) rest_in rest_out).

Let trial_lawE x A : trial_law x A = (a x)%:E * (\1_A x)%:E +
  ((rejected inside x)%:num%:E * rest_in A +
   (rejected (~` inside) x)%:num%:E * rest_out A).
Proof. by rewrite [LHS]mixE [X in _ + _ * X]mixE mul1e. Qed.

Let measurable_in A : measurable A ->
  measurable_fun setT (fun x => (a x)%:E * (\1_A x)%:E).
Proof.
move=> mA; apply: emeasurable_funM; first exact/EFin_measurable_fun.
exact/EFin_measurable_fun/measurable_fun_indic.
Qed.

Let measurable_out B (c : \bar R) : measurable B ->
  measurable_fun setT (fun x => (rejected B x)%:num%:E * c).
Proof.
move=> mB; apply: emeasurable_funM; first exact: measurable_rejected.
exact: measurable_fun_cst.
Qed.

Let trial_measurable A :
  measurable A -> measurable_fun setT (fun x => trial_law x A).
Proof.
move=> mA; under eq_fun do rewrite trial_lawE.
apply: emeasurable_funD; first exact: measurable_in.
by apply: emeasurable_funD; apply: measurable_out => //; exact: measurableC.
Qed.

Definition trial : {measure set T -> \bar R} :=
  [the {measure set T -> \bar R} of bind q (Kernel trial_measurable)].

Let mass B := \int[q]_x (rejected B x)%:num%:E.

Let integral_rejected B (c : \bar R) : measurable B -> 0 <= c ->
  \int[q]_x ((rejected B x)%:num%:E * c) = mass B * c.
Proof.
move=> mB c0; under eq_integral do rewrite muleC.
rewrite ge0_integralM; first by rewrite muleC.
- exact: measurableT.
- exact: measurable_rejected.
- by move=> x _; rewrite lee_fin.
- exact: c0.
Qed.

Lemma trial_integral A : measurable A -> trial A =
  accepted_mass q a_ge0 A +
  (\int[q]_x (rejected inside x)%:num%:E * rest_in A +
   \int[q]_x (rejected (~` inside) x)%:num%:E * rest_out A).
Proof.
move=> mA; have mC := measurableC minside.
transitivity (\int[q]_x ((a x)%:E * (\1_A x)%:E +
    ((rejected inside x)%:num%:E * rest_in A +
     (rejected (~` inside) x)%:num%:E * rest_out A))).
  by apply: eq_integral => x _; exact: trial_lawE.
have ge0 (u : {nonneg R}) (m : {measure set T -> \bar R}) : 0 <= u%:num%:E * m A.
  by rewrite mule_ge0 ?lee_fin.
rewrite ge0_integralD; first last.
- by apply: emeasurable_funD; exact: measurable_out.
- by move=> x _; rewrite adde_ge0 ?ge0.
- exact: measurable_in.
- by move=> x _; rewrite -EFinM lee_fin mulr_ge0.
- exact: measurableT.
congr (_ + _); first by rewrite densityE.
rewrite ge0_integralD; first last.
- exact: measurable_out.
- by move=> x _; exact: ge0.
- exact: measurable_out.
- by move=> x _; exact: ge0.
- exact: measurableT.
by rewrite !integral_rejected.
Qed.

Lemma trial_total : rest_in setT = 1 -> rest_out setT = 1 -> trial setT = 1.
Proof.
move=> in1 out1; transitivity (\int[q]_x 1%:E); last first.
  by rewrite integral_cst // mul1e.
apply: eq_integral => x _; rewrite [LHS]trial_lawE in1 out1 !mule1 /=.
rewrite -EFinM -!EFinD; congr EFin; rewrite !indicE in_setT in_setC.
by case: (x \in inside); rewrite !(mulr1, mulr0, addr0, add0r) addrC subrK.
Qed.

End trial.

(* The two ways to go on, and their probabilities. *)
Let mass_in := \int[q]_x (rejected inside x)%:num%:E.
Let mass_out := \int[q]_x (rejected (~` inside) x)%:num%:E.

Let masses : (accept_prob q a_ge0)%:E + (mass_in + mass_out) = 1.
Proof.
have := trial_integral q q measurableT.
rewrite trial_total // q_total !mule1 => ->.
by rewrite -(accept_probK q_total a_ge0 a_le1).
Qed.

Let mass_ge0 B : 0 <= \int[q]_x (rejected B x)%:num%:E.
Proof. by apply: integral_ge0 => x _; rewrite lee_fin. Qed.

Definition go_on_in : R := fine mass_in.
Definition go_on_out : R := fine mass_out.

Let numbers : [/\ mass_in = go_on_in%:E, mass_out = go_on_out%:E
  & (accept_prob q a_ge0 + (go_on_in + go_on_out) = 1)%R].
Proof.
rewrite /go_on_in /go_on_out; have := masses.
have : 0 <= mass_in by exact: mass_ge0.
have : 0 <= mass_out by exact: mass_ge0.
by case: mass_in => [u| |] //; case: mass_out => [v| |] // _ _; rewrite -!EFinD => -[].
Qed.

Let go_on_in_ge0 : (0 <= go_on_in)%R.
Proof. by apply: fine_ge0; exact: mass_ge0. Qed.

Let go_on_out_ge0 : (0 <= go_on_out)%R.
Proof. by apply: fine_ge0; exact: mass_ge0. Qed.

Lemma trialE rest_in rest_out A : measurable A -> trial rest_in rest_out A =
  accepted_mass q a_ge0 A + (go_on_in%:E * rest_in A + go_on_out%:E * rest_out A).
Proof.
by move=> mA; rewrite trial_integral //; case: numbers => <- <- _.
Qed.

(** * The draw, and its law *)

Variable fallback : {measure set T -> \bar R}.

Fixpoint capped (drawn evaluated : nat) : {measure set T -> \bar R} :=
  match drawn, evaluated with
  | drawn'.+1, evaluated'.+1 =>
      trial (capped drawn' evaluated') (capped drawn' evaluated)
  | _, _ => fallback
  end.

Lemma capped_total drawn evaluated :
  fallback setT = 1 -> capped drawn evaluated setT = 1.
Proof.
move=> f1; elim: drawn evaluated => [|N' IH] [|N] //=.
exact: trial_total.
Qed.

(* The probability that the fallback draws. *)
Fixpoint fallback_prob (drawn evaluated : nat) : R :=
  match drawn, evaluated with
  | drawn'.+1, evaluated'.+1 => (go_on_in * fallback_prob drawn' evaluated' +
      go_on_out * fallback_prob drawn' evaluated)%R
  | _, _ => 1%R
  end.

Lemma fallback_prob_between N' N : (0 <= fallback_prob N' N <= 1)%R.
Proof.
elim: N' N => [|N' IH] [|N] /=; rewrite ?ler01 ?lexx //.
have /andP[u0 u1] := IH N; have /andP[v0 v1] := IH N.+1.
rewrite addr_ge0 ?mulr_ge0 //=.
have [_ _ <-] := numbers; rewrite ler_paddl ?accept_prob_ge0 //.
by rewrite ler_add // ler_pimulr.
Qed.

Let weight_ge0 N' N : (0 <= fallback_prob N' N)%R.
Proof. by case/andP: (fallback_prob_between N' N). Qed.

Let coweight_ge0 N' N : (0 <= 1 - fallback_prob N' N)%R.
Proof. by rewrite subr_ge0; case/andP: (fallback_prob_between N' N). Qed.

Variable accepted : {measure set T -> \bar R}.
Hypothesis accepted_law : forall A, measurable A ->
  accepted_mass q a_ge0 A = (accept_prob q a_ge0)%:E * accepted A.

(* On numbers alone, because a search among measures is slow. *)
Let collect (p r s u v : R) (x y : \bar R) :
  (0 <= p)%R -> (0 <= r)%R -> (0 <= s)%R -> (0 <= u <= 1)%R -> (0 <= v <= 1)%R ->
  (p + (r + s) = 1)%R -> 0 <= x -> 0 <= y ->
  p%:E * x + (r%:E * ((1 - u)%:E * x + u%:E * y) +
              s%:E * ((1 - v)%:E * x + v%:E * y)) =
  (1 - (r * u + s * v))%:E * x + (r * u + s * v)%:E * y.
Proof.
move=> p0 r0 s0 /andP[u0 u1] /andP[v0 v1] sum1 x0 y0.
have u1' : (0 <= 1 - u)%R by rewrite subr_ge0.
have v1' : (0 <= 1 - v)%R by rewrite subr_ge0.
rewrite !ge0_muleDr ?mule_ge0 ?lee_fin // !muleA -!EFinM addeACA addeA.
rewrite -!ge0_muleDl ?lee_fin ?addr_ge0 ?mulr_ge0 // -!EFinD.
by congr ((_)%:E * _ + _); rewrite -sum1; nsatz.
Qed.

Theorem own_exact_capped N' N A : measurable A ->
  capped N' N A = mix (NngNum (coweight_ge0 N' N)) (NngNum (weight_ge0 N' N))
    accepted fallback A.
Proof.
move=> mA; rewrite [RHS]mixE /=.
elim: N' N => [|N' IH] [|N]; try by rewrite /= subrr mul0e add0e mul1e.
rewrite [LHS]trialE // accepted_law // IH IH /=.
apply: collect => //; first exact: accept_prob_ge0.
- exact: fallback_prob_between.
- exact: (fallback_prob_between N' N.+1).
- by case: numbers.
Qed.

Theorem own_fallback_capped near (target : {measure set T -> \bar R}) N' N :
  within near accepted target -> within near fallback target ->
  within near (capped N' N) target.
Proof.
move=> accepted_near fallback_near.
apply: (eq_within (mu := mix (NngNum (coweight_ge0 N' N))
  (NngNum (weight_ge0 N' N)) accepted fallback) (nu := target)) => //.
  by move=> A mA; rewrite own_exact_capped.
by apply: within_mix_common => //=; rewrite subrK.
Qed.

End capped.
