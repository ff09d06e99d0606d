(* own:noisy-gradient: noisy gradient descent is Gaussian private.

   In each of T steps a gradient is computed at a state that all may know, noise of
   deviation sigma in every coordinate is added, and the state moves on by any function
   of what is then public; the state may keep the whole history.  Rounding the noisy
   gradient to a lattice is a part of that function.  If the gradients of neighbours are
   at most m sigma apart at every state, and T m^2 <= mu^2, the last state is mu-GDP. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Euclid Space HockeyStick Profile.
From AsapDP Require Import GaussLine GaussCurve GaussPlane GaussCompose GaussSpace GaussSpread.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Descent.
Variables (R : realType) (n : nat) (sigma m mu : R).
Context d (S : measurableType d).
Variable start : {measure set S -> \bar R}.
(* The gradients of two neighbours, as computed, on the lattice; and what is done with
   a noisy one. *)
Variables (gradient gradient' : nat -> S -> space R n).
Variable update : nat -> S * space R n -> S.
Hypotheses (measurable_gradient : forall t, measurable_fun setT (gradient t)).
Hypotheses (measurable_gradient' : forall t, measurable_fun setT (gradient' t)).
Hypotheses (measurable_update : forall t, measurable_fun setT (update t)).

Definition descent T := after start
  (fun t => spread sigma (measurable_gradient t) (measurable_update t)) T.

Definition descent' T := after start
  (fun t => spread sigma (measurable_gradient' t) (measurable_update t)) T.

Theorem own_noisy_gradient T : start setT = 1%E -> 0 < sigma -> 0 <= m -> 0 <= mu ->
  (forall t s, norm2 ((gradient t s : 'rV[R]_n) - (gradient' t s : 'rV[R]_n)) <= m * sigma) ->
  T%:R * m ^+ 2 <= mu ^+ 2 -> gdp mu (descent T) (descent' T).
Proof.
move=> s1 sigma0 m0 mu0 near budget.
have steps := @gdp_steps _ S R start
  (fun t => spread sigma (measurable_gradient t) (measurable_update t))
  (fun t => spread sigma (measurable_gradient' t) (measurable_update t)) (fun=> m) T s1.
apply: (gdp_weaken (m := total_mu (fun=> m) T)); first exact: sqrtr_ge0.
  rewrite /total_mu sumr_const card_ord -mulr_natl -(ger0_norm mu0) -sqrtr_sqr.
  exact: ler_wsqrtr.
apply: steps => // t s; exact: (spread_gdp sigma0).
Qed.

End Descent.
