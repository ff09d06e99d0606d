(* The logistic loss ln(1 + e^(-m)) of a margin m meets what objective perturbation asks
   of a loss: nothing of the default is a hypothesis about its loss.

     logistic_tangent       convex: it lies above its tangents
     logistic_curvature     its slope is 1/4-Lipschitz
     logistic_joint_slopes  between two margins its slope changes by at most p(1 - p) per
                            unit, for a p between the two slopes: own:joint-price
     logistic_price         so one record more costs the joint price              *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import derive realfun sequences esum measure.
From mathcomp.analysis Require Import lebesgue_measure exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Logistic.
Variable R : realType.
Implicit Types (m t p : R).

(** * The exponential lies above its tangents *)

Lemma expR_tangent t : 1 + t <= expR t.
Proof.
have [t0|t0] := leP 0 t; first exact: expR_ge1Dx.
have diff (x : R) : x \in `]t, 0[%R -> is_derive x 1 (@expR R) (expR x).
  by move=> _; exact: is_derive_expR.
have cont : {within `[t, 0], continuous (@expR R)}.
  by apply: continuous_subspaceT => x; exact: continuous_expR.
have [c] := MVT_segment (ltW t0) diff cont.
rewrite in_itv /= expR0 sub0r => /andP[_ c0] e.
have c1 : expR c <= 1 by rewrite -[1](@expR0 R) ler_expR.
have : expR c * - t <= 1 * - t by apply: ler_wpmul2r => //; rewrite oppr_ge0 ltW.
by rewrite -e => le; apply: le_from le _; nsatz.
Qed.

(* With weights 1 - p and p. *)
Lemma expR_mean p t : 0 <= p <= 1 -> expR (p * t) <= (1 - p) + p * expR t.
Proof.
move=> /andP[p0 p1].
have a := ler_wpmul2l p0 (expR_tangent (t - p * t)).
have b : (1 - p) * (1 + - (p * t)) <= (1 - p) * expR (- (p * t)).
  by apply: ler_wpmul2l; [rewrite subr_ge0|exact: expR_tangent].
have one : 1 <= (1 - p) * expR (- (p * t)) + p * expR (t - p * t).
  by apply: le_from (ler_add b a) _; nsatz.
have := ler_wpmul2l (expR_ge0 (p * t)) one; rewrite mulr1 => /le_trans; apply.
rewrite le_eqVlt expRD; apply/orP; left; apply/eqP; have := expRxMexpNx_1 (p * t).
by move: (expR (p * t)) (expR (- (p * t))) (expR t) => u v w; nsatz.
Qed.

(** * The loss and its slope *)

Definition logistic m : R := ln (1 + expR (- m)).

(* The probability of the other label, by the model. *)
Definition miss m : R := (1 + expR m)^-1.

Definition logistic_slope m : R := - miss m.

Let odds_gt0 m : 0 < 1 + expR m.
Proof. by rewrite ltr_paddr ?expR_ge0. Qed.

Lemma miss_bounds m : 0 <= miss m <= 1.
Proof.
rewrite /miss invr_ge0 (ltW (odds_gt0 m)) /= invf_le1 ?odds_gt0 // ler_addl.
exact: expR_ge0.
Qed.

Lemma miss_decreases m m' : m <= m' -> miss m' <= miss m.
Proof.
by move=> mm'; rewrite /miss lef_pinv ?posrE ?odds_gt0 // ler_add2l ler_expR.
Qed.

Lemma miss_complement m : 1 - miss m = (1 + expR (- m))^-1.
Proof.
have n0 := lt0r_neq0 (odds_gt0 m); have n1 := lt0r_neq0 (odds_gt0 (- m)).
apply: (mulfI n0); apply: (mulfI n1); rewrite mulrBr mulr1 /miss mulfV //.
rewrite mulrCA mulfV // mulr1 mulrBr mulr1 mulrDr mulr1 mulrDl mul1r.
by rewrite -expRD addNr expR0; nsatz.
Qed.

Lemma logistic_slope_abs m : `|logistic_slope m| = miss m.
Proof. by rewrite normrN ger0_norm //; case/andP: (miss_bounds m). Qed.

Lemma logistic_tangent m m' :
  logistic m + logistic_slope m * (m' - m) <= logistic m'.
Proof.
rewrite -ler_expR expRD /logistic !lnK ?posrE ?odds_gt0 // /logistic_slope.
have := expR_mean (m - m') (miss_bounds m); rewrite mulNr -mulrN opprB => le.
apply: le_trans (ler_wpmul2l (ltW (odds_gt0 (- m))) le) _.
rewrite mulrDr miss_complement mulfV ?gt_eqF ?odds_gt0 // ler_add2l mulrA.
have -> : (1 + expR (- m)) * miss m = expR (- m).
  rewrite /miss -[1 + expR (- m)]mulr1 -[X in _ * X / _](mulfV (lt0r_neq0 (expR_gt0 m))).
  apply: (mulIf (lt0r_neq0 (odds_gt0 m))); rewrite mulfVK ?gt_eqF ?odds_gt0 //.
  have e := expRxMexpNx_1 m; rewrite mulfV ?gt_eqF ?expR_gt0 // mulr1.
  by move: e; move: (expR m) (expR (- m)) => a b; nsatz.
by rewrite -expRD addrA addNr add0r.
Qed.

(** * Its curvature *)

Let derive_miss m : is_derive m 1 miss (- (miss m * (1 - miss m))).
Proof.
have n0 := lt0r_neq0 (odds_gt0 m).
have d : is_derive m 1 (fun u => 1 + expR u) (expR m).
  have -> : (fun u : R => 1 + expR u) = cst 1 + expR by [].
  by apply: is_derive_eq; rewrite add0r.
have v := @is_deriveV _ (fun u => 1 + expR u) _ _ _ n0 d; apply: is_derive_eq v _.
rewrite /GRing.scale /= mulNr; congr (- _).
rewrite /miss -exprVn; have := mulVf n0; move: (1 + expR m)^-1 => u e.
by rewrite expr2; nsatz.
Qed.

Let continuous_miss : continuous miss.
Proof. by move=> m; apply/differentiable_continuous/derivable1_diffP; case: (derive_miss m). Qed.

(* The mean value theorem, and miss falls. *)
Lemma miss_between m m' : exists p, [/\
  Num.min (miss m) (miss m') <= p, p <= Num.max (miss m) (miss m') &
  `|miss m - miss m'| = p * (1 - p) * `|m - m'|].
Proof.
wlog mm' : m m' / m <= m'.
  move=> W; have [/W //|/ltW/W[p [lo hi e]]] := leP m m'.
  by exists p; rewrite minC maxC (distrC (miss m)) (distrC m).
have diff (c : R) : c \in `]m, m'[%R -> is_derive c 1 miss (- (miss c * (1 - miss c))).
  by move=> _; exact: derive_miss.
have cont : {within `[m, m'], continuous miss}.
  by apply: continuous_subspaceT => c; exact: continuous_miss.
have [c] := MVT_segment mm' diff cont.
rewrite in_itv /= => /andP[mc cm'] e; exists (miss c); split.
- by rewrite le_minl (miss_decreases cm') orbT.
- by rewrite le_maxr (miss_decreases mc).
rewrite distrC e normrM normrN normrM (distrC m'); congr (_ * _ * _).
  by rewrite ger0_norm //; case/andP: (miss_bounds c).
by rewrite ger0_norm // subr_ge0; case/andP: (miss_bounds c).
Qed.

Lemma logistic_curvature m m' :
  `|logistic_slope m - logistic_slope m'| <= 4%:R^-1 * `|m - m'|.
Proof.
have [p [_ _ e]] := miss_between m m'.
rewrite /logistic_slope -opprD normrN e; apply: ler_wpmul2r => //.
rewrite -[4%:R^-1]mul1r ler_pdivl_mulr //.
have four : 4%:R = (1 + 1) * (1 + 1) :> R by rewrite -[(1 + 1)%R]/2%:R -natrM.
by have sq := sqr_ge0 (p + p - 1); apply: le_from sq _; rewrite expr2 four; nsatz.
Qed.

(** * Objective perturbation *)

Variables (n : nat) (C : set 'rV[R]_n) (Z : Type) (x : Z -> 'rV[R]_n).

(* The row of a record is its features with the sign of its label. *)
Lemma logistic_contract (Lambda : R) : 0 < Lambda ->
  loss_contract C x (fun=> logistic) (fun=> logistic_slope) (fun=> 4%:R^-1) Lambda.
Proof.
move=> L0; split => // z theta eta _ _; first exact: logistic_tangent.
exact: logistic_curvature.
Qed.

Theorem logistic_joint_slopes : joint_slopes C x (fun=> logistic_slope).
Proof.
move=> z theta eta _ _ /=; rewrite !logistic_slope_abs.
have [p [lo hi e]] := miss_between (prediction x z theta) (prediction x z eta).
split; [by case/andP: (miss_bounds (prediction x z theta))
       |by case/andP: (miss_bounds (prediction x z eta))|].
exists p; rewrite lo hi; split=> //.
by rewrite /logistic_slope -opprD normrN e.
Qed.

(* The price that the default pays: no hypothesis is about the loss. *)
Theorem logistic_price (Lambda : R) (P : {measure set (space R n) -> \bar R})
    (cost : Z -> R) (eps_b kappa up : R) : 0 < Lambda ->
  tilt_contract x P cost -> 0 <= eps_b -> (forall z, cost z <= eps_b) -> 0 <= kappa ->
  (forall z, Lambda^-1 * norm2 (x z) ^+ 2 <= kappa) ->
  (forall p, 0 <= p <= 1 -> expR (p * eps_b) * (1 + kappa * (p * (1 - p))) <= expR up) ->
  price_contract C x (fun=> logistic_slope) Lambda cost up eps_b.
Proof.
move=> L0 tilt e0 ce k0 xk pup.
exact: (price_joint (logistic_contract L0) tilt logistic_joint_slopes e0 ce k0 xk pup).
Qed.

(** * Weights *)

(* A class may count less: both slope and curvature shrink by its weight, so the point at
   which they are taken is that of a smaller slope, and the bound holds as it is. *)
Variable weight : Z -> R.
Hypothesis weight_bounds : forall z, 0 <= weight z <= 1.

Lemma weighted_logistic_contract (Lambda : R) : 0 < Lambda ->
  loss_contract C x (fun z m => weight z * logistic m)
    (fun z m => weight z * logistic_slope m) (fun=> 4%:R^-1) Lambda.
Proof.
move=> L0; split => // z theta eta _ _; have /andP[w0 w1] := weight_bounds z.
  by rewrite -mulrA -mulrDr; apply: ler_wpmul2l => //; exact: logistic_tangent.
rewrite -mulrBr normrM (ger0_norm w0).
apply: le_trans (logistic_curvature _ _); exact: ler_pimull.
Qed.

Theorem weighted_logistic_joint_slopes :
  joint_slopes C x (fun z m => weight z * logistic_slope m).
Proof.
move=> z theta eta _ _ /=; have /andP[w0 w1] := weight_bounds z.
rewrite !normrM (ger0_norm w0) !logistic_slope_abs.
set m := prediction x z theta; set m' := prediction x z eta.
have [p [lo hi e]] := miss_between m m'.
have /andP[m0 m1] := miss_bounds m; have /andP[m0' m1'] := miss_bounds m'.
have p0 : 0 <= p by apply: le_trans lo; rewrite le_minr m0 m0'.
split; [exact: mulr_ile1|exact: mulr_ile1|exists (weight z * p)].
rewrite -minr_pmulr // -maxr_pmulr // !ler_wpmul2l //=; split=> //.
rewrite -mulrBr normrM (ger0_norm w0) /logistic_slope -opprD normrN e !mulrA.
apply: ler_wpmul2r => //; apply: ler_wpmul2l; first exact: mulr_ge0.
by rewrite ler_add2l ler_opp2; exact: ler_pimull.
Qed.

End Logistic.
