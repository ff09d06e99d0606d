(* lem:OutPert_DP: a near-minimiser with noise is private.

   The noise is any family of laws that changes by at most e^eps between points
   within the sensitivity; on a lattice the points are clamped and rounded first,
   which adds d g to the 1-norm and sqrt d g to the 2-norm (own:lattice).
   [DiscreteLaplace] supplies such a family. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets.
From mathcomp.analysis Require Import reals ereal measure nsatz_realtype.
From AsapDP Require Import Kernels PureDP Euclid Sensitivity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section OutputPerturbation.
Context (Data : Type) (neighbours : Data -> Data -> Prop).
Context d (T : measurableType d) (R : realType) (V : lmodType R) (N : V -> R).
Variables (C : set V) (J : Data -> V -> R) (Lambda G tau eps Delta : R).
Variables (theta_star theta_opt : Data -> V).

(* What lem:sensitivity_minimizer asks of the objectives and of the solver. *)
Record output_hypotheses : Prop := OutputHypotheses {
  out_norm : is_norm N;
  out_Lambda : 0 < Lambda;
  out_G : 0 <= G;
  out_domain : convex_set C;
  out_strongly_convex : forall D, strongly_convex N C Lambda (J D);
  out_lipschitz : forall D D', neighbours D D' ->
    lipschitz_on N C G (fun x => J D x - J D' x);
  out_minimiser : forall D, minimiser C (J D) (theta_star D);
  out_certified : forall D, N (theta_opt D - theta_star D) <= tau;
  out_Delta : G / Lambda + 2%:R * tau <= Delta }.

Hypothesis out : output_hypotheses.

Lemma output_sensitivity D D' :
  neighbours D D' -> N (theta_opt D - theta_opt D') <= Delta.
Proof.
move=> DD'; apply: le_trans (out_Delta out).
apply: (lem_sensitivity_minimizer_approx (out_norm out) (out_Lambda out) (out_G out)
  (out_domain out) (out_strongly_convex out D) (out_strongly_convex out D')
  (out_lipschitz out DD') (out_minimiser out D) (out_minimiser out D'));
  exact: out_certified.
Qed.

Theorem lem_OutPert_DP (noise : V -> {measure set T -> \bar R}) :
  (forall x y, N (x - y) <= Delta -> dp eps (noise x) (noise y)) ->
  private neighbours eps (fun D => noise (theta_opt D)).
Proof. by move=> noise_dp D D' DD'; apply/noise_dp/output_sensitivity. Qed.

End OutputPerturbation.

Section Lattice.
Variables (R : realType) (n : nat) (g : R) (clamp : R -> R).
Variables (U : Type) (steps : 'rV[R]_n -> U) (point : U -> 'rV[R]_n).
Implicit Types x y : 'rV[R]_n.

Let lattice x := point (steps x).

(* Clamp each coordinate, then move it to a point of the lattice nearby; the
   point is known by its numbers of steps, of which the noise is a function. *)
Hypothesis clamp_lipschitz : forall s t, `|clamp s - clamp t| <= `|s - t|.
Hypothesis lattice_near : forall x i, `|lattice x 0 i - clamp (x 0 i)| <= g / 2%:R.

Definition clamped x : 'rV[R]_n := \row_i clamp (x 0 i).

Lemma clamped_norm2 x y : norm2 (clamped x - clamped y) <= norm2 (x - y).
Proof.
rewrite ler_wsqrtr // ler_sum // => i _; rewrite !mxE -!expr2.
by rewrite -[leLHS]real_normK ?num_real // -[leRHS]real_normK ?num_real //
  ler_pexpn2r ?nnegrE.
Qed.

Lemma clamped_norm1 x y : norm1 (clamped x - clamped y) <= norm1 (x - y).
Proof. by rewrite ler_sum // => i _; rewrite !mxE. Qed.

Lemma moved_norm1 x : norm1 (lattice x - clamped x) <= n%:R * (g / 2%:R).
Proof.
rewrite mulr_natl -[n in _ *+ n]card_ord -sumr_const ler_sum // => i _.
by rewrite !mxE.
Qed.

Let g_ge0 (i : 'I_n) : 0 <= g / 2%:R.
Proof. exact: le_trans (normr_ge0 _) (lattice_near 0 i). Qed.

Lemma moved_norm2 x : norm2 (lattice x - clamped x) <= Num.sqrt n%:R * (g / 2%:R).
Proof.
have [i _|no_i] := pickP (fun _ : 'I_n => true); last first.
  have n0 : n = 0%N by apply/eqP; rewrite -[n]card_ord; apply/eqP/eq_card0.
  rewrite /norm2 /dot big1 ?sqrtr0 => [|i]; last by have := no_i i.
  by move: (Num.sqrt _) (sqrtr_eq0 (n%:R : R)); rewrite n0 lexx => s /eqP ->; rewrite mul0r.
rewrite -[g / _]ger0_norm ?(g_ge0 i) // -sqrtr_sqr -sqrtrM ?ler0n //.
rewrite ler_wsqrtr // mulr_natl -[n in _ *+ n]card_ord -sumr_const ler_sum // => j _.
rewrite !mxE -expr2 -[leLHS]real_normK ?num_real //.
by rewrite ler_pexpn2r ?nnegrE ?(g_ge0 i).
Qed.

Let two_halves (a : R) : 2%:R * (a * (g / 2%:R)) = a * g.
Proof. by rewrite mulrCA [2%:R * _]mulrC divfK ?pnatr_eq0. Qed.

Lemma rounded_l1 x y Delta : norm2 (x - y) <= Delta ->
  norm1 (lattice x - lattice y) <= Num.sqrt n%:R * Delta + n%:R * g.
Proof.
move=> xy; rewrite -(two_halves n%:R).
apply: (dist_moved (norm1_is_norm R n) _ (moved_norm1 x) (moved_norm1 y)).
apply: le_trans (norm1_le_norm2 _) _; rewrite ler_wpmul2l ?sqrtr_ge0 //.
exact: le_trans (clamped_norm2 x y) xy.
Qed.

Lemma rounded_l2 x y Delta : norm2 (x - y) <= Delta ->
  norm2 (lattice x - lattice y) <= Delta + Num.sqrt n%:R * g.
Proof.
move=> xy; rewrite -two_halves.
apply: (dist_moved (norm2_is_norm R n) _ (moved_norm2 x) (moved_norm2 y)).
exact: le_trans (clamped_norm2 x y) xy.
Qed.

Section Private.
Context (Data : Type) (neighbours : Data -> Data -> Prop).
Context d (T : measurableType d).
Variables (C : set 'rV[R]_n) (J : Data -> 'rV[R]_n -> R).
Variables (Lambda G tau eps Delta : R) (theta_star theta_opt : Data -> 'rV[R]_n).
Hypothesis out : output_hypotheses neighbours (@norm2 R n) C J Lambda G tau Delta
  theta_star theta_opt.
Variable noise : U -> {measure set T -> \bar R}.

(* Independent noise: private for the 1-norm. *)
Theorem lem_OutPert_DP_lattice_l1 :
  (forall u v, norm1 (point u - point v) <= Num.sqrt n%:R * Delta + n%:R * g ->
    dp eps (noise u) (noise v)) ->
  private neighbours eps (fun D => noise (steps (theta_opt D))).
Proof.
by move=> noise_dp D D' DD'; apply/noise_dp/rounded_l1/(output_sensitivity out).
Qed.

(* Euclidean noise: private for the 2-norm. *)
Theorem lem_OutPert_DP_lattice_l2 :
  (forall u v, norm2 (point u - point v) <= Delta + Num.sqrt n%:R * g ->
    dp eps (noise u) (noise v)) ->
  private neighbours eps (fun D => noise (steps (theta_opt D))).
Proof.
by move=> noise_dp D D' DD'; apply/noise_dp/rounded_l2/(output_sensitivity out).
Qed.

End Private.
End Lattice.
