(* What own:gaussian-tilt must not leave out, in one dimension with Lebesgue measure.  A
   linear loss moves the minimiser of one record by 1 and has no curvature; a tilt of
   deviation 1 makes the two releases N(0,1) and N(1,1).  With half that deviation for the
   same mu, or twice the slope, they are not: 1/2-GDP of these two would say that the mass
   of N(0,1) below -1/2 is not less than that below 0.                                   *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation HockeyStick Profile LineLaw GaussLine.
From AsapDP Require Import GaussCurve GaussSpace GaussTail GaussObjective GaussPrice.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Refuted.
Variable R : realType.

(* The slopes of a record reach 2m in units of the deviations, and m is claimed. *)
Definition half_the_deviation := forall (n : nat) (C : set 'rV[R]_n) (Z : Type)
    (x : Z -> 'rV[R]_n) (loss slope : Z -> R -> R) (curvature : Z -> R) (Lambda : R)
    (contract : loss_contract C x loss slope curvature Lambda)
    (domain : domain_contract C) (sd : 'rV[R]_n) (m : R),
  (forall i, 0 < sd 0 i) -> 0 < m -> gaussian_price C x slope Lambda sd (m + m) 0 ->
  forall D D', add_remove D D' -> gdp m (exact contract domain (normal_tilt sd) D)
    (exact contract domain (normal_tilt sd) D').

Let row (_ : Datatypes.unit) : 'rV[R]_1 := unit1 R.
Let linear (_ : Datatypes.unit) (t : R) : R := - t.
Let falls (_ : Datatypes.unit) (t : R) : R := - 1.
Let everywhere : set 'rV[R]_1 := setT.

Let linear_contract : loss_contract everywhere row linear falls (fun=> 0) 1.
Proof.
split => // z theta eta _ _; last by rewrite subrr normr0 mul0r.
by rewrite /linear /falls le_eqVlt; apply/orP; left; apply/eqP; nsatz.
Qed.

Let domain : domain_contract everywhere.
Proof. by split => //; exists 0. Qed.

Let price : gaussian_price everywhere row falls 1 (unit1 R) (half R + half R) 0.
Proof.
have sign : keeps_sign everywhere row falls.
  by move=> z; left => theta _; rewrite /falls oppr_le0.
have separate := @gaussian_price_separate _ _ _ _ _ _ _ _ _ linear_contract.
apply: (separate (unit1 R) (half R + half R) 0 sign 0).
- move=> z theta _; rewrite /falls normrN1 mul1r halves /reach.
  have -> : over_sd (unit1 R) (row z) = unit1 R.
    by apply/rowP => i; rewrite !mxE divr1.
  by rewrite norm_unit1.
- by [].
- by move=> z; rewrite mul0r.
- by rewrite mul0r addr0 expR0.
Qed.

(* With k records the minimiser is k - b. *)
Let releasedE D (b : space R 1) :
  coordinate (released linear_contract domain D b) = (size D)%:R - coordinate b.
Proof.
set theta := released linear_contract domain D b.
have [_ st] := argmin_stationary linear_contract domain D (- (b : 'rV[R]_1)).
pose v : 'rV[R]_1 := gradient row falls 1 D theta + (b : 'rV[R]_1).
have v0 : v = 0.
  apply: dot_eq0; apply/eqP; rewrite eq_le dot_ge0 andbT.
  have := st ((theta : 'rV[R]_1) - v) I; rewrite opprK addrAC subrr sub0r dotNr.
  by rewrite oppr_ge0.
have sumE (t : 'rV[R]_1) (E : seq Datatypes.unit) :
    \sum_(z <- E) (falls z (prediction row z t) *: row z) 0 0 = - (size E)%:R.
  elim: E => [|z E IH]; rewrite ?big_nil ?oppr0 // big_cons IH !mxE.
  by rewrite /falls mulr1 /= -natr1 opprD addrC.
have : coordinate v = 0 by rewrite v0 /coordinate mxE.
rewrite /v /gradient /coordinate !mxE summxE mul1r sumE.
by move=> h; apply/eqP; rewrite -subr_eq0; apply/eqP; apply: etrans h; nsatz.
Qed.

(* One normal coordinate. *)
Lemma integral_one_coordinate (f : R -> \bar R) : measurable_fun setT f ->
  (forall z, 0 <= f z)%E ->
  (\int[normal_space R 1]_b f (coordinate b) = \int[normal 0]_z f z)%E.
Proof.
move=> mf f0.
have mc : measurable_fun setT (fun b : space R (1 + 0) => f (coordinate b)).
  exact: (measurable_fun_comp mf (@LineLaw.measurable_coordinate R)).
apply: (etrans (integral_normal_space mc (fun b => f0 _))).
rewrite [LHS](_ : _ = \int[normal_space R 0]_u \int[normal 0]_z f z)%E; last first.
  apply: eq_integral => u _; apply: eq_integral => z _; congr f.
  by rewrite /coordinate /extend mxE; case: splitP => // i _; rewrite !ord1 mxE.
by rewrite integral_cst // normal_space_total mule1.
Qed.

Lemma normal_coordinate (I : set R) : measurable I ->
  normal_space R 1 (@coordinate R @^-1` I) = normal 0 I.
Proof.
move=> mI; have mB : measurable (@coordinate R @^-1` I).
  by rewrite -[X in measurable X]setTI; apply: LineLaw.measurable_coordinate.
have mf : measurable_fun setT (fun z : R => (\1_I z : R)%:E).
  by apply: measurable_EFin; exact: measurable_fun_indic.
have f0 (z : R) : (0 <= (\1_I z : R)%:E)%E by rewrite lee_fin.
transitivity (\int[normal_space R 1]_b (\1_(@coordinate R @^-1` I) b)%:E)%E.
  by rewrite integral_indic // setIT.
transitivity (\int[normal 0]_z (\1_I z)%:E)%E; last by rewrite integral_indic // setIT.
rewrite -(integral_one_coordinate mf f0); apply: eq_integral => b _.
by rewrite !indicE; congr (nat_of_bool _)%:R%:E; apply/idP/idP; rewrite !inE.
Qed.

Let beyond c : set (space R 1) := [set t : space R 1 | c < coordinate t].

Let measurable_beyond c : measurable (beyond c).
Proof.
have -> : beyond c = @coordinate R @^-1` `]c, +oo[.
  by apply/seteqP; split => t; rewrite /beyond /= in_itv /= andbT.
rewrite -[X in measurable X]setTI; apply: LineLaw.measurable_coordinate => //.
exact: measurable_itv.
Qed.

Let tail D c : exact linear_contract domain (normal_tilt (unit1 R)) D
    (beyond ((size D)%:R - c)) = normal 0 `]-oo, c[%classic.
Proof.
rewrite -normal_coordinate; last exact: measurable_itv.
rewrite /exact /normal_tilt /= /pushforward; congr (normal_space R 1 _).
by apply/seteqP; split => b;
  rewrite /beyond /= in_itv /= releasedE ltr_add2l ltr_opp2 /coordinate !mxE mul1r.
Qed.

Theorem refuted_half_the_deviation : ~ half_the_deviation.
Proof.
move=> claim; have h0 := half_gt0 R; have hh := halves R.
have more : add_remove [:: tt] [::] by left; exists [::], tt, [::].
have sd0 i : 0 < unit1 R 0 i by rewrite mxE.
have := claim _ _ _ _ _ _ _ _ linear_contract domain (unit1 R) (half R) sd0 h0 price _ _ more.
move=> /(_ (- loss (half R) (half R))) stick.
have := hockey_stick_set stick (measurable_beyond ((size [:: tt])%:R - half R)).
rewrite {1}tail (_ : (size [:: tt])%:R - half R =
    (size ([::] : seq Datatypes.unit))%:R - - half R); last first.
  by rewrite /= opprK ?mulr0n add0r ?mulr1n -hh addrK.
rewrite tail (belowE 0 (half R)) (belowE 0 (- half R)) -EFinM -EFinD lee_fin.
have := half_line_delta (half R) h0; rewrite (below_shift (half R)) subrr => ->.
rewrite ler_add2r ler_pmul2l ?expR_gt0 // => le.
have := le_trans (below_step (ltW h0)) le; rewrite -ler_subr_addl subrr.
by apply/negP; rewrite -ltNge mulr_gt0 // phi_gt0.
Qed.

End Refuted.
