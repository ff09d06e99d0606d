(* own:gaussian-tilt for the default: the logistic loss, where its curvature is free.

   Nothing is asked of the loss, and no constant of the normal law occurs.  With rows of
   length at most m in units of the deviations, and 2 K <= m (one deviation sigma and rows of
   length r: Lambda >= 2 sigma^2, m = r/sigma), the exact minimiser is m-GDP, as if one
   gradient had been released.                                                        *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation Logistic HockeyStick Profile GaussLine.
From AsapDP Require Import GaussCurve GaussObjective GaussPrice GaussNeighbours.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Default.
Variables (R : realType) (n : nat) (C : set 'rV[R]_n) (Z : Type) (x : Z -> 'rV[R]_n).
Variables (weight : Z -> R) (Lambda : R) (sd : 'rV[R]_n) (m K : R).
Hypothesis domain : domain_contract C.
Hypothesis weight_bounds : forall z, 0 <= weight z <= 1.
Hypothesis Lambda_gt0 : 0 < Lambda.
Hypothesis sd_gt0 : forall i, 0 < sd 0 i.
Hypothesis m_gt0 : 0 < m.
Hypothesis K_ge0 : 0 <= K.
Hypothesis rows : forall z, reach x sd z <= m.
Hypothesis stretch : forall z, norm2 (times_sd sd (x z)) <= Lambda * K.
Hypothesis free : K + K <= m.

Let losses := weighted_logistic_contract C x weight_bounds Lambda_gt0.

Let price : gaussian_price C x (fun z t => weight z * logistic_slope t) Lambda sd m 0.
Proof.
apply: (@logistic_gaussian_price R n C Z x weight Lambda sd m 0 K weight_bounds Lambda_gt0
  sd_gt0 m_gt0 K_ge0 rows stretch) => q /andP[q0 _].
exact: (free_price (ltW m_gt0) free q0).
Qed.

Let pays : m + half R * mass R * 0 <= m.
Proof. by rewrite mulr0 addr0. Qed.

Theorem own_gaussian_tilt_logistic D D' : add_remove D D' ->
  gdp m (exact losses domain (normal_tilt sd) D) (exact losses domain (normal_tilt sd) D').
Proof. exact: (own_gaussian_tilt_add_remove losses domain sd_gt0 price m_gt0 (lexx 0) pays). Qed.

Theorem own_gaussian_tilt_logistic_replace_one D D' : replace_one D D' ->
  gdp (m + m) (exact losses domain (normal_tilt sd) D)
    (exact losses domain (normal_tilt sd) D').
Proof. exact: (own_gaussian_tilt_replace_one losses domain sd_gt0 price m_gt0 (lexx 0) pays). Qed.

End Default.
