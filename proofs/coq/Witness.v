(* The contracts of EndToEnd.v can hold: one instance of each record.

   The instances live on two points, but none of their parts is degenerate: the
   posteriors of the two data sets differ (witness_posteriors_differ), proposals
   are rejected with positive probability, the caps and the fallback depend on the
   records, the fallback is a point mass far from the posterior, and the noise is
   randomised response.  What is instantiated last is each theorem's conclusion. *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp.
From AsapDP Require Import Kernels PureDP Coupling Asap Gibbs Rejection Capped.
From AsapDP Require Import TwoPoint EndToEnd.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section witness.
Variable R : realType.

(* A data set is one bit, and its neighbour is the other bit. *)
Let neighbours (D D' : bool) := D <> D'.

Let one : {nonneg R} := NngNum (@ler01 R).
Let half_ge0 : (0 <= 2%:R^-1 :> R)%R. Proof. by rewrite invr_ge0. Qed.

(* Counting measure on the two points. *)
Let count : {measure set bool -> \bar R} := two_point one one.

Let everything_near (x y : bool) := True.

Let noise_of (x : bool) := randomised_response (2%:R^-1 : R) x.

Let noise_kernel : markov_kernel bool bool R :=
  discrete_kernel measurable_bool (randomised_response_total (2%:R^-1 : R)).

Let noise_ratio (x y : bool) : dp (1 / 2)%R (noise_of x) (noise_of y).
Proof. by rewrite mul1r; exact: randomised_response_dp. Qed.

Let within_everything (mu nu : {measure set bool -> \bar R}) :
  mu setT = 1 -> nu setT = 1 -> within everything_near mu nu.
Proof. exact: within_product. Qed.

Let point (x : bool) : {measure set bool -> \bar R} :=
  [the {measure set bool -> \bar R} of dirac x].

Let point_total x : point x setT = 1.
Proof. by rewrite /= diracE in_setT. Qed.

(** * The posterior mechanism *)

(* J_D counts a miss; D and D' differ by a function of Lipschitz constant 2. *)
Definition miss (D x : bool) : R := (x != D)%:R.

HB.instance Definition _ D := @IsMeasurableFun.Build _ _ R (miss D)
  (@measurable_fun_on_bool _ _ (miss D)).

Let objective_of D : {mfun bool >-> R} := [the {mfun bool >-> R} of miss D].

Let energy_of D : {mfun bool >-> R} := scale_mfun 2%:R^-1 (objective_of D).

Let flat : {mfun bool >-> R} := cst_mfun 0%R.

Let whole : {measure set bool -> \bar R} :=
  restricted count (measurable_bool setT).

Let wholeE A : whole A = count A.
Proof. by rewrite restrictedE ?setIT. Qed.

Let weight_whole f A : gibbs_weight whole f A = gibbs_weight count f A.
Proof.
rewrite [LHS]densityE [RHS]densityE.
by apply: eq_measure_integral => B _ _; exact: wholeE.
Qed.

Let partition_whole f : partition whole f = partition count f.
Proof. exact: weight_whole. Qed.

Let count_normalisable f : normalisable count f.
Proof. by apply: normalisable_two_point; rewrite /= ltr01. Qed.

Let whole_normalisable f : normalisable whole f.
Proof. by rewrite /normalisable partition_whole; exact: count_normalisable. Qed.

Let flat_minorant D x : [set: bool] x -> (flat x <= energy_of D x)%R.
Proof. by move=> _; apply: mulr_ge0; [exact: ler0n|exact: half_ge0]. Qed.

Let propose : {measure set bool -> \bar R} := gibbs count flat.

Let propose_total : propose setT = 1.
Proof. exact: gibbs_total. Qed.

Let accept_of D : {mfun bool >-> R} :=
  acceptance_mfun (measurable_bool setT) (energy_of D) flat.

Let accept_of_ge0 D : forall x, (0 <= accept_of D x)%R :=
  acceptance_ge0 setT (energy_of D) flat.

Let accept_of_le1 D : forall x, (accept_of D x <= 1)%R :=
  acceptance_le1 setT (energy_of D) flat.

Let posterior_of D : {measure set bool -> \bar R} := gibbs whole (energy_of D).

Let posterior_of_total D : posterior_of D setT = 1.
Proof. exact: gibbs_total. Qed.

(* own:exact: what is accepted has the law of the posterior. *)
Let accepted_of D A : measurable A ->
  accepted_mass propose (accept_of_ge0 D) A =
  (accept_prob propose (accept_of_ge0 D))%:E * posterior_of D A.
Proof.
move=> mA.
exact: (own_exact_accepted (flat_minorant D) (whole_normalisable _)
  (count_normalisable _) mA).
Qed.

Let drawn_of (D : bool) : nat := if D then 4%N else 5%N.
Let evaluated_of (D : bool) : nat := if D then 3%N else 2%N.

Let draw_of D : {measure set bool -> \bar R} :=
  capped propose (accept_of_ge0 D) (accept_of_le1 D) (measurable_bool setT)
    (point D) (drawn_of D) (evaluated_of D).

Let draw_of_total D (t : bool) : draw_of D setT = 1.
Proof. by apply: capped_total; [exact: propose_total|exact: point_total]. Qed.

Let pair_noise_measurable A : measurable A ->
  measurable_fun setT (fun z : bool * bool => noise_kernel z.2 A).
Proof.
move=> mA; apply: measurable_fun_comp (kernel_measurable noise_kernel mA) _.
exact: measurable_snd.
Qed.

Let pair_noise := MarkovKernel
  (markov_kernel_kernel := Kernel pair_noise_measurable)
  (fun z => markov_total noise_kernel z.2).

Definition witness_posterior : posterior_mechanism bool R bool bool bool := {|
  localise := fun D => randomised_response 1%R D;
  ball := fun=> setT;
  base := fun=> whole;
  diameter := fun=> 1%R;
  dist := fun x y => (x != y)%:R;
  objective := objective_of;
  temperature := fun=> 2%:R^-1;
  lipschitz := fun=> 2%:R;
  near := fun=> everything_near;
  proposal := fun _ _ => propose;
  accept := fun D _ => accept_of D;
  accepted := fun D _ => posterior_of D;
  cap_drawn := fun D _ => drawn_of D;
  cap_evaluated := fun D _ => evaluated_of D;
  fallback := fun D _ => point D;
  draw := fun D => discrete_kernel measurable_bool (draw_of_total D);
  noise := pair_noise;
  centre := fun=> noise_kernel |}.

Let miss_between D x : (0 <= miss D x <= 1)%R.
Proof. by rewrite /miss ler0n lern1 leq_b1. Qed.

Let misses_lipschitz (D D' x y : bool) :
  (miss D y - miss D' y - (miss D x - miss D' x) <= 2%:R * (x != y)%:R)%R.
Proof.
have [->|xy] := eqVneq x y; first by rewrite subrr mulr0.
have one_sided E E' z : (miss E z - miss E' z <= 1)%R.
  rewrite ler_subl_addr ler_paddr //; first by case/andP: (miss_between E' z).
  by case/andP: (miss_between E z).
by rewrite mulr1 mulr2n ler_add // opprB one_sided.
Qed.

Theorem witness_runtime_contracts :
  runtime_contracts neighbours witness_posterior 1%R 1%R 1%R.
Proof.
apply: (@RuntimeContracts _ _ _ _ _ _ _ _ _ witness_posterior 1%R 1%R 1%R
  _ (fun=> measurable_bool setT) _ _ _ _ _ _ _ _
  (fun D _ => accept_of_ge0 D) (fun D _ => accept_of_le1 D)).
- by move=> D D' _; apply: randomised_response_dp; exact: ler01.
- by move=> t; rewrite setCT measure0.
- by move=> D t; exact: whole_normalisable.
- by move=> t; exact: half_ge0.
- by move=> t; exact: ler0n.
- by move=> D D' t x y _ _ _; exact: misses_lipschitz.
- by move=> t x y _ _; rewrite lern1 leq_b1.
- by move=> t; rewrite /= mulVf ?mulr1 ?pnatr_eq0.
- by move=> D t; exact: propose_total.
- by move=> D t A mA; exact: accepted_of.
- by move=> D t; apply: within_everything; exact: posterior_of_total.
- move=> D t; apply: within_everything; [exact: point_total|].
  exact: posterior_of_total.
- by move=> D t A mA.
- by move=> t x y _; exact: noise_ratio.
- by move=> t x y _; exact: noise_ratio.
Qed.

Corollary witness_end2end_pure :
  private neighbours (1 + (1 + 1))%R (fun D =>
    joint (localise witness_posterior D) (release witness_posterior D)).
Proof. exact: thm_end2end_pure witness_runtime_contracts. Qed.

Let odds_differ (e := expR (- 2%:R^-1) : R) :
  ((expR (- 0) + e)^-1 * expR (- 0) <> (e + expR (- 0))^-1 * e)%R.
Proof.
rewrite oppr0 expR0 addrC; have lt1 : (e < 1)%R.
  by rewrite expR_lt1 oppr_lt0 invr_gt0.
move=> /mulfI; rewrite invr_eq0 gt_eqF; last by rewrite ltr_spaddr ?expR_ge0.
by move=> /(_ isT) eq1; move: lt1; rewrite -eq1 ltxx.
Qed.

(* The reference is not the same for both data sets: there is something to hide. *)
Lemma witness_posteriors_differ t :
  posterior witness_posterior true t [set true] <>
  posterior witness_posterior false t [set true].
Proof.
have posteriorE D : posterior witness_posterior D t [set true] =
    ((expR (- energy_of D true) + expR (- energy_of D false))^-1 *
     expR (- energy_of D true))%:E.
  rewrite [LHS]gibbsE partition_whole partition_two_point.
  rewrite [X in _ * X]weight_whole [X in _ * X]gibbs_weight_two_point.
  by rewrite !indicE mem_set // memNset // -EFinM !(mulr1, mulr0, addr0, mul1r).
have hit D : energy_of D D = 0%R by rewrite /= /miss eqxx mul0r.
have missed D : energy_of D (~~ D) = 2%:R^-1.
  by rewrite /= /miss; case: D; rewrite mul1r.
move=> same; have := etrans (esym (posteriorE true)) (etrans same (posteriorE false)).
by rewrite (hit true) (hit false) (missed true) (missed false) => -[/odds_differ].
Qed.

(** * Output perturbation *)

(* The minimisers 0 and 1 of the two data sets are computed as 1 and 2. *)
Definition witness_output : output_mechanism bool R R bool := {|
  output_minimiser := fun D : bool => D%:R;
  output_computed := fun D : bool => (D%:R + 1)%R;
  output_dist := fun x y : R => `|x - y|%R;
  output_sensitivity := 1%R;
  output_tolerance := 1%R;
  output_noise := fun x => randomised_response 1%R (1 < x)%R |}.

Theorem witness_output_contracts :
  output_contracts neighbours witness_output 1%R.
Proof.
split => /=.
- by move=> x y; rewrite distrC.
- by move=> x y z; exact: ler_dist_add.
- by move=> D; rewrite addrAC subrr add0r normr1.
- by move=> [] [] // _; rewrite ?(subr0, sub0r, normrN) normr1.
- by move=> x y _; apply: randomised_response_dp; exact: ler01.
Qed.

Corollary witness_output_perturbation : private neighbours 1%R
  (fun D => output_noise witness_output (output_computed witness_output D)).
Proof. exact: thm_output_perturbation witness_output_contracts. Qed.

End witness.
