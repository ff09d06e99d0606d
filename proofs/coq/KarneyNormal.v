(* own:rounded-normal at the level of real numbers: Karney's algorithm draws the normal law.

   A number z has a sign, a whole part k and a fraction x.  The algorithm draws them with
   weight e^(-k/2) for k, the sign fair and x uniform (karney_proposal), and keeps them with
   the probability of three coins, e^(-k(k-1)/2), e^(-kx), e^(-x^2/2) (karney_coins).  What is
   kept has density proportional to e^(-z^2/2), by the rejection lemma of own:exact
   (own_rounded_normal).  The coins themselves are [BernoulliExp] for real x.  That digits
   are drawn when they are needed stays prose. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Gibbs Rejection Line Euclid Space LineLaw.
From AsapDP Require GaussLine Volume.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Karney.
Variable R : realType.
Implicit Types (z : space R 1) (r : R).

Let half : R := 2%:R^-1.
Let half_gt0 : 0 < half. Proof. by rewrite invr_gt0. Qed.
Let halves : half + half = 1. Proof. by rewrite [RHS]splitr mul1r. Qed.

Definition whole z : R := (floor `|coordinate z|)%:~R.
Definition part z : R := `|coordinate z| - whole z.

Lemma whole_ge0 z : 0 <= whole z.
Proof. by rewrite ler0z floor_ge0. Qed.

Lemma part_bounds z : 0 <= part z < 1.
Proof. by rewrite /part subr_ge0 floor_le ltr_subl_addl lt_succ_floor. Qed.

Let measurable_floor : measurable_fun setT (fun r : R => (floor r)%:~R : R).
Proof.
apply: (measurability (RGenOInfty.measurableE R)) => _ [_ [a ->] <-].
rewrite setTI; apply: is_interval_measurable => r s /=; rewrite !in_itv /= !andbT.
move=> ar _ u /andP[ru _]; rewrite /= in_itv /= andbT; apply: lt_le_trans ar _.
by rewrite ler_int; apply: le_floor.
Qed.

Let measurable_size : measurable_fun setT (fun z => `|coordinate z|).
Proof.
apply: measurable_fun_comp; first exact: measurable_fun_normr.
exact: measurable_coordinate.
Qed.

(* The energies of what is proposed and of what is wanted. *)
Definition proposal_energy z : R := half * whole z.
Definition normal_energy z : R := half * (`|coordinate z| * `|coordinate z|).

Let proposal_measurable : measurable_fun setT proposal_energy.
Proof.
apply: measurable_funM; first exact: measurable_fun_cst.
exact: (measurable_fun_comp measurable_floor measurable_size).
Qed.

Let normal_measurable : measurable_fun setT normal_energy.
Proof.
by apply: measurable_funM; [exact: measurable_fun_cst|exact: measurable_funM].
Qed.

HB.instance Definition _ := @IsMeasurableFun.Build _ _ R proposal_energy proposal_measurable.
HB.instance Definition _ := @IsMeasurableFun.Build _ _ R normal_energy normal_measurable.

Let g : {mfun (space R 1) >-> R} := [the {mfun (space R 1) >-> R} of proposal_energy].
Let f : {mfun (space R 1) >-> R} := [the {mfun (space R 1) >-> R} of normal_energy].

(** * Three coins *)

Let energies z : normal_energy z - proposal_energy z =
  half * (whole z * (whole z - 1)) + whole z * part z + half * (part z * part z).
Proof.
rewrite /normal_energy /proposal_energy /part; move: (whole z) `|coordinate z| => k r.
by move: half halves => h hh; nsatz.
Qed.

Let gap_ge0 z : 0 <= half * (whole z * (whole z - 1)).
Proof.
apply: mulr_ge0; first exact: ltW.
rewrite /whole; have := floor_ge0 `|coordinate z|; rewrite normr_ge0.
case: (floor _) => // -[|k] _; first by rewrite mul0r.
by rewrite mulr_ge0 // ?subr_ge0 ?ler0z // -[1]/(1%:~R) ler_int.
Qed.

Lemma karney_coins z : expR (- (normal_energy z - proposal_energy z)) =
  expR (- (half * (whole z * (whole z - 1)))) * expR (- (whole z * part z)) *
  expR (- (half * (part z * part z))).
Proof. by rewrite -!expRD energies !opprD. Qed.

Let minorant z : [set: space R 1] z -> g z <= f z.
Proof.
move=> _; rewrite -subr_ge0 [f z - g z]energies.
have /andP[p0 _] := part_bounds z; have k0 := whole_ge0 z.
by rewrite !addr_ge0 // ?gap_ge0 // mulr_ge0 // ?mulr_ge0 // ltW.
Qed.

(** * Proposals *)

Local Notation volume := (LineLaw.volume R).

(* Given its sign and k, a proposal is uniform: it has weight e^(-k/2) per unit of length. *)
Lemma karney_proposal (k : nat) (B : set (space R 1)) : measurable B ->
  (forall z, B z -> whole z = k%:R) ->
  (gibbs_weight volume g B = (expR (- (half * k%:R)))%:E * volume B)%E.
Proof.
move=> mB Bk; rewrite /gibbs_weight densityE.
rewrite (_ : volume B = \int[volume]_b (\1_B b)%:E)%E; last by rewrite integral_indic ?setIT.
rewrite -ge0_integralM_EFin //.
- apply: eq_integral => z _; rewrite indicE.
  have [/set_mem Bz|_] := boolP (z \in B); last by rewrite !mule0.
  by rewrite /= /proposal_energy (Bk z Bz).
- by move=> z _; rewrite lee_fin.
- exact/EFin_measurable_fun/measurable_fun_indic.
- exact: expR_ge0.
Qed.

Let partition_gt0 (h : {mfun (space R 1) >-> R}) :
  (forall z, 0 <= coordinate z <= 1 -> h z <= half) -> (0 < partition volume h)%E.
Proof.
move=> small; have mU : measurable (between 0 1 : set (space R 1)) by exact: measurable_between.
apply: (@lt_le_trans _ _ (expR (- half))%:E); first by rewrite lte_fin expR_gt0.
rewrite partitionE -[expR (- half)]mulr1 -[X in _ * X](subr0 1) EFinM -volume_between //.
rewrite (_ : volume _ = \int[volume]_b (\1_(between 0 1) b)%:E)%E; last by rewrite integral_indic ?setIT.
rewrite -ge0_integralM_EFin //.
- apply: ge0_le_integral => //.
  + by move=> z _; rewrite -EFinM lee_fin mulr_ge0 // expR_ge0.
  + exact/measurable_funeM/EFin_measurable_fun/measurable_fun_indic.
  + by move=> z _; rewrite lee_fin expR_ge0.
  + by apply/EFin_measurable_fun; exact: (measurable_boltzmann h).
  move=> z _; rewrite -EFinM lee_fin indicE.
  have [/set_mem Bz|_] := boolP (z \in _); last by rewrite mulr0 expR_ge0.
  rewrite mulr1 ler_expR ler_opp2; apply: small.
  by move: Bz; rewrite /between /= in_itv.
- by move=> z _; rewrite lee_fin.
- exact/EFin_measurable_fun/measurable_fun_indic.
- exact: expR_ge0.
Qed.

Let partition_g : normalisable volume g.
Proof.
apply/andP; split.
  apply: partition_gt0 => z /andP[z0 z1]; rewrite /= /proposal_energy ler_pimulr ?(ltW half_gt0) //.
  by rewrite /whole (ger0_norm z0) (le_trans (floor_le _)).
have /andP[_ finite] := line_laplace_normalisable half_gt0.
apply: (@le_lt_trans _ _ ((expR half)%:E * partition volume _)%E _ _ _ (lte_mul_pinfty _ _ finite)).
- rewrite !partitionE -ge0_integralM_EFin //.
  + apply: ge0_le_integral => //.
    * by move=> z _; rewrite lee_fin expR_ge0.
    * by apply/EFin_measurable_fun; exact: (measurable_boltzmann g).
    * by move=> z _; rewrite -EFinM lee_fin mulr_ge0 // expR_ge0.
    * by apply: measurable_funeM; apply/EFin_measurable_fun; exact: measurable_boltzmann.
    move=> z _; rewrite -EFinM lee_fin -expRD ler_expR /= /proposal_energy /distance_energy.
    rewrite norm_coordinate; have /andP[_ /ltW p1] := part_bounds z.
    have := ler_wpmul2l (ltW half_gt0) p1; rewrite /part => le.
    by apply: le_from le _; nsatz.
  + by move=> z _; rewrite lee_fin expR_ge0.
  + by apply/EFin_measurable_fun; exact: measurable_boltzmann.
  + exact: expR_ge0.
- by rewrite lee_fin expR_ge0.
- by rewrite fin_numE.
Qed.

Let partition_f : normalisable volume f.
Proof.
apply/andP; split.
  apply: partition_gt0 => z /andP[z0 z1]; rewrite /= /normal_energy (ger0_norm z0).
  by rewrite ler_pimulr ?(ltW half_gt0) // mulr_ile1.
have /andP[_ finite] := partition_g; apply: le_lt_trans finite; rewrite !partitionE.
apply: ge0_le_integral => //.
- by move=> z _; rewrite lee_fin expR_ge0.
- by apply/EFin_measurable_fun; exact: (measurable_boltzmann f).
- by move=> z _; rewrite lee_fin expR_ge0.
- by apply/EFin_measurable_fun; exact: (measurable_boltzmann g).
by move=> z _; rewrite lee_fin ler_expR ler_opp2; exact: minorant.
Qed.

Let everywhere (h : {mfun (space R 1) >-> R}) A :
  gibbs_weight (restricted volume measurableT) h A = gibbs_weight volume h A.
Proof.
rewrite /gibbs_weight !densityE; apply: eq_measure_integral => B mB _.
by rewrite restrictedE ?setIT.
Qed.

(** * The normal law *)

Definition normal_law : {measure set (space R 1) -> \bar R} := gibbs volume f.

Lemma normal_law_total : normal_law setT = 1%E.
Proof. exact: gibbs_total partition_f. Qed.

(* What one attempt keeps, and where: the normal law times the chance to be kept. *)
Theorem own_rounded_normal A : measurable A ->
  (accepted_mass (gibbs volume g) (a := acceptance_mfun measurableT f g)
     (acceptance_ge0 setT f g) A =
   (accept_prob (gibbs volume g) (a := acceptance_mfun measurableT f g)
     (acceptance_ge0 setT f g))%:E * normal_law A)%E.
Proof.
move=> mA; have target : normalisable (restricted volume measurableT) f.
  by rewrite /normalisable /partition everywhere; exact: partition_f.
rewrite (own_exact_accepted minorant target partition_g mA); congr (_ * _)%E.
by rewrite /normal_law !gibbsE /partition !everywhere.
Qed.

(* The chance of each point is that of the three coins. *)
Lemma own_rounded_normal_coins z : acceptance setT f g z =
  expR (- (half * (whole z * (whole z - 1)))) * expR (- (whole z * part z)) *
  expR (- (half * (part z * part z))).
Proof.
rewrite /acceptance indicE in_setT mul1r -karney_coins; congr (expR (- _)).
by apply/max_idPr; rewrite subr_ge0; exact: minorant.
Qed.

End Karney.

(* The same law as the N(0, 1) of Gaussian privacy, and of a direction. *)
Lemma karney_normal (R : realType) (A : set R) : measurable A ->
  GaussLine.normal (0 : R) A = normal_law R (@coordinate R @^-1` A).
Proof.
move=> mA; pose volume := LineLaw.volume R.
set f := [the {mfun (space R 1) >-> R} of @normal_energy R].
have mcA : measurable (@coordinate R @^-1` A).
  by rewrite -[X in measurable X]setTI; exact: measurable_coordinate.
have mi : measurable_fun setT (fun r : R => (\1_A r)%:E : \bar R).
  exact/EFin_measurable_fun/measurable_fun_indic.
have mg : measurable_fun setT (fun r : R => (GaussLine.gauss r)%:E).
  by apply/EFin_measurable_fun; exact: GaussLine.measurable_gauss.
have g0 (r : R) : (0 <= (GaussLine.gauss r)%:E)%E by rewrite lee_fin GaussLine.gauss_ge0.
have gaussE (r : R) : expR (- f (point r)) = GaussLine.gauss r.
  by rewrite /GaussLine.gauss /= /normal_energy pointK -expr2 real_normK ?num_real.
have weight (g : R -> \bar R) : measurable_fun setT g -> (forall r, 0 <= g r)%E ->
    (\int[volume]_b ((expR (- f b))%:E * g (coordinate b)) =
     \int[line R]_r ((GaussLine.gauss r)%:E * g r))%E.
  move=> mgg gg0; rewrite integral_pushforward; first last.
  - by move=> b; rewrite mule_ge0 // lee_fin expR_ge0.
  - apply: emeasurable_funM; first by apply/EFin_measurable_fun; exact: (measurable_boltzmann f).
    exact: (measurable_fun_comp mgg (@measurable_coordinate R)).
  by apply: eq_integral => r _; rewrite /= gaussE pointK.
have partE : partition volume f = (GaussLine.mass R)%:E.
  rewrite partitionE -GaussLine.massE.
  transitivity (\int[volume]_b ((expR (- f b))%:E * cst 1 (coordinate b)))%E.
    by apply: eq_integral => b _; rewrite /= mule1.
  rewrite (weight (cst 1%E) (measurable_fun_cst _) (fun=> lee01)).
  by apply: eq_integral => r _; rewrite /= mule1.
rewrite /normal_law gibbsE -/volume -/f partE /gibbs_weight densityE /=.
have -> : (\int[volume]_b ((expR (- f b))%:E * (\1_(@coordinate R @^-1` A) b)%:E) =
    \int[line R]_r ((GaussLine.gauss r)%:E * (\1_A r)%:E))%E.
  rewrite -(weight _ mi) => [|r]; last by rewrite lee_fin.
  by apply: eq_integral => b _; congr (_ * _%:E)%E; rewrite !indicE; congr (nat_of_bool _)%:R.
rewrite (Volume.integral_one _ mA) (GaussLine.integral_normal 0 mi) => [|r]; last by rewrite lee_fin.
rewrite -GaussLine.int_scale.
- apply: eq_integral => r _; rewrite subr0 -!EFinM; congr EFin.
  by rewrite /GaussLine.phi mulrA [_^-1 * _]mulrC.
- by rewrite invr_ge0 ltW // GaussLine.mass_gt0.
- by apply: emeasurable_funM.
- by move=> r; rewrite mule_ge0 // lee_fin.
Qed.
