(* The contracts of objective perturbation, and those of output perturbation, hold at once
   in one dimension with real noise: the logistic loss on a ball, where the law of the minimiser has mass on the
   edge; a Laplace tilt with its density; a computed point that is off by Delta in a
   direction that tells whether the number of records is odd; Laplace noise of real
   scale around a rounded point, rounded.  `near` is a distance.

     witness_objective_contracts       every field of objective_contracts
     witness_objective_perturbation    add or remove a record: 1 + 1
     witness_objective_replace_one     replace one: 1 + 1 + 1
     witness_line_output_contracts     every field of output_contracts
     witness_line_output_perturbation  add or remove a record: 1

   The joint price is 1 here: the tilt pays for slope and curvature, as slope 1 and
   curvature 1/4 are not at the same point.  Separately they would cost 1 + ln(5/4).
   RefutedLine.v shows that without the curvature the claim is false.               *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation OutputPerturbation EndToEnd.
From AsapDP Require Import EuclidNoise Logistic LineLaw.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section UnitBall.
Variables (R : realType) (n : nat).

Definition unit_ball : set 'rV[R]_n := [set theta | norm2 theta <= 1].

Lemma unit_ball_domain : domain_contract unit_ball.
Proof.
split.
- move=> u v t /= u1 v1 /andP[t0 t1]; apply: (le_trans (norm2_triangle _ _)).
  rewrite !norm2Z (ger0_norm t0) ger0_norm ?subr_ge0 //.
  apply: (@le_trans _ _ (t * 1 + (1 - t) * 1)); last by rewrite !mulr1 addrC subrK.
  by apply: ler_add; apply: ler_wpmul2l => //; rewrite subr_ge0.
- move=> v close; rewrite /unit_ball /mkset leNgt; apply/negP => v1.
  have gap : 0 < norm2 v - 1 by rewrite subr_gt0.
  have [w w1] := close _ gap.
  rewrite ltNge => /negP; apply; have tri := norm2_triangle (v - w) w.
  rewrite subrK in tri; rewrite ler_subl_addr (norm_distC (norm2_is_norm R n)).
  by apply: le_trans tri _; rewrite ler_add2l.
by exists 0; rewrite /unit_ball /mkset /norm2 /dot big1 ?sqrtr0 // => i _; rewrite mxE mul0r.
Qed.

End UnitBall.

Section Witness.
Variable R : realType.

(* A record is a number, clipped to [-1, 1]: a feature with the sign of its label. *)
Definition clip (z : R) : R := Num.min 1 (Num.max (- 1) z).
Definition row (z : R) : 'rV[R]_1 := point (clip z).

Lemma row_le1 z : norm2 (row z) <= 1.
Proof.
rewrite norm_point ler_norml /clip; apply/andP; split; last by rewrite le_minl lexx.
by rewrite le_minr le_maxr lexx andbT -subr_ge0 opprK addr_ge0.
Qed.
Local Hint Resolve row_le1 : core.

Let disc := @unit_ball R 1.

Let domain : domain_contract disc := unit_ball_domain R 1.

Let losses : loss_contract disc row (fun=> @logistic R) (fun=> @logistic_slope R)
  (fun=> 4%:R^-1) 1 := logistic_contract disc row ltr01.

Let third_gt0 : 0 < 3%:R^-1 :> R. Proof. by rewrite invr_gt0. Qed.

(* The tilt has scale 1, the noise scale 3. *)
Let tilt := line_laplace (@ltr01 R).
Let noise := line_laplace third_gt0.

Let cost (z : R) : R := 1 * norm2 (row z).

Let tilt_private : tilt_contract row tilt cost.
Proof.
split; first exact: line_laplace_total.
  by move=> z; rewrite /cost mul1r norm2_ge0.
by move=> z; exact: line_laplace_shift.
Qed.

Let solved D b := released losses domain D b.

(* Off by 1, up or down. *)
Definition side (D : seq R) : R := (- 1) ^+ size D.
Let computed D b : space R 1 := along (unit1 R) (side D) (solved D b).

Let computed_measurable D : measurable_fun setT (computed D).
Proof.
pose f (z : R * space R 1) := along (unit1 R) z.1 z.2.
have mf : measurable_fun setT (fun u : space R 1 => f (side D, u)).
  by apply: (measurable_fun_prod1 (f := f)); exact: measurable_along.
exact: (measurable_fun_comp mf (measurable_released losses domain D)).
Qed.

Let near (u v : space R 1) := norm2 ((u : 'rV[R]_1) - (v : 'rV[R]_1)) <= 1.

Let id_lipschitz (a b : R) : `|id a - id b| <= `|a - b|. Proof. exact: lexx. Qed.

Let clamped_measurable : measurable_fun setT (clamped id : space R 1 -> space R 1).
Proof.
apply: (lipschitz_map_measurable (K := 1)) => u v; rewrite mul1r.
exact: clamped_norm2.
Qed.

Let rounding := measurable_lattice (@ltr01 R).

Definition witness_objective : objective_mechanism R 1 R (space R 1) := {|
  objective_domain := disc;
  objective_row := row;
  objective_loss := fun=> @logistic R;
  objective_slope := fun=> @logistic_slope R;
  objective_curvature := fun=> 4%:R^-1;
  objective_regulariser := 1;
  objective_tilt := tilt;
  objective_cost := cost;
  objective_computed := computed;
  objective_near := near;
  objective_noise := noise_kernel (line_laplace_total third_gt0) rounding rounding;
  objective_centre :=
    noise_kernel (line_laplace_total third_gt0) clamped_measurable rounding |}.

(* p + ln(1 + p(1 - p)) is at most 1. *)
Let price : price_contract disc row (fun=> @logistic_slope R) 1 cost 1 1.
Proof.
apply: (logistic_price disc ltr01 tilt_private ler01 (kappa := 1)) => //.
- by move=> z; rewrite /cost mul1r.
- by move=> z; rewrite invr1 mul1r expr_le1 // norm2_ge0.
move=> p /andP[p0 p1]; rewrite mul1r mulr1 -[X in _ <= expR X](subrK p) addrC expRD.
rewrite mulrC; apply: ler_wpmul2r; first exact: expR_ge0.
apply: le_trans (expR_tangent (1 - p)).
by rewrite addrC ler_add2l ler_pimull // subr_ge0.
Qed.

Let rounded_near (u : 'rV[R]_1) i : `|lattice 1 u 0 i - id (u 0 i)| <= 1 / 2%:R.
Proof. by rewrite ord1 -/(coordinate _) pointK; exact: nearest_near. Qed.

Let scale : 3%:R^-1 * (2%:R * 1 + Num.sqrt 1%:R * 1) <= 1 :> R.
Proof. by rewrite sqrtr1 !mulr1 natr1 mulVf ?pnatr_eq0. Qed.

Let solved_unique D (b theta : space R 1) :
  minimiser disc (fun t => total row (fun=> @logistic R) 1 D t + dot b t) theta ->
  theta = solved D b.
Proof.
move=> minb; apply: (@stationary_unique _ _ _ _ _ _ _ _ _ losses D (- (b : 'rV[R]_1))).
  apply/(first_order losses domain); case: minb => inb lowest; split=> // t tin.
  by have := lowest t tin; rewrite /tilted !dotNl !opprK.
exact: argmin_stationary.
Qed.

Theorem witness_objective_contracts : objective_contracts witness_objective 1 1 1.
Proof.
split; rewrite /witness_objective /=.
- exact: losses.
- exact: domain.
- exact: tilt_private.
- exact: price.
- exact: lexx.
- exact: computed_measurable.
- move=> D b theta /solved_unique ->; rewrite /near /computed /along addrAC subrr add0r.
  by rewrite norm_point /side normrX normrN1 expr1n.
- move=> u v uv A mA.
  have := euclid_noise_to_centre (ltW third_gt0) (line_laplace_shift third_gt0) rounding
    id_lipschitz rounded_near scale uv mA.
  exact.
- move=> u v uv A mA.
  have := euclid_centre_to_noise (ltW third_gt0) (line_laplace_shift third_gt0) rounding
    id_lipschitz rounded_near scale uv mA.
  exact.
Qed.

Corollary witness_objective_perturbation : private (@add_remove R) (1 + 1)
  (objective_release witness_objective_contracts).
Proof. exact: thm_objective_perturbation. Qed.

Corollary witness_objective_replace_one : private (@replace_one R) (1 + 1 + 1)
  (objective_release witness_objective_contracts).
Proof. exact: thm_objective_perturbation_replace_one. Qed.

(** * Output perturbation *)

(* The minimiser without a tilt, computed with an error of 1 that tells the parity of the
   number of records, rounded to whole numbers, with Laplace noise of scale 4. *)
Let quarter_gt0 : 0 < 4%:R^-1 :> R. Proof. by rewrite invr_gt0. Qed.

Let distance (u v : space R 1) : R := norm2 ((u : 'rV[R]_1) - (v : 'rV[R]_1)).

Definition witness_line_output : output_mechanism (seq R) R (space R 1) (space R 1) := {|
  output_minimiser := fun D => argmin losses domain D 0;
  output_computed := fun D => along (unit1 R) (side D) (argmin losses domain D 0);
  output_dist := distance;
  output_sensitivity := 1;
  output_tolerance := 1;
  output_noise := noise_kernel (line_laplace_total quarter_gt0) rounding rounding |}.

Let one_record D1 z D2 :
  distance (argmin losses domain (D1 ++ z :: D2) 0) (argmin losses domain (D1 ++ D2) 0) <= 1.
Proof.
rewrite /distance [X in norm2 (X - _)](argmin_insert losses domain D1 z D2 0).
apply: le_trans (argmin_lipschitz losses domain _ _ _) _.
rewrite invr1 mul1r subr0 sub0r norm2N norm2Z logistic_slope_abs.
set m := prediction _ _ _; have /andP[m0 m1] := miss_bounds m.
by rewrite mulr_ile1 ?norm2_ge0 ?row_le1.
Qed.

Let rounded_distance (u v : 'rV[R]_1) : distance u v <= 3%:R ->
  4%:R^-1 * norm2 (lattice 1 u - lattice 1 v) <= 1.
Proof.
rewrite /distance !norm_coordinate => uv; rewrite mulrC ler_pdivr_mulr // mul1r.
have split (w w' : 'rV[R]_1) : coordinate (w - w') = coordinate w - coordinate w'.
  by rewrite /coordinate !mxE.
rewrite !split !pointK in uv *; move: (coordinate u) (coordinate v) uv => a b ab.
have one : (1 / 2%:R + (3%:R + 1 / 2%:R) = 4%:R :> R)%R by rewrite addrCA -splitr natr1.
apply: le_trans (ler_dist_add a _ _) _; rewrite -one; apply: ler_add.
  exact: (nearest_near (@ltr01 R)).
apply: le_trans (ler_dist_add b _ _) _; apply: ler_add => //.
by rewrite distrC; exact: (nearest_near (@ltr01 R)).
Qed.

Theorem witness_line_output_contracts :
  output_contracts (@add_remove R) witness_line_output 1.
Proof.
have normed := norm2_is_norm R 1.
split; rewrite /witness_line_output /=.
- by move=> u v; rewrite /distance (norm_distC normed).
- by move=> u v w; exact: (dist_triangle normed).
- move=> D; rewrite /distance /along addrAC subrr add0r.
  by rewrite norm_point /side normrX normrN1 expr1n.
- move=> D D' [] [D1 [z [D2 [-> ->]]]]; first exact: one_record.
  by rewrite /distance (norm_distC normed); exact: one_record.
- move=> u v uv A mA; have uv3 : distance u v <= 3%:R.
    by apply: le_trans uv _; rewrite nat1r.
  exact: (around_private (line_laplace_shift quarter_gt0) rounding (rounded_distance uv3) mA).
Qed.

Corollary witness_line_output_perturbation : private (@add_remove R) 1 (fun D =>
  output_noise witness_line_output (output_computed witness_line_output D)).
Proof. exact: thm_output_perturbation witness_line_output_contracts. Qed.

End Witness.
