(* The contracts of the posterior mechanism hold at once in one dimension, with Lebesgue
   measure and real noise: theta_0 is the output perturbation of WitnessLine.v; the posterior
   of the logistic losses on [-1, 1]; Laplace proposals on the whole line, rejected outside of
   the ball and by the energy; a fallback that is off by Delta, in a direction that tells
   whether the number of records is odd; rounded Laplace noise.  `near` is a distance.
   The ball is the same for every theta_0: a witness needs no more.

     witness_line_runtime_contracts   every field of runtime_contracts
     witness_line_end2end_pure        add or remove a record: 1 + (1 + 1)           *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Gibbs Rejection Capped Euclid Line Space.
From AsapDP Require Import Argmin ObjectivePerturbation OutputPerturbation EndToEnd.
From AsapDP Require Import Logistic LineLaw GaussLine Volume WitnessLine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* A law, and the same law moved by a map that keeps points near. *)
Lemma within_moved d (T : measurableType d) (R : realType) (near : T -> T -> Prop)
    (f : T -> T) (mf : measurable_fun setT f) (mu : {measure set T -> \bar R}) :
  measurable [set z : T * T | near z.1 z.2] -> (forall x, near (f x) x) ->
  within near (pushforward mu mf) mu.
Proof.
move=> mnear fnear.
have mp : measurable_fun setT (fun x => (f x, x)).
  by apply/prod_measurable_funP; split; [exact: mf|exact: measurable_fun_id].
exists [the {measure set (T * T)%type -> \bar R} of pushforward mu mp]; split.
  by split => A mA /=; rewrite /pushforward; congr (mu _);
    apply/seteqP; split => x //= [].
exists (~` [set z : T * T | near z.1 z.2]); split => //; first exact: measurableC.
rewrite /= /pushforward [X in mu X](_ : _ = set0) ?measure0 //.
by apply/seteqP; split => x //=; apply; exact: fnear.
Qed.

Section WitnessPosterior.
Variable R : realType.
Implicit Types (D : seq R) (u v : space R 1).

(** * Energies *)

Let fit z (u : space R 1) : R := logistic (dot (row z) (u : 'rV[R]_1)).

Let logistic_ge0 (m : R) : 0 <= logistic m.
Proof. by rewrite ln_ge0 // ler_addl expR_ge0. Qed.

Let logistic_lipschitz (m m' : R) : logistic m - logistic m' <= `|m - m'|.
Proof.
have := logistic_tangent m m'; have /andP[s0 s1] := miss_bounds m => tan.
apply: (@le_trans _ _ (logistic_slope m * (m - m'))).
  by apply: le_from tan _; nsatz.
apply: le_trans (ler_norm _) _; rewrite normrM logistic_slope_abs.
by rewrite ler_pimull.
Qed.

Let fit_lipschitz z u v : fit z u - fit z v <= norm2 ((u : 'rV[R]_1) - (v : 'rV[R]_1)).
Proof.
apply: le_trans (logistic_lipschitz _ _) _; rewrite -dotNr -dotDr.
set w := (u : 'rV[R]_1) - v; have abs : `|dot (row z) w| <= norm2 (row z) * norm2 w.
  by rewrite ler_norml cauchy_schwarz andbT ler_oppl -dotNl -(norm2N (row z)) cauchy_schwarz.
by apply: le_trans abs _; rewrite ler_pimull ?norm2_ge0 ?row_le1.
Qed.

(* The constant keeps the energy above that of the proposals. *)
Definition risk D (u : space R 1) : R := 2%:R + \sum_(z <- D) fit z u.

Let risk_cons D1 z D2 u : risk (D1 ++ z :: D2) u = risk (D1 ++ D2) u + fit z u.
Proof. by rewrite /risk !big_cat big_cons /=; nsatz. Qed.

Let risk_ge2 D u : 2%:R <= risk D u.
Proof. by rewrite ler_addl sumr_ge0 // => z _; exact: logistic_ge0. Qed.

Let risk_lipschitz D u v :
  risk D u - risk D v <= (size D)%:R * norm2 ((u : 'rV[R]_1) - (v : 'rV[R]_1)).
Proof.
rewrite /risk opprD addrACA subrr add0r -sumrB; elim: D => [|z D IH].
  by rewrite big_nil mul0r.
by rewrite big_cons /= -natr1 mulrDl mul1r addrC ler_add ?fit_lipschitz.
Qed.

Let risk_measurable D : measurable_fun setT (risk D).
Proof.
apply: (@lipschitz_measurable _ _ (size D)%:R) => u v; rewrite ler_norml risk_lipschitz andbT.
by rewrite ler_oppl opprB (le_trans (risk_lipschitz D v u)) // -norm2N opprB.
Qed.

HB.instance Definition _ D := @IsMeasurableFun.Build _ _ R (risk D) (risk_measurable D).

Let objective_of D : {mfun (space R 1) >-> R} := [the {mfun (space R 1) >-> R} of risk D].
Let energy_of D : {mfun (space R 1) >-> R} := scale_mfun 2%:R^-1 (objective_of D).

Definition size_energy (u : space R 1) : R := norm2 (u : 'rV[R]_1).

HB.instance Definition _ := @IsMeasurableFun.Build _ _ R size_energy (@measurable_norm2 R 1).

Let proposal_energy : {mfun (space R 1) >-> R} := [the {mfun (space R 1) >-> R} of size_energy].

(** * The ball *)

Let ball1 : set (space R 1) := between (- 1) 1.
Let ball_ok : measurable ball1 := measurable_between (- 1) 1.

Let ball_norm u : ball1 u -> norm2 (u : 'rV[R]_1) <= 1.
Proof. by rewrite /ball1 /between /= in_itv /= norm_coordinate -ler_norml. Qed.

Let on_ball : {measure set (space R 1) -> \bar R} := restricted (volume R) ball_ok.

Let integral_on_ball (g : space R 1 -> \bar R) :
  measurable_fun setT g -> (forall u, 0 <= g u)%E ->
  (\int[on_ball]_u g u = \int[volume R]_u ((\1_ball1 u)%:E * g u))%E.
Proof. by move=> mg g0; rewrite /on_ball /restricted ge0_integral_density. Qed.

Let volume_ball : (\int[volume R]_u (\1_ball1 u)%:E = (1 - - 1)%:E)%E.
Proof. by rewrite -integral_one // volume_between // -subr_ge0 opprK addr_ge0. Qed.

Let measurable_ball : measurable_fun setT (fun u : space R 1 => (\1_ball1 u)%:E : \bar R).
Proof. by apply: measurable_EFin; exact: measurable_fun_indic. Qed.

Let normalisable_of D : normalisable on_ball (energy_of D).
Proof.
have me : measurable_fun setT (fun u : space R 1 => (expR (- energy_of D u))%:E).
  by apply: measurable_EFin; exact: (measurable_boltzmann (energy_of D)).
have e0 (u : space R 1) : (0 <= (expR (- energy_of D u))%:E)%E by rewrite lee_fin expR_ge0.
have mb : measurable_fun setT (fun u : space R 1 => (\1_ball1 u)%:E * (expR (- energy_of D u))%:E)%E.
  exact: emeasurable_funM.
have i0 (u : space R 1) : (0 <= (\1_ball1 u)%:E :> \bar R)%E by rewrite lee_fin.
have b0 (u : space R 1) : (0 <= (\1_ball1 u)%:E * (expR (- energy_of D u))%:E)%E by rewrite mule_ge0.
rewrite /normalisable partitionE integral_on_ball //; apply/andP; split.
  pose c := expR (- ((risk D (point 0) + (size D)%:R) * 2%:R^-1)).
  apply: (@lt_le_trans _ _ (c%:E * (1 - - 1)%:E)%E).
    by rewrite -EFinM lte_fin mulr_gt0 ?expR_gt0 // opprK addr_gt0.
  rewrite -volume_ball -int_scale ?expR_ge0 //; apply: int_le => // [|u|u].
  - exact: measurable_funeM.
  - by rewrite mule_ge0 // lee_fin expR_ge0.
  rewrite muleC; rewrite indicE; have [/set_mem ub|_] := boolP (u \in ball1); last by rewrite !mul0e.
  rewrite !mul1e lee_fin ler_expR ler_opp2 /= ler_pmul2r ?invr_gt0 // -ler_subl_addl.
  apply: le_trans (risk_lipschitz D u (point 0)) _; rewrite ler_pimulr //.
  by rewrite /point scale0r subr0 ball_norm.
apply: (@le_lt_trans _ _ (1 - - 1)%:E); last exact: ltry.
rewrite -volume_ball; apply: int_le => // u; rewrite -[leRHS]mule1 lee_wpmul2l //.
rewrite lee_fin -[leRHS](@expR0 R) ler_expR oppr_le0 /= mulr_ge0 ?invr_ge0 //.
exact: le_trans (risk_ge2 D u).
Qed.

Let proposal_normalisable : normalisable (volume R) proposal_energy.
Proof.
have := line_laplace_normalisable (@ltr01 R); rewrite /normalisable !partitionE.
rewrite (eq_integral (fun u : space R 1 => (expR (- size_energy u))%:E)) //.
by move=> u _; rewrite /= /distance_energy mul1r.
Qed.

Let minorant D u : ball1 u -> proposal_energy u <= energy_of D u.
Proof.
move=> /ball_norm u1; apply: (le_trans u1).
by rewrite /= ler_pdivl_mulr // mul1r risk_ge2.
Qed.

(** * The draw *)

Let propose : {measure set (space R 1) -> \bar R} := gibbs (volume R) proposal_energy.

Let propose_total : propose setT = 1%E.
Proof. exact: gibbs_total. Qed.

Let accept_of D := acceptance_mfun ball_ok (energy_of D) proposal_energy.
Let accept_of_ge0 D : forall u, 0 <= accept_of D u :=
  acceptance_ge0 ball1 (energy_of D) proposal_energy.
Let accept_of_le1 D : forall u, accept_of D u <= 1 :=
  acceptance_le1 ball1 (energy_of D) proposal_energy.

Let posterior_of D : {measure set (space R 1) -> \bar R} := gibbs on_ball (energy_of D).

Let posterior_of_total D : posterior_of D setT = 1%E.
Proof. exact: gibbs_total. Qed.

Let accepted_of D A : measurable A -> accepted_mass propose (accept_of_ge0 D) A =
  ((accept_prob propose (accept_of_ge0 D))%:E * posterior_of D A)%E.
Proof.
move=> mA; exact: (own_exact_accepted (@minorant D) (normalisable_of D) proposal_normalisable mA).
Qed.

Let shifted D : measurable_fun setT (along (unit1 R) (side D)).
Proof.
apply: (lipschitz_map_measurable (K := 1)) => u v.
by rewrite mul1r /along opprD addrACA subrr addr0.
Qed.

Let fallback_of D : {measure set (space R 1) -> \bar R} :=
  [the {measure set (space R 1) -> \bar R} of pushforward (posterior_of D) (shifted D)].

Let fallback_total D : fallback_of D setT = 1%E.
Proof. by rewrite /= /pushforward preimage_setT; exact: posterior_of_total. Qed.

Let draw_of D : {measure set (space R 1) -> \bar R} :=
  capped propose (accept_of_ge0 D) (accept_of_le1 D) ball_ok (fallback_of D)
    (size D).+2 (size D).+1.

Let draw_total D : draw_of D setT = 1%E.
Proof. by apply: capped_total; [exact: propose_total|exact: fallback_total]. Qed.

(** * Noise *)

Let near1 := objective_near (witness_objective R).
Let noise1 := objective_noise (witness_objective R).

Let noise_total u : noise1 u setT = 1%E.
Proof. by rewrite /= /pushforward preimage_setT; exact: line_laplace_total. Qed.

Let pair_noise_measurable A : measurable A ->
  measurable_fun setT (fun z : space R 1 * space R 1 => noise1 z.2 A).
Proof.
move=> mA; exact: (measurable_fun_comp (kernel_measurable noise1 mA) (@measurable_snd _ _ _ _)).
Qed.

Let pair_noise := MarkovKernel (markov_kernel_kernel := Kernel pair_noise_measurable)
  (fun z => noise_total z.2).

Let near_measurable : measurable [set z : space R 1 * space R 1 | near1 z.1 z.2].
Proof.
have md : measurable_fun setT (fun z : space R 1 * space R 1 => coordinate z.1 - coordinate z.2).
  apply: measurable_funB.
    exact: (measurable_fun_comp (@measurable_coordinate R) (@measurable_fst _ _ _ _)).
  exact: (measurable_fun_comp (@measurable_coordinate R) (@measurable_snd _ _ _ _)).
rewrite (_ : [set _ | _] = (fun z => coordinate z.1 - coordinate z.2) @^-1` `[- 1, 1]).
  by rewrite -[X in measurable X]setTI; apply: md => //; exact: measurable_itv.
apply/seteqP; split => -[u v] /=; rewrite /near1 /= in_itv /= -ler_norml norm_coordinate;
  by rewrite /coordinate !mxE.
Qed.

Let near_refl u : near1 u u.
Proof. by rewrite /near1 /= subrr /norm2 /dot big1 ?sqrtr0 // => i _; rewrite mxE mul0r. Qed.

Let fallback_moves D u : near1 (along (unit1 R) (side D) u) u.
Proof.
rewrite /near1 /= /along addrAC subrr add0r norm_point.
by rewrite /side normrX normrN1 expr1n.
Qed.

Definition witness_line_posterior :
  posterior_mechanism (seq R) R (space R 1) (space R 1) (space R 1) := {|
  localise := fun D => output_noise (witness_line_output R)
    (output_computed (witness_line_output R) D);
  ball := fun=> ball1;
  base := fun=> on_ball;
  diameter := fun=> 2%:R;
  dist := fun u v => norm2 ((u : 'rV[R]_1) - (v : 'rV[R]_1));
  objective := objective_of;
  temperature := fun=> 2%:R^-1;
  lipschitz := fun=> 1;
  near := fun=> near1;
  proposal := fun _ _ => propose;
  accept := fun D _ => accept_of D;
  accepted := fun D _ => posterior_of D;
  cap_drawn := fun D _ => (size D).+2;
  cap_evaluated := fun D _ => (size D).+1;
  fallback := fun D _ => fallback_of D;
  draw := fun D => const_kernel (space R 1) (draw_total D);
  noise := pair_noise;
  centre := fun=> objective_centre (witness_objective R) |}.

Let difference D D' u v : add_remove D D' ->
  risk D v - risk D' v - (risk D u - risk D' u) <= 1 * norm2 ((u : 'rV[R]_1) - (v : 'rV[R]_1)).
Proof.
rewrite mul1r => -[] [D1 [z [D2 [-> ->]]]]; rewrite !risk_cons.
  have := fit_lipschitz z v u; rewrite (norm_distC (norm2_is_norm R 1)) => le.
  by apply: le_from le _; nsatz.
by apply: le_from (fit_lipschitz z u v) _; nsatz.
Qed.

Theorem witness_line_runtime_contracts :
  runtime_contracts (@add_remove R) witness_line_posterior 1 1 1.
Proof.
apply: (@RuntimeContracts _ _ _ _ _ _ _ _ _ witness_line_posterior 1 1 1
  _ (fun=> ball_ok) _ _ _ _ _ _ _ _
  (fun D _ => accept_of_ge0 D) (fun D _ => accept_of_le1 D)).
- exact: witness_line_output_perturbation.
- by move=> t; exact: restricted_on.
- by move=> D t; exact: normalisable_of.
- by move=> t; rewrite /= invr_ge0.
- by move=> t; exact: ler01.
- by move=> D D' t u v DD' _ _; exact: difference.
- move=> t u v /ball_norm u1 /ball_norm v1; apply: le_trans (norm2_triangle _ _) _.
  by rewrite norm2N /= -[2%:R]/(1 + 1) ler_add.
- by move=> t; rewrite /= mulr1 mulVf ?pnatr_eq0.
- by move=> D t; exact: propose_total.
- by move=> D t A mA; exact: accepted_of.
- by move=> D t; apply: within_refl; [exact: near_refl|exact: near_measurable].
- move=> D t; apply: within_moved; first exact: near_measurable.
  by move=> u; exact: fallback_moves.
- by move=> D t A mA.
- by move=> t u v; exact: (objective_noise_to_centre (witness_objective_contracts R)).
- by move=> t u v; exact: (objective_centre_to_noise (witness_objective_contracts R)).
Qed.

Corollary witness_line_end2end_pure : private (@add_remove R) (1 + (1 + 1)) (fun D =>
  joint (localise witness_line_posterior D) (release witness_line_posterior D)).
Proof. exact: thm_end2end_pure witness_line_runtime_contracts. Qed.

End WitnessPosterior.
