(* The contracts of [EndToEnd], met by the lemmas of this folder.

   A field of a record of contracts is a hypothesis about a program; here those
   fields that are mathematics are proved from what is left to check at run time
   or to promise by the caller: convexity and bounds of the losses, the certified
   tolerance, the scale of the noise.  Both kinds of neighbours. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.analysis Require Import reals ereal sequences measure.
From mathcomp.analysis Require Import lebesgue_measure numfun lebesgue_integral.
From mathcomp.analysis Require Import exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Sensitivity.
From AsapDP Require Import OutputPerturbation DiscreteLaplace.
From AsapDP Require Import ObjectivePerturbation EndToEnd.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Output perturbation with discrete Laplace noise *)

Section Output.
Variables (R : realType) (n : nat) (Z : Type) (loss : Z -> 'rV[R]_n -> R).
Variables (Lambda G tau : R) (C : set 'rV[R]_n).

(* What the caller promises about the losses. *)
Record loss_bounds : Prop := LossBounds {
  bounds_Lambda : 0 < Lambda;
  bounds_G : 0 <= G;
  bounds_domain : convex_set C;
  bounds_convex : forall z, strongly_convex (@norm2 R n) C 0 (loss z);
  bounds_lipschitz : forall z, lipschitz_on (@norm2 R n) C G (loss z) }.

Hypothesis bounds : loss_bounds.

Let J := Sensitivity.objective loss Lambda.

Lemma minimisers_add_remove D D' a b : add_remove D D' ->
  minimiser C (J D) a -> minimiser C (J D') b -> norm2 (a - b) <= G / Lambda.
Proof.
case: bounds => L0 G0 Cc lc lG [] [D1 [z [D2 [-> ->]]]] am bm.
  exact: lem_sensitivity_minimizer_data lc lG am bm.
rewrite (norm_distC (norm2_is_norm R n)).
exact: lem_sensitivity_minimizer_data lc lG bm am.
Qed.

Lemma minimisers_replace_one D D' a b : replace_one D D' ->
  minimiser C (J D) a -> minimiser C (J D') b -> norm2 (a - b) <= 2%:R * G / Lambda.
Proof.
case: bounds => L0 G0 Cc lc lG [D1 [z [z' [D2 [-> ->]]]]] am bm.
exact: lem_sensitivity_minimizer_data_replace lc lG am bm.
Qed.

(* The mechanism: solve, round to the lattice of step g, add noise of scale s. *)
Variables (theta_star theta_opt : seq Z -> 'rV[R]_n) (g s eps : R) (clamp : R -> R).
Variable steps : 'rV[R]_n -> 'rV[int]_n.
Hypotheses (g_gt0 : 0 < g) (s_gt0 : 0 < s).
Context d (T : measurableType d) (release : 'rV[int]_n -> T).

Definition laplace_output sensitivity : output_mechanism (seq Z) R 'rV[R]_n T :=
  {| output_minimiser := theta_star;
     output_computed := theta_opt;
     output_dist := fun x y => norm2 (x - y);
     output_sensitivity := sensitivity;
     output_tolerance := tau;
     output_noise := fun x => laplace_law (divr_gt0 g_gt0 s_gt0) release (steps x) |}.

(* What is checked at run time. *)
Record output_checks sensitivity : Prop := OutputChecks {
  checked_minimiser : forall D, minimiser C (J D) (theta_star D);
  checked_certificate : forall D, norm2 (theta_opt D - theta_star D) <= tau;
  checked_clamp : forall a b, `|clamp a - clamp b| <= `|a - b|;
  checked_rounding : forall x a,
    `|lattice_point g (steps x) 0 a - clamp (x 0 a)| <= g / 2%:R;
  checked_scale : Num.sqrt n%:R * (sensitivity + tau *+ 2) + n%:R * g <= s * eps }.

Let contracts (neighbours : seq Z -> seq Z -> Prop) sensitivity : output_checks sensitivity ->
  (forall D D' a b, neighbours D D' -> minimiser C (J D) a -> minimiser C (J D') b ->
    norm2 (a - b) <= sensitivity) ->
  output_contracts neighbours (laplace_output sensitivity) eps.
Proof.
move=> [minim cert clamp_lip round scale] sens; have normed := norm2_is_norm R n.
split=> /=.
- by move=> x y; rewrite (norm_distC normed).
- by move=> x y z; exact: dist_triangle.
- exact: cert.
- by move=> D D' DD'; apply: sens DD' (minim D) (minim D').
- move=> x y xy; apply: own_discrete_laplace; rewrite mulrAC -steps1_point //.
  rewrite ler_pdivr_mulr // [eps * s]mulrC; apply: le_trans scale.
  exact: (rounded_l1 clamp_lip round).
Qed.

Theorem laplace_output_add_remove : output_checks (G / Lambda) ->
  output_contracts (@add_remove Z) (laplace_output (G / Lambda)) eps.
Proof. by move=> checks; apply: contracts => // D D' a b; exact: minimisers_add_remove. Qed.

Theorem laplace_output_replace_one : output_checks (2%:R * G / Lambda) ->
  output_contracts (@replace_one Z) (laplace_output (2%:R * G / Lambda)) eps.
Proof. by move=> checks; apply: contracts => // D D' a b; exact: minimisers_replace_one. Qed.

End Output.
