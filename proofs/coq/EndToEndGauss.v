(* Whole mechanisms under Gaussian privacy, from run-time contracts: the sisters of
   [EndToEnd] for mu.

     thm_objective_gaussian     the minimiser of a normally tilted objective, its error
                                covered by rounded normal noise: squares add
     thm_output_gaussian        a certified minimiser with rounded normal noise
     thm_posterior_gaussian     localise, draw near the posterior, cover the error; that the
                                posterior itself is private is a contract (lem:GDP_Post_Sam) *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation OutputPerturbation HockeyStick Profile.
From AsapDP Require Import GaussLine GaussCurve GaussPlane GaussCompose GaussSpace GaussSpread.
From AsapDP Require Import GaussAsap GaussTail GaussBoth GaussObjective GaussNeighbours.
From AsapDP Require Import EndToEnd Instances.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* mu-GDP for all neighbours. *)
Definition gaussian_private (Data : Type) d (U : measurableType d) (R : realType)
    (neighbours : Data -> Data -> Prop) (mu : R) (M : Data -> {measure set U -> \bar R}) :=
  forall D D', neighbours D D' -> gdp mu (M D) (M D').

(** * Rounded points *)

(* A point is clamped, rounded to a lattice of step g, and gets normal noise; the sum is
   rounded once more.  [out] is that last function. *)
Section Rounding.
Variables (R : realType) (n : nat) (g : R) (clamp : R -> R) (lattice : 'rV[R]_n -> 'rV[R]_n).

Record rounding_contract : Prop := RoundingContract {
  rounding_clamp : forall a b, `|clamp a - clamp b| <= `|a - b|;
  rounding_near : forall x i, `|lattice x 0 i - clamp (x 0 i)| <= g / 2%:R;
  rounding_measurable : measurable_fun setT (lattice : space R n -> space R n) }.

Hypothesis rounding : rounding_contract.

(* Two points at distance r are at most r + sqrt n g apart on the lattice. *)
Lemma rounded_distance x y r : norm2 (x - y) <= r ->
  norm2 (lattice x - lattice y) <= r + Num.sqrt n%:R * g.
Proof.
move=> xy; have normed := norm2_is_norm R n.
have half_step u : norm2 (lattice u - clamped clamp u) <= Num.sqrt n%:R * (g / 2%:R).
  exact: (moved_norm2 (steps := lattice) (point := id) (rounding_near rounding)).
apply: (le_trans (dist_triangle normed (clamped clamp x) _ _)).
have := le_trans (clamped_norm2 (rounding_clamp rounding) x y) xy => cxy.
have tri := dist_triangle normed (clamped clamp y) (clamped clamp x) (lattice y).
have hy := half_step y; rewrite (norm_distC normed) in hy.
have two : Num.sqrt n%:R * (g / 2%:R) + Num.sqrt n%:R * (g / 2%:R) = Num.sqrt n%:R * g.
  by rewrite -mulrDr -splitr.
rewrite -two; apply: le_from (ler_add (ler_add (half_step x) tri) (ler_add cxy hy)) _.
by nsatz.
Qed.

End Rounding.

(** * Objective perturbation *)

Section Objective.
Context (R : realType) (n : nat) (Z : Type) d' (U : measurableType d').

Record gaussian_mechanism := GaussianMechanism {
  (* the parameter domain *)
  gaussian_domain : set 'rV[R]_n;
  (* row, loss and slope of a record, and a bound on its curvature *)
  gaussian_row : Z -> 'rV[R]_n;
  gaussian_loss : Z -> R -> R;
  gaussian_slope : Z -> R -> R;
  gaussian_curvature : Z -> R;
  gaussian_regulariser : R;
  (* the deviation of the tilt in each coordinate *)
  gaussian_deviation : 'rV[R]_n;
  (* the point that the program computes for the exact b, and its distance *)
  gaussian_computed : seq Z -> space R n -> space R n;
  gaussian_distance : R;
  (* rounding to a lattice, the deviation of the noise, and what is done with the sum *)
  gaussian_step : R;
  gaussian_clamp : R -> R;
  gaussian_lattice : 'rV[R]_n -> 'rV[R]_n;
  gaussian_noise : R;
  gaussian_out : space R n -> U }.

(* m and J: what one record costs by its slope and by its curvature. *)
Variables (M : gaussian_mechanism) (m J mu_tilt mu_asap : R).

Record gaussian_contracts : Prop := GaussianContracts {
  (* own:losses, on the domain only *)
  gaussian_losses :
    loss_contract (gaussian_domain M) (gaussian_row M) (gaussian_loss M)
      (gaussian_slope M) (gaussian_curvature M) (gaussian_regulariser M);
  (* a ball, or everything *)
  gaussian_closed_convex :
    domain_contract (gaussian_domain M);
  gaussian_deviation_gt0 :
    forall i, 0 < gaussian_deviation M 0 i;
  (* own:gaussian-tilt, own:joint-price *)
  gaussian_record_price :
    gaussian_price (gaussian_domain M) (gaussian_row M) (gaussian_slope M)
      (gaussian_regulariser M) (gaussian_deviation M) m J;
  gaussian_slope_share : 0 < m;
  gaussian_curvature_share : 0 <= J;
  (* mass/2 is sqrt(pi/2): the contract has 321/256 *)
  gaussian_shares : m + half R * mass R * J <= mu_tilt;
  (* the program sees countably many tilts *)
  gaussian_computed_measurable :
    forall D, measurable_fun setT (gaussian_computed M D);
  (* whatever b is, the certified point is within Delta of the exact minimiser *)
  gaussian_computed_near :
    forall D (b theta : space R n), minimiser (gaussian_domain M)
        (fun t => total (gaussian_row M) (gaussian_loss M)
          (gaussian_regulariser M) D t + dot b t) theta ->
      norm2 ((gaussian_computed M D b : 'rV[R]_n) - theta) <= gaussian_distance M;
  (* own:lattice *)
  gaussian_rounding :
    rounding_contract (gaussian_step M) (gaussian_clamp M) (gaussian_lattice M);
  gaussian_out_measurable :
    measurable_fun setT (gaussian_out M);
  gaussian_noise_gt0 : 0 < gaussian_noise M;
  gaussian_asap_share : 0 <= mu_asap;
  (* the noise covers twice the error, and rounding *)
  gaussian_noise_covers :
    2%:R * gaussian_distance M + Num.sqrt n%:R * gaussian_step M <= mu_asap * gaussian_noise M }.

Hypothesis contracts : gaussian_contracts.

Let N := normal_space R n.
Let sd := gaussian_deviation M.
Let exact_point := solved (gaussian_losses contracts) (gaussian_closed_convex contracts) sd.

(* The rounded point, as a function of a standard normal vector. *)
Let centre D (g : space R n) : space R n :=
  gaussian_lattice M (gaussian_computed M D (times_sd sd g)).

Let measurable_centre D : measurable_fun setT (centre D).
Proof.
exact: (measurable_fun_comp (rounding_measurable (gaussian_rounding contracts))
  (measurable_fun_comp (gaussian_computed_measurable contracts D) (measurable_times_sd sd))).
Qed.

Let out (p : space R n * space R n) : U := gaussian_out M p.2.

Let measurable_out : measurable_fun setT out.
Proof.
exact: (measurable_fun_comp (gaussian_out_measurable contracts) (@measurable_snd _ _ _ _)).
Qed.

(* What leaves: the certified point for a random b, rounded, with noise. *)
Definition gaussian_release D : {measure set U -> \bar R} :=
  [the {measure set U -> \bar R} of
    bind N (spread (gaussian_noise M) (measurable_centre D) measurable_out)].

Let computed_near D g : norm2 ((gaussian_computed M D (times_sd sd g) : 'rV[R]_n)
  - (exact_point D g : 'rV[R]_n)) <= gaussian_distance M.
Proof. by apply: (gaussian_computed_near contracts); exact: released_minimiser. Qed.

(* Both points are near the minimiser of the common part: no conditional law is formed. *)
Let release_gdp mu D D' : 0 <= mu ->
  seen_together (gaussian_losses contracts) (gaussian_closed_convex contracts) sd mu D D' ->
  gdp (Num.sqrt (mu ^+ 2 + mu_asap ^+ 2)) (gaussian_release D) (gaussian_release D').
Proof.
move=> mu0 [D0 F F' B B' mF mF' mB mB' BF BF' DB DB' first].
pose P : {measure set (space R n) -> \bar R} :=
  [the {measure set (space R n) -> \bar R} of pushforward N mF].
pose P' : {measure set (space R n) -> \bar R} :=
  [the {measure set (space R n) -> \bar R} of pushforward N mF'].
have P1 : P setT = 1%E by rewrite /= /pushforward preimage_setT normal_space_total.
have P1' : P' setT = 1%E by rewrite /= /pushforward preimage_setT normal_space_total.
have mc E (b : space R n -> space R n) : measurable_fun setT b -> measurable_fun setT (fun g => centre E (b g)).
  by move=> mb; exact: (measurable_fun_comp (measurable_centre E) mb).
pose K := spread (gaussian_noise M) (mc D B mB) measurable_out.
pose K' := spread (gaussian_noise M) (mc D' B' mB') measurable_out.
have PP' : gdp mu P P'.
  move=> eps k tk; have [mk k0 k1] := tk.
  rewrite (integral_pushforward mF N mk k0) (integral_pushforward mF' N mk k0).
  exact: first.
have near_D g : exact_point D (B g) = exact_point D0 g := DB g.
have near_D' g : exact_point D' (B' g) = exact_point D0 g := DB' g.
have second w : gdp mu_asap (K w) (K' w).
  apply: (spread_gdp (gaussian_noise_gt0 contracts)) => //.
  apply: le_trans (gaussian_noise_covers contracts).
  apply: (rounded_distance (gaussian_rounding contracts)).
  apply: (le_trans (dist_triangle (norm2_is_norm R n) (exact_point D0 w : 'rV[R]_n) _ _)).
  rewrite mulr_natl mulr2n; apply: ler_add; first by rewrite -near_D; exact: computed_near.
  by rewrite (norm_distC (norm2_is_norm R n)) -near_D'; exact: computed_near.
have both := gdp_composes mu0 (gaussian_asap_share contracts) P1 P1' PP' second.
have same E (G b : space R n -> space R n) (mG : measurable_fun setT G)
    (mb : measurable_fun setT b) f : (forall g, b (G g) = g) -> test f ->
    (\int[bind [the {measure set (space R n) -> \bar R} of pushforward N mG]
      (spread (gaussian_noise M) (mc E b mb) measurable_out)]_y f y =
     \int[gaussian_release E]_y f y)%E.
  move=> bG [mf f0 f1].
  have mk := measurable_kernel_integral (spread (gaussian_noise M) (mc E b mb) measurable_out)
    f0 mf.
  apply: (etrans (ge0_integral_bind _ _ f0 mf)).
  apply: (etrans (integral_pushforward mG N mk (fun g => int_ge0 _ f0))).
  apply: (etrans _ (esym (ge0_integral_bind N _ f0 mf))).
  apply: eq_integral => g _.
  apply: (etrans (integral_spread (gaussian_noise M) (mc E b mb) measurable_out (G g) mf f0)).
  apply: (etrans _ (esym (integral_spread (gaussian_noise M) (measurable_centre E)
    measurable_out g mf f0))).
  by apply: eq_integral => v _; rewrite bG.
move=> eps f tf; have e := same D F B mF mB f BF tf.
have e' := same D' F' B' mF' mB' f BF' tf.
apply: (le_trans (eq_lee (esym e))); apply: (le_trans (both eps f tf)).
apply: lee_add; last exact: lexx.
by apply: lee_wpmul2l; [exact: expR_weight_ge0|exact: (eq_lee e')].
Qed.

Let tilt_gt0 : 0 <= mu_tilt.
Proof.
apply: le_trans (gaussian_shares contracts).
exact: (addr_ge0 (ltW (gaussian_slope_share contracts))
  (mulr_ge0 (mulr_ge0 (ltW (half_gt0 R)) (ltW (mass_gt0 R))) (gaussian_curvature_share contracts))).
Qed.

Theorem thm_objective_gaussian :
  gaussian_private (@add_remove Z) (Num.sqrt (mu_tilt ^+ 2 + mu_asap ^+ 2)) gaussian_release.
Proof.
move=> D D' DD'; apply: release_gdp => //.
exact: (add_remove_seen (gaussian_losses contracts) (gaussian_closed_convex contracts)
  (gaussian_deviation_gt0 contracts) (gaussian_record_price contracts)
  (gaussian_slope_share contracts) (gaussian_curvature_share contracts)
  (gaussian_shares contracts) DD').
Qed.

Theorem thm_objective_gaussian_replace_one : gaussian_private (@replace_one Z)
  (Num.sqrt ((mu_tilt + mu_tilt) ^+ 2 + mu_asap ^+ 2)) gaussian_release.
Proof.
move=> D D' DD'; apply: release_gdp; first exact: addr_ge0.
exact: (replace_one_seen (gaussian_losses contracts) (gaussian_closed_convex contracts)
  (gaussian_deviation_gt0 contracts) (gaussian_record_price contracts)
  (gaussian_slope_share contracts) (gaussian_curvature_share contracts)
  (gaussian_shares contracts) DD').
Qed.

End Objective.

(** * Output perturbation *)

Section Output.
Context (R : realType) (n : nat) (Z : Type) d' (U : measurableType d').
Variables (loss : Z -> 'rV[R]_n -> R) (Lambda G : R) (C : set 'rV[R]_n).
(* the minimiser, which nobody computes, and the solver's answer, within tau of it *)
Variables (theta_star theta_opt : seq Z -> 'rV[R]_n) (tau : R).
(* rounding, the deviation of the noise, and what is done with the sum *)
Variables (g : R) (clamp : R -> R) (lattice : 'rV[R]_n -> 'rV[R]_n) (sigma : R).
Variable out : space R n -> U.

Record output_gaussian_contracts (sensitivity mu : R) : Prop := OutputGaussianContracts {
  (* own:losses *)
  output_bounds :
    loss_bounds loss Lambda G C;
  output_exact :
    forall D, minimiser C (Sensitivity.objective loss Lambda D) (theta_star D);
  (* own:certified-minimiser *)
  output_near :
    forall D, norm2 (theta_opt D - theta_star D) <= tau;
  (* own:lattice *)
  output_rounding :
    rounding_contract g clamp lattice;
  output_out_measurable :
    measurable_fun setT out;
  output_deviation_gt0 : 0 < sigma;
  (* the noise covers the sensitivity, both errors, and rounding *)
  output_noise_covers :
    sensitivity + (tau + tau) + Num.sqrt n%:R * g <= mu * sigma }.

Section Release.
Variables (sensitivity mu : R).
Hypothesis contracts : output_gaussian_contracts sensitivity mu.

Let measurable_out2 : measurable_fun setT (fun p : space R n * space R n => out p.2).
Proof.
exact: (measurable_fun_comp (output_out_measurable contracts) (@measurable_snd _ _ _ _)).
Qed.

Let itself : measurable_fun setT (fun u : space R n => u).
Proof. exact: measurable_fun_id. Qed.

(* The rounded answer with normal noise. *)
Definition output_gaussian_release D : {measure set U -> \bar R} :=
  spread sigma itself measurable_out2 (lattice (theta_opt D) : space R n).

Lemma output_release_gdp D D' : norm2 (theta_star D - theta_star D') <= sensitivity ->
  gdp mu (output_gaussian_release D) (output_gaussian_release D').
Proof.
move=> near; have normed := norm2_is_norm R n.
apply: (spread_gdp (output_deviation_gt0 contracts)) => //.
apply: le_trans (output_noise_covers contracts).
apply: (rounded_distance (output_rounding contracts)).
apply: (le_trans (dist_triangle normed (theta_star D) _ _)).
have tri := dist_triangle normed (theta_star D') (theta_star D) (theta_opt D').
have h1 := output_near contracts D; have := output_near contracts D'.
rewrite (norm_distC normed) => h2.
by apply: le_from (ler_add (ler_add h1 tri) (ler_add near h2)) _; nsatz.
Qed.

End Release.

Theorem thm_output_gaussian mu (contracts : output_gaussian_contracts (G / Lambda) mu) :
  gaussian_private (@add_remove Z) mu (output_gaussian_release contracts).
Proof.
move=> D D' DD'; apply: output_release_gdp.
exact: (minimisers_add_remove (output_bounds contracts) DD' (output_exact contracts D)
  (output_exact contracts D')).
Qed.

Theorem thm_output_gaussian_replace_one mu
    (contracts : output_gaussian_contracts (2%:R * G / Lambda) mu) :
  gaussian_private (@replace_one Z) mu (output_gaussian_release contracts).
Proof.
move=> D D' DD'; apply: output_release_gdp.
exact: (minimisers_replace_one (output_bounds contracts) DD' (output_exact contracts D)
  (output_exact contracts D')).
Qed.

End Output.

(** * The posterior *)

Section Posterior.
Context (Data : Type) (neighbours : Data -> Data -> Prop) (R : realType).
Context d0 d d' (T0 : measurableType d0) (T : measurableType d) (U : measurableType d').

Record posterior_gaussian := PosteriorGaussian {
  (* law of the released theta_0 *)
  first_release : Data -> {measure set T0 -> \bar R};
  (* the posterior on the ball around theta_0 *)
  reference_law : Data -> T0 -> {measure set T -> \bar R};
  (* "at distance at most Delta", and the sample given the reference point *)
  sample_near : T0 -> T -> T -> Prop;
  sample_given : Data -> T0 -> markov_kernel T T R;
  (* the law of the sample, as the program draws it *)
  sample_law : Data -> markov_kernel T0 T R;
  (* rounding and noise around the sample *)
  sample_noise : markov_kernel [the measurableType _ of (T0 * T)%type] U R }.

Variables (M : posterior_gaussian) (mu_localise mu_posterior mu_asap : R).

Record posterior_gaussian_contracts : Prop := PosteriorGaussianContracts {
  (* output perturbation: [thm_output_gaussian] *)
  first_total : forall D, first_release M D setT = 1%E;
  first_private : gaussian_private neighbours mu_localise (first_release M);
  posterior_total : forall D t, reference_law M D t setT = 1%E;
  (* lem:GDP_Post_Sam: by Gaussian isoperimetry, a written proof *)
  posterior_private_gdp :
    forall D D' t, neighbours D D' -> gdp mu_posterior (reference_law M D t) (reference_law M D' t);
  (* the coupling of the sampler, given the reference point *)
  sample_coupled :
    forall D t A, measurable A ->
      sample_law M D t A = bind (reference_law M D t) (sample_given M D t) A;
  sample_close :
    forall D t y, {ae sample_given M D t y, forall x, sample_near M t x y};
  (* normal noise whose deviation covers twice the error and rounding: [spread_gdp] *)
  noise_private :
    forall t y x x', sample_near M t x y -> sample_near M t x' y ->
      gdp mu_asap (sample_noise M (t, x)) (sample_noise M (t, x'));
  mu_localise_ge0 : 0 <= mu_localise;
  mu_posterior_ge0 : 0 <= mu_posterior;
  mu_asap_ge0 : 0 <= mu_asap }.

Hypothesis contracts : posterior_gaussian_contracts.

(* What is released after theta_0. *)
Definition second_release D : markov_kernel T0 U R :=
  comp (graph (sample_law M D)) (sample_noise M).

Let mu_second := Num.sqrt (mu_posterior ^+ 2 + mu_asap ^+ 2).

Lemma second_private D D' t : neighbours D D' ->
  gdp mu_second (second_release D t) (second_release D' t).
Proof.
move=> DD'; pose noise := section_kernel (sample_noise M) t.
have asap := thm_asap_privacy_gdp (noise := noise) (mu_posterior_ge0 contracts)
  (mu_asap_ge0 contracts) (posterior_total contracts D t) (posterior_total contracts D' t)
  (posterior_private_gdp contracts t DD') (sample_close contracts D t)
  (sample_close contracts D' t) (noise_private contracts (t := t)).
have same E f : test f -> (\int[second_release E t]_y f y =
    \int[bind (bind (reference_law M E t) (sample_given M E t)) noise]_y f y)%E.
  move=> [mf f0 f1].
  have mn := measurable_kernel_integral (sample_noise M) f0 mf.
  have mnt := measurable_kernel_integral noise f0 mf.
  apply: (etrans (ge0_integral_bind _ _ f0 mf)).
  apply: (etrans (ge0_integral_graph (sample_law M E) t (fun z => int_ge0 _ f0) mn)).
  apply: (etrans _ (esym (ge0_integral_bind _ _ f0 mf))).
  by apply: eq_measure_integral => A mA _; exact: (sample_coupled contracts).
move=> eps f tf; apply: (le_trans (eq_lee (same D f tf))).
apply: (le_trans (asap eps f tf)); apply: lee_add; last exact: lexx.
by apply: lee_wpmul2l; [exact: expR_weight_ge0|exact: (eq_lee (esym (same D' f tf)))].
Qed.

Theorem thm_posterior_gaussian : gaussian_private neighbours
  (Num.sqrt (mu_localise ^+ 2 + mu_second ^+ 2))
  (fun D => joint (first_release M D) (second_release D)).
Proof.
move=> D D' DD'.
apply: (gdp_composes (mu_localise_ge0 contracts) (sqrtr_ge0 _) (first_total contracts D)
  (first_total contracts D') (first_private contracts DD')) => t eps.
exact: (hockey_stick_graph (second_private t DD' eps)).
Qed.

End Posterior.
