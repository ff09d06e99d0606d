(* own:euclidean-laplace at the level of real numbers: s r N/|N| has density proportional
   to e^(-|z|/s), where r is a sum of n exponential numbers and N has n normal ones.

   No polar coordinates: substitute r = rho |b| for a fixed b, then z = rho b for a fixed
   rho, and the two integrals may be exchanged.  What is left of rho is a number.

     norm_law N P                  P has density k e^(-N z), for some k > 0
     norm_law_shift                it changes by at most e^(N(y) |r|) along y
     own_euclidean_laplace         the law as it is drawn is one, N = |.|/s
     euclidean_laplace_shift       so it is private: the noise of a release
     euclidean_laplace_tilt        and the tilt of objective perturbation           *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Line Euclid Space GaussLine GaussSpace Volume.
From AsapDP Require Import ObjectivePerturbation Exponential Gamma.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Laws of density e^(-N z) *)

Section NormLaw.
Variables (R : realType) (n : nat).
Implicit Types (N : 'rV[R]_n -> R) (P : {measure set (space R n) -> \bar R}).

Definition norm_law N P := exists2 k, 0 < k & forall g : space R n -> \bar R,
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[P]_b g b = \int[lebesgue R n]_b ((k * expR (- N b))%:E * g b))%E.

Lemma measurable_norm_law N (k : R) :
  measurable_fun setT (N : space R n -> R) ->
  measurable_fun setT ((fun b : 'rV[R]_n => (k * expR (- N b))%:E) : space R n -> \bar R).
Proof.
move=> mN; apply: measurable_EFin; apply: measurable_funrM; apply: measurable_fun_expR.
exact: measurable_funN.
Qed.

(* Shifted along y: by the triangle inequality at every point. *)
Theorem norm_law_shift N P (c : R) y : measurable_fun setT (N : space R n -> R) ->
  (forall b r, N (b + r *: y) <= N b + c * `|r|) ->
  norm_law N P -> shift_private c y P.
Proof.
move=> mN slow [k k0 PE].
apply: (@density_shift_private _ _ y c (lebesgue R n) P (fun b => k * expR (- N b))).
- move=> r A mA.
  have ms : measurable_fun setT (along y r).
    by apply: measurable_add; [exact: measurable_fun_id|exact: measurable_fun_cst].
  have mrA : measurable (along y r @^-1` A) by rewrite -[X in measurable X]setTI; exact: ms.
  have m1 : measurable_fun setT (fun b : space R n => (\1_A b)%:E : \bar R).
    by apply: measurable_EFin; exact: measurable_fun_indic.
  have i0 b : (0 <= (\1_A b)%:E :> \bar R)%E by rewrite lee_fin.
  rewrite (integral_one _ mrA) (integral_one _ mA) -(integral_lebesgue_shift (r *: y) m1 i0).
  by apply: eq_integral => b _; rewrite !indicE; congr (nat_of_bool _)%:R%:E.
- by apply/EFin_measurable_fun; exact: measurable_norm_law.
- by move=> b; rewrite mulr_ge0 ?expR_ge0 // ltW.
- move=> b r; rewrite mulrCA ler_pmul2l // -expRD ler_expR /along.
  by apply: le_from (slow b r) _; nsatz.
- move=> A mA; rewrite (integral_one _ mA); apply: PE => [|b]; last by rewrite lee_fin.
  by apply: measurable_EFin; exact: measurable_fun_indic.
Qed.

(* s times it. *)
Lemma norm_law_scale N P (Q : {measure set (space R n) -> \bar R}) (s : R) : 0 < s ->
  measurable_fun setT (N : space R n -> R) -> norm_law N P ->
  (forall g : space R n -> \bar R, measurable_fun setT g -> (forall b, 0 <= g b)%E ->
    (\int[Q]_b g b = \int[P]_b g (s *: (b : 'rV[R]_n))%R)%E) ->
  norm_law (fun z => N (s^-1 *: z)) Q.
Proof.
move=> s0 mN [k k0 PE] QE; exists (k / s ^+ n); first by rewrite divr_gt0 ?exprn_gt0.
have sn0 : s != 0 by rewrite gt_eqF.
move=> g mg g0.
have mgs : measurable_fun setT (fun b : space R n => g (s *: (b : 'rV[R]_n))).
  exact: (measurable_fun_comp mg (measurable_scale s)).
have mNs : measurable_fun setT ((fun z : 'rV[R]_n => N (s^-1 *: z)) : space R n -> R).
  exact: (measurable_fun_comp mN (measurable_scale s^-1)).
pose G (z : space R n) : \bar R := ((k * expR (- N (s^-1 *: (z : 'rV[R]_n))))%:E * g z)%E.
have mG : measurable_fun setT G.
  by apply: emeasurable_funM => //; exact: (@measurable_norm_law (fun z => N (s^-1 *: z))).
have G0 z : (0 <= G z)%E by rewrite mule_ge0 // lee_fin mulr_ge0 ?expR_ge0 // ltW.
rewrite (QE g mg g0) (PE _ mgs (fun b => g0 _)); transitivity (\int[lebesgue R n]_b G (s *: (b : 'rV[R]_n))%R)%E.
  by apply: eq_integral => b _; rewrite /G scalerA mulVf // scale1r.
have := integral_lebesgue_scale sn0 mG G0; rewrite (gtr0_norm s0) => ->.
rewrite -int_scale //; last by rewrite invr_ge0 exprn_ge0 // ltW.
apply: eq_integral => b _; rewrite /G muleA -EFinM; congr (_%:E * _)%E.
by rewrite mulrA [_^-1 * k]mulrC.
Qed.

End NormLaw.

(** * Directions *)

Section Polar.
Variable R : realType.

(* 1/x is monotone on both sides of 0. *)
Lemma measurable_inverse : measurable_fun setT (fun x : R => x^-1).
Proof.
apply: (measurability (RGenOInfty.measurableE R)) => _ [_ [a ->] <-]; rewrite setTI.
have [a0|a0] := leP 0 a.
  apply: is_interval_measurable => x y /=; rewrite !in_itv /= !andbT => ax ay u /andP[xu uy].
  have x0 : 0 < x by rewrite -invr_gt0 (le_lt_trans a0).
  rewrite /= in_itv /= andbT; apply: lt_le_trans ay _.
  by rewrite lef_pinv ?posrE // (lt_le_trans x0) // (le_trans xu).
rewrite -[X in measurable X]setCK; apply: measurableC; apply: is_interval_measurable.
move=> x y /=; rewrite !in_itv /= !andbT => /negP; rewrite -leNgt => xa /negP; rewrite -leNgt => ya.
move=> u /andP[xu uy]; rewrite /= in_itv /= andbT; apply/negP; rewrite -leNgt.
have neg v : v^-1 <= a -> v < 0 by move=> va; rewrite -invr_lt0 (le_lt_trans va).
have u0 : u < 0 := le_lt_trans uy (neg _ ya); have x0 : x < 0 := le_lt_trans xu u0.
by apply: le_trans xa; rewrite lef_ninv ?negrE.
Qed.

Variable m : nat.
Let n := m.+1.
Implicit Types (b z : 'rV[R]_n) (g : space R n -> \bar R).

Lemma norm2_gt0 b : b != 0 -> 0 < norm2 b.
Proof.
move=> b0; rewrite lt_neqAle norm2_ge0 andbT eq_sym; apply: contra b0 => /eqP e.
by apply/eqP; apply: dot_eq0; rewrite -sqr_norm2 e expr0n.
Qed.

(* The radius, and a vector that gives the direction. *)
Definition polar (p : R * space R n) : space R n :=
  (p.1 / norm2 (p.2 : 'rV[R]_n)) *: (p.2 : 'rV[R]_n).

Lemma measurable_polar : measurable_fun setT polar.
Proof.
apply: measurable_scaled; last exact: measurable_snd.
apply: measurable_funM; first exact: measurable_fst.
apply: (measurable_fun_comp measurable_inverse).
exact: (measurable_fun_comp (@measurable_norm2 R n) (@measurable_snd _ _ _ _)).
Qed.

(* Functions that are equal but at 0 have the same integral. *)
Lemma integral_off_origin g (h : space R n -> \bar R) :
  measurable_fun setT g -> measurable_fun setT h ->
  (forall b, 0 <= g b)%E -> (forall b, 0 <= h b)%E ->
  (forall b, b != 0 -> g b = h b) ->
  (\int[lebesgue R n]_b g b = \int[lebesgue R n]_b h b)%E.
Proof.
move=> mg mh g0 h0 gh; apply: ge0_ae_eq_integral => //.
exists [set (0 : 'rV[R]_n) : space R n]; split.
- exact: measurable_origin.
- exact: lebesgue_origin.
move=> b /= noteq; apply: contrapT => b0; apply: noteq => _; apply: gh.
exact/eqP.
Qed.

(** ** The substitutions *)

Variables (k0 : R) (k0_ge0 : 0 <= k0) (g : space R n -> \bar R).
Hypotheses (mg : measurable_fun setT g) (g0 : forall b, (0 <= g b)%E).

Let w (r : R) : R := k0 * gamma_weight m r.

Let w_ge0 r : 0 <= w r.
Proof. by rewrite mulr_ge0 ?gamma_weight_ge0. Qed.

Let mw d (T : measurableType d) (f : T -> R) : measurable_fun setT f ->
  measurable_fun setT (fun t => w (f t)).
Proof.
move=> mf; apply: measurable_funrM.
exact: (measurable_fun_comp (measurable_gamma_weight m) mf).
Qed.

Let N : R * space R n -> R := fun p => norm2 (p.2 : 'rV[R]_n).
Let mN : measurable_fun setT N.
Proof. exact: (measurable_fun_comp (@measurable_norm2 R n) (@measurable_snd _ _ _ _)). Qed.

(* For a fixed b: r = rho |b|. *)
Let H (p : R * space R n) : \bar R :=
  ((normal_density p.2 * (N p * w (N p * p.1)))%:E * g (p.1 *: (p.2 : 'rV[R]_n))%R)%E.

Let mH : measurable_fun setT H.
Proof.
apply: emeasurable_funM; last first.
  apply: (measurable_fun_comp mg); apply: measurable_scaled.
    exact: measurable_fst.
  exact: measurable_snd.
apply: measurable_EFin; apply: measurable_funM.
  exact: (measurable_fun_comp (@measurable_normal_density R n) (@measurable_snd _ _ _ _)).
apply: measurable_funM => //; apply: mw; apply: measurable_funM => //.
exact: measurable_fst.
Qed.

Let H0 p : (0 <= H p)%E.
Proof.
by rewrite mule_ge0 // lee_fin mulr_ge0 ?normal_density_ge0 // mulr_ge0 ?w_ge0 ?norm2_ge0.
Qed.

Let first_substitution (b : space R n) : (b : 'rV[R]_n) != 0 ->
  ((normal_density b)%:E * \int[line R]_r ((w r)%:E * g (polar (r, b))) =
   \int[line R]_rho H (rho, b))%E.
Proof.
move=> b0; have nb := norm2_gt0 b0; have nn : norm2 (b : 'rV[R]_n) != 0 by rewrite gt_eqF.
pose h (r : R) : \bar R := ((w r)%:E * g (polar (r, b)))%E.
have mpb : measurable_fun setT (fun r : R => polar (r, b)).
  apply: (measurable_fun_comp measurable_polar).
  by apply/prod_measurable_funP; split; [exact: measurable_fun_id|exact: measurable_fun_cst].
have mh : measurable_fun setT h.
  apply: emeasurable_funM; last exact: (measurable_fun_comp mg mpb).
  by apply: measurable_EFin; apply: mw; exact: measurable_fun_id.
have h0 r : (0 <= h r)%E by rewrite mule_ge0 // lee_fin w_ge0.
have := line_affine 0 nn mh h0; rewrite (gtr0_norm nb) => sub.
have mhs : measurable_fun setT (fun rho : R => h (norm2 (b : 'rV[R]_n) * rho + 0)).
  by apply: (measurable_fun_comp mh); exact: measurable_affine.
have -> : (\int[line R]_r h r = (norm2 (b : 'rV[R]_n))%:E *
    \int[line R]_rho h (norm2 (b : 'rV[R]_n) * rho + 0)%R)%E.
  by rewrite sub muleA -EFinM mulfV // mul1e.
have nd0 := normal_density_ge0 b.
rewrite muleA -EFinM -(int_scale _ _ mhs (fun r => h0 _)); last by rewrite mulr_ge0 // ltW.
apply: eq_integral => rho _; rewrite /h /H /N /polar /= addr0 muleA -EFinM -mulrA.
by rewrite [norm2 _ * rho]mulrC mulfK.
Qed.

(* What is left of rho for a fixed z = rho b. *)
Let q (p : R * space R n) : R := (p.1 \in `]0, +oo[)%:R *
  ((p.1 ^+ n.+1)^-1 * normal_density (p.1^-1 *: (p.2 : 'rV[R]_n) : space R n)).

Let q_ge0 p : 0 <= q p.
Proof.
rewrite /q in_itv /= andbT; have [r0|_] := ltP 0 p.1; last by rewrite mul0r.
by rewrite mul1r mulr_ge0 ?normal_density_ge0 // invr_ge0 exprn_ge0 // ltW.
Qed.

Let mq : measurable_fun setT q.
Proof.
have m1 : measurable_fun setT (@fst R (space R n)) by exact: measurable_fst.
apply: measurable_funM.
  exact: (measurable_fun_comp (measurable_itv_indicator `]0, +oo[) m1).
apply: measurable_funM.
  by apply: (measurable_fun_comp measurable_inverse); apply: measurable_power.
apply: (measurable_fun_comp (@measurable_normal_density R n)); apply: measurable_scaled.
  exact: (measurable_fun_comp measurable_inverse m1).
exact: measurable_snd.
Qed.

Let G (p : R * space R n) : \bar R := ((q p)%:E * ((N p * w (N p))%:E * g p.2))%E.

Let Nw_ge0 p : 0 <= N p * w (N p).
Proof. by rewrite mulr_ge0 ?w_ge0 ?norm2_ge0. Qed.

Let mNw : measurable_fun setT (fun p => ((N p * w (N p))%:E * g p.2)%E).
Proof.
apply: emeasurable_funM; last exact: (measurable_fun_comp mg (@measurable_snd _ _ _ _)).
by apply: measurable_EFin; apply: measurable_funM => //; exact: mw.
Qed.

Let mG : measurable_fun setT G.
Proof. by apply: emeasurable_funM => //; apply: measurable_EFin. Qed.

Let G0 p : (0 <= G p)%E.
Proof. by rewrite mule_ge0 ?lee_fin ?q_ge0 // mule_ge0 // lee_fin Nw_ge0. Qed.

Let second_substitution (rho : R) :
  (\int[lebesgue R n]_b H (rho, b) = \int[lebesgue R n]_z G (rho, z))%E.
Proof.
have [r0|r0] := leP rho 0.
  apply: eq_integral => b _; rewrite /H /G /q /N /= in_itv /= andbT ltNge r0 /= !mul0r mul0e.
  rewrite /w /gamma_weight decay_le0 ?mulr0 ?mul0e //.
  by rewrite mulr_ge0_le0 // norm2_ge0.
have rn : rho != 0 by rewrite gt_eqF.
have mHr : measurable_fun setT (fun b : space R n => H (rho, b)).
  exact: (measurable_fun_prod1 (f := H) rho mH).
have in0 : rho^-1 != 0 by rewrite invr_eq0.
have := integral_lebesgue_scale in0 mHr (fun b => H0 _).
rewrite gtr0_norm ?invr_gt0 // exprVn invrK => sub.
have mHs : measurable_fun setT (fun b : space R n => H (rho, rho^-1 *: (b : 'rV[R]_n))).
  exact: (measurable_fun_comp mHr (measurable_scale rho^-1)).
have pw : 0 < rho ^+ n by rewrite exprn_gt0.
have -> : (\int[lebesgue R n]_b H (rho, b) = ((rho ^+ n)^-1)%:E *
    \int[lebesgue R n]_b H (rho, rho^-1 *: (b : 'rV[R]_n)))%E.
  by rewrite sub muleA -EFinM mulVf ?mul1e // gt_eqF.
have i0 : 0 <= (rho ^+ n)^-1 by rewrite invr_ge0 ltW.
rewrite -(int_scale _ i0 mHs (fun b => H0 _)); apply: eq_integral => z _.
rewrite /H /G /q /N /= in_itv /= andbT r0 mul1r norm2Z ger0_norm ?invr_ge0 ?ltW //.
rewrite [_ * rho]mulrAC mulVf // mul1r scalerA mulfV // scale1r !muleA -!EFinM.
congr (_%:E * _)%E; rewrite exprS invfM.
by nsatz.
Qed.

(* And the number that it is: rho = |z| t. *)
Let profile (t : R) : R := (t \in `]0, +oo[)%:R *
  ((t ^+ n.+1)^-1 * ((peak R n)^-1 * expR (- (half R * (t^-1) ^+ 2)))).

Let profile_ge0 t : 0 <= profile t.
Proof.
rewrite /profile in_itv /= andbT; have [t0|_] := ltP 0 t; last by rewrite mul0r.
rewrite mul1r mulr_ge0 //; first by rewrite invr_ge0 exprn_ge0 // ltW.
by rewrite mulr_ge0 ?expR_ge0 // invr_ge0 ltW // peak_gt0.
Qed.

Let mprofile : measurable_fun setT profile.
Proof.
apply: measurable_funM; first exact: measurable_itv_indicator.
apply: measurable_funM.
  by apply: (measurable_fun_comp measurable_inverse); apply: measurable_power; exact: measurable_fun_id.
apply: measurable_funrM; apply: measurable_fun_expR; apply: measurable_funN.
apply: measurable_funrM; apply: measurable_fun_sqr; exact: measurable_inverse.
Qed.

Definition left_over : \bar R := (\int[line R]_t (profile t)%:E)%E.

Lemma left_over_ge0 : (0 <= left_over)%E.
Proof. by apply: int_ge0 => t; rewrite lee_fin profile_ge0. Qed.

Let third_substitution (z : space R n) : (z : 'rV[R]_n) != 0 ->
  (\int[line R]_rho G (rho, z) =
   left_over * ((k0 * expR (- norm2 (z : 'rV[R]_n)))%:E * g z))%E.
Proof.
move=> z0; set nz := norm2 (z : 'rV[R]_n).
have pz : 0 < nz := norm2_gt0 z0; have nn : nz != 0 by rewrite gt_eqF.
have mqz : measurable_fun setT (fun rho : R => (q (rho, z))%:E).
  apply: measurable_EFin; apply: (measurable_fun_comp mq).
  by apply/prod_measurable_funP; split; [exact: measurable_fun_id|exact: measurable_fun_cst].
have q0 rho : (0 <= (q (rho, z))%:E)%E by rewrite lee_fin q_ge0.
have c0 : (0 <= (nz * w nz)%:E * g z)%E by rewrite mule_ge0 // lee_fin mulr_ge0 ?w_ge0 // ltW.
rewrite /G /N /= -/nz; under eq_integral do rewrite muleC.
rewrite ge0_integralM //.
have := line_affine 0 nn mqz q0; rewrite (gtr0_norm pz) => sub.
have -> : (\int[line R]_rho (q (rho, z))%:E = nz%:E * \int[line R]_t (q (nz * t + 0, z)%R)%:E)%E.
  by rewrite sub muleA -EFinM mulfV // mul1e.
rewrite (eq_integral (fun t : R => ((nz ^+ n.+1)^-1)%:E * (profile t)%:E)%E); last first.
  move=> t _; rewrite -EFinM; congr EFin; rewrite /q /profile addr0 /= !in_itv /= !andbT.
  rewrite pmulr_rgt0 //; have [t0|_] := ltP 0 t; last by rewrite !mul0r mulr0.
  rewrite !mul1r normal_densityE exprMn invfM -mulrA; congr (_ * (_ * (_ * expR (- (_ * _))))).
  rewrite !dot_simpl -sqr_norm2 -/nz mulrA -expr2 -exprMn; congr (_ ^+ 2).
  by rewrite invfM mulrAC mulVf // mul1r.
have mp : measurable_fun setT (fun t : R => (profile t)%:E) by exact: measurable_EFin.
have p0 t : (0 <= (profile t)%:E)%E by rewrite lee_fin profile_ge0.
have i0 : 0 <= (nz ^+ n.+1)^-1 by rewrite invr_ge0 exprn_ge0 // ltW.
rewrite (int_scale _ i0 mp p0) -/left_over [(nz%:E * _)%E]muleA -EFinM muleACA -EFinM.
rewrite [RHS]muleCA [X in _ = (_ * X)%E]muleC; congr (_%:E * _)%E.
rewrite /w /gamma_weight decay_gt0 // /n !exprS.
have one : nz * (nz * nz ^+ m) * (nz * (nz * nz ^+ m))^-1 = 1.
  by rewrite mulfV // !mulf_neq0 // expf_neq0.
by move: one; move: (_^-1) => i; move: (nz ^+ m) => P one; nsatz.
Qed.

Let sl := @line_sigma_finite R.
Let sV := @lebesgue_sigma_finite R n.

Lemma polar_integral :
  (\int[normal_space R n]_b \int[line R]_r ((w r)%:E * g (polar (r, b))) =
   \int[lebesgue R n]_z (left_over * ((k0 * expR (- norm2 (z : 'rV[R]_n)))%:E * g z)))%E.
Proof.
pose F (p : R * space R n) : \bar R := ((w p.1)%:E * g (polar p))%E.
have mF : measurable_fun setT F.
  apply: emeasurable_funM; last exact: (measurable_fun_comp mg measurable_polar).
  by apply: measurable_EFin; apply: mw; exact: measurable_fst.
have F0 p : (0 <= F p)%E by rewrite mule_ge0 // lee_fin w_ge0.
have mnd : measurable_fun setT (fun b : space R n => (normal_density b)%:E).
  by apply: measurable_EFin; exact: measurable_normal_density.
have mouter := measurable_outer sl mF F0; have houter := measurable_outer sl mH H0.
have nd0 (b : space R n) : (0 <= (normal_density b)%:E)%E by rewrite lee_fin normal_density_ge0.
have in0 (b : space R n) : (0 <= \int[line R]_r F (r, b))%E by apply: int_ge0.
rewrite (normal_space_density mouter in0).
rewrite (@integral_off_origin _ (fun b => \int[line R]_rho H (rho, b))%E) //; first last.
- by move=> b; apply: int_ge0.
- by move=> b; rewrite mule_ge0.
- exact: emeasurable_funM.
rewrite -(swap sl sV mH H0).
rewrite (eq_integral _ _ (fun rho _ => second_substitution rho)) (swap sl sV mG G0).
apply: integral_off_origin.
- exact: (measurable_outer sl mG G0).
- apply: measurable_funeM; apply: emeasurable_funM => //.
  apply: measurable_EFin; apply: measurable_funrM; apply: measurable_fun_expR.
  by apply: measurable_funN; exact: measurable_norm2.
- by move=> z; apply: int_ge0.
- by move=> z; rewrite mule_ge0 ?left_over_ge0 // mule_ge0 // lee_fin mulr_ge0 ?expR_ge0.
- exact: third_substitution.
Qed.

End Polar.

(** * The law *)

Section Law.
Variables (R : realType) (m : nat).
Let n := m.+1.
Implicit Types (g : space R n -> \bar R).

(* n exponential numbers for the radius, n normal ones for the direction, the scale s. *)
Fact euclidean_laplace_spec (s : R) : {P : {measure set (space R n) -> \bar R} |
  P setT = 1%E /\ forall g, measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[P]_z g z = \int[gamma R n]_r \int[normal_space R n]_b g (s *: polar (r, b))%R)%E}.
Proof.
pose K := const_kernel R (normal_space_total R n).
have ms : measurable_fun setT ((fun p => s *: (polar p : 'rV[R]_n)) : R * space R n -> space R n).
  exact: (measurable_fun_comp (measurable_scale s) (@measurable_polar R m)).
exists [the {measure set (space R n) -> \bar R} of pushforward (joint (gamma R n) K) ms].
split=> [|g mg g0].
  apply: (etrans (congr1 (joint (gamma R n) K) (preimage_setT _))).
  exact: (etrans (bind_total (gamma R n) _) (gamma_total R n)).
apply: (etrans (integral_pushforward ms (joint (gamma R n) K) mg g0)).
exact: (ge0_integral_joint (gamma R n) K (fun p => g0 _) (measurable_fun_comp mg ms)).
Qed.

Definition euclidean_laplace (s : R) : {measure set (space R n) -> \bar R} :=
  sval (euclidean_laplace_spec s).

Lemma euclidean_laplace_total s : euclidean_laplace s setT = 1%E.
Proof. exact: (proj1 (svalP (euclidean_laplace_spec s))). Qed.

Lemma integral_euclidean_laplace s g : measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[euclidean_laplace s]_z g z =
   \int[gamma R n]_r \int[normal_space R n]_b g (s *: polar (r, b))%R)%E.
Proof. exact: (proj2 (svalP (euclidean_laplace_spec s))). Qed.

Let unit_norm_law : norm_law (@norm2 R n) (euclidean_laplace 1).
Proof.
have [k0 k00 gd] := gamma_density R m.
have sN := normal_space_sigma_finite R n.
have sG : sigma_finite setT (gamma R n) by apply: mass1_sigma_finite; rewrite gamma_total ltry.
have mixed g : measurable_fun setT g -> (forall b, 0 <= g b)%E ->
    (\int[euclidean_laplace 1]_z g z = \int[lebesgue R n]_z
      (left_over R m * ((k0 * expR (- norm2 (z : 'rV[R]_n)))%:E * g z)))%E.
  move=> mg g0; rewrite (integral_euclidean_laplace 1 mg g0) -(polar_integral k00 mg g0).
  have mp : measurable_fun setT (fun p => g (polar p)) by exact: (measurable_fun_comp mg (@measurable_polar R m)).
  rewrite (eq_integral (fun r => \int[normal_space R n]_b g (polar (r, b))))%E; last first.
    by move=> r _; apply: eq_integral => b _; rewrite scale1r.
  rewrite (swap sG sN mp (fun p => g0 _)); apply: eq_integral => b _.
  apply: gd => //; apply: (measurable_fun_comp mp).
  by apply/prod_measurable_funP; split; [exact: measurable_fun_id|exact: measurable_fun_cst].
have mone : measurable_fun setT (fun _ : space R n => 1%E : \bar R) by exact: measurable_fun_cst.
have me : measurable_fun setT (fun z : space R n => (k0 * expR (- norm2 (z : 'rV[R]_n)))%:E).
  exact: (measurable_norm_law k0 (@measurable_norm2 R n)).
have e0 (z : space R n) : (0 <= (k0 * expR (- norm2 (z : 'rV[R]_n)))%:E)%E.
  by rewrite lee_fin mulr_ge0 ?expR_ge0.
pose I := (\int[lebesgue R n]_z (k0 * expR (- norm2 (z : 'rV[R]_n)))%:E)%E.
have I0 : (0 <= I)%E by exact: int_ge0.
(* The total mass is 1: so what is left over is a positive number. *)
have total : (1 = left_over R m * I :> \bar R)%E.
  rewrite -{1}(euclidean_laplace_total 1) (integral_one _ measurableT).
  rewrite (eq_integral (fun=> 1%E)); last by move=> z _; rewrite indicE in_setT.
  rewrite (mixed _ mone) //; under eq_integral do rewrite mule1.
  by rewrite ge0_integralM //; exact: left_over_ge0.
have L0 := left_over_ge0 R m.
have [l lE] : exists l, left_over R m = l%:E.
  move: total L0; case: (left_over R m) => [l| |] //; first by exists l.
  move=> + _; have [->|In] := eqVneq I 0%E; first by rewrite mule0 => -[] /eqP; rewrite oner_eq0.
  by rewrite gt0_mulye // lt_neqAle eq_sym In.
rewrite lE lee_fin in total L0 mixed.
have k_gt0 : 0 < l * k0.
  rewrite lt_neqAle mulr_ge0 // andbT eq_sym; apply: contraPneq total => lk.
  rewrite /I -int_scale // (eq_integral (cst 0%E)) ?integral0; last first.
    by move=> z _; rewrite -EFinM mulrA lk mul0r.
  by move=> -[] /eqP; rewrite oner_eq0.
exists (l * k0) => // g mg g0; rewrite (mixed g mg g0); apply: eq_integral => z _.
by rewrite muleA -EFinM mulrA.
Qed.

(* own:euclidean-laplace: the law that is drawn has density proportional to e^(-|z|/s). *)
Theorem own_euclidean_laplace s : 0 < s ->
  norm_law (fun z => norm2 z / s) (euclidean_laplace s).
Proof.
move=> s0; have -> : (fun z : 'rV[R]_n => norm2 z / s) = (fun z => norm2 (s^-1 *: z)).
  by apply/funext => z; rewrite norm2Z ger0_norm ?invr_ge0 ?ltW // mulrC.
have scaled g : measurable_fun setT g -> (forall b, 0 <= g b)%E ->
    (\int[euclidean_laplace s]_z g z = \int[euclidean_laplace 1]_z g (s *: (z : 'rV[R]_n))%R)%E.
  move=> mg g0; have mgs := measurable_fun_comp mg (measurable_scale s).
  refine (etrans (integral_euclidean_laplace s mg g0)
    (etrans _ (esym (integral_euclidean_laplace 1 mgs (fun b => g0 _))))).
  by apply: eq_integral => r _; apply: eq_integral => b _; rewrite /= scale1r.
exact: (norm_law_scale s0 (@measurable_norm2 R n) unit_norm_law scaled).
Qed.

(* So it may be shifted: this is what [EuclidNoise] asks of the noise of a release. *)
Theorem euclidean_laplace_shift s y : 0 < s ->
  shift_private (s^-1 * norm2 y) y (euclidean_laplace s).
Proof.
move=> s0; apply: norm_law_shift (own_euclidean_laplace s0).
  apply: measurable_funM; last exact: measurable_fun_cst.
  exact: measurable_norm2.
move=> b r; have := norm2_triangle b (r *: y); rewrite norm2Z => tri.
rewrite -mulrA [norm2 y * _]mulrC [s^-1 * _]mulrC -mulrDl.
by rewrite ler_pmul2r // invr_gt0.
Qed.

(* And this is what objective perturbation asks of its tilt. *)
Theorem euclidean_laplace_tilt (Z : Type) (x : Z -> 'rV[R]_n) s : 0 < s ->
  tilt_contract x (euclidean_laplace s) (fun z => s^-1 * norm2 (x z)).
Proof.
move=> s0; split; first exact: euclidean_laplace_total.
  by move=> z; rewrite mulr_ge0 ?norm2_ge0 // invr_ge0 ltW.
by move=> z; exact: euclidean_laplace_shift.
Qed.

End Law.
