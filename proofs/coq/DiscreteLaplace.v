(* own:discrete-laplace: P(k) proportional to e^(-r |k|) on the integers, and
   independent copies on Z^n; r is the step of the lattice over the scale. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP DiscreteLaw Euclid Sensitivity.
From AsapDP Require Import OutputPerturbation.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Import numFieldTopology.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * On the integers *)

Section Integers.
Variables (R : realType) (r : R).
Hypothesis r_gt0 : 0 < r.
Implicit Types k j : int.

Let q : R := expR (- r).

Let q_gt0 : 0 < q. Proof. exact: expR_gt0. Qed.
Let q_lt1 : q < 1. Proof. by rewrite /q expR_lt1 oppr_lt0. Qed.
Let q1_gt0 : 0 < 1 - q. Proof. by rewrite subr_gt0. Qed.

Definition laplace_constant : R := (1 - q) / (1 + q).

Lemma laplace_constant_gt0 : 0 < laplace_constant.
Proof. by rewrite divr_gt0 // addr_gt0 // ltr01. Qed.

Definition laplace k : R := laplace_constant * expR (- (r * `|k|%:~R)).

Lemma laplace_gt0 k : 0 < laplace k.
Proof. by rewrite mulr_gt0 ?expR_gt0 ?laplace_constant_gt0. Qed.

(* |k - j| <= |k - i| + |i - j|: a shift by i - j costs e^(r |i - j|). *)
Lemma laplace_ratio k i j :
  laplace (k - i) <= expR (r * `|i - j|%:~R) * laplace (k - j).
Proof.
rewrite /laplace mulrCA ler_pmul2l ?laplace_constant_gt0 // -expRD ler_expR.
have : `|k - j|%:~R <= `|k - i|%:~R + `|i - j|%:~R :> R.
  by rewrite -rmorphD ler_int -[k - j](subrKA i) ler_norm_add.
by move=> /(ler_wpmul2l (ltW r_gt0)) h; apply: le_from h _; nsatz.
Qed.

Let geometric_sum (c : R) : 0 <= c ->
  (\esum_(n in [set: nat]) (c * q ^+ n)%:E = (c / (1 - q))%:E)%E.
Proof.
move=> c0; apply: esum_series => [n|].
  by rewrite mulr_ge0 // exprn_ge0 // ltW.
by apply: cvg_geometric_series; rewrite ger0_norm // ltW.
Qed.

Let laplace_nat n : laplace n%:Z = laplace_constant * q ^+ n.
Proof. by rewrite /laplace /q -expRMm ger0_norm // mulrN -pmulrn [r * _]mulrC. Qed.

Let laplace_Negz n : laplace (Negz n) = laplace_constant * q * q ^+ n.
Proof. by rewrite -mulrA -exprS -laplace_nat /laplace NegzE normrN. Qed.

Theorem laplace_total : (\esum_(k in [set: int]) (laplace k)%:E = 1)%E.
Proof.
rewrite (esumID [set k | 0 <= k]) => [|k _]; last by rewrite lee_fin ltW ?laplace_gt0.
rewrite !setTI (_ : [set k | 0 <= k] = Posz @` setT); last first.
  apply/seteqP; split=> k /=; first by case: k => // n _; exists n.
  by case=> n _ <-.
rewrite (_ : ~` (Posz @` setT) = Negz @` setT); last first.
  apply/seteqP; split=> k /=; last by case=> n _ <- [].
  by case: k => n notnat; [case: notnat|]; exists n.
rewrite !esum_image; try by move=> m n _ _ [].
under eq_esum do rewrite laplace_nat.
under [X in (_ + X)%E]eq_esum do rewrite laplace_Negz.
have c0 := ltW laplace_constant_gt0; have q0 := ltW q_gt0.
rewrite (geometric_sum c0) (geometric_sum (mulr_ge0 c0 q0)).
rewrite -EFinD -mulrDl -[X in X + _]mulr1 -mulrDr /laplace_constant divfK.
  by rewrite divff // gt_eqF.
by rewrite gt_eqF // addr_gt0 // ltr01.
Qed.

End Integers.

(** * On Z^n *)

Section Lattice.
Variables (R : realType) (r : R).
Hypothesis r_gt0 : 0 < r.

Section Vectors.
Variable n : nat.
Implicit Types k i j : 'rV[int]_n.

Definition laplace_vector k : R := \prod_a laplace r (k 0 a).

Lemma laplace_vector_gt0 k : 0 < laplace_vector k.
Proof. by apply: prodr_gt0 => a _; exact: laplace_gt0. Qed.

(* The length of a vector of steps in the 1-norm. *)
Definition steps1 k : R := \sum_a `|k 0 a|%:~R.

Theorem laplace_vector_ratio k i j :
  laplace_vector (k - i) <= expR (r * steps1 (i - j)) * laplace_vector (k - j).
Proof.
rewrite /laplace_vector /steps1 mulr_sumr.
rewrite (big_morph (@expR R) (@expRD R) (@expR0 R)) -big_split.
apply: ler_prod => a _; rewrite ltW ?laplace_gt0 // !mxE.
exact: laplace_ratio.
Qed.

End Vectors.

Theorem laplace_vector_total n :
  (\esum_(k in [set: 'rV[int]_n]) (laplace_vector k)%:E = 1)%E.
Proof.
elim: n => [|n IH].
  rewrite (_ : setT = [set 0]); last first.
    by apply/seteqP; split=> k //= _; apply/rowP => -[].
  rewrite esum_set1; last by rewrite lee_fin ltW ?laplace_vector_gt0.
  by rewrite /laplace_vector big_ord0.
pose join (z : int * 'rV[int]_n) : 'rV[int]_(1 + n) := row_mx z.1%:M z.2.
have join_bij : set_bij ([set: int] `*`` fun=> [set: 'rV[int]_n]) setT join.
  split=> //.
  - move=> [a u] [b v] _ _ /eq_row_mx /= [ab ->]; congr (_, _).
    by have := congr1 (fun M : 'M[int]_1 => M 0 0) ab; rewrite !mxE !mulr1n.
  - move=> k _; exists ((lsubmx k) 0 0, rsubmx k) => //.
    by rewrite /join /= -mx11_scalar hsubmxK.
have joinE z : laplace_vector (join z) = laplace r z.1 * laplace_vector z.2.
  rewrite /laplace_vector big_split_ord /= big_ord1 row_mxEl mxE mulr1n.
  by congr (_ * _); apply: eq_bigr => a _; rewrite row_mxEr.
rewrite (reindex_esum _ _ _ _ join_bij).
rewrite (eq_esum (b := fun z => ((laplace r z.1)%:E * (laplace_vector z.2)%:E)%E)) => [|z _]; last first.
  by rewrite joinE EFinM.
rewrite -(@esum_esum _ _ _ _ (fun=> setT) (fun a v => (laplace r a)%:E * (laplace_vector v)%:E)%E).
  rewrite -(laplace_total r_gt0); apply: eq_esum => a _.
  rewrite esumZ ?laplace_gt0 // ?IH ?mule1 // => v.
  by rewrite lee_fin ltW ?laplace_vector_gt0.
by move=> a v; rewrite mule_ge0 // lee_fin ltW ?laplace_gt0 ?laplace_vector_gt0.
Qed.

(** * The mechanism *)

Section Law.
Context d (T : measurableType d) (n : nat) (release : 'rV[int]_n -> T).
Implicit Types i j : 'rV[int]_n.

Lemma laplace_weight_ge0 i k : 0 <= laplace_vector (k - i).
Proof. exact/ltW/laplace_vector_gt0. Qed.

(* The point i of the lattice with noise, released by any map (own:lattice). *)
Definition laplace_law i : {measure set T -> \bar R} :=
  [the {measure set T -> \bar R} of
    law_of (fun k => NngNum (laplace_weight_ge0 i k)) release].

Theorem laplace_law_total i : laplace_law i setT = 1%E.
Proof.
rewrite /= law_of_total -(laplace_vector_total n).
rewrite [RHS](reindex_esum setT setT (fun k => k - i)) //; split=> //.
- by move=> k k' _ _ /addIr.
- by move=> k _; exists (k + i); rewrite ?addrK.
Qed.

Theorem own_discrete_laplace i j eps : r * steps1 (i - j) <= eps ->
  dp eps (laplace_law i) (laplace_law j).
Proof.
move=> ije; apply: dp_law_of => k /=; apply: le_trans (laplace_vector_ratio k i j) _.
by rewrite ler_wpmul2r ?laplace_weight_ge0 // ler_expR.
Qed.

End Law.
End Lattice.

(** * Output perturbation *)

(* alg:outpert with independent discrete Laplace noise of scale s on the lattice
   of step g: private if s >= (sqrt n Delta + n g)/eps. *)
Section OutputPerturbation.
Variables (R : realType) (n : nat) (g s eps : R) (clamp : R -> R).
Variable steps : 'rV[R]_n -> 'rV[int]_n.
Hypotheses (g_gt0 : 0 < g) (s_gt0 : 0 < s).

Definition lattice_point (k : 'rV[int]_n) : 'rV[R]_n := g *: map_mx intr k.

Lemma steps1_point i j :
  norm1 (lattice_point i - lattice_point j) = g * steps1 R (i - j).
Proof.
rewrite /norm1 /steps1 mulr_sumr; apply: eq_bigr => a _; rewrite !mxE -mulrBr.
by rewrite normrM gtr0_norm // -rmorphB /= intr_norm.
Qed.

Context (Data : Type) (neighbours : Data -> Data -> Prop).
Context d (T : measurableType d) (release : 'rV[int]_n -> T).
Variables (C : set 'rV[R]_n) (J : Data -> 'rV[R]_n -> R).
Variables (Lambda G tau Delta : R) (theta_star theta_opt : Data -> 'rV[R]_n).

Theorem lem_OutPert_DP_discrete_laplace :
  output_hypotheses neighbours (@norm2 R n) C J Lambda G tau Delta theta_star theta_opt ->
  (forall a b, `|clamp a - clamp b| <= `|a - b|) ->
  (forall x a, `|lattice_point (steps x) 0 a - clamp (x 0 a)| <= g / 2%:R) ->
  Num.sqrt n%:R * Delta + n%:R * g <= s * eps ->
  private neighbours eps
    (fun D => laplace_law (divr_gt0 g_gt0 s_gt0) release (steps (theta_opt D))).
Proof.
move=> out clamp_lip near scale.
apply: (lem_OutPert_DP_lattice_l1 clamp_lip near out) => i j ij.
apply: own_discrete_laplace; rewrite mulrAC -steps1_point ler_pdivr_mulr //.
by rewrite [eps * s]mulrC (le_trans ij scale).
Qed.

End OutputPerturbation.
