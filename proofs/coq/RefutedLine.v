(* What own:objective-perturbation must not leave out, in one dimension with Lebesgue
   measure.  The squared loss on [-1, 1] has slope at most 1 and curvature 1, for a
   regulariser of 1: a Laplace tilt of scale 4 pays 1/4 for the slope.  But a record more
   doubles the density of the minimiser at the centre, and 2 > e^(1/4): the factor
   1 + beta/Lambda of the price is not an artefact of the proof.                       *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation Logistic LineLaw WitnessLine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Refuted.
Variable R : realType.

(* The price of the tilt alone, as if the loss had no curvature. *)
Definition without_curvature := forall (n : nat) (C : set 'rV[R]_n) (Z : Type)
    (x : Z -> 'rV[R]_n) (loss slope : Z -> R -> R) (curvature : Z -> R) (Lambda : R)
    (contract : loss_contract C x loss slope curvature Lambda)
    (domain : domain_contract C) (P : {measure set (space R n) -> \bar R})
    (cost : Z -> R) (eps_b : R),
  tilt_contract x P cost ->
  (forall z theta, C theta -> cost z * `|slope z (prediction x z theta)| <= eps_b) ->
  private (@add_remove Z) eps_b (exact contract domain P).

Let half : R := 2%:R^-1.
Let halves : half + half = 1. Proof. by rewrite [RHS]splitr mul1r. Qed.
Let half_gt0 : 0 < half. Proof. by rewrite invr_gt0. Qed.

Let row (_ : Datatypes.unit) : 'rV[R]_1 := unit1 R.
Let square (_ : Datatypes.unit) (m : R) : R := half * (m * m).
Let line_slope (_ : Datatypes.unit) (m : R) : R := m.

Let square_contract : loss_contract (@unit_ball R 1) row square line_slope (fun=> 1) 1.
Proof.
split => //.
- move=> z theta eta _ _; rewrite /square /line_slope; move: (prediction _ _ _).
  move=> m; move: (prediction _ _ _) => m'.
  have sq : 0 <= half * ((m' - m) * (m' - m)) by rewrite mulr_ge0 ?(ltW half_gt0) // -expr2 sqr_ge0.
  by apply: le_from sq _; move: half halves => h hh; nsatz.
- by move=> z theta eta _ _; rewrite mul1r.
Qed.

Let domain := unit_ball_domain R 1.

Let c : R := 4%:R^-1.
Let c_gt0 : 0 < c. Proof. by rewrite invr_gt0. Qed.
Let tilt := line_laplace c_gt0.

Let tilt_private : tilt_contract row tilt (fun=> c).
Proof.
split; [exact: line_laplace_total|by move=> _; exact: ltW|move=> z].
by have := line_laplace_shift c_gt0 (row z); rewrite norm_unit1 mulr1.
Qed.

Let solved D b := coordinate (released square_contract domain D b).

Let dot1 (u v : 'rV[R]_1) : dot u v = coordinate u * coordinate v.
Proof. by rewrite /dot big_ord1. Qed.

Let coordinateD (u v : 'rV[R]_1) : coordinate (u + v) = coordinate u + coordinate v.
Proof. by rewrite /coordinate mxE. Qed.

Let coordinateN (u : 'rV[R]_1) : coordinate (- u) = - coordinate u.
Proof. by rewrite /coordinate mxE. Qed.

Let slopes (D : seq Datatypes.unit) (theta : 'rV[R]_1) :
  coordinate (gradient row line_slope 1 D theta) = (size D).+1%:R * coordinate theta.
Proof.
rewrite /gradient scale1r /coordinate mxE summxE.
have -> : \sum_(z <- D) (line_slope z (prediction row z theta) *: row z) 0 0 =
    (size D)%:R * theta 0 0.
  elim: D => [|z D IH]; rewrite ?big_nil ?mul0r // big_cons IH mxE.
  rewrite /line_slope /prediction dot1 /coordinate !mxE mul1r mulr1 /= -natr1.
  by rewrite [in RHS]mulrDl mul1r addrC.
by rewrite -natr1 mulrDl mul1r addrC.
Qed.

Let edge D (b : space R 1) r : `|r| <= 1 ->
  0 <= ((size D).+1%:R * solved D b + coordinate b) * (r - solved D b).
Proof.
move=> r1; have [_ st] := argmin_stationary square_contract domain D (- (b : 'rV[R]_1)).
have := st (point r : 'rV[R]_1); rewrite /unit_ball /mkset norm_point => /(_ r1).
by rewrite dot1 opprK coordinateD slopes coordinateD coordinateN pointK.
Qed.

(* With n records the minimiser is at most |b|/(n + 1), and -b/(n + 1) inside. *)
Let bounded D (b : space R 1) : (size D).+1%:R * `|solved D b| <= `|coordinate b|.
Proof.
have := @edge D b 0; rewrite normr0 ler01 sub0r mulrN oppr_ge0 => /(_ isT).
set s := solved D b; set k := (size D).+1%:R; rewrite mulrDl -mulrA.
have [-> _|s0 le] := eqVneq s 0; first by rewrite normr0 mulr0.
have a0 : 0 < `|s| by rewrite normr_gt0.
rewrite -(ler_pmul2r a0) -mulrA -!normrM.
have -> : `|s * s| = s * s by rewrite ger0_norm // -expr2 sqr_ge0.
apply: (@le_trans _ _ (- (coordinate b * s))); first by rewrite -subr_le0 opprK.
by rewrite -normrN ler_norm.
Qed.

Let inside D (b : space R 1) : - 1 < solved D b < 1 ->
  (size D).+1%:R * solved D b = - coordinate b.
Proof.
move=> /andP[lo hi]; apply/eqP; rewrite -addr_eq0 eq_le; apply/andP; split.
  have := @edge D b (- 1); rewrite normrN1 lexx => /(_ isT).
  by rewrite nmulr_lge0 // subr_lt0.
have := @edge D b 1; rewrite normr1 lexx => /(_ isT).
by rewrite pmulr_lge0 // subr_gt0.
Qed.

Let unit_slope z (theta : 'rV[R]_1) : @unit_ball R 1 theta ->
  c * `|line_slope z (prediction row z theta)| <= c.
Proof.
rewrite /line_slope /prediction dot1 (_ : coordinate (row z) = 1) ?mul1r; last first.
  by rewrite /coordinate mxE.
by rewrite /unit_ball /mkset norm_coordinate => t1; rewrite ler_pimulr // ltW.
Qed.

Let in_between a (u : space R 1) : between (- a) a u = (`|coordinate u| <= a) :> Prop.
Proof. by rewrite /between /= in_itv /= -ler_norml. Qed.

(* A curvature of 1 for a regulariser of 1 doubles the density at the centre. *)
Theorem refuted_without_curvature : ~ without_curvature.
Proof.
move=> claim; have := claim _ _ _ _ _ _ _ _ square_contract domain tilt (fun=> c) c
  tilt_private unit_slope [:: tt] [::].
have more : add_remove [:: tt] [::] by left; exists [::], tt, [::].
move=> /(_ more (between (- half) half) (measurable_between _ _)) {claim}.
set B := between _ _; have mB : measurable B by exact: measurable_between.
have pre D : measurable (released square_contract domain D @^-1` B).
  by rewrite -[X in measurable X]setTI; exact: measurable_released.
have K0 := line_laplace_constant_gt0 c_gt0; set K := line_laplace_constant _ in K0.
set q := expR (- c); have q0 : 0 <= q by exact: expR_ge0.
have lower : ((K * (q * (1 + 1)))%:E <= tilt (released square_contract domain [:: tt] @^-1` B))%E.
  have mU : measurable (between (- 1) 1 : set (space R 1)) by exact: measurable_between.
  have := line_laplace_ge c_gt0 mU q0; rewrite volume_between ?opprK; last first.
    by rewrite -subr_ge0 opprK addr_ge0.
  rewrite -!EFinM => low; apply: le_trans (low _) _.
    move=> r; rewrite in_between pointK => r1; rewrite ler_expR ler_opp2.
    by rewrite ler_pimulr // ltW.
  apply: le_measure; rewrite ?inE //.
  move=> b; rewrite /= in_between /B in_between -/(solved [:: tt] b) => b1.
  have := le_trans (bounded [:: tt] b) b1; rewrite /= mulr2n mulrDl mul1r => le.
  by rewrite /half -[X in _ <= X]mul1r ler_pdivl_mulr // mulr_natr mulr2n.
have upper : (tilt (released square_contract domain [::] @^-1` B) <= K%:E)%E.
  apply: (@le_trans _ _ (tilt B)).
    apply: le_measure; rewrite ?inE //.
    move=> b; rewrite /= /B !in_between -/(solved [::] b) => sb.
    have := @inside [::] b; rewrite mul1r -(normrN (coordinate b)) => <- //.
    by rewrite -ltr_norml (le_lt_trans sb) // -halves ltr_addl.
  have := line_laplace_le c_gt0 mB ler01; rewrite volume_between ?opprK ?halves; last first.
    by rewrite -subr_ge0 opprK halves.
  rewrite mule1 mule1; apply=> r _.
  by rewrite -[1](@expR0 R) ler_expR oppr_le0 mulr_ge0 // ltW.
rewrite /exact /= /pushforward => claim.
have e0 : (0 <= (expR c)%:E)%E by rewrite lee_fin expR_ge0.
have := le_trans lower (le_trans claim (lee_wpmul2l e0 upper)).
rewrite -EFinM lee_fin [expR c * K]mulrC ler_pmul2l // => le.
have qq : q * q + q * q <= 1.
  have := ler_wpmul2l q0 le; rewrite [q * expR c]mulrC expRxMexpNx_1 => /(le_trans _); apply.
  by rewrite mulrA mulrDr mulr1.
have q1 : 1 - c <= q by exact: expR_tangent.
have c4 : c + c + c + c = 1.
  by rewrite -[c]mulr1 -!mulrDr -[1 + 1]/(2%:R) !natr1 mulVf ?pnatr_eq0.
have s0 : 0 <= 1 - c by rewrite -c4 addrK !addr_ge0 // ltW.
have ss := ler_pmul s0 s0 q1 q1.
have : c * c + c * c <= 0 by apply: le_from (le_trans (ler_add ss ss) qq) _; nsatz.
by apply/negP; rewrite -ltNge addr_gt0 // mulr_gt0.
Qed.

End Refuted.
