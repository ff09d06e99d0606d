(* The noise of a release: any law that may be shifted, rounded to a lattice.

   The program rounds a point to the lattice, adds a lattice vector that is a rounded
   exact draw z, and so releases [out (rounded point + z)] with [out] the rounding.
   Around the reference point there is no rounding before z.  If z costs c per unit of
   the 2-norm (Euclidean Laplace: c = 1/s), both ways cost c (Delta + sqrt n g / 2):
   s >= (2 Delta + sqrt n g)/eps' makes that eps'/2, as in own:lattice.  The same
   comparison between two data sets is that of output perturbation. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure exp.
From mathcomp.analysis Require Import nsatz_realtype.
From AsapDP Require Import Kernels PureDP Euclid Space ObjectivePerturbation.
From AsapDP Require Import OutputPerturbation.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section EuclidNoise.
Variables (R : realType) (n : nat) (c : R) (N : {measure set (space R n) -> \bar R}).
Hypothesis c_ge0 : 0 <= c.
Hypothesis noise_shift : forall y, shift_private (c * norm2 y) y N.
Context d (U : measurableType d) (out : space R n -> U).
Hypothesis out_measurable : measurable_fun setT out.

(* The law of the release around a point. *)
Definition around (u : 'rV[R]_n) (A : set U) : \bar R :=
  N [set z | A (out (u + (z : 'rV[R]_n)))].

Let around_measurable (u : 'rV[R]_n) A : measurable A ->
  measurable [set z : space R n | A (out (u + (z : 'rV[R]_n)))].
Proof.
move=> mA; rewrite -[X in measurable X]setTI.
have mt : measurable_fun setT ((fun z : 'rV[R]_n => u + z) : space R n -> space R n).
  apply: (lipschitz_map_measurable (K := 1)) => v w.
  by rewrite mul1r opprD addrACA subrr add0r.
exact: (measurable_fun_comp out_measurable mt).
Qed.

(* Two points: the law costs c per unit of their distance. *)
Theorem around_private (u v : 'rV[R]_n) eps : c * norm2 (u - v) <= eps ->
  dp eps (around u) (around v).
Proof.
move=> uv A mA; rewrite /around.
have -> : [set z : space R n | A (out (u + (z : 'rV[R]_n)))] =
    along (u - v) 1 @^-1` [set z : space R n | A (out (v + (z : 'rV[R]_n)))].
  apply/seteqP; split => z; rewrite /= /along scale1r;
    by rewrite [z + _]addrC addrA [v + _]addrC subrK.
apply: le_trans (noise_shift _ _ (around_measurable v mA)) _.
by rewrite normr1 mulr1; apply: lee_wpmul2r => //; rewrite lee_fin ler_expR.
Qed.

(** * Rounded points *)

Variables (g Delta eps' : R) (clamp : R -> R) (lattice : 'rV[R]_n -> 'rV[R]_n).
Hypothesis clamp_lipschitz : forall a b, `|clamp a - clamp b| <= `|a - b|.
Hypothesis lattice_near : forall x i, `|lattice x 0 i - clamp (x 0 i)| <= g / 2%:R.
Hypothesis scale : c * (2%:R * Delta + Num.sqrt n%:R * g) <= eps'.

Let rounded_near x y : norm2 (x - y) <= Delta ->
  c * norm2 (lattice x - clamped clamp y) <= eps' / 2%:R.
Proof.
move=> xy; rewrite ler_pdivl_mulr // -mulrA; apply: le_trans scale.
apply: ler_wpmul2l => //; rewrite mulr_natr -mulr_natl.
have two : 2%:R * (Delta + Num.sqrt n%:R * (g / 2%:R)) = 2%:R * Delta + Num.sqrt n%:R * g.
  by rewrite mulrDr; congr (_ + _); rewrite mulrCA [2%:R * _]mulrC divfK // pnatr_eq0.
rewrite -two; apply: ler_wpmul2l; first exact: ler0n.
have tri := dist_triangle (norm2_is_norm R n) (clamped clamp x) (lattice x) (clamped clamp y).
apply: (le_trans tri); rewrite [Delta + _]addrC; apply: ler_add.
  exact: (moved_norm2 (steps := lattice) (point := id) lattice_near).
exact: le_trans (clamped_norm2 clamp_lipschitz x y) xy.
Qed.

Theorem euclid_noise_to_centre x y : norm2 (x - y) <= Delta ->
  dp (eps' / 2%:R) (around (lattice x)) (around (clamped clamp y)).
Proof. by move=> xy; apply/around_private/rounded_near. Qed.

Theorem euclid_centre_to_noise x y : norm2 (x - y) <= Delta ->
  dp (eps' / 2%:R) (around (clamped clamp y)) (around (lattice x)).
Proof.
move=> xy; apply: around_private; rewrite (norm_distC (norm2_is_norm R n)).
exact: rounded_near.
Qed.

End EuclidNoise.
