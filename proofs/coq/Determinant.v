(* Determinants of rank-one updates of a matrix that is at least Lambda I.

   For own:objective-perturbation: one record more changes the Hessian by
   w x^T x, and the density of the release by the ratio of two determinants. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals.
From AsapDP Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section DeterminantLemma.
Variables (R : comUnitRingType) (d : nat).
Implicit Types (A : 'M[R]_d) (u : 'cV[R]_d) (v : 'rV[R]_d).

(* The matrix [1, -u; v, 1], factored in two ways. *)
Lemma det_1_rank_one u v : \det (1%:M + u *m v) = 1 + (v *m u) 0 0.
Proof.
have lower : \det (block_mx 1%:M 0 v 1%:M : 'M[R]_(d + 1)) = 1.
  by rewrite det_lblock !det1 mulr1.
have two_ways : block_mx (1%:M + u *m v) (- u) 0 1%:M *m block_mx 1%:M 0 v 1%:M =
    block_mx 1%:M 0 v 1%:M *m block_mx 1%:M (- u) 0 (1%:M + v *m u) :> 'M_(d + 1).
  rewrite !mulmx_block !(mulmx0, mul0mx, mulmx1, mul1mx, addr0, add0r) mulNmx.
  by rewrite mulmxN addrK [1%:M + v *m u]addrC addKr.
have := congr1 determinant two_ways; rewrite !det_mulmx lower mulr1 mul1r.
by rewrite !det_ublock !det1 mulr1 mul1r det_mx11 !mxE => ->.
Qed.

Theorem matrix_determinant_lemma A u v : A \in unitmx ->
  \det (A + u *m v) = \det A * (1 + (v *m invmx A *m u) 0 0).
Proof.
move=> unitA; rewrite -mulmxA -det_1_rank_one -det_mulmx mulmxDr mulmx1.
by rewrite -mulmxA mulKVmx.
Qed.

End DeterminantLemma.

Section Bounded.
Variables (R : realType) (d : nat).
Implicit Types (A : 'M[R]_d) (x : 'rV[R]_d) (Lambda w beta : R).

(* A >= Lambda I, as quadratic forms; symmetry is not needed. *)
Definition at_least Lambda A := forall x, Lambda * dot x x <= dot (x *m A) x.

Definition rank_one w x : 'M[R]_d := w *: (x^T *m x).

Lemma dot_rank_one w x y : dot (y *m rank_one w x) y = w * dot y x ^+ 2.
Proof.
rewrite /rank_one -scalemxAr dotZl mulmxA; congr (_ * _).
have -> : y *m x^T = (dot y x)%:M by rewrite dotE -mx11_scalar.
by rewrite mul_scalar_mx dotZl dotC expr2.
Qed.

Lemma at_least_scalar Lambda : at_least Lambda Lambda%:M.
Proof. by move=> x; rewrite mul_mx_scalar dotZl. Qed.

Lemma at_least_rank_one Lambda A w x :
  0 <= w -> at_least Lambda A -> at_least Lambda (A + rank_one w x).
Proof.
move=> w0 AL y; rewrite mulmxDr dotDl dot_rank_one.
by rewrite -[leLHS]addr0 ler_add // mulr_ge0 // sqr_ge0.
Qed.

Lemma at_least_unit Lambda A : 0 < Lambda -> at_least Lambda A -> A \in unitmx.
Proof.
move=> L0 AL; rewrite unitmxE unitfE; apply/negP => /det0P [v v_neq0 vA].
have := AL v; rewrite vA [dot 0 v]dotE mul0mx mxE pmulr_rle0 // => v_le0.
by move/negP: v_neq0; apply; apply/eqP/dot_eq0/le_anti; rewrite v_le0 dot_ge0.
Qed.

(* The determinant cannot change sign on the way from the identity to A. *)
Lemma at_least_det_gt0 Lambda A : 0 < Lambda -> at_least Lambda A -> 0 < \det A.
Proof.
move=> L0 AL; pose path := map_mx polyC 1%:M + 'X *: map_mx polyC (A - 1%:M).
pose p : {poly R} := \det path.
have pE t : p.[t] = \det ((1 - t) *: 1%:M + t *: A).
  rewrite -horner_evalE -det_map_mx; congr (\det _); apply/matrixP => i j.
  rewrite /path !mxE /= /horner_eval !hornerE.
  by rewrite mulrBr mulrBl mul1r addrA addrAC.
have no_root t : 0 <= t <= 1 -> p.[t] != 0.
  move=> /andP[t0 t1]; rewrite pE -unitfE -unitmxE.
  have m0 : 0 < Num.min 1 Lambda by rewrite lt_minr ltr01.
  apply: (at_least_unit m0) => x.
  rewrite mulmxDr -!scalemxAr mulmx1 dotDl !dotZl.
  have -> : Num.min 1 Lambda * dot x x =
      (1 - t) * (Num.min 1 Lambda * dot x x) + t * (Num.min 1 Lambda * dot x x).
    by rewrite -mulrDl subrK mul1r.
  apply: ler_add; rewrite ler_wpmul2l ?subr_ge0 //.
    by rewrite ler_pimull ?dot_ge0 // le_minl lexx.
  apply: le_trans (AL x); rewrite ler_wpmul2r ?dot_ge0 //.
  by rewrite le_minl lexx orbT.
have p0 : p.[0] = 1 by rewrite pE subr0 scale1r scale0r addr0 det1.
have p1 : p.[1] = \det A by rewrite pE subrr scale0r add0r scale1r.
rewrite ltNge -p1; apply/negP => p1_le0.
have [] := @poly_ivt _ (- p) 0 1 ler01.
  by rewrite !hornerN p0 oppr_le0 ler01 oppr_ge0.
by move=> t /no_root; rewrite rootN rootE => /negP.
Qed.

(* With y = x A^-1: Lambda |y|^2 <= <yA, y> = <x, y> <= |x| |y|. *)
Theorem inverse_form_le Lambda A x : 0 < Lambda -> at_least Lambda A ->
  0 <= dot (x *m invmx A) x <= dot x x / Lambda.
Proof.
move=> L0 AL; set y := x *m invmx A; set q := dot y x.
have yA : y *m A = x by rewrite /y mulmxKV // (at_least_unit L0).
have yq : Lambda * dot y y <= q by rewrite /q dotC -[in X in _ <= X]yA.
have q0 : 0 <= q by apply: le_trans yq; rewrite mulr_ge0 ?dot_ge0 // ltW.
rewrite q0 /= ler_pdivl_mulr //.
have [->|q_neq0] := eqVneq q 0; first by rewrite mul0r dot_ge0.
have q_gt0 : 0 < q by rewrite lt_neqAle eq_sym q_neq0.
rewrite -(ler_pmul2r q_gt0) mulrAC -expr2 mulrC.
apply: le_trans (_ : _ <= Lambda * (dot y y * dot x x)) _.
  by rewrite ler_pmul2l // cauchy_schwarz_sqr.
by rewrite mulrA mulrC ler_wpmul2l ?dot_ge0.
Qed.

(* One more record changes the determinant by a factor in [1, 1 + beta/Lambda]. *)
Theorem det_rank_one_ratio Lambda A w x beta : 0 < Lambda -> at_least Lambda A ->
  0 <= w -> w * dot x x <= beta ->
  \det A <= \det (A + rank_one w x) <= (1 + beta / Lambda) * \det A.
Proof.
move=> L0 AL w0 wb; have detA := at_least_det_gt0 L0 AL.
have /andP[q0 q1] := inverse_form_le x L0 AL.
rewrite /rank_one scalemxAl matrix_determinant_lemma ?(at_least_unit L0 AL) //.
rewrite -scalemxAr mxE -dotE ler_pmulr // ler_addl mulr_ge0 //=.
rewrite [leLHS]mulrC ler_pmul2r // ler_add2l ler_pdivl_mulr // (le_trans _ wb) //.
by rewrite -mulrA ler_wpmul2l // -ler_pdivl_mulr.
Qed.

(* Replace-one: both Hessians are rank-one updates of a common matrix, so the
   factor is not squared. *)
Theorem det_replace_ratio Lambda A w x w' x' beta : 0 < Lambda -> at_least Lambda A ->
  0 <= w -> w * dot x x <= beta -> 0 <= w' -> w' * dot x' x' <= beta ->
  \det (A + rank_one w x) <= (1 + beta / Lambda) * \det (A + rank_one w' x').
Proof.
move=> L0 AL w0 wb w'0 wb'.
have /andP[_ up] := det_rank_one_ratio L0 AL w0 wb.
have /andP[low _] := det_rank_one_ratio L0 AL w'0 wb'.
have beta0 : 0 <= beta by apply: le_trans wb; rewrite mulr_ge0 ?dot_ge0.
by apply: le_trans up _; rewrite ler_wpmul2l // addr_ge0 ?ler01 // divr_ge0 // ltW.
Qed.

End Bounded.
