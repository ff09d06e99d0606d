(* own:gaussian-tilt and own:joint-price: the minimiser of a normally tilted objective is
   Gaussian private.

   M(D) = argmin over C of J_D + <b, .>, b normal with a deviation for each coordinate.
   With one record more, M(D and z)(b) = M(D)(forth b), where [forth] moves b along the
   row of z by the slope of its loss: both releases are the same function of b and of
   forth b.  If the slope keeps its sign, [GaussTilt] compares these two laws.

     gaussian_price m J      what is asked of every record: its slope keeps its sign and is
                             at most m in units of the deviations, and its curvature is
                             paid for by J and what the slope leaves
     one_record_gdp          b against forth b, both ways                            *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Sensitivity Line Flow Space Argmin.
From AsapDP Require Import ObjectivePerturbation Logistic HockeyStick Profile GaussLine.
From AsapDP Require Import GaussCurve GaussHalf GaussPlane GaussCompose GaussSpace.
From AsapDP Require Import GaussTail GaussBoth GaussTilt.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Deviations *)

Section Deviations.
Variables (R : realType) (n : nat) (sd : 'rV[R]_n).
Hypothesis sd_gt0 : forall i, 0 < sd 0 i.
Implicit Types (u v : 'rV[R]_n) (r : R).

Definition times_sd u : 'rV[R]_n := \row_i (sd 0 i * u 0 i).
Definition over_sd u : 'rV[R]_n := \row_i (u 0 i / sd 0 i).

Lemma times_sdD u r v : times_sd (u + r *: v) = times_sd u + r *: times_sd v.
Proof. by apply/rowP => i; rewrite !mxE; nsatz. Qed.

Lemma times_over u : times_sd (over_sd u) = u.
Proof. by apply/rowP => i; rewrite !mxE mulrC divfK // gt_eqF. Qed.

Lemma over_eq0 u : over_sd u = 0 -> u = 0.
Proof.
move=> u0; rewrite -[u]times_over u0; apply/rowP => i; by rewrite !mxE mulr0.
Qed.

Lemma sqr_norm2_sd u : norm2 u ^+ 2 <= norm2 (times_sd u) * norm2 (over_sd u).
Proof.
apply: le_trans (cauchy_schwarz _ _); rewrite sqr_norm2 le_eqVlt; apply/orP; left.
apply/eqP/eq_bigr => i _; rewrite !mxE -mulrA mulrCA [sd 0 i * _]mulrC.
by rewrite mulrA -mulrA divfK // gt_eqF.
Qed.

Lemma measurable_times_sd : measurable_fun setT (times_sd : space R n -> space R n).
Proof.
apply: (lipschitz_map_measurable (K := norm2 sd)) => u v.
have -> : times_sd u - times_sd v = times_sd (u - v).
  by apply/rowP => i; rewrite !mxE mulrBr.
move: (u - v) => w; rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?mulr_ge0 ?norm2_ge0 //.
rewrite exprMn sqr_norm2 [norm2 w ^+ 2]sqr_norm2 /dot mulr_sumr ler_sum // => i _.
rewrite !mxE mulrACA -!expr2 ler_wpmul2r ?sqr_ge0 //.
rewrite -[leLHS]real_normK ?num_real // ler_pexpn2r ?nnegrE ?norm2_ge0 //.
exact: coordinate_norm2.
Qed.

(* The law of b: coordinate i is N(0, sd i ^ 2). *)
Definition normal_tilt : {measure set (space R n) -> \bar R} :=
  [the {measure set (space R n) -> \bar R} of
    pushforward (normal_space R n) measurable_times_sd].

Lemma normal_tilt_total : normal_tilt setT = 1%E.
Proof. by rewrite /= /pushforward preimage_setT normal_space_total. Qed.

End Deviations.

(** * What one record costs *)

Section Prices.
Variables (R : realType) (n : nat) (C : set 'rV[R]_n).
Variables (Z : Type) (x : Z -> 'rV[R]_n) (slope : Z -> R -> R).
Variables (Lambda : R) (sd : 'rV[R]_n) (m J : R).

(* How far the row of a record moves b, in units of the deviations, for a slope of 1. *)
Definition reach z : R := norm2 (over_sd sd (x z)).

Record gaussian_price : Prop := GaussianPrice {
  price_sign : forall z, (forall theta, C theta -> slope z (prediction x z theta) <= 0) \/
    (forall theta, C theta -> 0 <= slope z (prediction x z theta));
  price_slope : forall z theta, C theta -> `|slope z (prediction x z theta)| * reach z <= m;
  (* where the slope is in a short interval, its curvature is at most kappa *)
  price_curvature : forall z e, 0 < e -> exists2 h, 0 < h & forall lo, exists kappa,
    [/\ 0 <= kappa,
      forall theta, C theta -> lo <= `|slope z (prediction x z theta)| < lo + h ->
        let s := `|slope z (prediction x z theta)| * reach z in
        1 + kappa * (Lambda^-1 * norm2 (x z) ^+ 2) <= expR (e + (J + half R * (s * (m - s)))) &
      forall theta eta, C theta -> C eta ->
        lo <= `|slope z (prediction x z theta)| < lo + h ->
        lo <= `|slope z (prediction x z eta)| < lo + h ->
        `|slope z (prediction x z theta) - slope z (prediction x z eta)| <=
          kappa * `|prediction x z theta - prediction x z eta|] }.

End Prices.

(** * One record more *)

Section OneRecord.
Variables (R : realType) (n : nat) (C : set 'rV[R]_n).
Variables (Z : Type) (x : Z -> 'rV[R]_n) (loss slope : Z -> R -> R) (curvature : Z -> R).
Variable Lambda : R.
Hypothesis contract : loss_contract C x loss slope curvature Lambda.
Hypothesis domain : domain_contract C.
Variable sd : 'rV[R]_n.
Hypothesis sd_gt0 : forall i, 0 < sd 0 i.
Implicit Types (D : seq Z) (g : space R n).

(* M(D), as a function of a standard normal vector. *)
Definition solved D g : space R n := released contract domain D (times_sd sd g).

Lemma measurable_solved D : measurable_fun setT (solved D).
Proof.
exact: (measurable_fun_comp (measurable_released contract domain D) (measurable_times_sd sd)).
Qed.

Lemma solved_in D g : C (solved D g).
Proof. exact: argmin_in. Qed.

Variables (D1 D2 : seq Z) (z : Z).
Let less := D1 ++ D2.
Let more := D1 ++ z :: D2.
Let y : 'rV[R]_n := over_sd sd (x z).

Let slope_at D g : R := slope z (prediction x z (solved D g)).

Let measurable_slope D : measurable_fun setT (slope_at D).
Proof.
exact: (measurable_fun_comp (measurable_slope_at contract domain D z) (measurable_times_sd sd)).
Qed.

Let solvedE D g r : solved D (along y r g) =
  argmin contract domain D (- times_sd sd g + (- r) *: x z).
Proof. by rewrite /solved /released /along times_sdD times_over // opprD scaleNr. Qed.

(* The tilt of the smaller data set that leads to the same point, and back. *)
Definition forth g : space R n := along y (slope_at more g) g.
Definition back g : space R n := along y (- slope_at less g) g.

Let measurable_move f : measurable_fun setT f ->
  measurable_fun setT (fun g : space R n => along y (f g) g).
Proof.
move=> mf; have -> : (fun g : space R n => along y (f g) g) =
    (fun q : R * space R n => along y q.1 q.2) \o (fun g => (f g, g)) by [].
apply: measurable_fun_comp; first exact: measurable_along.
by apply/prod_measurable_funP; split => //; exact: measurable_fun_id.
Qed.

Lemma measurable_forth : measurable_fun setT forth.
Proof. by apply: measurable_move. Qed.

Lemma measurable_back : measurable_fun setT back.
Proof. by apply: measurable_move; exact: measurable_funN. Qed.

Lemma solved_forth g : solved less (forth g) = solved more g.
Proof.
rewrite /forth solvedE [in RHS]/solved /released.
by rewrite [in RHS](argmin_insert contract domain D1 z D2) scaleNr.
Qed.

Lemma solved_back g : solved more (back g) = solved less g.
Proof.
rewrite /back solvedE opprK [in RHS]/solved /released.
by rewrite [in RHS](argmin_remove contract domain D1 z D2).
Qed.

Lemma forthK g : back (forth g) = g.
Proof.
by rewrite /back {1}/slope_at solved_forth /forth along_add addNr along_zero.
Qed.

Lemma backK g : forth (back g) = g.
Proof.
by rewrite /forth {1}/slope_at solved_back /back along_add subrr along_zero.
Qed.

(* Along the row slopes grow; [r] counts in units of the deviations, rho is a sign. *)
Let slope_line g (w : 'rV[R]_n) N rho r r' kappa : 0 < N -> y = N *: w -> rho * rho = 1 ->
  0 <= kappa ->
  let t q := slope_at less (along (rho *: w) q g) in
  `|t r - t r'| <= kappa * `|prediction x z (solved less (along (rho *: w) r g))
    - prediction x z (solved less (along (rho *: w) r' g))| ->
  `|r - r'| <= `|r - rho * N * t r - (r' - rho * N * t r')| /\
  `|r - rho * N * t r - (r' - rho * N * t r')| <=
    (1 + kappa * (Lambda^-1 * norm2 (x z) ^+ 2)) * `|r - r'|.
Proof.
move=> N0 yN rr k0 t sk; have Nn0 : N != 0 by rewrite gt_eqF.
have alongE q : along (rho *: w) q g = along y (q * rho / N) g.
  by rewrite /along yN !scalerA divfK // mulrAC.
pose c q := - (q * rho / N).
have tE q : t q = slope z (prediction x z
    (argmin contract domain less (- times_sd sd g + c q *: x z))).
  by rewrite /t /slope_at alongE solvedE.
move: sk; rewrite !tE !alongE !solvedE -!/(c _) => sk.
have [_ lo hi] := slope_along k0 sk; rewrite -!tE in lo hi *.
have ci : c r - c r' = - (rho / N) * (r - r').
  by rewrite /c; move: N^-1 => i; nsatz.
have si : c r - c r' + (t r - t r') =
    - (rho / N) * (r - rho * N * t r - (r' - rho * N * t r')).
  have := mulfV Nn0; rewrite /c; move: N^-1 (t r) (t r') => i a a' Ni; nsatz.
have rn : `|rho| = 1.
  have : `|rho| * `|rho| == 1 by rewrite -normrM rr normr1.
  by rewrite -expr2 sqrp_eq1 ?normr_ge0 // => /eqP.
have n0 : 0 < `| - (rho / N)| by rewrite normrN normrM rn mul1r normr_gt0 invr_eq0.
move: lo hi; rewrite si ci !normrM; set a := `| - (rho / N)| in n0 *.
by rewrite mulrCA !ler_pmul2l.
Qed.

Variables (m J mu : R).
Hypothesis price : gaussian_price C x slope Lambda sd m J.
Hypothesis m_le_mu : 0 <= m <= mu.
Hypothesis scalar : forall eps, J <= eps -> delta m (eps - J) <= delta mu eps.

Let N := reach x sd z.

Let step D g : R := `|slope_at D g| * N.

Let step_bounds D g : 0 <= step D g <= m.
Proof.
rewrite /step mulr_ge0 ?norm2_ge0 //=; apply: (price_slope price); exact: solved_in.
Qed.

Let measurable_step D : measurable_fun setT (step D).
Proof.
rewrite /step; apply: measurable_funM; last exact: measurable_fun_cst.
by apply: (measurable_fun_comp _ (measurable_slope D)); exact: measurable_fun_normr.
Qed.

Let signed : exists2 rho, rho * rho = 1 & forall D g, `|slope_at D g| = - (rho * slope_at D g).
Proof.
have [neg|pos] := price_sign price z; [exists 1|exists (-1)]; rewrite ?mulr1 ?mulN1r ?opprK //.
- by move=> D g; rewrite mul1r ler0_norm //; apply: neg; exact: solved_in.
- by move=> D g; rewrite mulN1r opprK ger0_norm //; apply: pos; exact: solved_in.
Qed.

Let one_way : x z != 0 ->
  (forall eps k, 0 <= eps -> test k ->
    (\int[normal_space R n]_g k g <= (expR eps)%:E * \int[normal_space R n]_g k (forth g)
      + (delta m eps)%:E)%E) /\
  (forall eps k, J <= eps -> test k ->
    (\int[normal_space R n]_g k g <= (expR eps)%:E * \int[normal_space R n]_g k (back g)
      + (delta m (eps - J))%:E)%E).
Proof.
move=> xn0; have yn0 : y != 0 by apply: contra xn0 => /eqP/(over_eq0 sd_gt0) ->.
have [w w1 yE] := unit_exists yn0.
have N0 : 0 < N.
  rewrite lt_neqAle norm2_ge0 andbT eq_sym; apply: contra yn0 => /eqP N0.
  by rewrite yE -/y -[norm2 y]/N N0 scale0r.
have Nn0 : N != 0 by rewrite gt_eqF.
have {}yE : y = N *: w by [].
have [rho rr absE] := signed.
have unit_rho a : a * a = 1 -> dot (a *: w) (a *: w) = 1.
  by move=> aa; rewrite dotZl dotZr w1 mulr1.
have nn : (- rho) * (- rho) = 1 by rewrite mulrNN.
have stepN D g : step D g = - (rho * N * slope_at D g).
  by rewrite /step absE mulNr mulrAC.
(* a move by the slope is a move by [step] in the direction that makes it positive *)
have stepE D g : slope_at D g *: y = (- step D g) *: (rho *: w).
  rewrite yE !scalerA stepN opprK mulrAC -mulrA mulrACA rr mul1r mulrC; congr (_ *: w).
have forthE g : forth g = along (rho *: w) (- step more g) g.
  by rewrite /forth /along stepE.
have backE g : back g = along ((- rho) *: w) (- step less g) g.
  by rewrite /back /along !scaleNr scalerN stepE scaleNr.
have step_forth g : step less (forth g) = step more g.
  by rewrite /step /slope_at solved_forth.
have step_back g : step more (back g) = step less g.
  by rewrite /step /slope_at solved_back.
split=> eps k le_eps tk.
  rewrite -[X in delta m X](subr0 eps).
  apply: (@space_tilt R n ((- rho) *: w) m 0 (step less) forth (unit_rho _ nn)
    (step_bounds less) (measurable_step less) measurable_forth) => //.
  - by move=> g; rewrite -backE backK.
  - by move=> g; rewrite step_forth [RHS]forthE /along !scaleNr scalerN.
  move=> e e0; exists 1 => // lo; exists 1; split => // [g _|g r r' _ _].
    rewrite -[leLHS](@expR0 R) ler_expR add0r addr_ge0 ?(ltW e0) //.
    have /andP[s0 sm] := step_bounds less g.
    by rewrite !mulr_ge0 ?subr_ge0 // ltW // half_gt0.
  rewrite mul1r; have := @slope_line g w N (- rho) r r' `|curvature z| N0 yE nn (normr_ge0 _).
  case.
    apply: le_trans (loss_curvature contract z (solved_in _ _) (solved_in _ _)) _.
    by apply: ler_wpmul2r => //; exact: ler_norm.
  by move=> + _; rewrite !stepN !mulNr.
apply: (@space_tilt R n (rho *: w) m J (step more) back (unit_rho _ rr)
  (step_bounds more) (measurable_step more) measurable_back) => //.
- by move=> g; rewrite -forthE forthK.
- by move=> g; rewrite step_back [RHS]backE /along !scaleNr scalerN opprK.
move=> e e0; have [h h0 bins] := price_curvature price z e0; exists (h * N).
  by rewrite mulr_gt0.
move=> lo; have [kappa [k0 small curved]] := bins (lo / N).
have bin D g : lo <= step D g < lo + h * N -> lo / N <= `|slope_at D g| < lo / N + h.
  move=> /andP[l1 l2]; rewrite ler_pdivr_mulr // l1 /= -(ltr_pmul2r N0).
  by rewrite mulrDl divfK.
exists (1 + kappa * (Lambda^-1 * norm2 (x z) ^+ 2)); split.
- rewrite ltr_paddr // mulr_ge0 // mulr_ge0 ?sqr_ge0 // invr_ge0 ltW //.
  exact: (loss_Lambda contract).
- by move=> g /bin inb; apply: small => //; exact: solved_in.
move=> g r r' /bin br /bin br'.
pose q r := r - step more (along (rho *: w) r g).
have at_q r0 : along (rho *: w) (q r0) g = forth (along (rho *: w) r0 g).
  by rewrite forthE along_add addrC.
have slope_q r0 : slope_at less (along (rho *: w) (q r0) g) = slope_at more (along (rho *: w) r0 g).
  by rewrite at_q /slope_at solved_forth.
have := @slope_line g w N rho (q r) (q r') kappa N0 yE rr k0; case.
  rewrite !at_q /slope_at !solved_forth; apply: curved => //; exact: solved_in.
rewrite !slope_q => _; rewrite -!/(q _).
have qE r0 : q r0 - rho * N * slope_at more (along (rho *: w) r0 g) = r0.
  by rewrite /q stepN opprK addrK.
by rewrite !qE.
Qed.

(* The law of forth b. *)
Definition moved_tilt : {measure set (space R n) -> \bar R} :=
  [the {measure set (space R n) -> \bar R} of
    pushforward (normal_space R n) measurable_forth].

Lemma integral_moved_tilt (k : space R n -> \bar R) : test k ->
  (\int[moved_tilt]_g k g = \int[normal_space R n]_g k (forth g))%E.
Proof. by case=> mk k0 _; rewrite (integral_pushforward measurable_forth). Qed.

Let moved_tilt_total : moved_tilt setT = 1%E.
Proof. by rewrite /= /pushforward preimage_setT normal_space_total. Qed.

Let test_forth (k : space R n -> \bar R) : test k -> test (fun g => k (forth g)).
Proof.
by case=> mk k0 k1; split=> //; exact: (measurable_fun_comp mk measurable_forth).
Qed.

Let forth_zero g : x z = 0 -> forth g = g.
Proof.
move=> x0; rewrite /forth /along (_ : y = 0) ?scaler0 ?addr0 //.
by apply/rowP => i; rewrite !mxE x0 mxE mul0r.
Qed.

Let less_more eps : 0 <= eps -> hockey_stick eps (delta mu eps) (normal_space R n) moved_tilt.
Proof.
move=> e0 k tk; rewrite integral_moved_tilt //; have /andP[m0 mmu] := m_le_mu.
have [x0|xn0] := eqVneq (x z) 0.
  have -> : (\int[normal_space R n]_g k (forth g) = \int[normal_space R n]_g k g)%E.
    by apply: eq_integral => g _; rewrite forth_zero.
  exact: (gdp_refl mu (normal_space_total R n) eps tk).
have [one _] := one_way xn0; apply: le_trans (one eps k e0 tk) _.
by apply: lee_add => //; rewrite lee_fin; exact: delta_mono.
Qed.

Let more_less eps : 0 <= eps -> hockey_stick eps (delta mu eps) moved_tilt (normal_space R n).
Proof.
move=> e0; have [x0|xn0] := eqVneq (x z) 0.
  move=> k tk; rewrite integral_moved_tilt //.
  have -> : (\int[normal_space R n]_g k (forth g) = \int[normal_space R n]_g k g)%E.
    by apply: eq_integral => g _; rewrite forth_zero.
  exact: (gdp_refl mu (normal_space_total R n) eps tk).
have [one two] := one_way xn0; have [Je|/ltW eJ] := leP J eps.
  move=> k tk; rewrite integral_moved_tilt //.
  have le := two eps (fun g => k (forth g)) Je (test_forth tk).
  have same : (\int[normal_space R n]_g k (forth (back g)) = \int[normal_space R n]_g k g)%E.
    by apply: eq_integral => g _; rewrite backK.
  rewrite same in le; apply: (le_trans le); apply: lee_add => //.
  by rewrite lee_fin; exact: scalar.
(* below J: both sticks are the same at 0 *)
have zero : hockey_stick 0 (delta m 0) (normal_space R n) moved_tilt.
  by move=> k tk; rewrite integral_moved_tilt //; exact: one.
have := hockey_stick_opposite (normal_space_total R n) moved_tilt_total zero.
rewrite oppr0 expR0 subrr add0r mul1r; apply: hockey_stick_weaken => //.
apply: le_trans (delta_falls mu eJ).
by have := scalar (lexx J); rewrite subrr.
Qed.

(* Steps 1 and 2 of own:gaussian-tilt. *)
Theorem one_record_gdp :
  gdp mu moved_tilt (normal_space R n) /\ gdp mu (normal_space R n) moved_tilt.
Proof.
have N1 := normal_space_total R n; split.
  exact: (gdp_from_both moved_tilt_total N1 more_less less_more).
exact: (gdp_from_both N1 moved_tilt_total less_more more_less).
Qed.

End OneRecord.
