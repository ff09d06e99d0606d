(* The contracts of the mechanisms of [EndToEndGauss] hold at once in one dimension with
   Lebesgue measure and real noise: the logistic loss with a weight for each class on a
   ball, where the law of the minimiser has mass on the edge; a normal tilt; a computed
   point that is off by 1 in a direction that tells whether the number of records is odd;
   normal noise around the rounded point, rounded.

     witness_gaussian_contracts    every field of gaussian_contracts, with J = 0: the
                                   regulariser is twice the squared deviation, and the
                                   curvature is free
     witness_objective_gaussian    add or remove a record: sqrt(1 + 1)
     witness_objective_gaussian_replace_one   replace one: sqrt(4 + 1)
     witness_output_gaussian_contracts, witness_output_gaussian                         *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation OutputPerturbation Logistic LineLaw.
From AsapDP Require Import WitnessLine Instances GaussLine GaussCurve GaussObjective GaussPrice.
From AsapDP Require Import EndToEndGauss.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Witness.
Variable R : realType.

(* A record is the label of a point at 1; one class counts half. *)
Let row (z : bool) : 'rV[R]_1 := if z then unit1 R else - unit1 R.
Let weight (z : bool) : R := if z then 1 else half R.

Let row_norm z : norm2 (row z) = 1.
Proof. by case: z; rewrite /row ?norm2N norm_unit1. Qed.

Let weight_bounds z : 0 <= weight z <= 1.
Proof.
case: z; rewrite /weight ?ler01 ?lexx // (ltW (half_gt0 R)) /=.
by rewrite -(halves R) ler_addl ltW // half_gt0.
Qed.

Let disc := @unit_ball R 1.
Let domain : domain_contract disc := unit_ball_domain R 1.
Let two_gt0 : 0 < 2%:R :> R := ltr0n _ 2.

Let loss z (t : R) : R := weight z * logistic t.
Let slope z (t : R) : R := weight z * logistic_slope t.

Let losses : loss_contract disc row loss slope (fun=> 4%:R^-1) 2%:R :=
  weighted_logistic_contract disc row weight_bounds two_gt0.

Let times1 (u : 'rV[R]_1) : times_sd (unit1 R) u = u.
Proof. by apply/rowP => i; rewrite !mxE mul1r. Qed.

Let over1 (u : 'rV[R]_1) : over_sd (unit1 R) u = u.
Proof. by apply/rowP => i; rewrite !mxE divr1. Qed.

(* m = 1 and K = 1/2: 2 K <= m. *)
Let price : gaussian_price disc row slope 2%:R (unit1 R) 1 0.
Proof.
apply: (@logistic_gaussian_price R 1 disc bool row weight 2%:R (unit1 R) 1 0 (half R)
  weight_bounds two_gt0).
- by move=> i; rewrite mxE.
- exact: ltr01.
- exact/ltW/half_gt0.
- by move=> z; rewrite /reach over1 row_norm.
- by move=> z; rewrite times1 row_norm mulr_natl mulr2n halves.
- move=> q /andP[q0 _]; apply: free_price => //.
  by rewrite halves.
Qed.

Let side (D : seq bool) : R := (- 1) ^+ size D.
Let solved_point D b := released losses domain D b.
Let computed D b : space R 1 := along (unit1 R) (side D) (solved_point D b).

Let shift_measurable r : measurable_fun setT (along (unit1 R) r).
Proof.
pose f (z : R * space R 1) := along (unit1 R) z.1 z.2.
by apply: (measurable_fun_prod1 (f := f)); exact: measurable_along.
Qed.

Let side_norm D : norm2 (side D *: unit1 R) = 1.
Proof. by rewrite norm2Z norm_unit1 mulr1 /side normrX normrN1 expr1n. Qed.

Let solved_unique D (b theta : space R 1) :
  minimiser disc (fun t => total row loss 2%:R D t + dot b t) theta -> theta = solved_point D b.
Proof.
move=> minb; apply: (@stationary_unique _ _ _ _ _ _ _ _ _ losses D (- (b : 'rV[R]_1))).
  apply/(first_order losses domain); case: minb => inb lowest; split=> // t tin.
  by have := lowest t tin; rewrite /tilted !dotNl !opprK.
exact: argmin_stationary.
Qed.

Let rounding : rounding_contract 1 id (lattice 1 : 'rV[R]_1 -> 'rV[R]_1).
Proof.
split=> // [u i|]; last exact: (measurable_lattice (@ltr01 R)).
by rewrite ord1 -/(coordinate _) pointK; exact: nearest_near.
Qed.

Definition witness_gaussian : gaussian_mechanism R 1 bool (space R 1) := {|
  gaussian_domain := disc;
  gaussian_row := row;
  gaussian_loss := loss;
  gaussian_slope := slope;
  gaussian_curvature := fun=> 4%:R^-1;
  gaussian_regulariser := 2%:R;
  gaussian_deviation := unit1 R;
  gaussian_computed := computed;
  gaussian_distance := 1;
  gaussian_step := 1;
  gaussian_clamp := id;
  gaussian_lattice := lattice 1;
  gaussian_noise := 3%:R;
  gaussian_out := (lattice 1 : space R 1 -> space R 1) |}.

Theorem witness_gaussian_contracts : gaussian_contracts witness_gaussian 1 0 1 1.
Proof.
split; rewrite /witness_gaussian /=.
- exact: losses.
- exact: domain.
- by move=> i; rewrite mxE.
- exact: price.
- exact: ltr01.
- exact: lexx.
- by rewrite mulr0 addr0.
- move=> D; exact: (measurable_fun_comp (shift_measurable (side D))
    (measurable_released losses domain D)).
- move=> D b theta /solved_unique ->; rewrite /computed /along addrAC subrr add0r.
  by rewrite side_norm.
- exact: rounding.
- exact: (measurable_lattice (@ltr01 R)).
- exact: (ltr0n _ 3).
- exact: ler01.
- by rewrite sqrtr1 !mulr1 mul1r natr1.
Qed.

Corollary witness_objective_gaussian :
  gaussian_private (@add_remove bool) (Num.sqrt (1 ^+ 2 + 1 ^+ 2))
    (gaussian_release witness_gaussian_contracts).
Proof. exact: thm_objective_gaussian. Qed.

Corollary witness_objective_gaussian_replace_one :
  gaussian_private (@replace_one bool) (Num.sqrt ((1 + 1) ^+ 2 + 1 ^+ 2))
    (gaussian_release witness_gaussian_contracts).
Proof. exact: thm_objective_gaussian_replace_one. Qed.

(** * Output perturbation *)

Let row_loss z (theta : 'rV[R]_1) : R := loss z (prediction row z theta).

Let row_loss_convex z : strongly_convex (@norm2 R 1) disc 0 (row_loss z).
Proof.
move=> u v t Cu Cv t01; have /andP[t0 t1] := t01.
have Cs := domain_convex domain Cu Cv t01; set s := segment t u v in Cs *.
have a := ler_wpmul2l t0 (loss_convex losses z Cs Cu).
have s0 : 0 <= 1 - t by rewrite subr_ge0.
have b := ler_wpmul2l s0 (loss_convex losses z Cs Cv).
have sE : prediction row z s = t * prediction row z u + (1 - t) * prediction row z v.
  by rewrite /prediction /s /segment dotDr !dotZr.
rewrite !mul0r subr0 /row_loss; apply: le_from (ler_add a b) _; rewrite sE.
by move: (slope _ _) (loss _ _) (loss _ _) (loss _ _) => *; nsatz.
Qed.

Let row_loss_lipschitz z : lipschitz_on (@norm2 R 1) disc 1 (row_loss z).
Proof.
move=> u v Cu Cv; have := loss_convex losses z Cu Cv; rewrite -/(row_loss z u) -/(row_loss z v).
set p := prediction row z u; set q := prediction row z v => tangent.
have sl : `|slope z p| <= 1.
  rewrite /slope normrM logistic_slope_abs; have /andP[w0 w1] := weight_bounds z.
  have /andP[m0 m1] := miss_bounds p; rewrite (ger0_norm w0); exact: mulr_ile1.
have pq : `|q - p| <= norm2 (u - v).
  have -> : q - p = - dot (row z) (u - v) by rewrite /q /p /prediction dotDr dotNr; nsatz.
  rewrite normrN ler_norml; have := row_norm z => r1; apply/andP; split.
    by rewrite ler_oppl -dotNl; apply: (le_trans (cauchy_schwarz _ _)); rewrite norm2N r1 mul1r.
  by apply: (le_trans (cauchy_schwarz _ _)); rewrite r1 mul1r.
have : - (slope z p * (q - p)) <= 1 * norm2 (u - v).
  apply: le_trans (ler_norm _) _; rewrite normrN normrM; exact: ler_pmul.
by move=> h; apply: le_from (ler_add tangent h) _; nsatz.
Qed.

Let star D : 'rV[R]_1 := argmin losses domain D 0.

Let star_minimiser D : minimiser disc (Sensitivity.objective row_loss 2%:R D) (star D).
Proof.
have [Ct lowest] := argmin_minimiser losses domain D 0; split => // t Ct'.
have zero (w : 'rV[R]_1) : dot 0 w = 0 by rewrite /dot big1 // => i _; rewrite mxE mul0r.
by have := lowest t Ct'; rewrite /tilted !zero !subr0.
Qed.

Let opt D : 'rV[R]_1 := star D + side D *: unit1 R.

Let sigma : R := 4%:R.

Let quarter : 1 / 2%:R + (1 + 1) + Num.sqrt 1%:R * 1 <= 1 * sigma.
Proof.
have h : 1 / 2%:R <= 1 :> R by rewrite ler_pdivr_mulr // mul1r ler1n.
have s4 : sigma = 1 + (1 + 1) + 1 by rewrite /sigma -[1 + 1]/(2%:R) nat1r natr1.
rewrite sqrtr1 [1 * sigma]mul1r s4 [1 * 1]mulr1.
exact: (ler_add (ler_add h (lexx _)) (lexx _)).
Qed.

Theorem witness_output_gaussian_contracts : output_gaussian_contracts row_loss 2%:R 1 disc
  star opt 1 1 id (lattice 1) sigma (lattice 1 : space R 1 -> space R 1) (1 / 2%:R) 1.
Proof.
split.
- split => //; exact: (domain_convex domain).
- exact: star_minimiser.
- by move=> D; rewrite /opt addrAC subrr add0r side_norm.
- exact: rounding.
- exact: (measurable_lattice (@ltr01 R)).
- exact: (ltr0n _ 4).
- exact: quarter.
Qed.

Corollary witness_output_gaussian : gaussian_private (@add_remove bool) 1
  (output_gaussian_release witness_output_gaussian_contracts).
Proof. exact: thm_output_gaussian. Qed.

End Witness.
