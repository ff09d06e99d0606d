(* The price of own:gaussian-tilt is not an artefact of its proof, in one dimension with
   Lebesgue measure.  The loss (t + 1)^2/2 on [-1, 1] has a slope between 0 and 2 and the
   curvature 1; the regulariser is 1.  A record more doubles the mass of the minimiser near
   0, where a wide tilt has little mass at all: from 1/sigma to 2/sigma, up to the factor
   1/mass.  At e^eps = 3/2 this leaves a part of 1/sigma, and N(0,1) against N(2/sigma, 1)
   leaves less than a multiple of its square: the slope alone does not pay.              *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation Logistic HockeyStick Profile LineLaw WitnessLine.
From AsapDP Require Import GaussLine GaussCurve GaussSpace GaussTail GaussObjective GaussPrice.
From AsapDP Require Import RefutedGauss.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Refuted.
Variable R : realType.

(* The slope is paid for, the curvature is not. *)
Definition without_price := forall (n : nat) (C : set 'rV[R]_n) (Z : Type)
    (x : Z -> 'rV[R]_n) (loss slope : Z -> R -> R) (curvature : Z -> R) (Lambda : R)
    (contract : loss_contract C x loss slope curvature Lambda)
    (domain : domain_contract C) (sd : 'rV[R]_n) (m : R),
  (forall i, 0 < sd 0 i) -> 0 < m -> keeps_sign C x slope ->
  (forall z theta, C theta -> `|slope z (prediction x z theta)| * reach x sd z <= m) ->
  forall D D', add_remove D D' -> gdp m (exact contract domain (normal_tilt sd) D)
    (exact contract domain (normal_tilt sd) D').

Let h := half R.
Let hh : h + h = 1 := halves R.
Let h0 : 0 < h := half_gt0 R.

Let row (_ : Datatypes.unit) : 'rV[R]_1 := unit1 R.
Let square (_ : Datatypes.unit) (t : R) : R := h * ((t + 1) * (t + 1)).
Let rises (_ : Datatypes.unit) (t : R) : R := t + 1.
Let disc := @unit_ball R 1.
Let domain : domain_contract disc := unit_ball_domain R 1.

Let square_contract : loss_contract disc row square rises (fun=> 1) 1.
Proof.
split => // z theta eta _ _; rewrite /square /rises.
  move: (prediction _ _ _) => t; move: (prediction _ _ _) => t'.
  have sq : 0 <= h * ((t - t') * (t - t')) by rewrite mulr_ge0 ?(ltW h0) // -expr2 sqr_ge0.
  by apply: le_from sq _; move: h hh => k kk; nsatz.
by rewrite mul1r opprD addrACA subrr addr0.
Qed.

Let dot1 (u v : 'rV[R]_1) : dot u v = coordinate u * coordinate v.
Proof. by rewrite /dot big_ord1. Qed.

Let coordinateD (u v : 'rV[R]_1) : coordinate (u + v) = coordinate u + coordinate v.
Proof. by rewrite /coordinate mxE. Qed.

Let coordinateN (u : 'rV[R]_1) : coordinate (- u) = - coordinate u.
Proof. by rewrite /coordinate mxE. Qed.

Let gradient1 (theta : 'rV[R]_1) : coordinate (gradient row rises 1 [:: tt] theta) =
  coordinate theta + (coordinate theta + 1).
Proof.
rewrite /gradient big_cons big_nil addr0 scale1r coordinateD; congr (_ + _).
by rewrite /coordinate !mxE mulr1 /rises /prediction dot1 /coordinate !mxE mul1r.
Qed.

Let gradient0 (theta : 'rV[R]_1) : coordinate (gradient row rises 1 [::] theta) = coordinate theta.
Proof. by rewrite /gradient big_nil addr0 scale1r. Qed.

(* With one record, - 2 <= b < 0 gives a point of ]-1/2, 1/2]. *)
Let more (b : space R 1) : - (1 + 1) <= coordinate b < 0 ->
  - h < coordinate (released square_contract domain [:: tt] b) <= h.
Proof.
move=> /andP[b2 b0]; pose t := - (h * (1 + coordinate b)).
have tb : - h < t <= h.
  apply/andP; split; last first.
    by apply: le_from (ler_wpmul2l (ltW h0) b2) _; rewrite /t; move: (h) => k; nsatz.
  by rewrite /t ltr_opp2 -[X in _ < X]mulr1 ltr_pmul2l // gtr_addl.
suff -> : released square_contract domain [:: tt] b = point t by rewrite pointK.
apply: (@stationary_unique _ _ _ _ _ _ _ _ _ square_contract [:: tt] (- (b : 'rV[R]_1))).
  exact: argmin_stationary.
split=> [|eta _].
  rewrite /disc /unit_ball /mkset norm_point ler_norml; have /andP[l1 l2] := tb.
  have h1 : h <= 1 by rewrite -hh ler_addl ltW.
  by rewrite (le_trans _ (ltW l1)) ?ler_opp2 // (le_trans l2).
rewrite dot1 opprK coordinateD gradient1 pointK (_ : _ + _ = 0) ?mul0r //.
by rewrite /t; move: h hh => k kk; nsatz.
Qed.

(* Without it, such a point comes from -1/2 <= b < 1/2. *)
Let less (b : space R 1) : - h < coordinate (released square_contract domain [::] b) <= h ->
  - h <= coordinate b < h.
Proof.
set s := coordinate _ => /andP[s1 s2].
have edge r : `|r| <= 1 -> 0 <= (s + coordinate b) * (r - s).
  move=> r1; have [_ st] := argmin_stationary square_contract domain [::] (- (b : 'rV[R]_1)).
  have := st (point r : 'rV[R]_1); rewrite /disc /unit_ball /mkset norm_point => /(_ r1).
  by rewrite dot1 opprK coordinateD gradient0 coordinateD coordinateN pointK.
have hlt : h < 1 by rewrite -hh ltr_addl.
have : s + coordinate b = 0.
  apply/eqP; rewrite eq_le; apply/andP; split.
    have := edge (- 1); rewrite normrN1 lexx => /(_ isT); rewrite nmulr_lge0 // subr_lt0.
    by apply: lt_trans s1; rewrite ltr_opp2.
  have := edge 1; rewrite normr1 lexx => /(_ isT); rewrite pmulr_lge0 // subr_gt0.
  exact: le_lt_trans s2 hlt.
by move=> /eqP; rewrite addrC addr_eq0 => /eqP ->; rewrite ler_opp2 s2 ltr_oppl.
Qed.

Section Wide.
Variable i : R.
Hypothesis i0 : 0 < i.

(* sigma = 1/i, and m = 2 i. *)
Let sd : 'rV[R]_1 := const_mx i^-1.

Let sd_gt0 j : 0 < sd 0 j.
Proof. by rewrite mxE invr_gt0. Qed.

Let A : set (space R 1) := [set t : space R 1 | - h < coordinate t <= h].

Let measurable_strip (a b : R) : measurable (@coordinate R @^-1` `[a, b[).
Proof.
rewrite -[X in measurable X]setTI; apply: LineLaw.measurable_coordinate => //.
exact: measurable_itv.
Qed.

Let mA : measurable A.
Proof.
have -> : A = @coordinate R @^-1` `]- h, h] by apply/seteqP; split => t; rewrite /A /= in_itv.
rewrite -[X in measurable X]setTI; apply: LineLaw.measurable_coordinate => //.
exact: measurable_itv.
Qed.

Let pre D : measurable (solved square_contract domain sd D @^-1` A).
Proof. by rewrite -[X in measurable X]setTI; exact: (measurable_solved square_contract domain sd D). Qed.

Let exactE D : exact square_contract domain (normal_tilt sd) D A =
  normal_space R 1 (solved square_contract domain sd D @^-1` A).
Proof. by []. Qed.

Let times (g : space R 1) : coordinate (times_sd sd g) = i^-1 * coordinate g.
Proof. by rewrite /coordinate !mxE. Qed.

Let upper : (exact square_contract domain (normal_tilt sd) [::] A <= ((mass R)^-1 * i)%:E)%E.
Proof.
apply: (@le_trans _ _ (normal_space R 1 (@coordinate R @^-1` `[- (h * i), h * i[))).
  rewrite exactE; apply: le_measure; rewrite ?inE; [exact: (pre [::])|exact: measurable_strip|].
  move=> g Ag; have := @less (times_sd sd g) Ag; rewrite times /= in_itv /=.
  by rewrite ler_pdivl_mull // ltr_pdivr_mull // mulrN ![i * h]mulrC.
rewrite normal_coordinate; last exact: measurable_itv.
apply: le_trans (normal_piece 0 _) _; first by rewrite -subr_ge0 opprK -mulrDl hh mul1r ltW.
by rewrite opprK -mulrDl hh mul1r.
Qed.

Let lower : (((i + i) * phi (i + i))%:E <=
  exact square_contract domain (normal_tilt sd) [:: tt] A)%E.
Proof.
have ii : 0 <= i + i by rewrite addr_ge0 // ltW.
apply: (@le_trans _ _ (normal_space R 1 (@coordinate R @^-1` `[- (i + i), 0[))); last first.
  rewrite exactE; apply: le_measure; rewrite ?inE; [exact: measurable_strip|exact: (pre [:: tt])|].
  move=> g; rewrite /= in_itv /= => /andP[g1 g2]; apply: (@more (times_sd sd g)); rewrite times.
  rewrite pmulr_rlt0 ?invr_gt0 // g2 andbT ler_pdivl_mull // mulrN mulrDr mulr1 //.
rewrite normal_coordinate; last exact: measurable_itv.
have mI : measurable (`[- (i + i), 0[%classic : set R) by exact: measurable_itv.
have split : ((below 0 0%R)%:E = (below 0 (- (i + i))%R)%:E +
    normal 0 (`[(- (i + i))%R, 0%R[%classic : set R))%E.
  rewrite -(belowE 0 0) -(belowE 0 (- (i + i))) -measureU //; last 2 first.
  - exact: measurable_ray.
  - apply/seteqP; split => // z; rewrite /= !in_itv /= => -[zc /andP[]].
    by rewrite leNgt zc.
  congr (normal 0 _); apply/seteqP; split => z; rewrite /= !in_itv /=.
    by move=> z0; have [zc|cz] := ltP z (- (i + i)); [left|right; rewrite z0].
  by case=> [/lt_le_trans|/andP[]//]; apply; rewrite oppr_le0.
have fin : normal 0 (`[- (i + i), 0[%classic : set R) \is a fin_num.
  by rewrite ge0_fin_numE // (le_lt_trans (normal_le1 0 mI)) // ltry.
move: split fin; case: (normal 0 _) => [r| |] // + _; rewrite -EFinD => -[split].
by rewrite lee_fin; have := below_step ii; rewrite split ler_add2l.
Qed.

Lemma claimed : without_price -> forall eps,
  (i + i) * phi (i + i) <= expR eps * ((mass R)^-1 * i) + delta (i + i) eps.
Proof.
move=> claim eps.
have one_more : add_remove [:: tt] [::] by left; exists [::], tt, [::].
have m0 : 0 < i + i by rewrite addr_gt0.
have bounds z theta : disc theta -> `|rises z (prediction row z theta)| <= 1 + 1.
  rewrite /rises /prediction dot1 (_ : coordinate (row z) = 1) ?mul1r; last first.
    by rewrite /coordinate mxE.
  rewrite /disc /unit_ball /mkset norm_coordinate => t1.
  by apply: le_trans (ler_norm_add _ _) _; rewrite normr1 ler_add2r.
have sign : keeps_sign disc row rises.
  move=> z; right => theta; rewrite /rises /prediction dot1 (_ : coordinate (row z) = 1).
    rewrite mul1r /disc /unit_ball /mkset norm_coordinate ler_norml => /andP[t1 _].
    by rewrite -ler_subl_addr sub0r.
  by rewrite /coordinate mxE.
have reachE z : reach row sd z = i.
  rewrite /reach norm_coordinate /coordinate !mxE mul1r invrK gtr0_norm //.
have slopes z theta : disc theta ->
    `|rises z (prediction row z theta)| * reach row sd z <= i + i.
  move=> Ct; rewrite reachE; apply: le_trans (ler_wpmul2r (ltW i0) (bounds z theta Ct)) _.
  by rewrite mulrDl mul1r.
have stick := claim _ _ _ _ _ _ _ _ square_contract domain sd (i + i) sd_gt0 m0 sign slopes
  _ _ one_more eps.
have e0 : (0 <= (expR eps)%:E :> \bar R)%E by rewrite lee_fin expR_ge0.
have := le_trans lower (hockey_stick_set stick mA).
move=> /le_trans/(_ (lee_add (lee_wpmul2l e0 upper) (lexx _))).
by rewrite -EFinM -EFinD lee_fin.
Qed.

End Wide.

(* The curve of N(0,1) against N(m,1) far out, in terms of y = s/mass. *)
Let far_out m eps y : 0 < m -> 0 <= y -> eps / m - h * m = y * mass R ->
  delta m eps * (y * y) <= 1.
Proof.
move=> m0 y0 yE; have M0 := mass_gt0 R; pose c := h * m - eps / m.
have lc : - loss m c = eps.
  by rewrite /loss /c mulrBr [m * (eps / m)]mulrC divfK ?gt_eqF // expr2 /h; nsatz.
have := half_line_delta c m0; rewrite lc => dE.
have d1 : delta m eps <= below 0 c.
  by rewrite dE ler_addr mulr_ge0 ?expR_ge0 ?below_ge0.
have cE : c = - 0 - y * mass R by rewrite oppr0 sub0r -yE opprB.
have s0 : 0 <= y * mass R by rewrite mulr_ge0 // ltW.
have := mills (lexx 0) s0; rewrite -cE mulfK ?gt_eqF // opprD expRD => tail.
have d2 : delta m eps <= expR (- y) * expR (- y).
  apply: (le_trans d1); apply: (le_trans tail); apply: ler_pimulr; last exact: below_le1.
  by rewrite mulr_ge0 // expR_ge0.
have ey : y * expR (- y) <= 1.
  have := ler_wpmul2r (expR_ge0 (- y)) (le_trans (_ : y <= 1 + y) (expR_tangent y)).
  by rewrite expRxMexpNx_1; apply; rewrite ler_addr.
have yy0 : 0 <= y * y by rewrite mulr_ge0.
apply: (le_trans (ler_wpmul2r yy0 d2)).
have e0 := expR_ge0 (- y); have ye0 : 0 <= y * expR (- y) by rewrite mulr_ge0.
have -> : expR (- y) * expR (- y) * (y * y) = (y * expR (- y)) * (y * expR (- y)).
  by move: (expR (- y)) => e; nsatz.
exact: mulr_ile1.
Qed.

Theorem refuted_without_price : ~ without_price.
Proof.
move=> claim; have M0 := mass_gt0 R; set M := mass R in M0.
pose eps : R := ln (1 + h).
have h1 : 0 < 1 + h by rewrite addr_gt0.
have eE : expR eps = 1 + h by rewrite lnK // posrE.
have e0 : 0 < eps by rewrite ln_gt0 // ltr_addl.
have d0 : 0 < 128%:R * M ^+ 3 by rewrite mulr_gt0 // exprn_gt0.
pose i := Num.min (h * h) (Num.min eps (eps ^+ 2 / (128%:R * M ^+ 3))).
have i0 : 0 < i by rewrite !lt_minr mulr_gt0 // e0 divr_gt0 // exprn_gt0.
have i4 : i <= h * h by rewrite le_minl lexx.
have ie : i <= eps by rewrite !le_minl lexx orbT.
have iM : i * (128%:R * M ^+ 3) <= eps ^+ 2.
  by rewrite -ler_pdivl_mulr // !le_minl lexx !orbT.
clearbody i.
have four : (1 + 1) * (1 + 1) * (h * h) = 1 by move: h hh => k kk; nsatz.
have four0 : 0 < (1 + 1) * (1 + 1) :> R by rewrite mulr_gt0.
have ii : (1 + 1) * (1 + 1) * (i * i) <= i.
  rewrite mulrA; apply: ler_pimull; first exact: ltW.
  by rewrite -[X in _ <= X]four; exact: (ler_wpmul2l (ltW four0) i4).
have Mi0 : 0 <= M^-1 by rewrite invr_ge0 ltW.
(* what is left at eps *)
have left : M^-1 * i * (h * h) <= delta (i + i) eps.
  have low : 1 - h * (i + i) ^+ 2 <= phi (i + i) * M.
    by rewrite /phi divfK ?gt_eqF //; exact: expR_tangent.
  have c0 : 0 <= M^-1 * (i + i) by rewrite mulr_ge0 // addr_ge0 // ltW.
  have l1 := ler_wpmul2l c0 low.
  have := claimed i0 claim eps; rewrite eE -/M => l2.
  have c1 : 0 <= M^-1 * i by rewrite mulr_ge0 // ltW.
  have l3 := ler_wpmul2l c1 (le_trans ii i4).
  have MM : M^-1 * M = 1 by rewrite mulVf // gt_eqF.
  apply: le_from (ler_add (ler_add l1 l2) l3) _; rewrite expr2.
  by move: (phi _) (delta _ _) M^-1 MM; move: h hh four => k kk f p d j jj; nsatz.
pose w := eps / ((1 + 1) * (1 + 1) * i * M).
have wd0 : 0 < (1 + 1) * (1 + 1) * i * M by rewrite !mulr_gt0.
have w0 : 0 <= w by rewrite divr_ge0 // ltW.
have wE : w * ((1 + 1) * (1 + 1) * i * M) = eps by rewrite divfK // gt_eqF.
clearbody w; have m0 : 0 < i + i by rewrite addr_gt0.
pose y := (eps / (i + i) - h * (i + i)) / M.
have wy : w <= y.
  rewrite /y ler_pdivl_mulr // ler_subr_addr ler_pdivl_mulr // -[X in _ <= X]wE.
  have : (1 + 1) * (1 + 1) * (i * i) <= w * ((1 + 1) * (1 + 1) * i * M).
    by rewrite wE; exact: le_trans ii ie.
  by move=> le; have := ler_wpmul2l (ltW h0) le => le'; apply: le_from le' _; move: (h) (hh) => k kk; clear -kk; nsatz.
have y0 : 0 <= y := le_trans w0 wy.
have yE : eps / (i + i) - h * (i + i) = y * mass R by rewrite divfK // gt_eqF.
have := far_out m0 y0 yE => far.
have ww : w * w <= y * y by exact: ler_pmul.
have ww0 : 0 <= w * w by rewrite mulr_ge0.
have key : M^-1 * i * (h * h) * (w * w) <= 1.
  apply: le_trans far; apply: ler_pmul => //.
  by rewrite !mulr_ge0 // ltW.
have top : i * (w * w) <= (1 + 1) * (1 + 1) * M.
  have := ler_wpmul2l (ltW (mulr_gt0 four0 M0)) key; rewrite mulr1.
  have MM : M^-1 * M = 1 by rewrite mulVf // gt_eqF.
  move=> le; apply: le_from le _; move: MM four; move: M^-1 (h) => j k jj f.
  by clear -jj f; nsatz.
have bottom : i * (128%:R * M ^+ 3) <= (w * ((1 + 1) * (1 + 1) * i * M)) ^+ 2 by rewrite wE.
have p0 : 0 < (1 + 1) * (1 + 1) * (1 + 1) * (1 + 1) * (i * (M * M)) by rewrite !mulr_gt0.
have : (1 + 1) * (1 + 1) * (1 + 1) * M <= i * (w * w).
  rewrite -(ler_pmul2l p0); apply: le_from bottom _; rewrite !exprS expr0.
  have -> : 128%:R = (1 + 1) * (1 + 1) * (1 + 1) * (1 + 1) * ((1 + 1) * (1 + 1) * (1 + 1)) :> R.
    by rewrite -[1 + 1]/(2%:R) -!natrM.
  by clear; nsatz.
move=> /le_trans/(_ top); rewrite -mulrA -subr_ge0.
have -> : (1 + 1) * (1 + 1) * M - (1 + 1) * (1 + 1) * ((1 + 1) * M) =
    - ((1 + 1) * (1 + 1) * M) by clear; nsatz.
by rewrite oppr_ge0 leNgt mulr_gt0.
Qed.

End Refuted.
