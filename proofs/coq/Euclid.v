(* The Euclidean norm on row vectors.

   The norm of the library on 'rV[R]_d is the maximum norm; the paper measures
   sensitivity with the 2-norm.  This file has what the other files need of it:
   Cauchy-Schwarz, the triangle inequality, the comparison with the 1-norm, and
   the identity that makes (L/2)|x|^2 an L-strongly convex function. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals nsatz_realtype.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* An inequality whose two sides differ from those of a known one by the same
   amount: the identity is left to [nsatz]. *)
Lemma le_from (R : realType) (a b c d : R) : a <= b -> d - c = b - a -> c <= d.
Proof. by rewrite -[a <= b]subr_ge0 -[c <= d]subr_ge0 => ? ->. Qed.

(* What a norm is used for here: no homogeneity is ever needed. *)
Record is_norm (R : realType) (V : zmodType) (N : V -> R) : Prop := IsNorm {
  norm_ge0 : forall v, 0 <= N v;
  normN : forall v, N (- v) = N v;
  norm_triangle : forall u v, N (u + v) <= N u + N v }.

Section NormTheory.
Variables (R : realType) (V : zmodType) (N : V -> R).
Hypothesis normed : is_norm N.

Lemma norm_distC u v : N (u - v) = N (v - u).
Proof. by rewrite -(normN normed) opprB. Qed.

Lemma dist_triangle w u v : N (u - v) <= N (u - w) + N (w - v).
Proof. by rewrite -[u - v](subrKA w) (norm_triangle normed). Qed.

(* Two points that each move by at most t come apart by at most 2t. *)
Lemma dist_moved r t a b a' b' :
  N (a - b) <= r -> N (a' - a) <= t -> N (b' - b) <= t ->
  N (a' - b') <= r + 2%:R * t.
Proof.
move=> ab aa bb; apply: le_trans (dist_triangle a _ _) _.
apply: le_trans (ler_add aa (dist_triangle b _ _)) _.
rewrite (norm_distC b b') (_ : r + _ = t + (r + t)).
  by rewrite ler_add2l ler_add.
by rewrite mulr_natl mulr2n addrCA.
Qed.

End NormTheory.

Section Euclid.
Variables (R : realType) (d : nat).
Implicit Types (u v x y : 'rV[R]_d) (a b t : R).

Definition dot u v : R := \sum_i u 0 i * v 0 i.
Definition norm2 u : R := Num.sqrt (dot u u).
Definition norm1 u : R := \sum_i `|u 0 i|.

Lemma dotE u v : dot u v = (u *m v^T) 0 0.
Proof. by rewrite mxE; apply: eq_bigr => i _; rewrite mxE. Qed.

Lemma dotC u v : dot u v = dot v u.
Proof. by apply: eq_bigr => i _; rewrite mulrC. Qed.

Lemma dotDl u v x : dot (u + v) x = dot u x + dot v x.
Proof. by rewrite -big_split; apply: eq_bigr => i _; rewrite mxE mulrDl. Qed.

Lemma dotZl a u x : dot (a *: u) x = a * dot u x.
Proof. by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mxE mulrA. Qed.

Lemma dotNl u x : dot (- u) x = - dot u x.
Proof. by rewrite -scaleN1r dotZl mulN1r. Qed.

Lemma dotDr u v x : dot x (u + v) = dot x u + dot x v.
Proof. by rewrite !(dotC x) dotDl. Qed.

Lemma dotZr a u x : dot x (a *: u) = a * dot x u.
Proof. by rewrite !(dotC x) dotZl. Qed.

Lemma dotNr u x : dot x (- u) = - dot x u.
Proof. by rewrite !(dotC x) dotNl. Qed.

Definition dot_simpl := (dotDl, dotDr, dotZl, dotZr, dotNl, dotNr).

Lemma dot_ge0 u : 0 <= dot u u.
Proof. by apply: sumr_ge0 => i _; rewrite -expr2 sqr_ge0. Qed.

Lemma dot_eq0 u : dot u u = 0 -> u = 0.
Proof.
move=> /eqP; rewrite psumr_eq0 => [/allP u0|i _]; last by rewrite -expr2 sqr_ge0.
apply/rowP => i; apply/eqP; rewrite mxE.
by have /implyP/(_ isT) := u0 i (mem_index_enum i); rewrite mulf_eq0 orbb.
Qed.

Lemma norm2_ge0 u : 0 <= norm2 u. Proof. exact: sqrtr_ge0. Qed.

Lemma sqr_norm2 u : norm2 u ^+ 2 = dot u u.
Proof. by rewrite sqr_sqrtr // dot_ge0. Qed.

Lemma norm2N u : norm2 (- u) = norm2 u.
Proof. by rewrite /norm2 !dot_simpl opprK. Qed.

Lemma norm2Z a u : norm2 (a *: u) = `|a| * norm2 u.
Proof. by rewrite /norm2 !dot_simpl mulrA -expr2 sqrtrM ?sqr_ge0 ?sqrtr_sqr. Qed.

Lemma cauchy_schwarz_sqr u v : dot u v ^+ 2 <= dot u u * dot v v.
Proof.
have [/eqP v0|v_neq0] := boolP (dot v v == 0).
  by rewrite (dot_eq0 v0) dotE trmx0 mulmx0 mxE expr0n mulr_ge0 ?dot_ge0.
have v_gt0 : 0 < dot v v by rewrite lt_neqAle eq_sym v_neq0 dot_ge0.
have := dot_ge0 (dot v v *: u - dot u v *: v).
rewrite (_ : dot _ _ = dot v v * (dot u u * dot v v - dot u v ^+ 2)).
  by rewrite pmulr_rge0 // subr_ge0.
by rewrite !dot_simpl (dotC v u) expr2; nsatz.
Qed.

Lemma cauchy_schwarz u v : dot u v <= norm2 u * norm2 v.
Proof.
apply: le_trans (ler_norm _) _; rewrite -(@ler_pexpn2r _ 2) ?nnegrE //.
- by rewrite exprMn !sqr_norm2 real_normK ?num_real ?cauchy_schwarz_sqr.
- by rewrite mulr_ge0 ?norm2_ge0.
Qed.

Lemma norm2_triangle u v : norm2 (u + v) <= norm2 u + norm2 v.
Proof.
rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?addr_ge0 ?norm2_ge0 //.
rewrite sqrrD !sqr_norm2 !dot_simpl (dotC v u) -addrA addrA -!addrA ler_add2l.
by rewrite !addrA ler_add2r -mulr2n ler_pmuln2r // cauchy_schwarz.
Qed.

Lemma norm2_is_norm : is_norm norm2.
Proof. by split; [exact: norm2_ge0|exact: norm2N|exact: norm2_triangle]. Qed.

Lemma norm1_is_norm : is_norm norm1.
Proof.
split=> [v|v|u v]; first exact: sumr_ge0.
  by apply: eq_bigr => i _; rewrite mxE normrN.
by rewrite -big_split ler_sum // => i _; rewrite mxE ler_norm_add.
Qed.

(* |u|_1 <= sqrt d * |u|_2: Cauchy-Schwarz against the vector of signs. *)
Lemma norm1_le_norm2 u : norm1 u <= Num.sqrt d%:R * norm2 u.
Proof.
pose s : 'rV[R]_d := \row_i Num.sg (u 0 i).
have -> : norm1 u = dot s u.
  by apply: eq_bigr => i _; rewrite mxE normrEsg.
apply: le_trans (cauchy_schwarz s u) _; apply: ler_wpmul2r; first exact: norm2_ge0.
rewrite ler_wsqrtr // -[d in d%:R]card_ord -sumr_const; apply: ler_sum => i _.
by rewrite mxE -expr2 sqr_sg lern1 leq_b1.
Qed.

(* The identity behind strong convexity of the ridge term. *)
Lemma sqr_norm2_segment t x y :
  norm2 (t *: x + (1 - t) *: y) ^+ 2 =
  t * norm2 x ^+ 2 + (1 - t) * norm2 y ^+ 2 - t * (1 - t) * norm2 (x - y) ^+ 2.
Proof. by rewrite !sqr_norm2 !dot_simpl (dotC y x); nsatz. Qed.

End Euclid.
