(* One dimension with real noise: Lebesgue measure on R^1, the Laplace law with its
   density, and rounding to a lattice.  Nothing is assumed: the volume may be shifted
   because lengths may (line_expanding), the density has a finite integral because of a
   geometric series.

     volume                the length of a set of points of R^1
     volume_shift          shifts do not change it
     line_laplace c             the law of density e^(-c |b|)/Z
     line_laplace_shift         it changes by at most e^(c |y| |r|) if it is moved by r y
     lattice g             the nearest multiple of g
     noise_kernel          a law, moved to a measurable function of a point, rounded   *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Gibbs Line Euclid Space.
From AsapDP Require Import ObjectivePerturbation DiscreteLaw.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Lemma measure_union d (T : measurableType d) (R : realType)
    (mu : {measure set T -> \bar R}) (A B : set T) :
  measurable A -> measurable B -> (mu (A `|` B) <= mu A + mu B)%E.
Proof.
move=> mA mB.
have := @Boole_inequality _ _ _ mu (fun i => if i is 0%N then A else B) 2.
rewrite !big_ord_recl !big_ord0 /= setU0 adde0; apply; by move=> [|[|]].
Qed.

Section LineLaw.
Variable R : realType.
Implicit Types (r s c g : R) (u v y : 'rV[R]_1).

(** * Points *)

Definition unit1 : 'rV[R]_1 := const_mx 1.
Definition point r : space R 1 := r *: unit1.
Definition coordinate (u : space R 1) : R := (u : 'rV[R]_1) 0 0.

Lemma coordinateK u : point (coordinate u) = u.
Proof. by apply/rowP => i; rewrite !mxE mulr1 ord1. Qed.

Lemma pointK r : coordinate (point r) = r.
Proof. by rewrite /coordinate !mxE mulr1. Qed.

Lemma norm_unit1 : norm2 unit1 = 1.
Proof. by rewrite /norm2 /dot big_ord1 !mxE mulr1 sqrtr1. Qed.

Lemma norm_point r : norm2 (point r : 'rV[R]_1) = `|r|.
Proof. by rewrite norm2Z norm_unit1 mulr1. Qed.

Lemma norm_coordinate u : norm2 u = `|coordinate u|.
Proof. by rewrite -{1}(coordinateK u) norm_point. Qed.

Lemma along_point y r s : along y r (point s) = point (s + r * coordinate y).
Proof. by rewrite /along -{1}(coordinateK y) /point scalerA -scalerDl. Qed.

Lemma measurable_point : measurable_fun setT point.
Proof.
have -> : point = (fun z : R * space R 1 => along unit1 z.1 z.2) \o
    (fun r => (r, (0 : 'rV[R]_1) : space R 1)).
  by apply/funext => r; rewrite /= /along add0r.
apply: measurable_fun_comp; first exact: measurable_along.
by apply/prod_measurable_funP; split; [exact: measurable_fun_id|exact: measurable_fun_cst].
Qed.

Lemma measurable_coordinate : measurable_fun setT coordinate.
Proof.
apply: (@lipschitz_measurable _ _ 1) => u v.
by rewrite mul1r norm_coordinate /coordinate !mxE.
Qed.

(** * Length *)

Definition volume : {measure set (space R 1) -> \bar R} :=
  [the {measure set (space R 1) -> \bar R} of pushforward (line R) measurable_point].

Lemma volumeE A : volume A = line R (point @^-1` A).
Proof. by []. Qed.

Lemma measurable_points A : measurable A -> measurable (point @^-1` A).
Proof. by move=> mA; rewrite -[X in measurable X]setTI; exact: measurable_point. Qed.

Lemma volume_shift y r A : measurable A -> volume (along y r @^-1` A) = volume A.
Proof.
move=> mA; rewrite !volumeE; set t := r * coordinate y.
have -> : point @^-1` (along y r @^-1` A) = (fun s => s + t) @^-1` (point @^-1` A).
  by apply/seteqP; split => s; rewrite /= along_point.
have mB := measurable_points mA; set B := point @^-1` A in mB *.
have mS : measurable ((fun s => s + t) @^-1` B).
  rewrite -[X in measurable X]setTI.
  by apply: measurable_funD => //; [exact: measurable_fun_id|exact: measurable_fun_cst].
have shift (a b s : R) : `|a - b| <= 1 * `|a + s - (b + s)|.
  by rewrite mul1r opprD addrACA subrr addr0.
apply/eqP; rewrite eq_le; apply/andP; split.
  have := @line_expanding _ _ B (fun s => s + t) _ ltr01 mS (fun s Bs => Bs).
  by rewrite mul1e; apply=> a b _ _; exact: shift.
have back s : B s -> ((fun s => s + t) @^-1` B) (s - t) by rewrite /= subrK.
have := @line_expanding _ _ ((fun s => s + t) @^-1` B) (fun s => s - t) _ ltr01 mB back.
by rewrite mul1e; apply=> a b _ _; exact: shift.
Qed.

(** * The Laplace law *)

Section Law.
Variable c : R.
Hypothesis c_gt0 : 0 < c.

Definition distance_energy (u : space R 1) : R := c * norm2 (u : 'rV[R]_1).

Let distance_measurable : measurable_fun setT distance_energy.
Proof.
apply: (@lipschitz_measurable _ _ c) => u v; rewrite -mulrBr normrM (gtr0_norm c_gt0).
rewrite ler_pmul2l // ler_norml; apply/andP; split.
  rewrite ler_oppl opprB ler_subl_addr -{1}[v](subrK u) (le_trans (norm2_triangle _ _)) //.
  by rewrite ler_add2r -norm2N opprB.
by rewrite ler_subl_addr -{1}[u](subrK v) norm2_triangle.
Qed.

HB.instance Definition _ := @IsMeasurableFun.Build _ _ R distance_energy distance_measurable.

Let energy : {mfun (space R 1) >-> R} := [the {mfun (space R 1) >-> R} of distance_energy].

Definition line_laplace : {measure set (space R 1) -> \bar R} := gibbs volume energy.

Let weightE A : gibbs_weight volume energy A =
  (\int[volume]_b ((expR (- (c * norm2 (b : 'rV[R]_1))))%:E * (\1_A b)%:E))%E.
Proof. by rewrite /gibbs_weight densityE. Qed.

Let weight_measurable A : measurable A -> measurable_fun setT (fun b : space R 1 =>
  ((expR (- (c * norm2 (b : 'rV[R]_1))))%:E * (\1_A b)%:E : \bar R)%E).
Proof.
move=> mA; apply: emeasurable_funM; last exact/EFin_measurable_fun/measurable_fun_indic.
by apply/EFin_measurable_fun; exact: (measurable_boltzmann energy).
Qed.

(* Where the density is at most m, or at least m. *)
Lemma weight_le A (m : R) : measurable A -> 0 <= m ->
  (forall r, A (point r) -> expR (- (c * `|r|)) <= m) ->
  (gibbs_weight volume energy A <= m%:E * volume A)%E.
Proof.
move=> mA m0 Am; rewrite weightE.
rewrite (_ : volume A = \int[volume]_b (\1_A b)%:E)%E; last by rewrite integral_indic ?setIT.
rewrite -ge0_integralM_EFin //.
- apply: ge0_le_integral => //.
  + by move=> b _; rewrite -EFinM lee_fin mulr_ge0 // expR_ge0.
  + exact: weight_measurable.
  + by move=> b _; rewrite -EFinM lee_fin mulr_ge0.
  + exact/measurable_funeM/EFin_measurable_fun/measurable_fun_indic.
  move=> b _; rewrite -!EFinM lee_fin indicE.
  have [/set_mem Ab|_] := boolP (b \in A); last by rewrite !mulr0.
  by rewrite !mulr1 norm_coordinate; apply: Am; rewrite coordinateK.
- by move=> b _; rewrite lee_fin.
- exact/EFin_measurable_fun/measurable_fun_indic.
Qed.

Lemma weight_ge A (m : R) : measurable A -> 0 <= m ->
  (forall r, A (point r) -> m <= expR (- (c * `|r|))) ->
  (m%:E * volume A <= gibbs_weight volume energy A)%E.
Proof.
move=> mA m0 Am; rewrite weightE.
rewrite (_ : volume A = \int[volume]_b (\1_A b)%:E)%E; last by rewrite integral_indic ?setIT.
rewrite -ge0_integralM_EFin //.
- apply: ge0_le_integral => //.
  + by move=> b _; rewrite -EFinM lee_fin mulr_ge0.
  + exact/measurable_funeM/EFin_measurable_fun/measurable_fun_indic.
  + by move=> b _; rewrite -EFinM lee_fin mulr_ge0 // expR_ge0.
  + exact: weight_measurable.
  move=> b _; rewrite -!EFinM lee_fin indicE.
  have [/set_mem Ab|_] := boolP (b \in A); last by rewrite !mulr0.
  by rewrite !mulr1 norm_coordinate; apply: Am; rewrite coordinateK.
- by move=> b _; rewrite lee_fin.
- exact/EFin_measurable_fun/measurable_fun_indic.
Qed.

Definition between (a b : R) : set (space R 1) := coordinate @^-1` `[a, b].

Lemma measurable_between a b : measurable (between a b).
Proof.
rewrite -[X in measurable X]setTI; apply: measurable_coordinate => //.
exact: measurable_itv.
Qed.

Lemma volume_between a b : a <= b -> volume (between a b) = (b - a)%:E.
Proof.
move=> ab; rewrite volumeE (_ : point @^-1` _ = `[a, b]%classic); last first.
  by apply/seteqP; split => r; rewrite /between /= pointK.
rewrite lineE (lebesgue_measure_itv `[a, b]) hlength_itv /= lte_fin.
by have [//|ba] := ltP a b; rewrite (@le_anti _ _ a b) ?ab // subrr.
Qed.

(* Two intervals of length 1, at distance k on both sides. *)
Let ring (k : nat) : set (space R 1) :=
  between k%:R k.+1%:R `|` between (- k.+1%:R) (- k%:R).

Let ring_weight k : (gibbs_weight volume energy (ring k) <=
  (2%:R * expR (- c) ^+ k)%:E)%E.
Proof.
have half a b : a + 1 = b -> (forall r, between a b (point r) -> k%:R <= `|r|) ->
    (gibbs_weight volume energy (between a b) <= (expR (- c) ^+ k)%:E)%E.
  move=> ab far; have := @weight_le _ (expR (- c) ^+ k) (measurable_between a b).
  rewrite volume_between -?ab ?ler_addl // addrAC subrr add0r mule1; apply.
    by rewrite exprn_ge0 // expR_ge0.
  move=> r rb; rewrite -expRMm ler_expR mulrN ler_opp2 mulrC.
  by rewrite ler_pmul2l // far // -?ab.
apply: le_trans (measure_union _ _ _) _; try exact: measurable_between.
rewrite mulr_natl mulr2n EFinD; apply: lee_add; apply: half.
- by rewrite -natr1.
- move=> r; rewrite /between /= pointK in_itv /= => /andP[kr _].
  by apply: le_trans kr (ler_norm r).
- by rewrite -natr1 opprD subrK.
- move=> r; rewrite /between /= pointK in_itv /= => /andP[_ rk].
  by rewrite -normrN; apply: le_trans (ler_norm _); rewrite ler_oppr.
Qed.

Let everywhere : [set: space R 1] = \bigcup_k ring k.
Proof.
apply/seteqP; split => // u _; set r := coordinate u.
have f0 : 0 <= floor `|r| by rewrite floor_ge0.
have lo := floor_le `|r|; have hi := lt_succ_floor `|r|.
have kE : (floor `|r|)%:~R = `|floor `|r| |%N%:R :> R.
  by rewrite -{1}(gez0_abs f0) [RHS]pmulrn.
exists `|floor `|r| |%N => //; move: lo hi; rewrite kE natr1.
move: `|floor `|r| |%N => k lo /ltW hi.
have [r0|r0] := leP 0 r; [left|right]; rewrite /between /= in_itv /= -/r.
  by move: lo hi; rewrite (ger0_norm r0) => -> ->.
by move: lo hi; rewrite (ltr0_norm r0) => lo hi; rewrite ler_oppl hi ler_oppr.
Qed.

(* A geometric series. *)
Lemma line_laplace_normalisable : normalisable volume energy.
Proof.
have q1 : expR (- c) < 1 by rewrite expR_lt1 oppr_lt0.
have q0 : 0 <= expR (- c) by exact: expR_ge0.
apply/andP; split.
  have := @weight_ge _ (expR (- c)) (measurable_between 0 1) q0.
  rewrite volume_between // subr0 mule1 => low.
  apply: (@lt_le_trans _ _ (expR (- c))%:E); first by rewrite lte_fin expR_gt0.
  apply: le_trans (low _) _; last first.
    by apply: le_measure; rewrite ?inE //; exact: measurable_between.
  move=> r; rewrite /between /= pointK in_itv /= => /andP[r0 r1].
  by rewrite ler_expR ler_oppl opprK (ger0_norm r0) ler_pimulr // ltW.
rewrite /partition everywhere.
apply: (@le_lt_trans _ _ (\sum_(k <oo) gibbs_weight volume energy (ring k))%E).
  apply: generalized_Boole_inequality; first move=> k.
    by apply: measurableU; exact: measurable_between.
  apply: bigcup_measurable => k _; apply: measurableU; exact: measurable_between.
apply: (@le_lt_trans _ _ (2%:R / (1 - expR (- c)))%:E); last exact: ltry.
apply: (@le_trans _ _ (\sum_(k <oo) (2%:R * expR (- c) ^+ k)%:E)%E).
  by apply: lee_nneseries => // k _; exact: ring_weight.
have pos k : 0 <= 2%:R * expR (- c) ^+ k by rewrite mulr_ge0 // exprn_ge0.
have sum : (\esum_(k in [set: nat]) (2%:R * expR (- c) ^+ k)%:E =
    (2%:R / (1 - expR (- c)))%:E)%E.
  by apply: esum_series => //; apply: cvg_geometric_series; rewrite ger0_norm.
by rewrite -sum nneseries_esumT // => k; rewrite lee_fin.
Qed.

Lemma line_laplace_total : line_laplace setT = 1%E.
Proof. exact: gibbs_total line_laplace_normalisable. Qed.

(* 1/Z, and bounds on the mass of a set by its length. *)
Definition line_laplace_constant : R := (fine (partition volume energy))^-1.

Lemma line_laplace_constant_gt0 : 0 < line_laplace_constant.
Proof. by rewrite invr_gt0 partition_fine_gt0 //; exact: line_laplace_normalisable. Qed.

Lemma line_laplace_le A (m : R) : measurable A -> 0 <= m ->
  (forall r, A (point r) -> expR (- (c * `|r|)) <= m) ->
  (line_laplace A <= line_laplace_constant%:E * (m%:E * volume A))%E.
Proof.
move=> mA m0 Am; rewrite /line_laplace gibbsE; apply: lee_wpmul2l.
  by rewrite lee_fin; exact: ltW line_laplace_constant_gt0.
exact: weight_le.
Qed.

Lemma line_laplace_ge A (m : R) : measurable A -> 0 <= m ->
  (forall r, A (point r) -> m <= expR (- (c * `|r|))) ->
  (line_laplace_constant%:E * (m%:E * volume A) <= line_laplace A)%E.
Proof.
move=> mA m0 Am; rewrite /line_laplace gibbsE; apply: lee_wpmul2l.
  by rewrite lee_fin; exact: ltW line_laplace_constant_gt0.
exact: weight_ge.
Qed.

Lemma line_laplace_shift y : shift_private (c * norm2 y) y line_laplace.
Proof.
pose k := (fine (partition volume energy))^-1.
have k0 : 0 <= k by rewrite invr_ge0 ltW // partition_fine_gt0 //; exact: line_laplace_normalisable.
pose nu (b : space R 1) := k * expR (- (c * norm2 (b : 'rV[R]_1))).
apply: (@density_shift_private _ _ _ _ volume _ nu).
- by move=> r A mA; exact: volume_shift.
- apply: measurable_funM; first exact: measurable_fun_cst.
  exact: (measurable_boltzmann energy).
- by move=> b; rewrite mulr_ge0 // expR_ge0.
- exact: (euclidean_laplace_density (nu := nu) (ltW c_gt0) k0 (fun=> erefl) erefl).
move=> A mA; rewrite /line_laplace gibbsE weightE -/k -ge0_integralM_EFin //.
- by apply: eq_integral => b _; rewrite muleA -EFinM.
- by move=> b _; rewrite -EFinM lee_fin mulr_ge0 // expR_ge0.
- exact: weight_measurable.
Qed.

End Law.

(** * Rounding *)

Section Rounding.
Variable g : R.
Hypothesis g_gt0 : 0 < g.

(* The nearest multiple of g. *)
Definition nearest r : R := g * (floor (r / g + 2%:R^-1))%:~R.

Definition lattice (u : 'rV[R]_1) : 'rV[R]_1 := point (nearest (coordinate u)).

Lemma nearest_near r : `|nearest r - r| <= g / 2%:R.
Proof.
have lo := floor_le (r / g + 2%:R^-1); have hi := ltW (lt_succ_floor (r / g + 2%:R^-1)).
rewrite /nearest; move: (floor _)%:~R lo hi => f lo hi.
have -> : g * f - r = g * (f - r / g) by rewrite mulrBr mulrCA mulfV ?gt_eqF // mulr1.
rewrite normrM (gtr0_norm g_gt0) ler_pmul2l // ler_norml; apply/andP; split; last first.
  by rewrite ler_subl_addl.
have two : 2%:R^-1 + 2%:R^-1 = 1 :> R by rewrite [RHS]splitr mul1r.
by apply: le_from hi _; move: (2%:R^-1) two => h two; nsatz.
Qed.

Lemma measurable_lattice : measurable_fun setT (lattice : space R 1 -> space R 1).
Proof.
apply: measurable_fun_comp; first exact: measurable_point.
apply: measurable_fun_comp; last exact: measurable_coordinate.
apply: (measurability (RGenOInfty.measurableE R)) => _ [_ [a ->] <-].
rewrite setTI; apply: is_interval_measurable => r s /=; rewrite !in_itv /= !andbT.
move=> ar _ t /andP[rt _]; rewrite /= in_itv /= andbT; apply: lt_le_trans ar _.
rewrite ler_pmul2l // ler_int; apply: le_floor.
by rewrite ler_add2r ler_pmul2r // invr_gt0.
Qed.

End Rounding.

(** * Noise around a point *)

Section Kernel.
Variables (N : {measure set (space R 1) -> \bar R}) (total : N setT = 1%E).
Variables (from out : space R 1 -> space R 1).
Hypotheses (from_measurable : measurable_fun setT from)
  (out_measurable : measurable_fun setT out).

Let moved (z : space R 1 * space R 1) : space R 1 :=
  out ((from z.1 : 'rV[R]_1) + (z.2 : 'rV[R]_1)).

Let moved_measurable : measurable_fun setT moved.
Proof.
have -> : moved = out \o (fun z : R * space R 1 => along unit1 z.1 z.2) \o
    (fun z => (coordinate (from z.1), z.2)).
  apply/funext => z; rewrite /moved /= /along; congr out; rewrite addrC.
  by congr (_ + _); rewrite -/(point _) coordinateK.
apply: measurable_fun_comp; first exact: measurable_fun_comp out_measurable (@measurable_along _ _ _).
apply/prod_measurable_funP; split; last exact: measurable_snd.
apply: (measurable_fun_comp measurable_coordinate (g := fun z => from z.1)).
by apply: (measurable_fun_comp from_measurable (g := fst)); exact: measurable_fst.
Qed.

Let at_measurable (u : space R 1) : measurable_fun setT (fun z => moved (u, z)).
Proof. by apply: (measurable_fun_prod1 (f := moved)); exact: moved_measurable. Qed.

Definition noise_law (u : space R 1) : {measure set (space R 1) -> \bar R} :=
  [the {measure set (space R 1) -> \bar R} of pushforward N (at_measurable u)].

Let noise_measurable A : measurable A -> measurable_fun setT (fun u : space R 1 => noise_law u A).
Proof.
move=> mA; have mB := moved_measurable measurableT mA; rewrite setTI in mB.
have finite : sigma_finite setT N.
  exists (fun=> setT); first by rewrite bigcup_const //; exists 0%N.
  by move=> _; split => //; rewrite total ltry.
have := measurable_fun_xsection finite (A := moved @^-1` A); rewrite inE => /(_ mB).
by congr (measurable_fun setT _); apply/funext => u; congr (N _);
  apply/seteqP; split => z; rewrite /xsection /= inE.
Qed.

Definition noise_kernel : kernel (space R 1) (space R 1) R := Kernel noise_measurable.

End Kernel.
End LineLaw.
