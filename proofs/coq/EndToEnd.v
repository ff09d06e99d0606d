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
                                  covered: up + eps', where up is the price of one
                                  record (eps_b + ln(1 + beta/Lambda), or the joint
                                  price); also with one record replaced

   Nothing here asks that a coupling, a posterior or a proposal depend measurably
   on the released theta_0: for each theta_0 they are used by themselves.  Only the
   draw itself is a kernel, or there would be no law of the pair.               *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp.
From AsapDP Require Import Kernels PureDP Coupling Asap Gibbs Rejection Capped.
From AsapDP Require Import Euclid Sensitivity Space Argmin ObjectivePerturbation.

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

Section pull.
Context d1 d2 d3 (X : measurableType d1) (T : measurableType d2)
  (U : measurableType d3) (R : realType).
Variables (f : X -> T) (mf : measurable_fun setT f) (K : kernel T U R).

Let pull_measurable A : measurable A -> measurable_fun setT (fun x => K (f x) A).
Proof. by move=> mA; exact: (measurable_fun_comp (kernel_measurable K mA) mf). Qed.

(* First f, then K. *)
Definition pull : kernel X U R := Kernel pull_measurable.

Lemma bind_pull (mu : {measure set X -> \bar R}) A : measurable A ->
  bind (pushforward mu mf) K A = bind mu pull A.
Proof.
move=> mA; rewrite /bind integral_pushforward //; exact: kernel_measurable.
Qed.

End pull.

Section objective.
Context (R : realType) (n : nat) (Z : Type) d' (U : measurableType d').

Record objective_mechanism := ObjectiveMechanism {
  (* the parameter domain *)
  objective_domain : set 'rV[R]_n;
  (* row, loss and slope of a record, and a bound on its curvature *)
  objective_row : Z -> 'rV[R]_n;
  objective_loss : Z -> R -> R;
  objective_slope : Z -> R -> R;
  objective_curvature : Z -> R;
  objective_regulariser : R;
  (* the law of the exact tilt b, and what it costs to shift it along a row *)
  objective_tilt : {measure set (space R n) -> \bar R};
  objective_cost : Z -> R;
  (* the point that the program computes for the exact b *)
  objective_computed : seq Z -> space R n -> space R n;
  (* "at distance at most Delta" *)
  objective_near : space R n -> space R n -> Prop;
  (* rounding and noise around a point; the weights around the reference *)
  objective_noise : kernel (space R n) U R;
  objective_centre : kernel (space R n) U R }.

Variables (m : objective_mechanism) (up down eps_asap : R).

Record objective_contracts : Prop := ObjectiveContracts {
  (* own:losses, on the domain only *)
  objective_losses :
    loss_contract (objective_domain m) (objective_row m) (objective_loss m)
      (objective_slope m) (objective_curvature m) (objective_regulariser m);
  (* a ball, or everything *)
  objective_closed_convex :
    domain_contract (objective_domain m);
  (* own:euclidean-laplace, own:shaped-tilt: private along every row *)
  objective_tilt_private :
    tilt_contract (objective_row m) (objective_tilt m) (objective_cost m);
  (* own:objective-perturbation, own:joint-price *)
  objective_price :
    price_contract (objective_domain m) (objective_row m) (objective_slope m)
      (objective_regulariser m) (objective_cost m) up down;
  (* one more costs at least as much as one less *)
  objective_price_order :
    (down <= up)%R;
  (* the program sees countably many tilts *)
  objective_computed_measurable :
    forall D, measurable_fun setT (objective_computed m D);
  (* whatever b is, the certified point is within Delta of the exact minimiser *)
  objective_computed_near :
    forall D (b theta : space R n), minimiser (objective_domain m)
        (fun t => total (objective_row m) (objective_loss m)
          (objective_regulariser m) D t + dot b t)%R theta ->
      objective_near m (objective_computed m D b) theta;
  (* own:lattice, [EuclidNoise]: e^(eps'/2) within Delta, both ways *)
  objective_noise_to_centre :
    forall x y, objective_near m x y ->
      dp (eps_asap / 2) (objective_noise m x) (objective_centre m y);
  objective_centre_to_noise :
    forall x y, objective_near m x y ->
      dp (eps_asap / 2) (objective_centre m y) (objective_noise m x) }.

Hypothesis contracts : objective_contracts.

(* What leaves: the certified point for a random b, rounded, with noise. *)
Definition objective_release D : {measure set U -> \bar R} :=
  [the {measure set U -> \bar R} of bind [the {measure set _ -> \bar R} of
    pushforward (objective_tilt m) (objective_computed_measurable contracts D)]
    (objective_noise m)].

Let reference D := exact (objective_losses contracts)
  (objective_closed_convex contracts) (objective_tilt m) D.

Let mreleased D := measurable_released (objective_losses contracts)
  (objective_closed_convex contracts) D.

Let computed_kernel D :=
  pull (objective_computed_measurable contracts D) (objective_noise m).

Let reference_kernel D := pull (mreleased D) (objective_centre m).

(* Coupled by b: pointwise, so that no law of pairs is formed. *)
Let to_reference D : dp (0 + eps_asap / 2) (objective_release D)
  (bind (reference D) (objective_centre m)).
Proof.
move=> A mA; rewrite /objective_release /= !bind_pull //.
apply: (lem_adaptive_composition_marginal (dp_refl (objective_tilt m))
  (K := computed_kernel D) (K' := reference_kernel D)) => // b.
apply: (objective_noise_to_centre contracts).
apply: (objective_computed_near contracts); exact: released_minimiser.
Qed.

Let from_reference D : dp (0 + eps_asap / 2)
  (bind (reference D) (objective_centre m)) (objective_release D).
Proof.
move=> A mA; rewrite /objective_release /= !bind_pull //.
apply: (lem_adaptive_composition_marginal (dp_refl (objective_tilt m))
  (K := reference_kernel D) (K' := computed_kernel D)) => // b.
apply: (objective_centre_to_noise contracts).
apply: (objective_computed_near contracts); exact: released_minimiser.
Qed.

Let release_private (neighbours : seq Z -> seq Z -> Prop) eps :
  private neighbours eps reference ->
  private neighbours (eps + eps_asap) objective_release.
Proof.
move=> ref D D' DD'.
have middle := dp_bind (ref D D' DD') (objective_centre m).
have := dp_trans (to_reference D) (dp_trans middle (from_reference D')).
apply: dp_weaken; rewrite !add0r addrC -addrA -splitr //.
Qed.

Theorem thm_objective_perturbation :
  private (@add_remove Z) (up + eps_asap) objective_release.
Proof.
apply: release_private.
apply: own_objective_perturbation_add_remove (objective_price contracts).
  exact: (objective_tilt_private contracts).
exact: (objective_price_order contracts).
Qed.

Theorem thm_objective_perturbation_replace_one :
  private (@replace_one Z) (up + down + eps_asap) objective_release.
Proof.
apply: release_private.
apply: own_objective_perturbation_replace_one (objective_price contracts).
exact: (objective_tilt_private contracts).
Qed.

End objective.
