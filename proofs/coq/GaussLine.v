(* Lebesgue measure and the normal law on the line.

   The library has no normal law; what is used of it needs no more than affine
   substitutions and Tonelli.  The density is e^(-z^2/2) over its own integral,
   whatever number that is: sqrt(2 pi) is not needed.

     line_affine      integrals of g(a z + b)
     swap             Tonelli, for two measures that are sigma-finite
     mass             the integral of e^(-z^2/2): positive and finite (mass_gt0, massE;
                      by z -> 2z, which makes the function smaller than a third of
                      itself away from 0)
     phi              the density
     normal m         the law N(m, 1)                                           *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Line.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Lemma mass1_sigma_finite d (T : measurableType d) (R : realType)
    (m : {measure set T -> \bar R}) : (m setT < +oo)%E -> sigma_finite setT m.
Proof.
move=> fin; exists (fun=> setT); first by rewrite bigcup_const //; exists 0%N.
by move=> _; split.
Qed.

(* The library's rules for integrals over the whole space, with their side
   conditions in one order. *)
Section Integrals.
Local Open Scope ereal_scope.
Context d (T : measurableType d) (R : realType).
Variable mu : {measure set T -> \bar R}.
Implicit Types f g : T -> \bar R.

Lemma int_scale (k : R) f : (0 <= k)%R -> measurable_fun setT f -> (forall x, 0 <= f x) ->
  \int[mu]_x (k%:E * f x) = k%:E * \int[mu]_x f x.
Proof. by move=> k0 mf f0; rewrite ge0_integralM_EFin. Qed.

Lemma int_add f g : measurable_fun setT f -> (forall x, 0 <= f x) ->
  measurable_fun setT g -> (forall x, 0 <= g x) ->
  \int[mu]_x (f x + g x) = \int[mu]_x f x + \int[mu]_x g x.
Proof. by move=> mf f0 mg g0; rewrite ge0_integralD. Qed.

Lemma int_le f g : measurable_fun setT f -> (forall x, 0 <= f x) ->
  measurable_fun setT g -> (forall x, f x <= g x) ->
  \int[mu]_x f x <= \int[mu]_x g x.
Proof.
move=> mf f0 mg fg; apply: ge0_le_integral => // x _.
exact: le_trans (f0 x) (fg x).
Qed.

Lemma int_ge0 f : (forall x, 0 <= f x) -> 0 <= \int[mu]_x f x.
Proof. by move=> f0; apply: integral_ge0 => x _. Qed.

Lemma measurable_EFin (f : T -> R) :
  measurable_fun setT f -> measurable_fun setT (fun x => (f x)%:E).
Proof. by move=> mf; apply/EFin_measurable_fun. Qed.

End Integrals.

Section Swap.
Local Open Scope ereal_scope.
Context d1 d2 (T1 : measurableType d1) (T2 : measurableType d2) (R : realType).
Variables (m1 : {measure set T1 -> \bar R}) (m2 : {measure set T2 -> \bar R}).
Hypotheses (s1 : sigma_finite setT m1) (s2 : sigma_finite setT m2).
Variable f : T1 * T2 -> \bar R.
Hypotheses (mf : measurable_fun setT f) (f0 : forall z, 0 <= f z).

Lemma swap : \int[m1]_x \int[m2]_y f (x, y) = \int[m2]_y \int[m1]_x f (x, y).
Proof.
transitivity (\int[product_measure1 m1 s2]_z f z).
  by rewrite (fubini_tonelli1 s2 f mf f0).
by rewrite (fubini_tonelli2 s1 s2 f mf f0).
Qed.

Lemma measurable_inner : measurable_fun setT (fun x => \int[m2]_y f (x, y)).
Proof. exact: (measurable_fun_fubini_tonelli_F s2 f). Qed.

Lemma measurable_outer : measurable_fun setT (fun y => \int[m1]_x f (x, y)).
Proof. exact: (measurable_fun_fubini_tonelli_G s1 f). Qed.

End Swap.

Section Line.
Variable R : realType.
Implicit Types (a b z m : R) (g : R -> \bar R).

Let affine a b z : R := a * z + b.

Lemma measurable_affine a b : measurable_fun setT (affine a b).
Proof.
apply: measurable_funD; last exact: measurable_fun_cst.
by apply: measurable_funrM; exact: measurable_fun_id.
Qed.

(* Lengths under z -> a z + b. *)
Lemma line_preimage a b A : a != 0 -> measurable A ->
  line R (affine a b @^-1` A) = (`|a|^-1%:E * line R A)%E.
Proof.
move=> a0 mA; have n0 : 0 < `|a| by rewrite normr_gt0.
have i0 : 0 < `|a|^-1 by rewrite invr_gt0.
have diff r r' : affine a b r - affine a b r' = a * (r - r').
  by rewrite /affine opprD addrACA subrr addr0 mulrBr.
have mB : measurable (affine a b @^-1` A).
  by rewrite -[X in measurable X]setTI; exact: measurable_affine.
apply/eqP; rewrite eq_le; apply/andP; split.
  apply: (line_expanding (t := affine a b)) => // r r' _ _.
  by rewrite diff normrM mulKf ?gt_eqF.
rewrite -(@lee_pmul2l _ `|a|%:E) ?lte_fin // muleA -EFinM divff ?gt_eqF // mul1e.
pose t z := a^-1 * (z - b).
have tK z : affine a b (t z) = z by rewrite /affine /t mulVKf // subrK.
apply: (line_expanding (t := t)) => // [r Ar|r r' _ _].
  by rewrite /= tK.
have -> : t r - t r' = a^-1 * (r - r').
  by rewrite /t -mulrBr opprB addrA subrK.
by rewrite normrM normfV mulVKf ?gt_eqF.
Qed.

Lemma line_affine a b g : a != 0 -> measurable_fun setT g -> (forall z, 0 <= g z)%E ->
  (\int[line R]_z g (a * z + b)%R = `|a|^-1%:E * \int[line R]_z g z)%E.
Proof.
move=> a0 mg g0; have i0 : 0 <= `|a|^-1 by rewrite invr_ge0.
transitivity (\int[pushforward (line R) (measurable_affine a b)]_z g z)%E.
  by rewrite integral_pushforward.
rewrite (eq_measure_integral [the measure _ _ of mscale (NngNum i0) (line R)]).
  by rewrite ge0_integral_mscale.
by move=> A mA _; rewrite /= /pushforward line_preimage // /mscale.
Qed.

Lemma line_shift b g : measurable_fun setT g -> (forall z, 0 <= g z)%E ->
  (\int[line R]_z g (z + b)%R = \int[line R]_z g z)%E.
Proof.
move=> mg g0; have := @line_affine 1 b g (oner_neq0 _) mg g0.
by rewrite normr1 invr1 mul1e => <-; apply: eq_integral => z _; rewrite mul1r.
Qed.

(** * e^(-z^2/2) *)

Definition half : R := 2%:R^-1.

Lemma halves : half + half = 1.
Proof. by rewrite -[half]mul1r -splitr. Qed.

Lemma half_gt0 : 0 < half.
Proof. by rewrite invr_gt0 ltr0n. Qed.

Definition gauss z : R := expR (- (half * z ^+ 2)).

Lemma gauss_gt0 z : 0 < gauss z.
Proof. exact: expR_gt0. Qed.

Lemma gauss_ge0 z : 0 <= gauss z.
Proof. exact/ltW/gauss_gt0. Qed.

Lemma gauss_le1 z : gauss z <= 1.
Proof.
by rewrite -[1](@expR0 R) ler_expR oppr_le0 mulr_ge0 ?sqr_ge0 // ltW // half_gt0.
Qed.

Lemma gaussN z : gauss (- z) = gauss z.
Proof. by rewrite /gauss sqrrN. Qed.

Lemma gauss_shift z m : gauss (z - m) = gauss z * expR (m * z - half * m ^+ 2).
Proof.
by rewrite -expRD; congr expR; rewrite !expr2; have := halves; move: half => h hh; nsatz.
Qed.

Lemma measurable_fun_expR d (T : measurableType d) (f : T -> R) :
  measurable_fun setT f -> measurable_fun setT (fun t => expR (f t)).
Proof.
by move=> mf; apply: (measurable_fun_comp (f := @expR R)) => //;
  apply: continuous_measurable_fun; exact: continuous_expR.
Qed.

Lemma measurable_gauss : measurable_fun setT gauss.
Proof.
apply: measurable_fun_expR; apply: measurable_funN; apply: measurable_funrM.
by apply: measurable_fun_sqr; exact: measurable_fun_id.
Qed.

Let clipped (k z : R) : R := gauss z * (`|z| <= k)%R%:R.

Let measurable_window (k : R) : measurable_fun setT (fun z : R => (`|z| <= k)%R%:R : R).
Proof.
have -> : (fun z : R => (`|z| <= k)%R%:R : R) = \1_(`[- k, k]%classic).
  by apply/funext => z; rewrite indicE /= mem_setE in_itv /= ler_norml.
by apply: measurable_fun_indic; exact: measurable_itv.
Qed.

Let measurable_clipped k : measurable_fun setT (clipped k).
Proof. by apply: measurable_funM; [exact: measurable_gauss|exact: measurable_window]. Qed.

Let clipped_ge0 k z : 0 <= clipped k z.
Proof. by rewrite mulr_ge0 ?gauss_ge0. Qed.

Let window (k : R) : 0 <= k -> (\int[line R]_z ((`|z| <= k)%R%:R)%:E = (k + k)%:E)%E.
Proof.
move=> k0; transitivity (\int[line R]_z (\1_(`[- k, k]%classic) z)%:E)%E.
  by apply: eq_integral => z _; rewrite indicE /= mem_setE in_itv /= ler_norml.
rewrite integral_indic //; last exact: measurable_itv.
rewrite setIT lineE (lebesgue_measure_itv `[- k, k]) hlength_itv /= lte_fin.
case: ltP => [_|kk]; first by rewrite opprK.
have -> : k = 0 by apply/eqP; rewrite eq_le k0 andbT (le_trans kk) // oppr_le0.
by rewrite addr0.
Qed.

(* e^(3/2) >= 3 *)
Let three : 3%:R <= expR (half + half + half) :> R.
Proof.
have e1 : 1 + half <= expR half :> R by exact/expR_ge1Dx/ltW/half_gt0.
have p0 : 0 <= 1 + half :> R by rewrite addr_ge0 // ltW // half_gt0.
have e2 := ler_pmul p0 p0 e1 e1; have e3 := ler_pmul (mulr_ge0 p0 p0) p0 e2 e1.
rewrite !expRD; apply: le_trans e3.
rewrite [3%:R](_ : _ = 1 + 1 + 1); last by rewrite mulrSr mulr2n.
have c0 : 0 <= half * half * half + half * half :> R.
  by rewrite !addr_ge0 ?mulr_ge0 // ltW // half_gt0.
by apply: le_from c0 _; have := halves; move: half => h hh; nsatz.
Qed.

Let smaller z : gauss (2%:R * z) * 3%:R <= 3%:R * (`|z| <= 1)%R%:R + gauss z.
Proof.
have [z1|z1] := leP `|z| 1.
  rewrite mulr1; apply: (@le_trans _ _ 3%:R); last by rewrite ler_addl gauss_ge0.
  by rewrite -[leRHS]mul1r ler_wpmul2r // gauss_le1.
rewrite mulr0 add0r.
have -> : gauss z = gauss (2%:R * z) * expR ((half + half + half) * z ^+ 2).
  rewrite -expRD; congr expR; rewrite [2%:R](_ : _ = 1 + 1); last by rewrite mulr2n.
  rewrite !expr2; have := halves; move: half => h hh; nsatz.
apply: ler_wpmul2l; first exact: gauss_ge0.
apply: le_trans three _; rewrite ler_expR ler_pemulr //.
  by rewrite !addr_ge0 // ltW // half_gt0.
by rewrite -real_normK ?num_real // exprn_ege1 // ltW.
Qed.

Let clipped_mass k : 1 <= k -> (\int[line R]_z (clipped k z)%:E <= 12%:R%:E)%E.
Proof.
move=> k1; pose I := (\int[line R]_z (clipped k z)%:E)%E.
have k0 : 0 <= k := le_trans ler01 k1.
have mI : measurable_fun setT (fun z : R => (clipped k z)%:E).
  by apply: measurable_EFin; exact: measurable_clipped.
have mw (l : R) : measurable_fun setT (fun z : R => ((`|z| <= l)%R%:R : R)%:E).
  by apply: measurable_EFin; exact: measurable_window.
have I0 : (0 <= I)%E by apply: int_ge0 => z; rewrite lee_fin.
have Ifin : (I < +oo)%E.
  apply: (@le_lt_trans _ _ (k + k)%:E); last exact: ltry.
  rewrite -(window k0); apply: int_le => // z; rewrite lee_fin //.
  by rewrite /clipped -[leRHS]mul1r ler_wpmul2r // gauss_le1.
have mc : measurable_fun setT (fun z : R => (clipped k (2%:R * z + 0)%R)%:E).
  apply: measurable_EFin; apply: (measurable_fun_comp (@measurable_clipped k)).
  exact: measurable_affine.
have key : (3%:R%:E * (2%:R^-1%:E * I) <= 6%:R%:E + I)%E.
  have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
  have sub : (2%:R^-1%:E * I = \int[line R]_z (clipped k (2%:R * z + 0)%R)%:E)%E.
    rewrite (@line_affine 2%:R 0 (fun z => (clipped k z)%:E)) //.
      by rewrite ger0_norm.
    by move=> z; rewrite lee_fin.
  rewrite sub -int_scale //; last by move=> z; rewrite lee_fin.
  apply: (@le_trans _ _ (\int[line R]_z (3%:R%:E * ((`|z| <= 1)%R%:R)%:E + (clipped k z)%:E)))%E.
    apply: int_le => [|z||z].
    - by apply: measurable_funeM.
    - by rewrite mule_ge0 // lee_fin.
    - by apply: emeasurable_funD => //; apply: measurable_funeM.
    rewrite -!EFinM -EFinD lee_fin /clipped addr0.
    have [z2|_] := leP `|2%:R * z| k; last first.
      by rewrite mulr0 mulr0 addr_ge0 ?mulr_ge0 ?gauss_ge0.
    have -> : (`|z| <= k) = true.
      by apply: le_trans z2; rewrite normrM ger0_norm // mulr_natl mulr2n ler_addl.
    by rewrite !mulr1 mulrC; exact: smaller.
  rewrite int_add //; last 2 first.
  - by apply: measurable_funeM.
  - by move=> z; rewrite lee_fin.
  apply: lee_add => //; rewrite int_scale //.
  by rewrite window // -EFinM lee_fin -mulr2n -natrM.
move: I0 Ifin key; rewrite -/I; case: I => [i| |] //= i0 _.
rewrite -!EFinM -EFinD !lee_fin => key.
have two : 2%:R * 2%:R^-1 = 1 :> R by rewrite divff // pnatr_eq0.
have := ler_wpmul2l (ler0n R 2) key.
have -> : 2%:R * (3%:R * (2%:R^-1 * i)) = 3%:R * i.
  by rewrite mulrCA; congr (_ * _); rewrite mulrA two mul1r.
rewrite mulrDr -natrM -ler_subl_addr -mulrBl.
by have -> : 3%:R - 2%:R = 1 :> R; [rewrite mulrSr addrAC subrr add0r|rewrite mul1r].
Qed.

Definition mass : R := fine (\int[line R]_z (gauss z)%:E)%E.

Let mass_le : (\int[line R]_z (gauss z)%:E <= 12%:R%:E)%E.
Proof.
have mc k : measurable_fun setT (fun z : R => (clipped k z)%:E).
  by apply: measurable_EFin; exact: measurable_clipped.
have nd z : nondecreasing_seq (fun k : nat => (clipped k.+1%:R z)%:E).
  move=> k l kl; rewrite lee_fin ler_wpmul2l ?gauss_ge0 // ler_nat.
  by have [zk|//] := leP `|z| k.+1%:R; rewrite (le_trans zk) // ler_nat.
rewrite (eq_integral (fun z : R => lim (fun k : nat => (clipped k.+1%:R z)%:E))); last first.
  move=> z _; apply/esym/cvg_lim => //.
  apply: (cvg_near_cst _); exists (Num.ExtraDef.archi_bound `|z|) => // k /= Nk.
  rewrite /clipped (_ : _ <= _) ?mulr1 //.
  apply: le_trans (ltW (archi_boundP (normr_ge0 z))) _.
  by rewrite ler_nat (leq_trans Nk).
rewrite monotone_convergence //.
- rewrite (cvg_lim _ (ereal_nondecreasing_cvg _)) //.
    by apply: ub_ereal_sup => _ [k _ <-]; apply: clipped_mass; rewrite ler1n.
  move=> k l kl; apply: int_le => // z; first by rewrite lee_fin.
  exact: nd.
- by move=> k z _; rewrite lee_fin.
Qed.

Lemma massE : (\int[line R]_z (gauss z)%:E = mass%:E)%E.
Proof.
rewrite /mass fineK // ge0_fin_numE; first exact: le_lt_trans mass_le (ltry _).
by apply: integral_ge0 => z _; rewrite lee_fin gauss_ge0.
Qed.

Lemma mass_gt0 : 0 < mass.
Proof.
have mw (l : R) : measurable_fun setT (fun z : R => ((`|z| <= l)%R%:R : R)%:E).
  by apply: measurable_EFin; exact: measurable_window.
have low : ((gauss 1 * (1 + 1))%:E <= mass%:E)%E.
  rewrite -massE EFinM -(window ler01) -int_scale ?gauss_ge0 //.
  apply: int_le => [|z||z].
  - by apply: measurable_funeM.
  - by rewrite mule_ge0 // lee_fin ?gauss_ge0.
  - by apply: measurable_EFin; exact: measurable_gauss.
  rewrite -EFinM lee_fin; have [z1|_] := leP `|z| 1.
    rewrite mulr1 ler_expR ler_oppr opprK ler_wpmul2l ?(ltW half_gt0) //.
    by rewrite -(real_normK (num_real z)) ler_pexpn2r ?nnegrE.
  by rewrite mulr0 gauss_ge0.
by apply: lt_le_trans (_ : gauss 1 * (1 + 1) <= _); rewrite ?mulr_gt0 ?gauss_gt0.
Qed.

Definition phi z : R := gauss z / mass.

Lemma phi_gt0 z : 0 < phi z.
Proof. by rewrite divr_gt0 ?gauss_gt0 ?mass_gt0. Qed.

Lemma phi_ge0 z : 0 <= phi z.
Proof. exact/ltW/phi_gt0. Qed.

Lemma phi_le z : phi z <= mass^-1.
Proof. by rewrite ler_pimull ?gauss_le1 // invr_ge0 ltW // mass_gt0. Qed.

Lemma phiN z : phi (- z) = phi z.
Proof. by rewrite /phi gaussN. Qed.

Lemma phi_shift z m : phi (z - m) = phi z * expR (m * z - half * m ^+ 2).
Proof. by rewrite /phi gauss_shift mulrAC. Qed.

Lemma measurable_phi d (T : measurableType d) (f : T -> R) :
  measurable_fun setT f -> measurable_fun setT (fun t => phi (f t)).
Proof.
move=> mf; apply: (measurable_fun_comp (f := phi)) => //.
have -> : phi = (fun z => mass^-1 * gauss z) by apply/funext => z; rewrite /phi mulrC.
by apply: measurable_funrM; exact: measurable_gauss.
Qed.

Lemma measurable_minus m : measurable_fun setT (fun z : R => z - m).
Proof. by apply: measurable_funD; [exact: measurable_fun_id|exact: measurable_fun_cst]. Qed.

Lemma integral_phi m : (\int[line R]_z (phi (z - m)%R)%:E = 1)%E.
Proof.
have mg : measurable_fun setT (fun z : R => (gauss z)%:E).
  by apply: measurable_EFin; exact: measurable_gauss.
have mp : measurable_fun setT (fun z : R => (phi z)%:E).
  by apply: measurable_EFin; apply: measurable_phi; exact: measurable_fun_id.
have p0 z : (0 <= (phi z)%:E)%E by rewrite lee_fin phi_ge0.
rewrite (@line_shift (- m) _ mp p0).
rewrite (eq_integral (fun z : R => (mass^-1)%:E * (gauss z)%:E)%E); last first.
  by move=> z _; rewrite -EFinM mulrC.
have i0 : 0 <= mass^-1 by rewrite invr_ge0 ltW // mass_gt0.
have g0 z : (0 <= (gauss z)%:E)%E by rewrite lee_fin gauss_ge0.
by rewrite (int_scale _ i0 mg g0) massE -EFinM mulVf // gt_eqF // mass_gt0.
Qed.

(** * The normal law *)

Let weight m z : {nonneg R} := NngNum (phi_ge0 (z - m)).

Let measurable_weight m : measurable_fun setT (fun z => (weight m z)%:num).
Proof. by apply: measurable_phi; exact: measurable_minus. Qed.

(* Sealed by Qed, as [density] is and for the same reason. *)
Fact normal_spec m : {P : {measure set R -> \bar R} |
  P = density (line R) (@measurable_weight m)}.
Proof. by exists (density (line R) (@measurable_weight m)). Qed.

Definition normal m : {measure set R -> \bar R} := sval (normal_spec m).

Let normalD m : normal m = density (line R) (@measurable_weight m).
Proof. exact: (svalP (normal_spec m)). Qed.

Lemma integral_normal m g : measurable_fun setT g -> (forall z, 0 <= g z)%E ->
  (\int[normal m]_z g z = \int[line R]_z ((phi (z - m)%R)%:E * g z))%E.
Proof. by move=> mg g0; rewrite normalD; exact: (ge0_integral_density (line R) (@measurable_weight m)). Qed.

Lemma normal_total m : normal m setT = 1%E.
Proof.
rewrite normalD densityE -(integral_phi m); apply: eq_integral => z _ /=.
by rewrite indicE in_setT mule1.
Qed.

Lemma integral_normal_shift m b g : measurable_fun setT g -> (forall z, 0 <= g z)%E ->
  (\int[normal m]_z g (z + b)%R = \int[normal (m + b)]_z g z)%E.
Proof.
move=> mg g0.
have ms : measurable_fun setT (fun z : R => g (z + b)).
  apply: (measurable_fun_comp mg).
  by apply: measurable_funD; [exact: measurable_fun_id|exact: measurable_fun_cst].
have mh : measurable_fun setT (fun z : R => (phi (z - (m + b)))%:E * g z)%E.
  apply: emeasurable_funM => //; apply: measurable_EFin.
  by apply: measurable_phi; exact: measurable_minus.
have h0 z : (0 <= (phi (z - (m + b)))%:E * g z)%E by rewrite mule_ge0 // lee_fin phi_ge0.
have gs0 z : (0 <= g (z + b)%R)%E by exact: g0.
rewrite (integral_normal m ms gs0) (integral_normal (m + b) mg g0).
rewrite -(line_shift b mh h0); apply: eq_integral => z _.
by rewrite [m + b]addrC opprD addrA addrK.
Qed.

End Line.
