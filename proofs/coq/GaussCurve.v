(* def:gdp: Gaussian privacy, by the integral that defines it.

     delta m eps     the hockey stick of N(0,1) against N(m,1): the integral of
                     (phi z - e^eps phi(z - m))_+
     gdp m P Q       hockey_stick eps (delta m eps) P Q for every real eps
     normal_gdp      N(0,1) against N(m,1), by definition
     below m c       the mass of N(m,1) below c
     half_line_delta   sticks are half-lines, as the likelihood ratio falls

   No distribution function is written in closed form and no derivative taken. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Line HockeyStick Profile.
From AsapDP Require Import GaussLine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Curve.
Variable R : realType.
Implicit Types (m eps c z u w : R).
Let mu0 := line R.

(* The part of a number above 0. *)
Definition above0 (r : R) : R := Num.max 0 r.

Lemma above0_ge0 r : 0 <= above0 r.
Proof. by rewrite /above0 le_maxr lexx. Qed.

Lemma above0_le r : r <= above0 r.
Proof. by rewrite /above0 le_maxr lexx orbT. Qed.

Lemma above0_pos r : 0 <= r -> above0 r = r.
Proof. by move=> r0; rewrite /above0 max_r. Qed.

Lemma above0_neg r : r <= 0 -> above0 r = 0.
Proof. by move=> r0; rewrite /above0 max_l. Qed.

Lemma above0M k r : 0 <= k -> k * above0 r = above0 (k * r).
Proof. by move=> k0; rewrite /above0 maxr_pmulr // mulr0. Qed.

Lemma above0_mono r r' : r <= r' -> above0 r <= above0 r'.
Proof. by move=> rr'; rewrite /above0 le_maxl le_maxr lexx /= le_maxr rr' orbT. Qed.

Lemma measurable_above0 d (T : measurableType d) (f : T -> R) :
  measurable_fun setT f -> measurable_fun setT (fun t => above0 (f t)).
Proof. by move=> mf; apply: measurable_fun_max => //; exact: measurable_fun_cst. Qed.

Definition loss m z : R := m * z - half R * m ^+ 2.

(* What N(0,1) has at z above e^eps times N(m,1). *)
Definition stick m eps z : R := above0 (phi z - expR eps * phi (z - m)).

Lemma stickE m eps z : stick m eps z = phi z * above0 (1 - expR (eps + loss m z)).
Proof.
rewrite /stick phi_shift above0M ?phi_ge0 // expRD; congr above0.
by rewrite mulrBr mulr1 mulrCA.
Qed.

Lemma stick_ge0 m eps z : 0 <= stick m eps z.
Proof. exact: above0_ge0. Qed.

Lemma stick_le m eps z : stick m eps z <= phi z.
Proof.
rewrite /stick /above0 le_maxl phi_ge0 /= ler_subl_addr ler_addl.
by rewrite mulr_ge0 ?expR_ge0 ?phi_ge0.
Qed.

Lemma measurable_loss d (T : measurableType d) m (f : T -> R) :
  measurable_fun setT f -> measurable_fun setT (fun t => loss m (f t)).
Proof.
by move=> mf; apply: measurable_funD; [exact: measurable_funrM|exact: measurable_fun_cst].
Qed.

Lemma measurable_stick d (T : measurableType d) m (e f : T -> R) :
  measurable_fun setT e -> measurable_fun setT f ->
  measurable_fun setT (fun t => stick m (e t) (f t)).
Proof.
move=> me mf; apply: measurable_above0; apply: measurable_funB.
  exact: measurable_phi.
apply: measurable_funM; first exact: measurable_fun_expR.
by apply: measurable_phi; apply: measurable_funD => //; exact: measurable_fun_cst.
Qed.

Let mphi m : measurable_fun setT (fun z : R => (phi (z - m))%:E).
Proof. by apply: measurable_EFin; apply: measurable_phi; exact: measurable_minus. Qed.

Let mphi0 : measurable_fun setT (fun z : R => (phi z)%:E).
Proof. by apply: measurable_EFin; apply: measurable_phi; exact: measurable_fun_id. Qed.

Let mstick m eps : measurable_fun setT (fun z : R => (stick m eps z)%:E).
Proof.
apply: measurable_EFin.
by apply: measurable_stick; [exact: measurable_fun_cst|exact: measurable_fun_id].
Qed.

Lemma integral_phi0 : (\int[mu0]_z (phi z)%:E = 1)%E.
Proof. by rewrite -(integral_phi 0); apply: eq_integral => z _; rewrite subr0. Qed.

(* Sealed by Qed: a number, not an integral to be unfolded. *)
Fact delta_spec m eps : {r : R | (\int[mu0]_z (stick m eps z)%:E = r%:E)%E}.
Proof.
exists (fine (\int[mu0]_z (stick m eps z)%:E)%E).
have s0 z : (0 <= (stick m eps z)%:E)%E by rewrite lee_fin stick_ge0.
rewrite fineK // ge0_fin_numE; last exact: int_ge0.
apply: (@le_lt_trans _ _ 1%E); last exact: ltry.
by rewrite -integral_phi0; apply: int_le => // z; rewrite lee_fin stick_le.
Qed.

Definition delta m eps : R := sval (delta_spec m eps).

Lemma deltaE m eps : (\int[mu0]_z (stick m eps z)%:E = (delta m eps)%:E)%E.
Proof. exact: (svalP (delta_spec m eps)). Qed.

Lemma delta_ge0 m eps : 0 <= delta m eps.
Proof. by rewrite -lee_fin -deltaE; apply: int_ge0 => z; rewrite lee_fin stick_ge0. Qed.

Lemma delta_le1 m eps : delta m eps <= 1.
Proof.
rewrite -lee_fin -deltaE -integral_phi0; apply: int_le => // z.
  by rewrite lee_fin stick_ge0.
by rewrite lee_fin stick_le.
Qed.

Context d (T : measurableType d).

Definition gdp m (P Q : {measure set T -> \bar R}) := profile (delta m) P Q.

End Curve.

(** * Half-lines *)

Section HalfLine.
Variable R : realType.
Implicit Types (m eps c z u w : R).
Let mu0 := line R.

Lemma normalE m (A : set R) : measurable A ->
  (normal m A = \int[line R]_z ((phi (z - m)%R * \1_A z)%R)%:E)%E.
Proof.
move=> mA.
have mI : measurable_fun setT (fun z : R => (\1_A z : R)%:E).
  by apply: measurable_EFin; exact: measurable_fun_indic.
have I0 (z : R) : (0 <= (\1_A z : R)%:E)%E by rewrite lee_fin.
transitivity (\int[normal m]_z (\1_A z)%:E)%E; first by rewrite integral_indic // setIT.
by rewrite (integral_normal m mI I0); apply: eq_integral => z _; rewrite EFinM.
Qed.

Definition below m c : R := fine (normal m `]-oo, c[%classic).

Lemma measurable_ray c : measurable (`]-oo, c[%classic : set R).
Proof. exact: measurable_itv. Qed.

Lemma normal_le1 m (A : set R) : measurable A -> (normal m A <= 1)%E.
Proof. by move=> mA; rewrite -(normal_total m); apply: le_measure; rewrite ?inE. Qed.

Lemma belowE m c : normal m `]-oo, c[%classic = (below m c)%:E.
Proof.
rewrite /below fineK // ge0_fin_numE //.
exact: le_lt_trans (normal_le1 m (measurable_ray c)) (ltry _).
Qed.

Lemma below_ge0 m c : 0 <= below m c.
Proof. by rewrite -lee_fin -belowE. Qed.

Lemma below_le1 m c : below m c <= 1.
Proof. by rewrite -lee_fin -belowE; apply: normal_le1; exact: measurable_ray. Qed.

Lemma below_mono m c c' : c <= c' -> below m c <= below m c'.
Proof.
move=> cc'; rewrite -lee_fin -!belowE; apply: le_measure; rewrite ?inE; try exact: measurable_ray.
by move=> z; rewrite /= !in_itv /= => /lt_le_trans; apply.
Qed.

Lemma normal_piece m c c' : c <= c' ->
  (normal m `[c, c'[%classic <= ((mass R)^-1 * (c' - c))%:E)%E.
Proof.
move=> cc'; have mI : measurable (`[c, c'[%classic : set R) by exact: measurable_itv.
rewrite normalE //.
have i0 : 0 <= (mass R)^-1 by rewrite invr_ge0 ltW // mass_gt0.
apply: (@le_trans _ _ (\int[line R]_z (((mass R)^-1)%:E * (\1_(`[c, c'[%classic) z)%:E)))%E.
  apply: int_le => [|z||z].
  - apply: measurable_EFin; apply: measurable_funM; last exact: measurable_fun_indic.
    by apply: measurable_phi; exact: measurable_minus.
  - by rewrite lee_fin mulr_ge0 ?phi_ge0.
  - by apply: measurable_funeM; apply: measurable_EFin; exact: measurable_fun_indic.
  by rewrite -EFinM lee_fin ler_wpmul2r // phi_le.
rewrite int_scale //; last 2 first.
- by apply: measurable_EFin; exact: measurable_fun_indic.
- by move=> z; rewrite lee_fin.
rewrite EFinM; apply: lee_wpmul2l; first by rewrite lee_fin.
rewrite integral_indic // setIT lineE (lebesgue_measure_itv `[c, c'[) hlength_itv /= lte_fin.
by case: ltP => _; rewrite ?lee_fin // subr_ge0.
Qed.

Lemma below_lipschitz m c c' : c <= c' ->
  below m c' <= below m c + (mass R)^-1 * (c' - c).
Proof.
move=> cc'; rewrite -lee_fin EFinD -!belowE.
have -> : (`]-oo, c'[%classic : set R) = `]-oo, c[%classic `|` `[c, c'[%classic.
  apply/seteqP; split => z; rewrite /= !in_itv /=.
    by move=> zc'; have [zc|cz] := ltP z c; [left|right; rewrite zc'].
  by case=> [/lt_le_trans|/andP[]//]; apply.
rewrite measureU; last 3 first.
- exact: measurable_ray.
- exact: measurable_itv.
- apply/seteqP; split => // z; rewrite /= !in_itv /= => -[zc /andP[]].
  by rewrite leNgt zc.
by apply: lee_add => //; exact: normal_piece.
Qed.

Lemma rays m (a : R) : a < 1 -> exists c, a < below m c.
Proof.
move=> a1; apply: contrapT => none.
have all k : (normal m `]-oo, k%:R[%classic <= a%:E)%E.
  by rewrite belowE lee_fin leNgt; apply/negP => h; apply: none; exists k%:R.
pose F (k : nat) : set R := `]-oo, k%:R[%classic.
have FT : \bigcup_k F k = setT.
  apply/seteqP; split => // z _; exists (Num.ExtraDef.archi_bound `|z|) => //.
  rewrite /F /= in_itv /=; apply: le_lt_trans (ler_norm z) _.
  exact: archi_boundP.
have nd : nondecreasing_seq F.
  move=> k l kl; apply/subsetPset => z; rewrite /F /= !in_itv /= => /lt_le_trans; apply.
  by rewrite ler_nat.
have mF k : measurable (F k) by exact: measurable_ray.
have mU : measurable (\bigcup_k F k) by rewrite FT.
have c1 := nondecreasing_cvg_mu (mu := normal m) mF mU nd.
have nd' : nondecreasing_seq (normal m \o F).
  move=> k l kl /=; apply: le_measure; rewrite ?inE //; exact/subsetPset/nd.
have := etrans (esym (cvg_lim (@ereal_hausdorff _) c1))
  (cvg_lim (@ereal_hausdorff _) (ereal_nondecreasing_cvg nd')).
rewrite FT normal_total => one.
have : (1 <= a%:E)%E by rewrite one; apply: ub_ereal_sup => _ [k _ <-]; exact: all.
by rewrite lee_fin leNgt a1.
Qed.

Lemma measurable_below m d (T : measurableType d) (f : T -> R) :
  measurable_fun setT f -> measurable_fun setT (fun t => below m (f t)).
Proof.
move=> mf; apply: (measurable_fun_comp (f := below m)) => //.
apply: (measurability (RGenOInfty.measurableE R)) => _ [_ [a ->] <-]; rewrite setTI.
have [->|/set0P[z0 z0a]] := eqVneq (below m @^-1` `]a, +oo[) set0; first by [].
apply: open_measurable; rewrite openE => z; rewrite /= in_itv /= andbT => az.
have i0 : 0 < (mass R)^-1 by rewrite invr_gt0 mass_gt0.
apply/nbhs_ballP; exists ((below m z - a) * mass R) => /=.
  by rewrite mulr_gt0 ?mass_gt0 // subr_gt0.
move=> w; rewrite /ball /= in_itv /= andbT => zw.
have [zlew|/ltW wlez] := leP z w; first exact: lt_le_trans az (below_mono m zlew).
have := below_lipschitz m wlez; rewrite -ler_subl_addr; apply: lt_le_trans.
rewrite ltr_subr_addr addrC -ltr_subr_addr mulrC ltr_pdivr_mulr ?mass_gt0 //.
by rewrite -(ger0_norm (_ : 0 <= z - w)) // subr_ge0.
Qed.

(* The likelihood ratio falls: the sticks are half-lines. *)
Lemma stick_half_line m c z : 0 < m ->
  phi z * \1_(`]-oo, c[%classic) z =
  expR (- loss m c) * (phi (z - m) * \1_(`]-oo, c[%classic) z) + stick m (- loss m c) z.
Proof.
move=> m0; rewrite stickE phi_shift -/(loss m z) indicE /= mem_setE in_itv /=.
have eE : expR (- loss m c + loss m z) = expR (- loss m c) * expR (loss m z).
  exact: expRD.
have lossB : - loss m c + loss m z = m * (z - c).
  by rewrite /loss; move: (half R * _) => h; nsatz.
have [zc|cz] := ltP z c.
  rewrite above0_pos; last first.
    by rewrite subr_ge0 -[leRHS](@expR0 R) ler_expR lossB nmulr_lle0 ?subr_lt0 // ltW.
  by rewrite !mulr1 eE mulrBr mulr1 mulrCA mulrA addrC subrK.
rewrite above0_neg; last first.
  by rewrite subr_le0 -[leLHS](@expR0 R) ler_expR lossB mulr_ge0 ?subr_ge0 // ltW.
by rewrite !mulr0 addr0.
Qed.

Lemma half_line_delta m c : 0 < m ->
  below 0 c = expR (- loss m c) * below m c + delta m (- loss m c).
Proof.
move=> m0; apply: EFin_inj; rewrite EFinD EFinM -!belowE -deltaE !normalE; try exact: measurable_ray.
have mI : measurable_fun setT (\1_(`]-oo, c[%classic) : R -> R).
  by apply: measurable_fun_indic; exact: measurable_ray.
have mf : measurable_fun setT (fun z : R => (phi (z - m) * \1_(`]-oo, c[%classic) z)%:E).
  apply: measurable_EFin; apply: measurable_funM => //.
  by apply: measurable_phi; exact: measurable_minus.
have f0 (z : R) : (0 <= (phi (z - m) * \1_(`]-oo, c[%classic) z)%:E)%E.
  by rewrite lee_fin mulr_ge0 ?phi_ge0.
rewrite -int_scale ?expR_ge0 // -int_add.
- by apply: eq_integral => z _; rewrite subr0 -EFinM -EFinD -stick_half_line.
- exact: measurable_funeM.
- by move=> z; rewrite mule_ge0 ?expR_weight_ge0.
- apply: measurable_EFin; apply: measurable_stick; first exact: measurable_fun_cst.
  exact: measurable_fun_id.
- by move=> z; rewrite lee_fin stick_ge0.
Qed.

(* N(0,1) against N(m,1). *)
Theorem normal_gdp m : gdp m (normal 0 : {measure set R -> \bar R}) (normal m).
Proof.
move=> eps f [mf f0 f1]; rewrite !integral_normal // -deltaE.
rewrite -int_scale ?expR_ge0 //; last 2 first.
- apply: emeasurable_funM => //; apply: measurable_EFin; apply: measurable_phi.
  exact: measurable_minus.
- by move=> z; rewrite mule_ge0 // lee_fin phi_ge0.
have ms : measurable_fun setT (fun z : R => (stick m eps z)%:E).
  apply: measurable_EFin.
  by apply: measurable_stick; [exact: measurable_fun_cst|exact: measurable_fun_id].
have mg c : measurable_fun setT (fun z : R => (phi (z - c))%:E * f z)%E.
  apply: emeasurable_funM => //; apply: measurable_EFin; apply: measurable_phi.
  exact: measurable_minus.
rewrite -int_add //; last 3 first.
- exact: measurable_funeM.
- by move=> z; rewrite !mule_ge0 ?expR_weight_ge0 // lee_fin phi_ge0.
- by move=> z; rewrite lee_fin stick_ge0.
apply: int_le => // [z||z].
- by rewrite mule_ge0 // lee_fin phi_ge0.
- by apply: emeasurable_funD => //; exact: measurable_funeM.
have [r fE] : exists r, f z = r%:E.
  exists (fine (f z)); rewrite fineK // ge0_fin_numE //.
  exact: le_lt_trans (f1 z) (ltry _).
have r0 : 0 <= r by rewrite -lee_fin -fE.
have r1 : r <= 1 by rewrite -lee_fin -fE.
rewrite fE -!EFinM -EFinD lee_fin subr0 addrC -ler_subl_addr mulrA -mulrBl.
apply: (@le_trans _ _ (stick m eps z * r)).
  by rewrite ler_wpmul2r // above0_le.
by rewrite ler_pimulr // stick_ge0.
Qed.

End HalfLine.
