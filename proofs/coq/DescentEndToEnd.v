(* Noisy gradient descent as a whole mechanism, from run-time contracts: the sister of
   [EndToEndGauss] for own:noisy-gradient.

     slopes_within                    slope times length of a row, at every point of a set
     thm_noisy_gradient               add or remove a record: G + 2 rho + sqrt n g <= m sigma
                                      in each of T steps, T m^2 <= mu^2: mu-GDP
     thm_noisy_gradient_replace_one   the same with 2 G
     logistic_slopes_within           the logistic loss with weights: G bounds the rows
     own_noisy_gradient_logistic, own_noisy_gradient_logistic_replace_one
                                      so nothing is asked of the loss or of the points

   The gradients of neighbours differ by the slope of one record (or of two) along its row;
   the regulariser is the same for both.  Each is computed with an error of at most rho,
   rounded to a lattice, and hidden by normal noise.  The state may keep all that was
   released, and the next point is any function of it.                                   *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation Logistic GaussLine GaussCurve GaussCompose.
From AsapDP Require Import GaussSpace GaussSpread GaussDescent EndToEndGauss.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Gradients of neighbours *)

Section Sensitivity.
Variables (R : realType) (n : nat) (C : set 'rV[R]_n) (Z : Type).
Variables (row : Z -> 'rV[R]_n) (slope : Z -> R -> R) (Lambda G : R).

(* The gradient of one loss is its slope times its row. *)
Definition slopes_within := forall z theta, C theta ->
  `|slope z (prediction row z theta)| * norm2 (row z) <= G.

Hypothesis slopes : slopes_within.

Local Notation exact := (gradient row slope Lambda).

Let one_record D1 z D2 theta : C theta ->
  norm2 (exact (D1 ++ z :: D2) theta - exact (D1 ++ D2) theta) <= G.
Proof.
move=> Ct; rewrite gradient_insert addrAC subrr add0r norm2Z.
exact: slopes.
Qed.

Lemma gradients_add_remove D D' theta : add_remove D D' -> C theta ->
  norm2 (exact D theta - exact D' theta) <= G.
Proof.
move=> [] [D1 [z [D2 [-> ->]]]] Ct; first exact: one_record.
by rewrite (norm_distC (norm2_is_norm R n)); exact: one_record.
Qed.

Lemma gradients_replace_one D D' theta : replace_one D D' -> C theta ->
  norm2 (exact D theta - exact D' theta) <= 2%:R * G.
Proof.
move=> [D1 [z [z' [D2 [-> ->]]]]] Ct; have normed := norm2_is_norm R n.
apply: (le_trans (dist_triangle normed (exact (D1 ++ D2) theta) _ _)).
rewrite mulr_natl mulr2n; apply: ler_add; first exact: one_record.
by rewrite (norm_distC normed); exact: one_record.
Qed.

End Sensitivity.

(** * The mechanism *)

Section Descent.
Context (R : realType) (n : nat) (Z : Type) d (S : measurableType d).

Record descent_mechanism := DescentMechanism {
  (* where gradients are asked for *)
  descent_domain : set 'rV[R]_n;
  (* row and slope of a record, and the regulariser *)
  descent_row : Z -> 'rV[R]_n;
  descent_slope : Z -> R -> R;
  descent_regulariser : R;
  (* the first state, and the point of step t in a state *)
  descent_start : {measure set S -> \bar R};
  descent_point : nat -> S -> 'rV[R]_n;
  (* the gradient that the program computes there, and its distance from the exact one *)
  descent_computed : seq Z -> nat -> S -> space R n;
  descent_error : R;
  (* rounding to a lattice, and the deviation of the noise *)
  descent_step : R;
  descent_clamp : R -> R;
  descent_lattice : 'rV[R]_n -> 'rV[R]_n;
  descent_noise : R;
  (* what is made of a state and a noisy gradient: rounding, a step, a projection *)
  descent_update : nat -> S * space R n -> S }.

Variables (M : descent_mechanism) (G m mu : R) (T : nat).

(* sensitivity: how far the exact gradients of neighbours are apart. *)
Record descent_contracts (sensitivity : R) : Prop := DescentContracts {
  (* own:losses, on the domain only *)
  descent_slopes :
    slopes_within (descent_domain M) (descent_row M) (descent_slope M) G;
  descent_asks :
    forall t s, descent_domain M (descent_point M t s);
  (* own:objective: floating point, for every data set and state *)
  descent_computed_near :
    forall D t s, norm2 ((descent_computed M D t s : 'rV[R]_n)
      - gradient (descent_row M) (descent_slope M) (descent_regulariser M) D (descent_point M t s))
      <= descent_error M;
  (* the program sees countably many states *)
  descent_computed_measurable :
    forall D t, measurable_fun setT (descent_computed M D t);
  (* own:lattice *)
  descent_rounding :
    rounding_contract (descent_step M) (descent_clamp M) (descent_lattice M);
  descent_update_measurable :
    forall t, measurable_fun setT (descent_update M t);
  (* the start is public *)
  descent_start_total : descent_start M setT = 1%E;
  descent_noise_gt0 : 0 < descent_noise M;
  descent_share_ge0 : 0 <= m;
  descent_mu_ge0 : 0 <= mu;
  (* the noise covers the sensitivity, both errors, and rounding *)
  descent_noise_covers :
    sensitivity + 2%:R * descent_error M + Num.sqrt n%:R * descent_step M
      <= m * descent_noise M;
  (* T shares *)
  descent_budget : T%:R * m ^+ 2 <= mu ^+ 2 }.

Section Release.
Variable sensitivity : R.
Hypothesis contracts : descent_contracts sensitivity.

(* The gradient on the lattice. *)
Let centre D t (s : S) : space R n := descent_lattice M (descent_computed M D t s).

Let measurable_centre D t : measurable_fun setT (centre D t).
Proof.
exact: (measurable_fun_comp (rounding_measurable (descent_rounding contracts))
  (descent_computed_measurable contracts D t)).
Qed.

(* The state after T noisy gradients. *)
Definition descent_release D : {measure set S -> \bar R} :=
  descent (descent_noise M) (descent_start M) (measurable_centre D)
    (descent_update_measurable contracts) T.

Lemma descent_release_gdp D D' :
  (forall theta, descent_domain M theta ->
    norm2 (gradient (descent_row M) (descent_slope M) (descent_regulariser M) D theta
      - gradient (descent_row M) (descent_slope M) (descent_regulariser M) D' theta)
      <= sensitivity) ->
  gdp mu (descent_release D) (descent_release D').
Proof.
move=> near; apply: (@own_noisy_gradient R n (descent_noise M) m mu).
- exact: (descent_start_total contracts).
- exact: (descent_noise_gt0 contracts).
- exact: (descent_share_ge0 contracts).
- exact: (descent_mu_ge0 contracts).
- move=> t s; apply: le_trans (descent_noise_covers contracts).
  apply: (rounded_distance (descent_rounding contracts)).
  apply: (dist_moved (norm2_is_norm R n) (near _ (descent_asks contracts t s)));
    exact: (descent_computed_near contracts).
- exact: (descent_budget contracts).
Qed.

End Release.

Theorem thm_noisy_gradient (contracts : descent_contracts G) :
  gaussian_private (@add_remove Z) mu (descent_release contracts).
Proof.
move=> D D' DD'; apply: descent_release_gdp => theta.
exact: (gradients_add_remove _ (descent_slopes contracts) DD').
Qed.

Theorem thm_noisy_gradient_replace_one (contracts : descent_contracts (2%:R * G)) :
  gaussian_private (@replace_one Z) mu (descent_release contracts).
Proof.
move=> D D' DD'; apply: descent_release_gdp => theta.
exact: (gradients_replace_one _ (descent_slopes contracts) DD').
Qed.

End Descent.

(** * The logistic loss *)

(* A slope is at most 1, also with a weight. *)
Theorem logistic_slopes_within (R : realType) n (C : set 'rV[R]_n) (Z : Type)
    (row : Z -> 'rV[R]_n) (weight : Z -> R) (G : R) :
  (forall z, 0 <= weight z <= 1) -> (forall z, norm2 (row z) <= G) ->
  slopes_within C row (fun z p => weight z * logistic_slope p) G.
Proof.
move=> weights rows z theta _; apply: le_trans (rows z).
have /andP[w0 w1] := weights z; have /andP[m0 m1] := miss_bounds (prediction row z theta).
rewrite normrM (ger0_norm w0) logistic_slope_abs.
by apply: ler_pimull; [exact: norm2_ge0|exact: mulr_ile1].
Qed.

Section LogisticDescent.
Context (R : realType) (n : nat) (Z : Type) d (S : measurableType d).
Variables (row : Z -> 'rV[R]_n) (weight : Z -> R) (Lambda G rho g sigma m mu : R) (T : nat).
Variables (start : {measure set S -> \bar R}) (point : nat -> S -> 'rV[R]_n).
Variables (computed : seq Z -> nat -> S -> space R n) (update : nat -> S * space R n -> S).
Variables (clamp : R -> R) (lattice : 'rV[R]_n -> 'rV[R]_n).

Let slope z (p : R) : R := weight z * logistic_slope p.

Hypothesis weights : forall z, 0 <= weight z <= 1.
Hypothesis rows : forall z, norm2 (row z) <= G.
Hypothesis computed_near : forall D t s,
  norm2 ((computed D t s : 'rV[R]_n) - gradient row slope Lambda D (point t s)) <= rho.
Hypothesis computed_measurable : forall D t, measurable_fun setT (computed D t).
Hypothesis rounding : rounding_contract g clamp lattice.
Hypothesis update_measurable : forall t, measurable_fun setT (update t).
Hypothesis start_total : start setT = 1%E.
Hypothesis sigma_gt0 : 0 < sigma.
Hypothesis m_ge0 : 0 <= m.
Hypothesis mu_ge0 : 0 <= mu.
Hypothesis budget : T%:R * m ^+ 2 <= mu ^+ 2.

Definition logistic_descent : descent_mechanism R n Z S := {|
  descent_domain := setT;
  descent_row := row;
  descent_slope := slope;
  descent_regulariser := Lambda;
  descent_start := start;
  descent_point := point;
  descent_computed := computed;
  descent_error := rho;
  descent_step := g;
  descent_clamp := clamp;
  descent_lattice := lattice;
  descent_noise := sigma;
  descent_update := update |}.

Lemma logistic_descent_contracts sensitivity :
  sensitivity + 2%:R * rho + Num.sqrt n%:R * g <= m * sigma ->
  descent_contracts logistic_descent G m mu T sensitivity.
Proof. by move=> covers; split => //; exact: logistic_slopes_within. Qed.

Corollary own_noisy_gradient_logistic
    (covers : G + 2%:R * rho + Num.sqrt n%:R * g <= m * sigma) :
  gaussian_private (@add_remove Z) mu (descent_release (logistic_descent_contracts covers)).
Proof. exact: thm_noisy_gradient. Qed.

Corollary own_noisy_gradient_logistic_replace_one
    (covers : 2%:R * G + 2%:R * rho + Num.sqrt n%:R * g <= m * sigma) :
  gaussian_private (@replace_one Z) mu (descent_release (logistic_descent_contracts covers)).
Proof. exact: thm_noisy_gradient_replace_one. Qed.

End LogisticDescent.
