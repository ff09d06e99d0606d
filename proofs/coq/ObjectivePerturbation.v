(* own:objective-perturbation: argmin of J_D + <b, .> is private.

   Losses of a linear prediction, with slopes phi' and curvatures phi''.  What is
   proved: the ratio of the densities of the release for neighbours is at most
   e^eps_b (1 + beta/Lambda), hence (eps_b + ln(1 + beta/Lambda))-DP; and a point
   with a small gradient of the tilted objective is surely near the exact
   minimiser.  What is assumed, in one place and by name: [change_of_variables],
   the density of the release, which needs Lebesgue measure on R^d. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets.
From mathcomp.analysis Require Import reals ereal sequences measure.
From mathcomp.analysis Require Import lebesgue_measure lebesgue_integral exp.
From mathcomp.analysis Require Import nsatz_realtype.
From AsapDP Require Import Kernels PureDP Euclid Sensitivity Determinant.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Neighbours *)

Section Neighbours.
Variable Z : Type.
Implicit Types D : seq Z.

Definition one_more D D' := exists D1 z D2, D = D1 ++ z :: D2 /\ D' = D1 ++ D2.

Definition add_remove D D' := one_more D D' \/ one_more D' D.

Definition replace_one D D' :=
  exists D1 z z' D2, D = D1 ++ z :: D2 /\ D' = D1 ++ z' :: D2.

End Neighbours.

(** * Densities *)

Section Densities.
Variables (R : realType) (n : nat) (Z : Type).
Variables (x : Z -> 'rV[R]_n) (slope curvature : Z -> R -> R).
Variables (Lambda G beta : R).
Implicit Types (D : seq Z) (theta b : 'rV[R]_n).

(* The contract of a loss: G bounds its gradient, beta its curvature. *)
Record loss_contract : Prop := LossContract {
  loss_Lambda : 0 < Lambda;
  loss_beta : 0 <= beta;
  loss_slope : forall z s, `|slope z s| * norm2 (x z) <= G;
  loss_convex : forall z s, 0 <= curvature z s;
  loss_curvature : forall z s, curvature z s * norm2 (x z) ^+ 2 <= beta }.

Definition gradient_of z theta : 'rV[R]_n := slope z (dot (x z) theta) *: x z.
Definition hessian_of z theta : 'M[R]_n :=
  rank_one (curvature z (dot (x z) theta)) (x z).

Definition gradient D theta := Lambda *: theta + \sum_(z <- D) gradient_of z theta.
Definition hessian D theta := Lambda%:M + \sum_(z <- D) hessian_of z theta.

(* The density of the release, by the change of variables b = - gradient D. *)
Definition release_density (nu : 'rV[R]_n -> R) D theta : R :=
  nu (- gradient D theta) * \det (hessian D theta).

(* The noise is private at distance S. *)
Definition noise_density eps_b S (nu : 'rV[R]_n -> R) :=
  (forall b, 0 <= nu b) /\
  forall b b', norm2 (b - b') <= S -> nu b <= expR eps_b * nu b'.

Hypothesis loss : loss_contract.

Let factor_ge1 : 1 <= 1 + beta / Lambda.
Proof. by rewrite ler_addl divr_ge0 ?(loss_beta loss) // ltW // (loss_Lambda loss). Qed.

Lemma gradient_insert D z D' theta :
  gradient (D ++ z :: D') theta = gradient (D ++ D') theta + gradient_of z theta.
Proof. by rewrite /gradient !big_cat big_cons /= [X in _ + X = _]addrCA addrCA addrC. Qed.

Lemma hessian_insert D z D' theta :
  hessian (D ++ z :: D') theta = hessian (D ++ D') theta + hessian_of z theta.
Proof. by rewrite /hessian !big_cat big_cons /= [X in _ + X = _]addrCA addrCA addrC. Qed.

Lemma gradient_of_le z theta : norm2 (gradient_of z theta) <= G.
Proof. by rewrite norm2Z (loss_slope loss). Qed.

Lemma hessian_at_least D theta : at_least Lambda (hessian D theta).
Proof.
elim: D => [|z D IH]; first by rewrite /hessian big_nil addr0; apply: at_least_scalar.
by rewrite (hessian_insert [::]); apply: at_least_rank_one => //; exact: (loss_convex loss).
Qed.

Lemma hessian_det_gt0 D theta : 0 < \det (hessian D theta).
Proof. exact: at_least_det_gt0 (loss_Lambda loss) (hessian_at_least D theta). Qed.

Lemma hessian_det_insert D z D' theta :
  \det (hessian (D ++ D') theta) <= \det (hessian (D ++ z :: D') theta)
    <= (1 + beta / Lambda) * \det (hessian (D ++ D') theta).
Proof.
rewrite hessian_insert.
apply: (det_rank_one_ratio (loss_Lambda loss) (hessian_at_least _ _)).
  exact: (loss_convex loss).
by rewrite -sqr_norm2 (loss_curvature loss).
Qed.

Lemma hessian_det_replace D z z' D' theta :
  \det (hessian (D ++ z :: D') theta) <=
  (1 + beta / Lambda) * \det (hessian (D ++ z' :: D') theta).
Proof.
rewrite !hessian_insert.
apply: (det_replace_ratio (loss_Lambda loss) (hessian_at_least _ _));
  rewrite -?sqr_norm2 ?(loss_curvature loss) //; exact: (loss_convex loss).
Qed.

(** ** Neighbours *)

Lemma gradient_add_remove D D' theta : add_remove D D' ->
  norm2 (gradient D' theta - gradient D theta) <= G.
Proof.
move=> [] [D1 [z [D2 [-> ->]]]]; rewrite gradient_insert.
  by rewrite opprD addNKr norm2N gradient_of_le.
by rewrite addrAC subrr add0r gradient_of_le.
Qed.

Lemma gradient_replace_one D D' theta : replace_one D D' ->
  norm2 (gradient D' theta - gradient D theta) <= 2%:R * G.
Proof.
move=> [D1 [z [z' [D2 [-> ->]]]]]; rewrite !gradient_insert opprD addrACA subrr add0r.
apply: le_trans (norm2_triangle _ _) _; rewrite norm2N mulr_natl mulr2n.
by rewrite ler_add // gradient_of_le.
Qed.

Lemma hessian_det_add_remove D D' theta : add_remove D D' ->
  \det (hessian D theta) <= (1 + beta / Lambda) * \det (hessian D' theta).
Proof.
move=> [] [D1 [z [D2 [-> ->]]]]; have /andP[low up] := hessian_det_insert D1 z D2 theta.
  exact: up.
by apply: le_trans low _; rewrite ler_pemull // ltW // hessian_det_gt0.
Qed.

Lemma hessian_det_replace_one D D' theta : replace_one D D' ->
  \det (hessian D theta) <= (1 + beta / Lambda) * \det (hessian D' theta).
Proof. by move=> [D1 [z [z' [D2 [-> ->]]]]]; exact: hessian_det_replace. Qed.

Lemma tilt_ratio eps_b S nu D D' theta : noise_density eps_b S nu ->
  norm2 (gradient D' theta - gradient D theta) <= S ->
  nu (- gradient D theta) <= expR eps_b * nu (- gradient D' theta).
Proof. by move=> [_ nu_dp] grads; apply: nu_dp; rewrite opprK addrC. Qed.

(** ** Noise ratio times determinant ratio *)

Let combine eps_b S nu D D' theta : noise_density eps_b S nu ->
  norm2 (gradient D' theta - gradient D theta) <= S ->
  \det (hessian D theta) <= (1 + beta / Lambda) * \det (hessian D' theta) ->
  release_density nu D theta <=
  expR (eps_b + ln (1 + beta / Lambda)) * release_density nu D' theta.
Proof.
move=> nu_dp grads dets; rewrite expRD lnK; last first.
  by rewrite posrE (lt_le_trans ltr01 factor_ge1).
rewrite /release_density mulrACA.
by apply: ler_pmul (tilt_ratio nu_dp grads) dets; [exact: (proj1 nu_dp)|exact/ltW/hessian_det_gt0].
Qed.

Theorem release_density_add_remove eps_b nu D D' theta :
  noise_density eps_b G nu -> add_remove D D' ->
  release_density nu D theta <=
  expR (eps_b + ln (1 + beta / Lambda)) * release_density nu D' theta.
Proof.
move=> nu_dp DD'; apply: (combine nu_dp); first exact: gradient_add_remove.
exact: hessian_det_add_remove.
Qed.

Theorem release_density_replace_one eps_b nu D D' theta :
  noise_density eps_b (2%:R * G) nu -> replace_one D D' ->
  release_density nu D theta <=
  expR (eps_b + ln (1 + beta / Lambda)) * release_density nu D' theta.
Proof.
move=> nu_dp DD'; apply: (combine nu_dp); first exact: gradient_replace_one.
exact: hessian_det_replace_one.
Qed.

(* The law that the crate uses: density proportional to e^(-(eps_b/S) |b|_2). *)
Lemma euclidean_laplace_density eps_b S c : 0 <= c -> 0 < S -> 0 <= eps_b ->
  noise_density eps_b S (fun b => c * expR (- (eps_b / S * norm2 b))).
Proof.
move=> c0 S0 eps0; split=> [b|b b' bb']; first by rewrite mulr_ge0 // ltW // expR_gt0.
rewrite mulrCA -expRD ler_wpmul2l // ler_expR.
have := norm2_triangle (b' - b) b; rewrite subrK => tri.
rewrite (norm_distC (norm2_is_norm R n)) in bb'.
have /(ler_wpmul2l (divr_ge0 eps0 (ltW S0))) := le_trans tri (ler_add bb' (lexx _)).
by rewrite mulrDr divfK ?gt_eqF // => h; apply: le_from h _; nsatz.
Qed.

End Densities.

(** * Laws *)

Section Laws.
Variables (R : realType) (n : nat) (Z : Type).
Variables (x : Z -> 'rV[R]_n) (slope curvature : Z -> R -> R).
Variables (Lambda G beta eps_b : R) (nu : 'rV[R]_n -> R).
Hypothesis loss : loss_contract x slope curvature Lambda G beta.

Context dsp (T : measurableType dsp) (coordinates : T -> 'rV[R]_n).
Variables (mu : {measure set T -> \bar R}) (M : seq Z -> {measure set T -> \bar R}).

Let p D (t : T) : R := release_density x slope curvature Lambda nu D (coordinates t).

(* The one hypothesis about R^d: the minimiser of J_D + <b, .> has the density of
   b at - gradient D, times the determinant of the Hessian.  Here mu is meant to
   be Lebesgue measure; the proof below uses nothing of it. *)
Definition change_of_variables :=
  (forall D, measurable_fun setT (p D)) /\
  forall D A, measurable A -> M D A = (\int[mu]_(t in A) (p D t)%:E)%E.

Hypothesis densities : change_of_variables.

Let law_ratio c D D' : 0 <= c -> (forall theta, 0 <= nu theta) ->
  (forall t, p D t <= c * p D' t) ->
  forall A, measurable A -> (M D A <= c%:E * M D' A)%E.
Proof.
move=> c0 nu0 pp A mA; have [mp ME] := densities; rewrite !ME //.
have p0 D'' t : 0 <= p D'' t.
  by rewrite mulr_ge0 // ltW // (hessian_det_gt0 loss).
have mpE D'' : measurable_fun A (fun t => (p D'' t)%:E).
  by apply/EFin_measurable_fun/measurable_funTS.
rewrite -ge0_integralM_EFin //; last by move=> t _; rewrite lee_fin.
apply: ge0_le_integral => //.
- by move=> t _; rewrite lee_fin.
- by move=> t _; rewrite -EFinM lee_fin mulr_ge0.
- exact: measurable_funeM.
- by move=> t _; rewrite -EFinM lee_fin.
Qed.

Theorem own_objective_perturbation_add_remove : noise_density eps_b G nu ->
  private (@add_remove Z) (eps_b + ln (1 + beta / Lambda)) M.
Proof.
move=> nu_dp D D' DD' A; apply: law_ratio; [exact/ltW/expR_gt0|exact: (proj1 nu_dp)|].
by move=> t; apply: (release_density_add_remove loss _ nu_dp).
Qed.

Theorem own_objective_perturbation_replace_one : noise_density eps_b (2%:R * G) nu ->
  private (@replace_one Z) (eps_b + ln (1 + beta / Lambda)) M.
Proof.
move=> nu_dp D D' DD' A; apply: law_ratio; [exact/ltW/expR_gt0|exact: (proj1 nu_dp)|].
by move=> t; apply: (release_density_replace_one loss _ nu_dp).
Qed.

End Laws.

(** * The computed point *)

(* J lies above its tangent at theta by Lambda/2 |.|^2, g is its gradient there;
   b' is the tilt that was drawn, within e_b of the exact b; the solver stopped at
   |g + b'| <= r.  Whatever b is, theta is within (e_b + r)/Lambda of the exact
   minimiser: the coupling by b that thm:asap_privacy asks for. *)
Theorem own_objective_perturbation_distance (R : realType) (n : nat)
    (J : 'rV[R]_n -> R) (Lambda e_b r : R) (theta theta_b g b b' : 'rV[R]_n) :
  0 < Lambda -> strongly_convex (@norm2 R n) setT Lambda J ->
  (forall y, J theta + dot g (y - theta) + Lambda / 2%:R * norm2 (y - theta) ^+ 2 <= J y) ->
  minimiser setT (fun y => J y + dot b y) theta_b ->
  norm2 (b - b') <= e_b -> norm2 (g + b') <= r ->
  norm2 (theta - theta_b) <= (e_b + r) / Lambda.
Proof.
move=> L0 Jc tangent minb bb' gb'; have normed := norm2_is_norm R n.
have er : norm2 (g + b) <= e_b + r.
  rewrite -[g + b](subrK (g + b')) (le_trans (norm2_triangle _ _)) // ler_add //.
  by rewrite opprD addrACA subrr add0r.
have er0 : 0 <= e_b + r := le_trans (norm2_ge0 _) er.
have tilt_convex : strongly_convex (@norm2 R n) setT Lambda (fun y => J y + dot b y).
  apply: strongly_convexD => // u v t _ _ _; rewrite !mul0r subr0 /segment !dot_simpl.
  exact: lexx.
apply: (own_certified_minimiser normed L0 _ _ tilt_convex minb) => //.
  by rewrite divr_ge0 // ltW.
have := cauchy_schwarz (- (g + b)) (theta_b - theta); rewrite norm2N => cs.
have := ler_add (tangent theta_b) (le_trans cs (ler_wpmul2r (norm2_ge0 _) er)).
move=> h; apply: le_from h _.
rewrite [Lambda * _]mulrC divfK ?gt_eqF // !dot_simpl; nsatz.
Qed.
