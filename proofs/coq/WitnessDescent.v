(* The contracts of noisy gradient descent hold at once in one dimension with real noise and
   any number of steps: the logistic loss with a weight for each class, rows 1 and -1, asked
   on a ball to which the state is clamped; computed gradients that are off by 1 in a
   direction that tells whether the number of records is odd, rounded to whole numbers; an
   update that goes from the state, by steps that become shorter.

     witness_descent_contracts       every field of descent_contracts: deviation 5 in each
                                     step, m = 1, mu = sqrt T, for 1 and for 2 records
     witness_noisy_gradient          add or remove a record
     witness_noisy_gradient_replace_one                                                   *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation OutputPerturbation Logistic LineLaw.
From AsapDP Require Import GaussLine GaussCurve GaussSpace GaussDescent EndToEndGauss.
From AsapDP Require Import DescentEndToEnd.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Gradients are measurable *)

Section Measurable.
Variables (R : realType) (n : nat) (Z : Type) (row : Z -> 'rV[R]_n) (slope : Z -> R -> R).
Variables (Lambda K : R).
Hypothesis slope_lipschitz : forall z p q, `|slope z p - slope z q| <= K * `|p - q|.
Hypothesis K_ge0 : 0 <= K.

Let prediction_lipschitz z (u v : 'rV[R]_n) :
  `|prediction row z u - prediction row z v| <= norm2 (row z) * norm2 (u - v).
Proof.
rewrite /prediction -dotNr -dotDr ler_norml cauchy_schwarz andbT ler_oppl -dotNl.
by apply: (le_trans (cauchy_schwarz _ _)); rewrite norm2N.
Qed.

Let slope_measurable z :
  measurable_fun setT (fun u : space R n => slope z (prediction row z u)).
Proof.
apply: (@lipschitz_measurable R n (K * norm2 (row z))) => u v.
apply: (le_trans (slope_lipschitz _ _ _)); rewrite -mulrA.
exact: ler_wpmul2l.
Qed.

Lemma gradient_measurable D :
  measurable_fun setT (gradient row slope Lambda D : space R n -> space R n).
Proof.
pose part E (u : space R n) : space R n :=
  \sum_(z <- E) slope z (prediction row z (u : 'rV[R]_n)) *: row z.
have parts E : measurable_fun setT (part E).
  elim: E => [|z E IH].
    have -> : part [::] = cst 0 by apply/funext => u; rewrite /part big_nil.
    exact: measurable_fun_cst.
  have -> : part (z :: E) = fun u => along (row z) (slope z (prediction row z u)) (part E u).
    by apply/funext => u; rewrite /part big_cons addrC.
  pose pair (u : space R n) := (slope z (prediction row z u), part E u).
  have mpair : measurable_fun setT pair.
    by apply/prod_measurable_funP; split; [exact: slope_measurable|exact: IH].
  exact: (measurable_fun_comp (@measurable_along R n (row z)) mpair).
exact: (measurable_add (@measurable_scale R n Lambda) (parts D)).
Qed.

End Measurable.

Section Witness.
Variable R : realType.

(* A record is the label of a point at 1; one class counts half. *)
Let row (z : bool) : 'rV[R]_1 := if z then unit1 R else - unit1 R.
Let weight (z : bool) : R := if z then 1 else half R.
Let slope z (p : R) : R := weight z * logistic_slope p.

Let row_norm z : norm2 (row z) = 1.
Proof. by case: z; rewrite /row ?norm2N norm_unit1. Qed.

Let weight_bounds z : 0 <= weight z <= 1.
Proof.
case: z; rewrite /weight ?ler01 ?lexx // (ltW (half_gt0 R)) /=.
by rewrite -(halves R) ler_addl ltW // half_gt0.
Qed.

Let slope_lipschitz z p q : `|slope z p - slope z q| <= 4%:R^-1 * `|p - q|.
Proof.
rewrite /slope -mulrBr normrM; have /andP[w0 w1] := weight_bounds z; rewrite (ger0_norm w0).
apply: le_trans (logistic_curvature _ _); exact: ler_pimull.
Qed.

(* Clamped to [-1, 1]. *)
Let clip (r : R) : R := Num.min 1 (Num.max (- 1) r).

Let clip_moves a b : a <= b -> clip a <= clip b /\ clip b <= clip a + (b - a).
Proof.
move=> ab; have d0 : 0 <= b - a by rewrite subr_ge0.
have up : Num.max (- 1) a <= Num.max (- 1) b.
  by rewrite le_maxl !le_maxr lexx ab orbT.
have down : Num.max (- 1) b <= Num.max (- 1) a + (b - a).
  rewrite le_maxl; apply/andP; split.
    by apply: ler_paddr => //; rewrite le_maxr lexx.
  by rewrite -ler_subl_addr opprB addrC subrK le_maxr lexx orbT.
rewrite /clip; split; first by rewrite le_minr !le_minl lexx up orbT.
rewrite -ler_subl_addr le_minr !ler_subl_addr !le_minl; apply/andP; split.
  by rewrite ler_addl d0.
by rewrite down orbT.
Qed.

Let clip_lipschitz a b : `|clip a - clip b| <= `|a - b|.
Proof.
wlog ab : a b / a <= b.
  by move=> W; have [/W //|/ltW/W] := leP a b; rewrite (distrC (clip b)) (distrC b).
have [up down] := clip_moves ab; rewrite distrC (distrC a).
by rewrite !ger0_norm ?subr_ge0 // ler_subl_addr addrC.
Qed.

Let ball : set 'rV[R]_1 := [set theta | norm2 theta <= 1].

Let asked (s : space R 1) : 'rV[R]_1 := clamped clip s.

Let asked_ball s : ball (asked s).
Proof.
rewrite /ball /= norm_coordinate /coordinate mxE ler_norml /clip le_minl lexx andbT.
by rewrite le_minr le_maxr lexx andbT -subr_ge0 opprK addr_ge0.
Qed.

Let asked_measurable : measurable_fun setT (asked : space R 1 -> space R 1).
Proof.
apply: (lipschitz_map_measurable (K := 1)) => u v; rewrite mul1r.
exact: (clamped_norm2 clip_lipschitz).
Qed.

(* Off by 1, up or down. *)
Let side (D : seq bool) : R := (- 1) ^+ size D.

Let computed D (t : nat) (s : space R 1) : space R 1 :=
  along (unit1 R) (side D) (gradient row slope 1 D (asked s)).

Let computed_measurable D t : measurable_fun setT (computed D t).
Proof.
pose f (z : R * space R 1) := along (unit1 R) z.1 z.2.
have mf : measurable_fun setT (fun u : space R 1 => f (side D, u)).
  by apply: (measurable_fun_prod1 (f := f)); exact: measurable_along.
have K0 : 0 <= 4%:R^-1 :> R by rewrite invr_ge0.
exact: (measurable_fun_comp mf
  (measurable_fun_comp (gradient_measurable row 1 slope_lipschitz K0 D) asked_measurable)).
Qed.

Let rounding : rounding_contract 1 id (lattice 1 : 'rV[R]_1 -> 'rV[R]_1).
Proof.
split=> // [u i|]; last exact: (measurable_lattice (@ltr01 R)).
by rewrite ord1 -/(coordinate _) pointK; exact: nearest_near.
Qed.

(* Step t goes back by 1/(t + 1) of the noisy gradient. *)
Let update (t : nat) (p : space R 1 * space R 1) : space R 1 :=
  (p.1 : 'rV[R]_1) + (- t.+1%:R^-1) *: (p.2 : 'rV[R]_1).

Let update_measurable t : measurable_fun setT (update t).
Proof.
apply: measurable_add; first exact: measurable_fst.
exact: (measurable_fun_comp (@measurable_scale R 1 _) (@measurable_snd _ _ _ _)).
Qed.

Let origin1 : space R 1 := (0 : 'rV[R]_1).

Definition witness_descent : descent_mechanism R 1 bool (space R 1) := {|
  descent_domain := ball;
  descent_row := row;
  descent_slope := slope;
  descent_regulariser := 1;
  descent_start := [the {measure set (space R 1) -> \bar R} of dirac origin1];
  descent_point := fun=> asked;
  descent_computed := computed;
  descent_error := 1;
  descent_step := 1;
  descent_clamp := id;
  descent_lattice := lattice 1;
  descent_noise := 5%:R;
  descent_update := update |}.

Variable T : nat.

Theorem witness_descent_contracts sensitivity : sensitivity <= 2%:R * 1 ->
  descent_contracts witness_descent 1 1 (Num.sqrt T%:R) T sensitivity.
Proof.
move=> le2; split; rewrite /witness_descent /=.
- by apply: logistic_slopes_within => // z; rewrite row_norm.
- by move=> _ s; exact: asked_ball.
- move=> D t s; rewrite /computed /along addrAC subrr add0r norm2Z norm_unit1 mulr1.
  by rewrite /side normrX normrN1 expr1n.
- exact: computed_measurable.
- exact: rounding.
- exact: update_measurable.
- by rewrite diracE in_setT.
- exact: (ltr0n _ 5).
- exact: ler01.
- exact: sqrtr_ge0.
- have five : 5%:R = 2%:R * 1 + 2%:R * 1 + 1 * 1 :> R by rewrite !mulr1 -natrD natr1.
  by rewrite sqrtr1 [1 * 5%:R]mul1r five !ler_add2r.
- by rewrite expr1n mulr1 sqr_sqrtr.
Qed.

Let one : 1 <= 2%:R * 1 :> R.
Proof. by rewrite mulr1 ler1n. Qed.

Corollary witness_noisy_gradient : gaussian_private (@add_remove bool) (Num.sqrt T%:R)
  (descent_release (witness_descent_contracts one)).
Proof. exact: thm_noisy_gradient. Qed.

Corollary witness_noisy_gradient_replace_one :
  gaussian_private (@replace_one bool) (Num.sqrt T%:R)
    (descent_release (witness_descent_contracts (lexx (2%:R * 1)))).
Proof. exact: thm_noisy_gradient_replace_one. Qed.

End Witness.
