(* The noise of alg:asap: discrete Laplace around the rounded sample, compared
   with the same weights around the unrounded reference point.

   These are the fields noise_to_centre and centre_to_noise of the contracts in
   [EndToEnd]: with a sample within Delta of the reference in the 1-norm and
   s >= (2 Delta + n g)/eps', each way costs e^(eps'/2). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.analysis Require Import signed reals ereal sequences esum measure exp.
From mathcomp.analysis Require Import nsatz_realtype.
From AsapDP Require Import Kernels PureDP DiscreteLaw Euclid OutputPerturbation.
From AsapDP Require Import DiscreteLaplace.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Weights.
Variables (R : realType) (n : nat) (g s : R).
Hypotheses (g_gt0 : 0 < g) (s_gt0 : 0 < s).
Implicit Types (k i : 'rV[int]_n) (u v : 'rV[R]_n).

(* The weight of the lattice point k around any point u. *)
Definition weight u k : R :=
  laplace_constant (g / s) ^+ n * expR (- (norm1 (lattice_point g k - u) / s)).

Lemma weight_ge0 u k : 0 <= weight u k.
Proof.
by rewrite mulr_ge0 ?exprn_ge0 ?expR_ge0 // ltW // laplace_constant_gt0 // divr_gt0.
Qed.

Lemma weight_ratio u v k eps : norm1 (u - v) <= s * eps ->
  weight u k <= expR eps * weight v k.
Proof.
move=> uv; rewrite /weight mulrCA ler_wpmul2l //.
  by rewrite exprn_ge0 // ltW // laplace_constant_gt0 // divr_gt0.
rewrite -expRD ler_expR.
have normed := norm1_is_norm R n.
have : norm1 (lattice_point g k - v) / s <= norm1 (lattice_point g k - u) / s + eps.
  rewrite -(@ler_pmul2r _ s) // mulrDl !divfK ?gt_eqF // [eps * s]mulrC.
  by apply: le_trans (dist_triangle normed u _ _) _; rewrite ler_add2l.
by move=> h; apply: le_from h _; nsatz.
Qed.

(* Around a lattice point it is the discrete Laplace law. *)
Lemma weight_lattice i k :
  weight (lattice_point g i) k = laplace_vector (g / s) (k - i).
Proof.
rewrite /weight steps1_point // /laplace_vector /laplace big_split /=.
rewrite prodr_const card_ord; congr (_ * _).
rewrite -(big_morph (@expR R) (@expRD R) (@expR0 R)); congr (expR _).
by rewrite sumrN -mulr_sumr mulrAC.
Qed.

End Weights.

Section Laws.
Variables (R : realType) (n : nat) (g s eps' Delta : R) (clamp : R -> R).
Hypotheses (g_gt0 : 0 < g) (s_gt0 : 0 < s).
Variable steps : 'rV[R]_n -> 'rV[int]_n.
Context d (T : measurableType d) (release : 'rV[int]_n -> T).
Implicit Types x y : 'rV[R]_n.

Hypothesis clamp_lipschitz : forall a b, `|clamp a - clamp b| <= `|a - b|.
Hypothesis rounding : forall x a,
  `|lattice_point g (steps x) 0 a - clamp (x 0 a)| <= g / 2%:R.
Hypothesis scale : 2%:R * Delta + n%:R * g <= s * eps'.

Definition centre_law y : {measure set T -> \bar R} :=
  [the {measure set T -> \bar R} of law_of
    (fun k => NngNum (weight_ge0 g_gt0 s_gt0 (clamped clamp y) k)) release].

Let rounded_near x y : norm1 (x - y) <= Delta ->
  norm1 (lattice_point g (steps x) - clamped clamp y) <= s * (eps' / 2%:R).
Proof.
move=> xy; have normed := norm1_is_norm R n.
apply: le_trans (dist_triangle normed (clamped clamp x) _ _) _.
apply: le_trans (ler_add (moved_norm1 rounding x)
  (le_trans (clamped_norm1 clamp_lipschitz x y) xy)) _.
rewrite [leRHS]mulrA ler_pdivl_mulr ?ltr0n //; apply: le_trans scale.
by rewrite mulrDl -mulrA divfK ?pnatr_eq0 // addrC [Delta * _]mulrC.
Qed.

Theorem asap_noise_to_centre x y : norm1 (x - y) <= Delta ->
  dp (eps' / 2%:R) (laplace_law (divr_gt0 g_gt0 s_gt0) release (steps x)) (centre_law y).
Proof.
move=> xy; apply: dp_law_of => k /=; rewrite -weight_lattice //.
exact/weight_ratio/rounded_near.
Qed.

Theorem asap_centre_to_noise x y : norm1 (x - y) <= Delta ->
  dp (eps' / 2%:R) (centre_law y) (laplace_law (divr_gt0 g_gt0 s_gt0) release (steps x)).
Proof.
move=> xy; apply: dp_law_of => k /=; rewrite -weight_lattice //; apply: weight_ratio => //.
by rewrite (norm_distC (norm1_is_norm R n)); exact: rounded_near.
Qed.

End Laws.
