(* Lengths on the line, without derivatives.

   A map t that does not shorten distances by more than the factor 1/k on a set S
   takes S to a set of at least 1/k of its length (line_expanding): a cover of the
   image by intervals gives a cover of S, interval by interval.  This is all that
   the proof of own:objective-perturbation asks of "Jacobians". *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Line.
Variable R : realType.

(* Lebesgue measure, on the measurable sets that R has by default. *)
Definition line_length (A : set R) : \bar R := lebesgue_measure A.

Let line0 : line_length set0 = 0%E.
Proof. exact: measure0. Qed.

Let line_ge0 A : (0 <= line_length A)%E.
Proof. exact: measure_ge0. Qed.

Let line_additive : semi_sigma_additive line_length.
Proof. exact: (measure.Hahn_ext_sigma_additive (@hlength_sigma_sub_additive R)). Qed.

HB.instance Definition _ := isMeasure.Build _ _ _ line_length
  line0 line_ge0 line_additive.

Definition line : {measure set R -> \bar R} :=
  [the {measure set R -> \bar R} of line_length].

Lemma lineE A : line A = lebesgue_measure A.
Proof. reflexivity. Qed.

Lemma line_sigma_finite : sigma_finite setT line.
Proof.
have [F FT Ffin] := hlength_sigma_finite R.
exists F => // k; have [[[a b] _ <-] _] := Ffin k; split; first exact: measurable_itv.
rewrite lineE (lebesgue_measure_itv `]a, b]) hlength_itv /=.
by case: ifP => _; rewrite -?EFinB ltry.
Qed.

(* Points that are pairwise within l of each other are in an interval of length l. *)
Lemma diameter_cover (X : set R) (l : R) : 0 <= l ->
  (forall r r', X r -> X r' -> r - r' <= l) ->
  exists J : set R, [/\ measurable J, X `<=` J & (line J <= l%:E)%E].
Proof.
move=> l0 Xl; have [->|/set0P[r0 Xr0]] := eqVneq X set0.
  by exists set0; split => //; rewrite measure0 lee_fin.
have ubX : has_ubound X by exists (r0 + l) => r Xr; rewrite -ler_subl_addl Xl.
have lbX : has_lbound X by exists (r0 - l) => r Xr; rewrite ler_subl_addr -ler_subl_addl Xl.
exists `[inf X, sup X]%classic; split; first exact: measurable_itv.
  by move=> r Xr; rewrite /= in_itv /= inf_lb // sup_ub.
rewrite lineE (lebesgue_measure_itv `[inf X, sup X]) hlength_itv /=.
case: ifP => _; last by rewrite lee_fin.
rewrite -EFinB lee_fin ler_subl_addr; apply: sup_le_ub; first by exists r0.
move=> r Xr; rewrite -ler_subl_addl; apply: lb_le_inf; first by exists r0.
by move=> r' Xr'; rewrite ler_subl_addl -ler_subl_addr Xl.
Qed.

Lemma line_expanding (S E : set R) (t : R -> R) (k : R) : 0 < k ->
  measurable S -> (forall r, S r -> E (t r)) ->
  (forall r r', S r -> S r' -> `|r - r'| <= k * `|t r - t r'|) ->
  (line S <= k%:E * line E)%E.
Proof.
move=> k0 mS SE St.
have kinv0 : 0 < k^-1 by rewrite invr_gt0.
suff H : (k^-1%:E * line S <= line E)%E.
  have := lee_wpmul2l (ltW (_ : 0 < k%:E)%E) H; rewrite muleA -EFinM divff ?gt_eqF //.
  by rewrite mul1e; apply; rewrite lte_fin.
rewrite [leRHS]lineE /lebesgue_measure /Hahn_ext /mu_ext.
apply: lb_ereal_inf => _ [A [mA EA] <-].
pose X i := S `&` t @^-1` A i.
pose len i : R := fine (hlength (A i)).
have lenE i : hlength (A i) = (len i)%:E /\ 0 <= len i.
  have [[a b] _ /= ab] := mA i; rewrite /len -ab hlength_itv /= lte_fin.
  by case: ifP => [{}ab|_] /=; split=> //; rewrite subr_ge0 ltW.
have Xlen i r r' : X i r -> X i r' -> r - r' <= k * len i.
  move=> [Sr Ar] [Sr' Ar']; apply: le_trans (ler_norm _) (le_trans (St _ _ Sr Sr') _).
  apply: ler_wpmul2l; first exact: ltW.
  rewrite /len; have [[a b] _ /= ab] := mA i; move: Ar Ar'; rewrite /= -ab /= !in_itv /=.
  move=> /andP[ar rb] /andP[ar' rb']; rewrite hlength_itv /= lte_fin (lt_le_trans ar rb) /=.
  rewrite ler_norml; apply/andP; split.
    by rewrite ler_oppl opprB ler_sub // ltW.
  by rewrite ler_sub // ltW.
have klen i : 0 <= k * len i.
  by apply: mulr_ge0; [exact: ltW|case: (lenE i)].
have [J JX] := choice (fun i => diameter_cover (klen i) (@Xlen i)).
have SJ : S `<=` \bigcup_i J i.
  move=> r Sr; have [i _ Ai] := EA _ (SE _ Sr).
  by exists i => //; have [_ + _] := JX i; apply; split.
have mJ i : measurable (J i) by case: (JX i).
have -> : (\sum_(i <oo) hlength (A i) = k^-1%:E * \sum_(i <oo) (k * len i)%:E)%E.
  rewrite -nneseriesrM; last by move=> i _; rewrite lee_fin.
  by apply: eq_eseries => i _; rewrite -EFinM mulKf ?gt_eqF // (proj1 (lenE i)).
apply: lee_wpmul2l; first by rewrite lee_fin ltW.
apply: (@le_trans _ _ (line (\bigcup_i J i))).
  by apply: le_measure; rewrite ?inE //; exact: bigcup_measurable.
apply: (@le_trans _ _ (\sum_(i <oo) line (J i))%E).
  by apply: generalized_Boole_inequality => //; exact: bigcup_measurable.
by apply: lee_nneseries => // i _; case: (JX i).
Qed.

End Line.
