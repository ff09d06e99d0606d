(* The test of N(0,1) against N(m,1) that is best: a half-line.

   A pair of means (a under the second law, b under the first) that obeys the curve of
   m is no better than the half-line of level a: Neyman and Pearson, from the curve.
   Level and half-line are found without a quantile: the set of all z below which the
   second law has less than a. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Line HockeyStick Profile.
From AsapDP Require Import GaussLine GaussCurve.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section HalfLine.
Variable R : realType.
Implicit Types (m eps c z u w : R).

(* Neyman and Pearson: of two means that obey the curve of m, the half-line of level
   a has the second at most, and the first at least. *)
Lemma half_line m (a b : R) : 0 < m -> 0 <= a <= 1 -> b <= 1 ->
  (forall eps, b <= expR eps * a + delta m eps) ->
  let S := [set z | below m z < a \/ 1 <= a] in
  (normal m S <= a%:E)%E /\ (b%:E <= normal 0 S)%E.
Proof.
move=> m0 /andP[a0 a1] b1 curve S.
have [le1a|lt_a1] := leP 1 a.
  have -> : S = setT by apply/seteqP; split => // z _; right.
  by rewrite !normal_total !lee_fin.
have SE : S = [set z | below m z < a].
  by apply/seteqP; split => z /=; [case=> //; rewrite leNgt lt_a1|left].
have [c0 c0P] := rays m lt_a1.
have [S0|/set0P[z0 Sz0]] := eqVneq S set0.
  (* no half-line has a level below a: a = 0 *)
  rewrite S0 !measure0 lee_fin a0; split => //; rewrite lee_fin leNgt; apply/negP => b0.
  have a_le c : a <= below m c.
    rewrite leNgt; apply/negP => h; have : S c by rewrite SE.
    by rewrite S0.
  have rest c : b <= below 0 c.
    rewrite (half_line_delta c m0); apply: le_trans (curve (- loss m c)) _.
    by rewrite ler_add2r ler_wpmul2l ?expR_ge0.
  have h1 : 1 - b < 1 by rewrite ltr_subl_addr ltr_addl.
  have [c cP] := rays 0 h1.
  pose I := `[c, +oo[%classic : set R.
  have mI : measurable I by exact: measurable_itv.
  (* below -c as much as beyond c *)
  have := rest (- c); rewrite -lee_fin -belowE normalE; last exact: measurable_ray.
  have -> : (\int[line R]_z (phi (z - 0)%R * \1_(`]-oo, (- c)[%classic) z)%:E =
      \int[line R]_z (phi (z - 0)%R * \1_(`]c, +oo[%classic) z)%:E)%E.
    have mo : measurable (`]c, +oo[%classic : set R) by exact: measurable_itv.
    have mg : measurable_fun setT
        (fun z : R => (phi (z - 0) * \1_(`]c, +oo[%classic) z)%:E).
      apply: measurable_EFin; apply: measurable_funM; last exact: measurable_fun_indic.
      by apply: measurable_phi; exact: measurable_minus.
    have g0 (z : R) : (0 <= (phi (z - 0) * \1_(`]c, +oo[%classic) z)%:E)%E.
      by rewrite lee_fin mulr_ge0 ?phi_ge0.
    have n1 : -1 != 0 :> R by rewrite oppr_eq0 oner_eq0.
    have := line_affine 0 n1 mg g0; rewrite normrN normr1 invr1 mul1e => <-.
    apply: eq_integral => z _; rewrite addr0 mulN1r !subr0 phiN !indicE !mem_setE.
    by rewrite !in_itv /= andbT ltr_oppr.
  rewrite -normalE; last exact: measurable_itv.
  apply/negP; rewrite -ltNge.
  apply: (@le_lt_trans _ _ (normal 0 I)).
    apply: le_measure; rewrite ?inE //; first exact: measurable_itv.
    by move=> z; rewrite /I /= !in_itv /= !andbT => /ltW.
  have split1 : (normal 0 `]-oo, c[%classic + normal 0 I = 1)%E.
    rewrite -(normal_total 0) -measureU; last 3 first.
    - exact: measurable_ray.
    - exact: mI.
    - apply/seteqP; split => // z; rewrite /I /= !in_itv /= andbT => -[zc].
      by rewrite leNgt zc.
    congr (normal 0 _); apply/seteqP; split => // z _ /=.
    by rewrite /I /= !in_itv /= andbT; have [zc|cz] := ltP z c; [left|right].
  have Ifin : normal 0 I \is a fin_num.
    by rewrite ge0_fin_numE // (le_lt_trans (normal_le1 0 mI)) // ltry.
  move: split1 Ifin; rewrite belowE; case: (normal 0 I) => [i| |] //.
  by rewrite -EFinD => -[split1] _; rewrite lte_fin; move: cP; rewrite -split1 ltr_subl_addr ltr_add2l.
pose c := sup S.
have ubS : has_ubound S.
  exists c0 => z; rewrite SE /= => za; rewrite leNgt; apply/negP => /ltW /(below_mono m).
  by move=> /(lt_le_trans c0P)/lt_trans/(_ za); rewrite ltxx.
have hasS : has_sup S by split => //; exists z0.
have i0 : 0 < (mass R)^-1 by rewrite invr_gt0 mass_gt0.
have left_c z : z < c -> S z.
  move=> zc; have e0 : 0 < c - z by rewrite subr_gt0.
  have [w Sw] := sup_adherent e0 hasS; rewrite opprB addrCA subrr addr0 => /ltW zw.
  by rewrite SE /=; apply: le_lt_trans (below_mono m zw) _; rewrite SE in Sw.
have right_c z : S z -> z <= c by move=> Sz; apply: sup_ub.
have level : below m c = a.
  apply/eqP; rewrite eq_le; apply/andP; split; apply/ler_addgt0Pr => e e0.
    have ez : c - e * mass R < c by rewrite ltr_subl_addr ltr_addl mulr_gt0 // mass_gt0.
    have := left_c _ ez; rewrite SE /= => /ltW h.
    have := below_lipschitz m (ltW ez); rewrite opprB addrCA subrr addr0 mulrCA mulVf.
      by rewrite mulr1 => /le_trans; apply; rewrite ler_add2r.
    by rewrite gt_eqF // mass_gt0.
  have ez : c < c + e * mass R by rewrite ltr_addl mulr_gt0 // mass_gt0.
  have out : a <= below m (c + e * mass R).
    rewrite leNgt; apply/negP => h; have : S (c + e * mass R) by rewrite SE.
    by move=> /right_c; rewrite leNgt ez.
  apply: le_trans out _; have := below_lipschitz m (ltW ez).
  by rewrite addrAC subrr add0r mulrCA mulVf ?mulr1 // gt_eqF // mass_gt0.
have -> : S = `]-oo, c[%classic.
  apply/seteqP; split => z; rewrite /= in_itv /=; last exact: left_c.
  move=> Sz; rewrite lt_neqAle right_c // andbT; apply/negP => /eqP zc.
  by move: Sz; rewrite SE /= zc level ltxx.
rewrite !belowE level !lee_fin lexx; split => //.
by rewrite (half_line_delta c m0) level.
Qed.

End HalfLine.
