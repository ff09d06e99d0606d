(* Laws with countably many outcomes, given by weights.

   The outcome i of weight w i is released as f i, a point of any measurable
   space; the mass of A is the sum of the weights whose outcomes land in A.
   Weights that differ by e^eps at most give laws that do: [dp_law_of]. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets functions fsbigop.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure exp.
From AsapDP Require Import Kernels PureDP.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Import numFieldTopology.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Sums *)

Section Sums.
Variable R : realType.

Lemma le_esumZ (I : choiceType) (A : set I) (c : R) (a b : I -> \bar R) :
  0 <= c -> (forall i, 0 <= b i)%E -> (forall i, a i <= c%:E * b i)%E ->
  (\esum_(i in A) a i <= c%:E * \esum_(i in A) b i)%E.
Proof.
move=> c0 b0 ab; apply: ub_ereal_sup => _ [X [finX XA] <-].
apply: (@le_trans _ _ (\sum_(i \in X) c%:E * b i)%E).
  by apply: lee_fsum => // i _; exact: ab.
rewrite -ge0_mule_fsumr //; apply: lee_wpmul2l; first by rewrite lee_fin.
by apply: ereal_sup_ub; exists X.
Qed.

Lemma esumZ (I : choiceType) (A : set I) (c : R) (b : I -> \bar R) :
  0 < c -> (forall i, 0 <= b i)%E ->
  (\esum_(i in A) (c%:E * b i) = c%:E * \esum_(i in A) b i)%E.
Proof.
move=> c0 b0; apply/eqP; rewrite eq_le; apply/andP; split.
  by apply: le_esumZ => //; exact: ltW.
have inv : (\esum_(i in A) b i <= c^-1%:E * \esum_(i in A) (c%:E * b i))%E.
  apply: le_esumZ => [|i|i]; first by rewrite invr_ge0 ltW.
    by rewrite mule_ge0 // lee_fin ltW.
  by rewrite muleA -EFinM mulVf ?gt_eqF // mul1e.
have c0E : (0 <= c%:E)%E by rewrite lee_fin ltW.
apply: (le_trans (lee_wpmul2l c0E inv)).
by rewrite muleA -EFinM mulfV ?gt_eqF // mul1e.
Qed.

Lemma nneseries_esumT (a : nat -> \bar R) : (forall n, 0 <= a n)%E ->
  (\sum_(n <oo) a n = \esum_(n in [set: nat]) a n)%E.
Proof.
by move=> a0; rewrite nneseries_esum //; congr esum; apply/seteqP; split.
Qed.

(* A series of real numbers that converges. *)
Lemma esum_series (a : nat -> R) (s : R) : (forall n, 0 <= a n) ->
  series a --> s -> (\esum_(n in [set: nat]) (a n)%:E = s%:E)%E.
Proof.
move=> a0 as_; transitivity (\sum_(n <oo) (a n)%:E)%E.
  by rewrite nneseries_esumT // => n; rewrite lee_fin.
apply/cvg_lim => //.
rewrite (_ : (fun n => _) = EFin \o series a); last first.
  by apply/funext => n; rewrite /= /series /= sumEFin.
by apply: cvg_comp as_ _; exact: cvg_id.
Qed.

End Sums.

(** * Laws *)

Section Law.
Context d (T : measurableType d) (R : realType) (I : choiceType).
Variables (w : I -> {nonneg R}) (f : I -> T).

Definition law_of (A : set T) : \bar R := \esum_(i in f @^-1` A) (w i)%:num%:E.

Let law_of0 : law_of set0 = 0%E.
Proof. by rewrite /law_of preimage_set0 esum_set0. Qed.

Let law_of_ge0 A : (0 <= law_of A)%E.
Proof. by apply: esum_ge0 => i _; rewrite lee_fin. Qed.

Let law_of_semi_sigma_additive : semi_sigma_additive law_of.
Proof.
move=> F mF tF mUF.
have -> : law_of (\bigcup_n F n) = (\sum_(n <oo) law_of (F n))%E.
  rewrite nneseries_esumT // /law_of preimage_bigcup esum_bigcupT //.
  by move=> i j _ _ [x [Fi Fj]]; apply: tF => //; exists (f x).
by apply: is_cvg_nneseries => n _; exact: law_of_ge0.
Qed.

HB.instance Definition _ := isMeasure.Build _ _ _ law_of
  law_of0 law_of_ge0 law_of_semi_sigma_additive.

Lemma law_of_total : law_of setT = (\esum_(i in [set: I]) (w i)%:num%:E)%E.
Proof. by rewrite /law_of preimage_setT. Qed.

End Law.

Theorem dp_law_of d (T : measurableType d) (R : realType) (I : choiceType)
    (w w' : I -> {nonneg R}) (f : I -> T) (eps : R) :
  (forall i, (w i)%:num <= expR eps * (w' i)%:num) ->
  dp eps (law_of w f) (law_of w' f).
Proof.
move=> ww' A _; apply: le_esumZ; first exact: expR_ge0.
  by move=> i; rewrite lee_fin.
by move=> i; rewrite -EFinM lee_fin.
Qed.
