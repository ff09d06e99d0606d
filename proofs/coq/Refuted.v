(* Deliberately false variants, refuted.

   A theorem that would also hold with a weaker hypothesis says little about the
   constant in it.  Each statement below is one of this folder with one constant
   or one hypothesis weakened; each is shown to be false by a small example.

     refuted_full_noise_ratio     thm_asap_privacy with e^eps' between near points
     refuted_double_oscillation   lem_pure_DP_Post_Sam with oscillation 2 eps
     refuted_uncoupled_fallback   a fallback that nothing ties to the target

   (The sensitivity G/(2 Lambda) is refuted in RefutedSensitivity.v.)           *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp.
From AsapDP Require Import Kernels PureDP Coupling Gibbs TwoPoint.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section refuted.
Variable R : realType.

Let ln2 : R := ln 2.

Let expR_ln2 : expR ln2 = 2 :> R.
Proof. by rewrite lnK // posrE. Qed.

(** * Noise with the whole ratio between near points *)

Definition full_noise_ratio := forall d d' (T : measurableType d)
    (U : measurableType d') (near : T -> T -> Prop) (eps eps' : R)
    (sample sample' reference reference' : {measure set T -> \bar R})
    (noise : kernel T U R),
  dp eps reference reference' ->
  within near sample reference -> within near sample' reference' ->
  (forall x y, near x y -> near y x) ->
  (forall x y, near x y -> dp eps' (noise x) (noise y)) ->
  dp (eps + eps') (bind sample noise) (bind sample' noise).

Let eighths_ge0 n : (0 <= n%:R / 8%:R :> R)%R.
Proof. by rewrite divr_ge0. Qed.

Let eighths n : {nonneg R} := NngNum (eighths_ge0 n).

(* Three points in a row.  The chance of `true` doubles from each to the next:
   1/8, 2/8, 4/8.  Both outer points are near the middle, and 4/8 > 2 * 1/8. *)
Let count i : nat := if i is 0 then 1 else if i is 1 then 2 else 4.

Let law i : {measure set bool -> \bar R} :=
  two_point (eighths (count i)) (eighths (8 - count i)).

Let law_total i : law i setT = 1.
Proof.
rewrite two_point_total /= -mulrDl -natrD subnKC ?divff //.
by case: i => [|[]].
Qed.

Let measurable_nat (A : set nat) : measurable A.
Proof. by []. Qed.

Let noise : markov_kernel nat bool R := discrete_kernel measurable_nat law_total.

Let near (i j : nat) : Prop := (i <= j.+1)%N && (j <= i.+1)%N.

Let noise_ratio i j : near i j -> dp ln2 (noise i) (noise j).
Proof.
move=> nij; apply: dp_two_point; rewrite expR_ln2 /= mulrA ler_pmul2r ?invr_gt0 //;
  rewrite -natrM ler_nat; move: nij; rewrite /near /count.
- by case: i => [|[|i]]; case: j => [|[|j]].
- by case: i => [|[|i]]; case: j => [|[|j]].
Qed.

Theorem refuted_full_noise_ratio : ~ full_noise_ratio.
Proof.
move=> claim.
have near_dirac i j : near i j ->
    within near (dirac i : set nat -> \bar R) (dirac j).
  exact: within_dirac.
have sym i j : near i j -> near j i by rewrite /near andbC.
have := claim _ _ _ _ near 0%R ln2 _ _ _ _ noise
  (dp_refl [the {measure set nat -> \bar R} of dirac 1%N])
  (near_dirac 2%N 1%N isT) (near_dirac 0%N 1%N isT) sym noise_ratio
  [set true] (measurable_bool _).
rewrite !bind_dirac // add0r expR_ln2 /= !two_point_true -EFinM lee_fin /=.
by rewrite mulrA ler_pmul2r ?invr_gt0 // -natrM ler_nat.
Qed.

(** * Energies of twice the oscillation *)

Definition double_oscillation := forall d (T : measurableType d)
    (mu : {measure set T -> \bar R}) (Theta : set T) (f g : {mfun T >-> R})
    (eps : R),
  measurable Theta -> mu (~` Theta) = 0 ->
  (forall x y, Theta x -> Theta y -> (f y - g y - (f x - g x) <= 2 * eps)%R) ->
  normalisable mu f -> normalisable mu g -> dp eps (gibbs mu f) (gibbs mu g).

(* Uniform against 1/5, 4/5: the energies differ by ln 4 = 2 ln 2 at one point,
   the probabilities of that point by 5/2 > 2. *)
Let tilt (x : bool) : R := if x then (ln2 + ln2)%R else 0%R.

HB.instance Definition _ := @IsMeasurableFun.Build _ _ R tilt
  (@measurable_fun_on_bool _ _ tilt).

Theorem refuted_double_oscillation : ~ double_oscillation.
Proof.
move=> claim; pose one : {nonneg R} := NngNum (@ler01 R).
have ln2_ge0 : (0 <= ln2)%R by rewrite ln_ge0 // ler1n.
have := claim _ _ (two_point one one) setT (cst_mfun 0%R) [the {mfun _ >-> _} of tilt]
  ln2 measurableT.
rewrite setCT measure0 => /(_ erefl).
have norm (f : {mfun bool >-> R}) : normalisable (two_point one one) f.
  by apply: normalisable_two_point; rewrite /= ltr01.
have osc x y : ([set: bool] x -> [set: bool] y ->
    (cst 0 y - tilt y - (cst 0 x - tilt x) <= 2 * ln2)%R).
  move=> _ _; rewrite mulr_natl mulr2n /tilt /cst /=.
  have : (0 <= ln2 + ln2)%R by rewrite addr_ge0.
  move: (ln2 + ln2)%R => c c0; case: x; case: y;
    rewrite ?(sub0r, opprK, subrr, oppr0, add0r) ?(oppr0, addr0) //.
  by rewrite (le_trans _ c0) // oppr_le0.
move=> /(_ osc (norm _) (norm _) [set true] (measurable_bool _)).
rewrite [leLHS]gibbs_two_point [X in _ <= _ * X]gibbs_two_point.
have quarter : expR (- (ln2 + ln2)) = 4%:R^-1 :> R.
  by rewrite expRN expRD expR_ln2 -natrM.
rewrite expR_ln2 !indicE mem_set // memNset // /tilt /cst /= quarter oppr0 expR0.
have fifth : ((4%:R^-1 + 1)^-1 * 4%:R^-1 = 5%:R^-1 :> R)%R.
  by rewrite -invfM mulrDl mulVf ?pnatr_eq0 // mul1r -mulrS.
rewrite !(mulr1, mul1r, mulr0, addr0) -EFinM lee_fin fifth -mulr2n.
by rewrite ler_pdivl_mulr // mulrC ler_pdivr_mulr // -natrM ler_nat.
Qed.

(** * A fallback that nothing ties to the target *)

(* The draw is the mixture of own_exact_mixture; of the fallback only its mass is
   known. *)
Definition uncoupled_fallback := forall d d' (T : measurableType d)
    (U : measurableType d') (near : T -> T -> Prop) (eps eps' : R) (a b : {nonneg R})
    (target target' fallback fallback' : {measure set T -> \bar R})
    (noise : kernel T U R),
  (a%:num + b%:num = 1)%R ->
  (forall x, near x x) -> (forall x y, near x y -> near y x) ->
  measurable [set z : T * T | near z.1 z.2] ->
  dp eps target target' -> fallback setT = 1 -> fallback' setT = 1 ->
  (forall x y, near x y -> dp (eps' / 2) (noise x) (noise y)) ->
  dp (eps + eps') (bind (mix a b target fallback) noise)
    (bind (mix a b target' fallback') noise).

(* The fallback says which data set it was. *)
Theorem refuted_uncoupled_fallback : ~ uncoupled_fallback.
Proof.
move=> claim; pose half := eighths 4.
pose at_ x : {measure set bool -> \bar R} :=
  [the {measure set bool -> \bar R} of dirac x].
pose show : markov_kernel bool bool R := map_kernel R (@measurable_fun_id _ _ setT).
have at_total x : at_ x setT = 1 by rewrite /= diracE in_setT.
have halves : (half%:num + half%:num = 1)%R by rewrite /= -mulrDl -natrD divff.
have show_ratio (x y : bool) : x = y -> dp (0 / 2)%R (show x) (show y).
  by move=> ->; rewrite mul0r; exact: dp_refl.
have showE mu : bind mu show [set false] = mu [set false].
  by rewrite -[in RHS](setIT [set false]) -integral_indic.
have same : measurable [set z : bool * bool | z.1 = z.2].
  rewrite (_ : [set _ | _] = [set true] `*` [set true] `|` [set false] `*` [set false]).
    by apply: measurableU; apply: measurableM.
  by apply/seteqP; split => -[[] []] //=; [left|right|case=> -[]|case=> -[]].
have := claim _ _ _ _ (fun x y : bool => x = y) 0%R 0%R half half
  (at_ true) (at_ true) (at_ false) (at_ true) show halves (fun=> erefl)
  (fun _ _ => @esym _ _ _) same (dp_refl _) (at_total _) (at_total _) show_ratio
  [set false] (measurable_bool _).
rewrite [leLHS]showE [X in _ <= _ * X]showE !mixE /= !diracE memNset // mem_set //.
by rewrite !(mule0, adde0, add0e, mule1) lee_fin ler_pdivr_mulr // mul0r lern0.
Qed.

End refuted.
