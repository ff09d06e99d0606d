(* How much noise a descent needs, in one dimension with real noise and exact gradients.

     enough                       a condition on T, G, sigma and mu claims to be enough
     enough_noise                 T G^2 <= (mu sigma)^2 is
     refuted_less_noise           T (k G)^2 <= (mu sigma)^2 is not, for any k < 1
     refuted_printed_variance     sigma^2 = T G^2 / (2 mu^2), the variance that
                                  thm:ngd_lipschitz prints, is not (spec/errata.md, 6)

   One step at 0 with a linear loss releases N(0,1) without a record and N(-1,1) with one.
   If they were mu-GDP for some mu < 1, the mass of N(0,1) below mu - 1 would not be less
   than that below 0.                                                                    *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Sensitivity Space Argmin.
From AsapDP Require Import ObjectivePerturbation HockeyStick Profile LineLaw GaussLine.
From AsapDP Require Import GaussCurve GaussPlane GaussCompose GaussSpace GaussSpread GaussTail.
From AsapDP Require Import GaussDescent EndToEndGauss DescentEndToEnd RefutedGauss.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Refuted.
Variable R : realType.

(* Exact gradients with noise of deviation sigma, where [condition T G sigma mu] holds. *)
Definition enough (condition : nat -> R -> R -> R -> Prop) :=
  forall (n : nat) (C : set 'rV[R]_n) (Z : Type) (row : Z -> 'rV[R]_n) (slope : Z -> R -> R)
    (Lambda : R) d (S : measurableType d) (start : {measure set S -> \bar R})
    (point : nat -> S -> 'rV[R]_n) (update : nat -> S * space R n -> S)
    (gradients : forall D t, measurable_fun setT
      (fun s => gradient row slope Lambda D (point t s) : space R n))
    (updates : forall t, measurable_fun setT (update t)) (T : nat) (G sigma mu : R),
  start setT = 1%E -> (forall t s, C (point t s)) -> 0 <= G ->
  slopes_within C row slope G -> 0 < sigma -> 0 < mu -> condition T G sigma mu ->
  gaussian_private (@add_remove Z) mu
    (fun D => descent sigma start (gradients D) updates T).

Theorem enough_noise :
  enough (fun T G sigma mu => T%:R * G ^+ 2 <= (mu * sigma) ^+ 2).
Proof.
move=> n C Z row slope Lambda d S start point update gradients updates T G sigma mu.
move=> start1 asks G0 slopes sigma0 mu0 noise D D' DD'.
apply: (@own_noisy_gradient R n sigma (G / sigma) mu) => //.
- by rewrite divr_ge0 // ltW.
- exact: ltW.
- move=> t s; rewrite divfK ?gt_eqF //.
  exact: (gradients_add_remove Lambda slopes DD' (asks t s)).
- by rewrite expr_div_n mulrA ler_pdivr_mulr ?exprn_gt0 // -exprMn.
Qed.

Let row (_ : Datatypes.unit) : 'rV[R]_1 := unit1 R.
Let falls (_ : Datatypes.unit) (_ : R) : R := - 1.
Let everywhere : set 'rV[R]_1 := setT.
Let here (t : nat) (s : space R 1) : 'rV[R]_1 := s.
Let seen (t : nat) (p : space R 1 * space R 1) : space R 1 := p.2.
Let origin1 : space R 1 := (0 : 'rV[R]_1).
Let start := [the {measure set (space R 1) -> \bar R} of dirac origin1].

Let slopes : slopes_within everywhere row falls 1.
Proof. by move=> z theta _; rewrite /falls normrN1 mul1r norm_unit1. Qed.

(* With k records the gradient at s is s - k. *)
Let gradientE D (s : space R 1) :
  gradient row falls 1 D (s : 'rV[R]_1) = along (unit1 R) (- (size D)%:R) s.
Proof.
rewrite /gradient scale1r /along; congr (_ + _); elim: D => [|z D IH].
  by rewrite big_nil oppr0 scale0r.
by rewrite big_cons IH /falls -scalerDl /= -natr1 opprD addrC.
Qed.

Let gradients D t : measurable_fun setT
  (fun s => gradient row falls 1 D (here t s) : space R 1).
Proof.
rewrite (_ : (fun s => _) = along (unit1 R) (- (size D)%:R)); last first.
  by apply/funext => s; exact: gradientE.
pose f (z : R * space R 1) := along (unit1 R) z.1 z.2.
by apply: (measurable_fun_prod1 (f := f)); exact: measurable_along.
Qed.

Let seen_measurable t : measurable_fun setT (seen t).
Proof. exact: measurable_snd. Qed.

Let release D := descent 1 start (gradients D) seen_measurable 1.

Let low c : set (space R 1) := @coordinate R @^-1` `]-oo, c[%classic.

Let measurable_low c : measurable (low c).
Proof.
rewrite -[X in measurable X]setTI; apply: LineLaw.measurable_coordinate => //.
exact: measurable_itv.
Qed.

Let mass_low D c :
  (\int[release D]_v (\1_(low c) v)%:E = (below 0 (c + (size D)%:R))%:E)%E.
Proof.
have [mf f0 _] := test_indic R (measurable_low c).
set K := spread 1 (gradients D 0%N) (seen_measurable 0%N).
transitivity (\int[start]_s \int[K s]_v (\1_(low c) v)%:E)%E.
  exact: (ge0_integral_bind start K f0 mf).
transitivity (\int[K origin1]_v (\1_(low c) v)%:E)%E.
  rewrite integral_dirac //; last exact: (measurable_kernel_integral K f0 mf).
  by rewrite indicE in_setT mul1e.
rewrite (integral_spread _ _ _ _ mf f0) -belowE -normal_coordinate; last exact: measurable_itv.
transitivity (\int[normal_space R 1]_b (\1_(low (c + (size D)%:R)) b)%:E)%E.
  apply: eq_integral => b _; rewrite !indicE; congr (nat_of_bool _)%:R%:E.
  have e : coordinate (seen 0%N (origin1, (gradient row falls 1 D (here 0%N origin1) +
      1 *: (b : 'rV[R]_1)) : space R 1)) = coordinate b - (size D)%:R.
    by rewrite gradientE /seen /coordinate /along !mxE add0r mulr1 mul1r addrC.
  by apply/idP/idP; rewrite !inE /low /= !in_itv /= e ltr_subl_addr.
by rewrite integral_indic // ?setIT.
Qed.

Let not_private mu : 0 < mu -> mu < 1 -> ~ gdp mu (release [:: tt]) (release [::]).
Proof.
move=> mu0 mu1 private; have h0 : 0 < 1 - mu by rewrite subr_gt0.
have one : mu - 1 + (size [:: tt])%:R = mu by exact: (subrK 1 mu).
have none : mu - 1 + (size ([::] : seq Datatypes.unit))%:R = mu - 1 by exact: addr0.
have with_one := etrans (mass_low [:: tt] (mu - 1)) (congr1 (fun r => (below 0 r)%:E) one).
have with_none := etrans (mass_low [::] (mu - 1)) (congr1 (fun r => (below 0 r)%:E) none).
have : ((below 0 mu)%:E <=
    (expR (- loss mu mu))%:E * (below 0 (mu - 1))%:E + (delta mu (- loss mu mu))%:E)%E.
  apply: (le_trans (eq_lee (esym with_one))).
  apply: (le_trans (private _ _ (test_indic R (measurable_low (mu - 1))))).
  apply: lee_add; last exact: lexx.
  by apply: lee_wpmul2l; [exact: expR_weight_ge0|exact: (eq_lee with_none)].
rewrite -EFinM -EFinD lee_fin.
have := half_line_delta mu mu0; rewrite (below_shift mu) subrr => ->.
rewrite ler_add2r ler_pmul2l ?expR_gt0 // => le.
have := below_step (ltW h0); rewrite opprB => step.
have := le_trans step le; rewrite -ler_subr_addl subrr.
by apply/negP; rewrite -ltNge mulr_gt0 // phi_gt0.
Qed.

(* One step, G = 1, deviation 1. *)
Let refuted (condition : nat -> R -> R -> R -> Prop) mu : 0 < mu -> mu < 1 ->
  condition 1%N 1 1 mu -> ~ enough condition.
Proof.
move=> mu0 mu1 holds claim; apply: (not_private mu0 mu1).
have start1 : start setT = 1%E by rewrite /= diracE in_setT.
have more : add_remove [:: tt] [::] by left; exists [::], tt, [::].
exact: (claim _ everywhere _ row falls 1 _ _ start here seen gradients seen_measurable 1%N 1 1 mu
  start1 (fun _ _ => I) ler01 slopes ltr01 mu0 holds).
Qed.

Theorem refuted_less_noise k : 0 < k -> k < 1 ->
  ~ enough (fun T G sigma mu => T%:R * (k * G) ^+ 2 <= (mu * sigma) ^+ 2).
Proof. by move=> k0 k1; apply: (refuted k0 k1); rewrite mul1r !mulr1. Qed.

Theorem refuted_printed_variance :
  ~ enough (fun T G sigma mu => sigma ^+ 2 = T%:R * G ^+ 2 / (2%:R * mu ^+ 2)).
Proof.
have h0 := half_gt0 R; have r0 : 0 < Num.sqrt (half R) by rewrite sqrtr_gt0.
have h1 : half R < 1 by rewrite -[X in _ < X](halves R) ltr_addl.
apply: (refuted r0).
  by rewrite -[X in _ < X]sqrtr1 ltr_sqrt.
rewrite sqr_sqrtr ?ltW // !expr1n mulr1 mul1r /half mulfV ?pnatr_eq0 //.
by rewrite invr1.
Qed.

End Refuted.
