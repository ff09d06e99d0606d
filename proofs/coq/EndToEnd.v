(* thm:end2end_pure and its two sisters: whole mechanisms, from run-time contracts.

   Each mechanism is a record of what the program computes (laws, kernels,
   numbers), and a second record, of propositions only, has one field per contract
   that the program checks, proves elsewhere or assumes.  The theorem has these
   contracts as its only hypotheses.  proofs/contracts.toml says of every field who
   discharges it; Witness.v shows that all fields of a record can hold at once.

     thm_end2end_pure             localise, draw a posterior sample exactly or by the
                                  fallback, cover its error: eps1 + eps2 + eps3
     thm_output_perturbation      a certified minimiser with noise: eps
     thm_objective_perturbation   the minimiser of a tilted objective, its error
                                  covered: eps_b + ln(1 + beta/Lambda) + eps'

   Nothing here asks that a coupling, a posterior or a proposal depend measurably
   on the released theta_0: for each theta_0 they are used by themselves.  Only the
   draw itself is a kernel, or there would be no law of the pair.               *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp.
From AsapDP Require Import Kernels PureDP Coupling Asap Gibbs Rejection Capped.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(** * The posterior mechanism *)

(* The noise may depend on the released point; with that point fixed it is a
   kernel of the private one. *)
Section section_kernel.
Context d0 d d' (T0 : measurableType d0) (T : measurableType d)
  (U : measurableType d') (R : realType).
Variable K : markov_kernel [the measurableType _ of (T0 * T)%type] U R.

Let section_measurable t A :
  measurable A -> measurable_fun setT (fun x => K (t, x) A).
Proof.
move=> mA; apply: (measurable_fun_prod1 (f := fun z => K z A)).
exact: kernel_measurable.
Qed.

Definition section_kernel (t : T0) : markov_kernel T U R :=
  @MarkovKernel _ _ T U R (Kernel (@section_measurable t))
    (fun x => markov_total K (t, x)).

End section_kernel.

Section posterior.
Context (Data : Type) (neighbours : Data -> Data -> Prop) (R : realType).
Context d0 d d' (T0 : measurableType d0) (T : measurableType d)
  (U : measurableType d').

Record posterior_mechanism := PosteriorMechanism {
  (* law of the released theta_0 *)
  localise : Data -> {measure set T0 -> \bar R};
  (* the ball Theta around theta_0, its uniform measure, its diameter 2B *)
  ball : T0 -> set T;
  base : T0 -> {measure set T -> \bar R};
  diameter : T0 -> R;
  (* the distance in which the diameter is measured *)
  dist : T -> T -> R;
  (* J_D, gamma, and G of the ball *)
  objective : Data -> {mfun T >-> R};
  temperature : T0 -> R;
  lipschitz : T0 -> R;
  (* "at distance at most Delta" *)
  near : T0 -> T -> T -> Prop;
  (* the exact draw: proposals, their acceptance, the law of accepted points *)
  proposal : Data -> T0 -> {measure set T -> \bar R};
  accept : Data -> T0 -> {mfun T >-> R};
  accepted : Data -> T0 -> {measure set T -> \bar R};
  (* how many proposals may be drawn, and how many of them evaluated *)
  cap_drawn : Data -> T0 -> nat;
  cap_evaluated : Data -> T0 -> nat;
  (* the sampler that draws when a cap is reached *)
  fallback : Data -> T0 -> {measure set T -> \bar R};
  (* the law of the private sample, given theta_0 *)
  draw : Data -> markov_kernel T0 T R;
  (* rounding and noise around the sample; the weights around the reference *)
  noise : markov_kernel [the measurableType _ of (T0 * T)%type] U R;
  centre : T0 -> kernel T U R }.

Variable m : posterior_mechanism.

Definition energy D t : {mfun T >-> R} :=
  scale_mfun (temperature m t) (objective m D).

(* The reference of thm:asap_privacy: it is never drawn when the fallback is. *)
Definition posterior D t : {measure set T -> \bar R} :=
  gibbs (base m t) (energy D t).

(* What is released after theta_0: a draw, rounded, with noise. *)
Definition release D : markov_kernel T0 U R := comp (graph (draw m D)) (noise m).

Variables (eps_localise eps_posterior eps_asap : R).

Record runtime_contracts : Prop := RuntimeContracts {
  (* lem:OutPert_DP for the localisation: noise scale against sensitivity *)
  localisation_private :
    private neighbours eps_localise (localise m);
  (* the ball is a set one can integrate over, and the base measure lives on it *)
  ball_measurable :
    forall t, measurable (ball m t);
  base_on_ball :
    forall t, base m t (~` ball m t) = 0;
  (* e^(-gamma J) has a finite positive integral over the ball *)
  posterior_normalisable :
    forall D t, normalisable (base m t) (energy D t);
  (* gamma and G are numbers of the plan, checked to be non-negative *)
  temperature_ge0 :
    forall t, (0 <= temperature m t)%R;
  lipschitz_ge0 :
    forall t, (0 <= lipschitz m t)%R;
  (* own:losses: the losses of neighbours differ by a G-Lipschitz function *)
  difference_lipschitz :
    forall D D' t x y, neighbours D D' -> ball m t x -> ball m t y ->
      (objective m D y - objective m D' y - (objective m D x - objective m D' x)
        <= lipschitz m t * dist m x y)%R;
  (* own:ball: two points of the ball are at most 2B apart *)
  ball_diameter :
    forall t x y, ball m t x -> ball m t y -> (dist m x y <= diameter m t)%R;
  (* the contract of the temperature, decided in exact rationals *)
  temperature_small :
    forall t, (temperature m t * lipschitz m t * diameter m t <= eps_posterior)%R;
  (* a proposal is a law, an acceptance a probability (own:bernoulli-exp) *)
  proposal_total :
    forall D t, proposal m D t setT = 1;
  accept_ge0 :
    forall D t x, (0 <= accept m D t x)%R;
  accept_le1 :
    forall D t x, (accept m D t x <= 1)%R;
  (* `accepted` is the law of a proposal, given that it is accepted *)
  accepted_law :
    forall D t A, measurable A ->
      accepted_mass (proposal m D t) (accept_ge0 D t) A =
      (accept_prob (proposal m D t) (accept_ge0 D t))%:E * accepted m D t A;
  (* own:exact with own:rounding: in real arithmetic it is the posterior itself *)
  accepted_near :
    forall D t, within (near m t) (accepted m D t) (posterior D t);
  (* own:proximal or cor:mixing_W_infty: the fallback is certified for Delta *)
  fallback_near :
    forall D t, within (near m t) (fallback m D t) (posterior D t);
  (* own:fallback: trials with fresh bits up to the caps, then the fallback *)
  draw_law :
    forall D t A, measurable A ->
      draw m D t A =
      capped (proposal m D t) (accept_ge0 D t) (accept_le1 D t)
        (ball_measurable t) (fallback m D t)
        (cap_drawn m D t) (cap_evaluated m D t) A;
  (* own:discrete-laplace with own:lattice: e^(eps'/2) within Delta, both ways *)
  noise_to_centre :
    forall t x y, near m t x y ->
      dp (eps_asap / 2) (noise m (t, x)) (centre m t y);
  centre_to_noise :
    forall t x y, near m t x y ->
      dp (eps_asap / 2) (centre m t y) (noise m (t, x)) }.

Hypothesis contracts : runtime_contracts.

Lemma posterior_private D D' t : neighbours D D' ->
  dp eps_posterior (posterior D t) (posterior D' t).
Proof.
move=> DD'.
exact: (lem_pure_DP_Post_Sam_diameter (ball_measurable contracts t)
  (base_on_ball contracts t) (temperature_ge0 contracts t)
  (lipschitz_ge0 contracts t)
  (fun x y => difference_lipschitz contracts (t := t) (x := x) (y := y) DD')
  (ball_diameter contracts (t := t)) (temperature_small contracts t)
  (posterior_normalisable contracts D t) (posterior_normalisable contracts D' t)).
Qed.

(* own:exact, own:fallback: whichever branch ran, the draw is within Delta. *)
Lemma draw_near D t : within (near m t) (draw m D t) (posterior D t).
Proof.
have capped_near := own_fallback_capped (proposal_total contracts D t)
  (accept_le1 contracts D t) (ball_measurable contracts t)
  (accepted_law contracts D t) (cap_drawn m D t) (cap_evaluated m D t)
  (accepted_near contracts D t) (fallback_near contracts D t).
apply: eq_within capped_near => // A mA.
by rewrite (draw_law contracts).
Qed.

Lemma releaseE D t A : measurable A ->
  release D t A = bind (draw m D t) (section_kernel (noise m) t) A.
Proof.
move=> mA; rewrite /release compE /bind ge0_integral_graph //.
exact: kernel_measurable.
Qed.

Lemma release_private D D' t : neighbours D D' ->
  dp (eps_posterior + eps_asap) (release D t) (release D' t).
Proof.
move=> DD' A mA.
rewrite [leLHS]releaseE // [X in _ <= _ * X]releaseE //.
apply: (thm_asap_privacy_rounded (posterior_private t DD') (draw_near D t)
  (draw_near D' t) (noise := section_kernel (noise m) t) (centre := centre m t))
  => //; [exact: noise_to_centre|exact: centre_to_noise].
Qed.

(* Released is the pair: theta_0 and the sample with noise. *)
Theorem thm_end2end_pure :
  private neighbours (eps_localise + (eps_posterior + eps_asap))
    (fun D => joint (localise m D) (release D)).
Proof.
apply: private_adaptive_composition; first exact: (localisation_private contracts).
by move=> t D D' DD'; exact: release_private.
Qed.

End posterior.

(** * Output perturbation *)

Section output.
Context (Data : Type) (neighbours : Data -> Data -> Prop) (R : realType).
Context (T : Type) d' (U : measurableType d').

Record output_mechanism := OutputMechanism {
  (* theta* of D, which nobody computes, and the solver's answer *)
  output_minimiser : Data -> T;
  output_computed : Data -> T;
  output_dist : T -> T -> R;
  (* G/Lambda and tau *)
  output_sensitivity : R;
  output_tolerance : R;
  (* rounding and noise around a point *)
  output_noise : T -> {measure set U -> \bar R} }.

Variables (m : output_mechanism) (eps : R).

Record output_contracts : Prop := OutputContracts {
  (* the distance is one: used for the path over both minimisers *)
  output_dist_symmetric :
    forall x y, output_dist m x y = output_dist m y x;
  output_dist_triangle :
    forall x y z, (output_dist m x z <= output_dist m x y + output_dist m y z)%R;
  (* own:certified-minimiser: the gradient at the answer is at most Lambda tau *)
  output_certified :
    forall D, (output_dist m (output_computed m D) (output_minimiser m D)
      <= output_tolerance m)%R;
  (* lem:sensitivity_minimizer *)
  output_minimiser_sensitivity :
    forall D D', neighbours D D' ->
      (output_dist m (output_minimiser m D) (output_minimiser m D')
        <= output_sensitivity m)%R;
  (* own:discrete-laplace, own:lattice: e^eps within the total sensitivity *)
  output_noise_ratio :
    forall x y, (output_dist m x y
        <= output_sensitivity m + output_tolerance m *+ 2)%R ->
      dp eps (output_noise m x) (output_noise m y) }.

Hypothesis contracts : output_contracts.

Lemma output_computed_sensitivity D D' : neighbours D D' ->
  (output_dist m (output_computed m D) (output_computed m D')
    <= output_sensitivity m + output_tolerance m *+ 2)%R.
Proof.
move=> DD'; apply: le_trans (output_dist_triangle contracts _
  (output_minimiser m D) _) _.
rewrite mulr2n addrCA ler_add ?(output_certified contracts) //.
apply: le_trans (output_dist_triangle contracts _ (output_minimiser m D') _) _.
rewrite ler_add ?(output_minimiser_sensitivity contracts) //.
by rewrite (output_dist_symmetric contracts) (output_certified contracts).
Qed.

Theorem thm_output_perturbation :
  private neighbours eps (fun D => output_noise m (output_computed m D)).
Proof.
move=> D D' DD'; apply: (output_noise_ratio contracts).
exact: output_computed_sensitivity.
Qed.

End output.

(** * Objective perturbation *)

Section objective.
Context (Data : Type) (neighbours : Data -> Data -> Prop) (R : realType).
Context d d' (T : measurableType d) (U : measurableType d').

Record objective_mechanism := ObjectiveMechanism {
  (* the volume of the parameter space *)
  objective_volume : {measure set T -> \bar R};
  (* the density of the tilt b at the b that makes theta the minimiser *)
  objective_tilt : Data -> {mfun T >-> R};
  (* det of the Hessian of J_D *)
  objective_determinant : Data -> {mfun T >-> R};
  (* the law of the exact minimiser of the tilted objective *)
  objective_exact : Data -> {measure set T -> \bar R};
  (* the law of the point that the program computes *)
  objective_computed : Data -> {measure set T -> \bar R};
  objective_near : T -> T -> Prop;
  objective_noise : kernel T U R;
  objective_centre : kernel T U R }.

Variables (m : objective_mechanism) (eps_b beta Lambda eps_asap : R).

Record objective_contracts : Prop := ObjectiveContracts {
  (* public numbers of the problem *)
  objective_smoothness_ge0 :
    (0 <= beta)%R;
  objective_regulariser_gt0 :
    (0 < Lambda)%R;
  (* a density and the determinant of a positive matrix *)
  objective_tilt_ge0 :
    forall D x, (0 <= objective_tilt m D x)%R;
  objective_determinant_ge0 :
    forall D x, (0 <= objective_determinant m D x)%R;
  (* own:euclidean-laplace: the tilts of neighbours differ by at most G *)
  objective_tilt_ratio :
    forall D D' x, neighbours D D' ->
      (objective_tilt m D x <= expR eps_b * objective_tilt m D' x)%R;
  (* own:objective-perturbation: the matrix determinant lemma, x' A^-1 x <= 1/Lambda *)
  objective_determinant_ratio :
    forall D D' x, neighbours D D' ->
      (objective_determinant m D x
        <= (1 + beta / Lambda) * objective_determinant m D' x)%R;
  (* the one fact on R^d that stays a hypothesis: change of variables b <-> theta *)
  objective_change_of_variables :
    forall D A, measurable A ->
      objective_exact m D A = \int[objective_volume m]_x
        ((objective_tilt m D x * objective_determinant m D x)%:E * (\1_A x)%:E);
  (* coupled by b: the certified minimiser is within (e_b + r)/Lambda, surely *)
  objective_computed_near :
    forall D, within (objective_near m) (objective_computed m D) (objective_exact m D);
  (* own:discrete-laplace with own:lattice: e^(eps'/2) within Delta, both ways *)
  objective_noise_to_centre :
    forall x y, objective_near m x y ->
      dp (eps_asap / 2) (objective_noise m x) (objective_centre m y);
  objective_centre_to_noise :
    forall x y, objective_near m x y ->
      dp (eps_asap / 2) (objective_centre m y) (objective_noise m x) }.

Hypothesis contracts : objective_contracts.

Let weight_ge0 D x :
  (0 <= objective_tilt m D x * objective_determinant m D x)%R.
Proof.
by rewrite mulr_ge0 ?(objective_tilt_ge0 contracts)
  ?(objective_determinant_ge0 contracts).
Qed.

Let weight D x : {nonneg R} := NngNum (weight_ge0 D x).

Let weight_measurable D : measurable_fun setT (fun x => (weight D x)%:num).
Proof. by apply: measurable_funM; exact: measurable_funP. Qed.

Let share_gt0 : (0 < 1 + beta / Lambda)%R.
Proof.
rewrite ltr_paddr //; apply: divr_ge0.
  exact: (objective_smoothness_ge0 contracts).
exact/ltW/(objective_regulariser_gt0 contracts).
Qed.

Lemma objective_exact_private :
  private neighbours (eps_b + ln (1 + beta / Lambda)) (objective_exact m).
Proof.
move=> D D' DD' A mA; rewrite !(objective_change_of_variables contracts) //.
rewrite -(densityE _ (weight_measurable D)) -(densityE _ (weight_measurable D')).
apply: dp_density mA; apply: aeW => x /=.
rewrite expRD lnK ?posrE // mulrACA; apply: ler_pmul.
- exact: (objective_tilt_ge0 contracts).
- exact: (objective_determinant_ge0 contracts).
- exact: (objective_tilt_ratio contracts).
- exact: (objective_determinant_ratio contracts).
Qed.

Theorem thm_objective_perturbation :
  private neighbours (eps_b + ln (1 + beta / Lambda) + eps_asap)
    (fun D => bind (objective_computed m D) (objective_noise m)).
Proof.
move=> D D' DD'.
exact: (thm_asap_privacy_rounded (objective_exact_private DD')
  (objective_computed_near contracts D) (objective_computed_near contracts D')
  (objective_noise_to_centre contracts) (objective_centre_to_noise contracts)).
Qed.

End objective.
