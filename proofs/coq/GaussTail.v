(* The tail of the normal law, and what it says of the price: own:gaussian-tilt 3.

     below_product   P(Z < c - h) P(Z < c') <= P(Z < c) P(Z < c' - h) for c <= c', h >= 0:
                     the law is log-concave
     mills           P(Z < - x - s) <= e^(-2s/mass) P(Z < -x): Mills' ratio is largest at
                     0, where it is mass/2 = sqrt(pi/2); without a derivative
     own_gaussian_tilt_price   so mass/2 of mu pays for one unit of eps              *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Line Flow HockeyStick Profile.
From AsapDP Require Import Logistic GaussLine GaussCurve GaussHalf GaussPlane GaussCompose.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Tail.
Variable R : realType.
Implicit Types (m eps c h s x z : R).

Let left m c z : R := phi (z - m) * \1_(`]-oo, c[%classic) z.

Let leftE m c z : left m c z = if z < c then phi (z - m) else 0.
Proof.
rewrite /left indicE mem_setE in_itv /=.
by case: (z < c); rewrite ?mulr1 ?mulr0.
Qed.

Let left_ge0 m c z : (0 <= (left m c z)%:E)%E.
Proof. by rewrite lee_fin mulr_ge0 ?phi_ge0. Qed.

Let measurable_left m c : measurable_fun setT (fun z : R => (left m c z)%:E).
Proof.
apply: measurable_EFin; apply: measurable_funM.
  by apply: measurable_phi; exact: measurable_minus.
by apply: measurable_fun_indic; exact: measurable_ray.
Qed.

Let belowI m c : (\int[line R]_z (left m c z)%:E = (below m c)%:E)%E.
Proof. by rewrite -belowE normalE //; exact: measurable_ray. Qed.

Lemma below_shift m c : below m c = below 0 (c - m).
Proof.
apply: EFin_inj; rewrite -!belowI.
rewrite -(line_shift (- m) (measurable_left 0 (c - m)) (left_ge0 0 (c - m))).
by apply: eq_integral => z _; rewrite !leftE subr0 ltr_add2r.
Qed.

(* Two sums of half-lines, compared point by point. *)
Let below_pointwise a m c b m' c' a' n d b' n' d' :
  0 <= a -> 0 <= b -> 0 <= a' -> 0 <= b' ->
  (forall z, a * left m c z + b * left m' c' z <= a' * left n d z + b' * left n' d' z) ->
  a * below m c + b * below m' c' <= a' * below n d + b' * below n' d'.
Proof.
move=> a0 b0 a'0 b'0 le; rewrite -lee_fin !EFinD !EFinM -!belowI.
have ms (k : R) p e : measurable_fun setT (fun z : R => k%:E * (left p e z)%:E)%E.
  by apply: measurable_funeM; exact: measurable_left.
have sp (k : R) p e : 0 <= k -> forall z : R, (0 <= k%:E * (left p e z)%:E)%E.
  by move=> k0 z; rewrite mule_ge0.
rewrite -!int_scale //.
rewrite -(int_add _ (ms a m c) (sp a m c a0) (ms b m' c') (sp b m' c' b0)).
rewrite -(int_add _ (ms a' n d) (sp a' n d a'0) (ms b' n' d') (sp b' n' d' b'0)).
apply: int_le => [|z||z].
- exact: emeasurable_funD.
- by rewrite adde_ge0 ?sp.
- exact: emeasurable_funD.
- by rewrite -!EFinM -!EFinD lee_fin.
Qed.

Let loss_le h c z : 0 <= h -> z <= c -> expR (loss h z) <= expR (loss h c).
Proof. by move=> h0 zc; rewrite ler_expR ler_add2r ler_wpmul2l. Qed.

(* Left of c a shift weighs at most what it weighs at c, right of it at least. *)
Lemma below_tilt h c : 0 <= h -> below h c <= expR (loss h c) * below 0 c.
Proof.
move=> h0; rewrite -[below h c]mul1r -[leLHS]addr0 -[leRHS]addr0.
rewrite -(mul0r (below 0 c)).
apply: below_pointwise => //; try exact: expR_ge0.
move=> z; rewrite !mul0r !addr0 mul1r !leftE subr0; case: ltP => [zc|_]; last by rewrite mulr0.
by rewrite phi_shift mulrC ler_wpmul2r ?phi_ge0 // (loss_le h0) // ltW.
Qed.

Lemma piece_tilt h c c' : 0 <= h -> c <= c' ->
  expR (loss h c) * below 0 c' + below h c <= below h c' + expR (loss h c) * below 0 c.
Proof.
move=> h0 cc'; rewrite -[below h c]mul1r -[below h c']mul1r.
apply: below_pointwise => //; try exact: expR_ge0.
move=> z; rewrite !mul1r !leftE !subr0; have [zc|cz] := ltP z c.
  by rewrite (lt_le_trans zc cc') addrC.
rewrite mulr0 !addr0; case: ifP => _; last by rewrite mulr0.
by rewrite phi_shift mulrC ler_wpmul2l ?phi_ge0 // (loss_le h0).
Qed.

Lemma below_product h c c' : 0 <= h -> c <= c' ->
  below 0 (c - h) * below 0 c' <= below 0 c * below 0 (c' - h).
Proof.
move=> h0 cc'; rewrite -!below_shift.
have up := below_tilt c h0; have lo := piece_tilt h0 cc'.
have d0 : 0 <= below 0 c' - below 0 c by rewrite subr_ge0 below_mono.
have h1 := ler_wpmul2r d0 up; have h2 := ler_wpmul2r (below_ge0 0 c) lo.
apply: le_from (ler_add h1 h2) _; move: (expR _) (below _ _) (below _ _) (below _ _) (below _ _).
by move=> w p q r t; nsatz.
Qed.

Lemma below_half : below 0 0 + below 0 0 <= 1 :> R.
Proof.
rewrite -lee_fin EFinD -!belowI -(integral_phi0 R).
have n1 : -1 != 0 :> R by rewrite oppr_eq0 oner_eq0.
have := line_affine 0 n1 (measurable_left 0 0) (left_ge0 0 0).
rewrite normrN normr1 invr1 mul1e => flip; rewrite -{2}flip.
have mf : measurable_fun setT (fun z : R => (left 0 0 (- 1 * z + 0))%:E).
  apply: (measurable_fun_comp (measurable_left 0 0)).
  apply: measurable_funD; last exact: measurable_fun_cst.
  by apply: measurable_funrM; exact: measurable_fun_id.
rewrite -(int_add _ (measurable_left 0 0) (left_ge0 0 0) mf (fun z => left_ge0 0 0 _)).
apply: int_le => [|z||z].
- exact: emeasurable_funD.
- by rewrite adde_ge0.
- by apply: measurable_EFin; apply: measurable_phi; exact: measurable_fun_id.
rewrite -EFinD lee_fin !leftE !subr0 addr0 mulN1r oppr_lt0 phiN.
by case: (ltrgtP z 0) => _; rewrite ?addr0 ?add0r ?phi_ge0.
Qed.

(* What lies between -h and 0. *)
Lemma below_step h : 0 <= h -> below 0 (- h) + h * phi h <= below 0 0.
Proof.
move=> h0; rewrite -lee_fin EFinD -!belowI.
pose I := `[- h, 0[%classic : set R.
have mI : measurable I by exact: measurable_itv.
have lI : line R I = h%:E.
  rewrite lineE (lebesgue_measure_itv `[- h, 0[) hlength_itv /= lte_fin oppr_lt0.
  case: ltP => [_|hh]; first by rewrite add0e opprK.
  by congr EFin; apply/eqP; rewrite eq_le hh h0.
have m1 : measurable_fun setT (fun z : R => (\1_I z : R)%:E).
  by apply: measurable_EFin; exact: measurable_fun_indic.
have i0 (z : R) : (0 <= (\1_I z : R)%:E)%E by rewrite lee_fin.
have -> : ((h * phi h)%:E = \int[line R]_z ((phi h)%:E * (\1_I z)%:E))%E.
  by rewrite int_scale ?phi_ge0 // integral_indic // setIT lI -EFinM mulrC.
have mp : measurable_fun setT (fun z : R => (phi h)%:E * (\1_I z : R)%:E)%E.
  exact: measurable_funeM.
have p0 (z : R) : (0 <= (phi h)%:E * (\1_I z : R)%:E)%E by rewrite mule_ge0 // lee_fin phi_ge0.
rewrite -(int_add _ (measurable_left 0 (- h)) (left_ge0 0 (- h)) mp p0).
apply: int_le => [|z||z]; [exact: emeasurable_funD|by rewrite adde_ge0|exact: measurable_left|].
rewrite -EFinM -EFinD lee_fin !leftE subr0 indicE mem_setE in_itv /=.
have [zh|hz] /= := ltP z (- h).
  by rewrite mulr0 addr0 (lt_le_trans zh) // oppr_le0.
rewrite add0r; case: ltP => [z0|_]; last by rewrite mulr0.
rewrite mulr1 ler_wpmul2r ?invr_ge0 ?(ltW (mass_gt0 R)) // ler_expR ler_opp2.
apply: ler_wpmul2l; first exact/ltW/half_gt0.
by rewrite -(sqrrN z) ler_pexpn2r ?nnegrE ?oppr_ge0 ?(ltW z0) // ler_oppl.
Qed.

Let below_gt0 : 0 < below 0 0 :> R.
Proof.
apply: lt_le_trans (below_step ler01); apply: ltr_paddl; first exact: below_ge0.
by rewrite mul1r phi_gt0.
Qed.

(* One short step, then n of them. *)
Let tail_step h : 0 <= h -> below 0 (- h) <= expR (- (h * phi h + h * phi h)) * below 0 0.
Proof.
move=> h0; have b0 := ltW below_gt0; have p0 : 0 <= h * phi h by rewrite mulr_ge0 ?phi_ge0.
apply: le_trans (ler_wpmul2r b0 (expR_tangent _)).
apply: le_from (ler_add (below_step h0) (ler_wpmul2l p0 below_half)) _.
by move: (h * phi h) => t; nsatz.
Qed.

Let tail_steps h x n : 0 <= h -> 0 <= x ->
  below 0 (- x - h *+ n) <= expR (- (h * phi h + h * phi h)) ^+ n * below 0 (- x).
Proof.
move=> h0 x0; elim: n => [|n IH]; first by rewrite mulr0n subr0 expr0 mul1r.
have -> : - x - h *+ n.+1 = - x - h *+ n - h by rewrite mulrSr opprD addrA.
have c0 : - x - h *+ n <= 0 by rewrite -opprD oppr_le0 addr_ge0 // mulrn_wge0.
have := below_product h0 c0; rewrite sub0r => prod.
have := ler_wpmul2l (below_ge0 0 (- x - h *+ n)) (tail_step h0).
move=> /(le_trans prod); rewrite mulrA ler_pmul2r ?below_gt0 // => /le_trans; apply.
rewrite exprS -mulrA mulrC; apply: ler_wpmul2l => //; exact: expR_ge0.
Qed.

Let phi_low h : (mass R)^-1 * (1 - half R * h ^+ 2) <= phi h.
Proof.
rewrite /phi mulrC ler_wpmul2r ?invr_ge0 ?(ltW (mass_gt0 R)) //; exact: expR_tangent.
Qed.

Lemma mills x s : 0 <= x -> 0 <= s ->
  below 0 (- x - s) <= expR (- (s / mass R + s / mass R)) * below 0 (- x).
Proof.
move=> x0 s0; have M0 := mass_gt0 R; have b0 := below_ge0 0 (- x).
rewrite -lee_fin; apply: le_up_to_expR => [||| t t0].
- by rewrite lee_fin mulr_ge0 // expR_ge0.
- exact: ltry.
- by rewrite lee_fin below_ge0.
pose n := (Num.ExtraDef.archi_bound (s ^+ 3 / (mass R * t))).+1.
have n0 : 0 < n%:R :> R by rewrite ltr0n.
have q0 : 0 <= s ^+ 3 / (mass R * t) by rewrite divr_ge0 ?exprn_ge0 // mulr_ge0 // ltW.
have nt : s ^+ 3 / mass R <= n%:R * t.
  have : s ^+ 3 / (mass R * t) <= n%:R.
    by apply: le_trans (ltW (archi_boundP q0)) _; rewrite ler_nat leqnSn.
  by rewrite invfM mulrA ler_pdivr_mulr.
pose h := s / n%:R; have h0 : 0 <= h by rewrite divr_ge0 // ltW.
have hn : h *+ n = s by rewrite -mulr_natr divfK // gt_eqF.
have := tail_steps n h0 x0; rewrite hn => /le_trans steps; rewrite -EFinM lee_fin mulrA.
apply: steps; apply: ler_wpmul2r => //.
rewrite -expRMm -expRD ler_expR mulrN.
have -> : n%:R * (h * phi h + h * phi h) = s * phi h + s * phi h.
  by rewrite mulrDr mulrA [n%:R * h]mulrC mulr_natr hn.
have low := ler_wpmul2l s0 (phi_low h).
have small : s * h ^+ 2 / mass R <= t.
  have : s ^+ 3 / mass R / n%:R <= t by rewrite ler_pdivr_mulr // [t * _]mulrC.
  apply: le_trans.
  rewrite (_ : s * h ^+ 2 / mass R = s ^+ 3 / mass R / n%:R / n%:R); last first.
    by rewrite /h !exprS !expr0 !mulr1; move: (n%:R^-1) (mass R)^-1 => a b; nsatz.
  rewrite ler_pdivr_mulr //; apply: ler_pemulr; last by rewrite ler1n.
  exact: (divr_ge0 (divr_ge0 (exprn_ge0 3 s0) (ltW M0)) (ltW n0)).
apply: le_from (ler_add (ler_add low low) small) _.
move: (halves R); move: (half R) (mass R)^-1 (phi h) => k i p kk.
by rewrite !expr2; nsatz.
Qed.

(** * The price *)

(* Half of [mass] is sqrt(pi/2). *)
Theorem own_gaussian_tilt_price m mu J eps : 0 < m -> 0 <= J ->
  m + half R * mass R * J <= mu -> J <= eps -> delta m (eps - J) <= delta mu eps.
Proof.
move=> m0 J0 mmu Je; set E := eps - J; have E0 : 0 <= E by rewrite subr_ge0.
pose c := half R * m - E / m; have mn0 : m != 0 by rewrite gt_eqF.
have lc : - loss m c = E.
  rewrite /loss /c mulrBr [m * (E / m)]mulrC divfK // expr2; nsatz.
have := half_line_delta c m0; rewrite lc => half_line.
have := hockey_stick_set (normal_gdp mu eps) (measurable_ray c).
rewrite (belowE 0) (belowE mu) -EFinM -EFinD lee_fin => stick.
pose x := half R * m + E / m; pose s := half R * mass R * J.
have h0 := ltW (half_gt0 R); have M0 := ltW (mass_gt0 R).
have x0 : 0 <= x by exact: (addr_ge0 (mulr_ge0 h0 (ltW m0)) (divr_ge0 E0 (ltW m0))).
have s0 : 0 <= s by exact: (mulr_ge0 (mulr_ge0 h0 M0) J0).
have cm : c - m = - x.
  by rewrite /c /x; have := halves R; move: (half R) (E / m) => k e kk; nsatz.
have tail : below mu c <= expR (- J) * below m c.
  rewrite (below_shift mu) (below_shift m) cm.
  apply: (@le_trans _ _ (below 0 (- x - s))).
    by apply: below_mono; rewrite -cm -addrA ler_add2l -opprD ler_opp2.
  apply: le_trans (mills x0 s0) _; rewrite ler_wpmul2r ?below_ge0 // ler_expR ler_opp2.
  rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite /s.
  have := halves R; have := divff (lt0r_neq0 (mass_gt0 R)).
  by move: (half R) (mass R)^-1 (mass R) => k i M Mi kk; nsatz.
have key : expR eps * below mu c <= expR E * below m c.
  apply: le_trans (ler_wpmul2l (expR_ge0 eps) tail) _.
  by rewrite mulrA -expRD.
apply: le_from (ler_add stick key) _; rewrite half_line.
by move: (expR E) (expR eps) (below _ _) (below _ _) (delta _ _) (delta _ _) => *; nsatz.
Qed.

End Tail.
