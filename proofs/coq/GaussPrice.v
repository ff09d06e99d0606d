(* own:joint-price, Gaussian: what a record costs beyond its slope.

     gaussian_price_separate   slope and curvature each at its worst: e^J >= 1 + beta/Lambda
     gaussian_price_joint      the curvature is p(1 - p) where the slope is p:
                               1 + m K q <= e^(J + m^2 q/2) for 0 <= q <= 1/4
     free_price                J = 0 will do if 2 K <= m
     logistic_gaussian_price   the logistic loss, its records weighted by at most 1       *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation Logistic GaussLine GaussObjective.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Prices.
Variables (R : realType) (n : nat) (C : set 'rV[R]_n).
Variables (Z : Type) (x : Z -> 'rV[R]_n) (loss slope : Z -> R -> R) (curvature : Z -> R).
Variable Lambda : R.
Hypothesis contract : loss_contract C x loss slope curvature Lambda.
Variables (sd : 'rV[R]_n) (m J : R).
Hypothesis sd_gt0 : forall i, 0 < sd 0 i.

(* The slope of a record never changes its sign. *)
Definition keeps_sign := forall z,
  (forall theta, C theta -> slope z (prediction x z theta) <= 0) \/
  (forall theta, C theta -> 0 <= slope z (prediction x z theta)).

Hypothesis sign : keeps_sign.

Theorem gaussian_price_separate beta :
  (forall z theta, C theta -> `|slope z (prediction x z theta)| * reach x sd z <= m) ->
  (forall z, 0 <= curvature z) -> (forall z, curvature z * norm2 (x z) ^+ 2 <= beta) ->
  1 + beta / Lambda <= expR J -> gaussian_price C x slope Lambda sd m J.
Proof.
move=> sm c0 cb bJ; have L0 := loss_Lambda contract.
split => // z e e0; exists 1 => // lo; exists (curvature z); split => //.
- move=> theta Ct _; pose s := `|slope z (prediction x z theta)| * reach x sd z.
  suff : 1 + curvature z * (Lambda^-1 * norm2 (x z) ^+ 2) <=
    expR (e + (J + half R * (s * (m - s)))) by [].
  have s0 : 0 <= s by exact: (mulr_ge0 (normr_ge0 _) (norm2_ge0 _)).
  have ms0 : 0 <= m - s by rewrite subr_ge0; exact: sm.
  apply: (@le_trans _ _ (expR J)).
    apply: le_trans bJ; rewrite ler_add2l mulrCA mulrC.
    by apply: ler_wpmul2r => //; rewrite invr_ge0 ltW.
  rewrite ler_expR addrCA ler_addl.
  exact: (addr_ge0 (ltW e0) (mulr_ge0 (ltW (half_gt0 R)) (mulr_ge0 s0 ms0))).
- by move=> theta eta Ct Ce _ _; exact: (loss_curvature contract).
Qed.

(* Slope and curvature at the same point. *)
Theorem gaussian_price_joint K : joint_slopes C x slope -> 0 < m -> 0 <= K ->
  (forall z, reach x sd z <= m) -> (forall z, norm2 (times_sd sd (x z)) <= Lambda * K) ->
  (forall q, 0 <= q <= 4%:R^-1 -> 1 + m * K * q <= expR (J + half R * (m ^+ 2 * q))) ->
  gaussian_price C x slope Lambda sd m J.
Proof.
move=> joint m0 K0 xm xK scalar; have L0 := loss_Lambda contract.
have mn0 : m != 0 by rewrite gt_eqF.
have pen z theta : C theta -> `|slope z (prediction x z theta)| <= 1.
  by move=> Ct; have [] := joint z theta theta Ct Ct.
split => // [z theta Ct|z e e0].
  rewrite -[m]mul1r; apply: ler_pmul => //; [exact: norm2_ge0|exact: pen].
have mK0 : 0 <= m * K by rewrite mulr_ge0 // ltW.
have d0 : 0 < m * K + m * K + 1 by rewrite ltr_paddl // addr_ge0.
pose h := e / (m * K + m * K + 1); have h0 : 0 < h by rewrite divr_gt0.
have hE : (h + h) * (m * K) <= e.
  have -> : (h + h) * (m * K) = (m * K + m * K) * h by move: (m * K) => c; nsatz.
  by rewrite mulrCA ler_pimulr ?(ltW e0) // ler_pdivr_mulr // mul1r ler_addl.
exists h => // lo.
have [[theta0 [C0 in0]]|none] := pselect (exists theta, C theta /\
    lo <= `|slope z (prediction x z theta)| < lo + h); last first.
  exists 0; split => //.
  - by move=> theta Ct inb; case: none; exists theta.
  - by move=> theta eta Ct _ inb; case: none; exists theta.
pose p0 := `|slope z (prediction x z theta0)|.
have p00 : 0 <= p0 by exact: normr_ge0.
have p01 : p0 <= 1 by exact: pen.
have nearby theta : lo <= `|slope z (prediction x z theta)| < lo + h ->
    `| `|slope z (prediction x z theta)| - p0| <= h.
  move=> /andP[l1 /ltW l2]; have /andP[l3 /ltW l4] := in0.
  rewrite ler_norml; apply/andP; split.
    by apply: le_from (ler_add l1 l4) _; rewrite /p0; nsatz.
  by apply: le_from (ler_add l2 l3) _; rewrite /p0; nsatz.
have product p : 0 <= p <= 1 -> `|p - p0| <= h -> `|p * (1 - p) - p0 * (1 - p0)| <= h.
  move=> /andP[a0 a1] pp; rewrite (_ : _ - _ = (p - p0) * (1 - p - p0)); last by nsatz.
  rewrite normrM -[h]mulr1; apply: ler_pmul => //; rewrite ler_norml; apply/andP; split.
    by apply: le_from (ler_add p01 a1) _; nsatz.
  by apply: le_from (ler_add p00 a0) _; nsatz.
exists (p0 * (1 - p0) + h); split.
- by rewrite addr_ge0 ?(ltW h0) // mulr_ge0 // subr_ge0.
- move=> theta Ct inb; pose p := `|slope z (prediction x z theta)|.
  pose N := reach x sd z; pose s := p * N.
  suff : 1 + (p0 * (1 - p0) + h) * (Lambda^-1 * norm2 (x z) ^+ 2) <=
    expR (e + (J + half R * (s * (m - s)))) by [].
  have N0 : 0 <= N by exact: norm2_ge0.
  have pr : 0 <= p <= 1 by rewrite normr_ge0 pen.
  have /andP[a0 a1] := pr.
  have KN : Lambda^-1 * norm2 (x z) ^+ 2 <= K * N.
    rewrite ler_pdivr_mull // mulrA; apply: le_trans (sqr_norm2_sd sd_gt0 (x z)) _.
    by apply: ler_wpmul2r.
  pose t := s / m; have sE : s = m * t by rewrite /t mulrC divfK.
  have t0 : 0 <= t by exact: (divr_ge0 (mulr_ge0 a0 N0) (ltW m0)).
  have tp : t <= p.
    by rewrite /t ler_pdivr_mulr //; apply: ler_wpmul2l => //; exact: xm.
  have t1 : t <= 1 := le_trans tp a1.
  pose q := t * (1 - t).
  have q0 : 0 <= q by rewrite mulr_ge0 // subr_ge0.
  have q4 : q <= 4%:R^-1.
    rewrite -[4%:R^-1]mul1r ler_pdivl_mulr //.
    have four : 4%:R = (1 + 1) * (1 + 1) :> R by rewrite -[(1 + 1)%R]/2%:R -natrM.
    by apply: le_from (sqr_ge0 (t + t - 1)) _; rewrite expr2 four /q; nsatz.
  have main : p * (1 - p) * (K * N) <= m * K * q.
    have c0 : 0 <= K * s by exact: (mulr_ge0 K0 (mulr_ge0 a0 N0)).
    have step : K * s * (1 - p) <= K * s * (1 - t) by rewrite ler_wpmul2l // ler_add2l ler_opp2.
    have l1 : p * (1 - p) * (K * N) = K * (p * N) * (1 - p).
      by move: (p) (N) => p' N'; nsatz.
    have l2 : m * K * q = K * (m * t) * (1 - t) by rewrite /q; move: (t) => t'; nsatz.
    by rewrite l1 l2 -sE.
  have := product p pr (nearby theta inb); rewrite ler_norml => /andP[low _].
  have kN : (p0 * (1 - p0) + h) * (Lambda^-1 * norm2 (x z) ^+ 2) <=
      m * K * q + (h + h) * (m * K).
    have k0 : 0 <= p0 * (1 - p0) + h by rewrite addr_ge0 ?(ltW h0) // mulr_ge0 // subr_ge0.
    apply: le_trans (ler_wpmul2l k0 KN) _.
    have KN0 : 0 <= K * N by rewrite mulr_ge0.
    have b1 : p0 * (1 - p0) + h <= p * (1 - p) + (h + h) by apply: le_from low _; nsatz.
    apply: le_trans (ler_wpmul2r KN0 b1) _; rewrite mulrDl; apply: ler_add => //.
    have hh0 : 0 <= h + h by rewrite addr_ge0 // ltW.
    by apply: ler_wpmul2l => //; rewrite [m * K]mulrC; apply: ler_wpmul2l => //; exact: xm.
  have one : 1 <= 1 + m * K * q by rewrite ler_addl mulr_ge0.
  have c0 : 0 <= (h + h) * (m * K) by rewrite mulr_ge0 // addr_ge0 // ltW.
  apply: (@le_trans _ _ ((1 + m * K * q) * expR e)).
    have e1 : 1 + (h + h) * (m * K) <= expR e.
      by apply: le_trans (expR_tangent _) _; rewrite ler_expR.
    apply: le_trans (ler_wpmul2l (le_trans ler01 one) e1).
    apply: (@le_trans _ _ (1 + (m * K * q + (h + h) * (m * K)))).
      by rewrite ler_add2l; exact: kN.
    by rewrite addrA [leRHS]mulrDr mulr1 ler_add2l; exact: ler_pemull.
  rewrite expRD mulrC; apply: ler_wpmul2l; first exact: expR_ge0.
  have -> : s * (m - s) = m ^+ 2 * q by rewrite sE /q expr2; move: (m) (t) => *; nsatz.
  by apply: scalar; rewrite q0.
- move=> theta eta Ct Ce inb inb'.
  have [s1 t1 [p [/andP[plo phi] /le_trans]]] := joint z theta eta Ct Ce; apply.
  rewrite ler_wpmul2r //.
  have pp : `|p - p0| <= h.
    have n1 := nearby theta inb; have n2 := nearby eta inb'.
    rewrite !ler_norml in n1 n2 *.
    move: n1 n2 => /andP[a1 a2] /andP[b1 b2]; apply/andP; split.
      by rewrite ler_subr_addr; apply: le_trans plo; rewrite le_minr -!ler_subr_addr a1 b1.
    by rewrite ler_subl_addr (le_trans phi) // le_maxl -!ler_subl_addr a2 b2.
  have pr : 0 <= p <= 1.
    rewrite (le_trans _ plo) ?le_minr ?normr_ge0 //=.
    by rewrite (le_trans phi) // le_maxl s1 t1.
  by have := product p pr pp; rewrite ler_norml => /andP[_]; rewrite ler_subl_addl.
Qed.

End Prices.

(* For 2 K <= m, in one deviation Lambda >= 2 sigma^2, nothing is paid for the curvature. *)
Lemma free_price (R : realType) (m K q : R) : 0 <= m -> K + K <= m -> 0 <= q ->
  1 + m * K * q <= expR (0 + half R * (m ^+ 2 * q)).
Proof.
move=> m0 Km q0; rewrite add0r; apply: le_trans (expR_tangent _); rewrite ler_add2l.
have c0 : 0 <= half R * (m * q) by exact: (mulr_ge0 (ltW (half_gt0 R)) (mulr_ge0 m0 q0)).
apply: le_from (ler_wpmul2l c0 Km) _; have := halves R; move: (half R) => h hh.
by rewrite expr2; nsatz.
Qed.

(* The default: no hypothesis is about the loss. *)
Theorem logistic_gaussian_price (R : realType) (n : nat) (C : set 'rV[R]_n) (Z : Type)
    (x : Z -> 'rV[R]_n) (weight : Z -> R) (Lambda : R) (sd : 'rV[R]_n) (m J K : R) :
  (forall z, 0 <= weight z <= 1) -> 0 < Lambda -> (forall i, 0 < sd 0 i) -> 0 < m -> 0 <= K ->
  (forall z, reach x sd z <= m) -> (forall z, norm2 (times_sd sd (x z)) <= Lambda * K) ->
  (forall q, 0 <= q <= 4%:R^-1 -> 1 + m * K * q <= expR (J + half R * (m ^+ 2 * q))) ->
  gaussian_price C x (fun z t => weight z * logistic_slope t) Lambda sd m J.
Proof.
move=> w01 L0 sd0 m0 K0 xm xK scalar.
have sign : keeps_sign C x (fun z t => weight z * logistic_slope t).
  move=> z; left => theta _; have /andP[w0 _] := w01 z.
  rewrite mulrN oppr_le0 mulr_ge0 //; by case/andP: (miss_bounds (prediction x z theta)).
exact: (gaussian_price_joint (weighted_logistic_contract C x w01 L0) sd0 sign
  (@weighted_logistic_joint_slopes _ _ C _ x _ w01) m0 K0 xm xK scalar).
Qed.
