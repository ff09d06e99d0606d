(* lem:adaptive_composition for Gaussian privacy, and T stages by induction.

     gdp_composes          m1-GDP, then m2-GDP whatever came before, is
                           sqrt(m1^2 + m2^2)-GDP
     gdp_post_processing   a function of a release
     gdp_steps             T stages, each as private as it is for every past

   A second stage that is m2-GDP is no better for a test than a half-line of N(0,1)
   against N(m2,1) ([GaussHalf]); with normal noise in the second stage each value of
   that noise leaves a test of the first; and in the plane squares add. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Line HockeyStick Profile.
From AsapDP Require Import GaussLine GaussCurve GaussHalf GaussPlane.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Composition *)

Section Compose.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).

Lemma gdp_zero d0 (V : measurableType d0) (P Q : {measure set V -> \bar R}) :
  gdp 0 P Q -> hockey_stick 0 0 P Q.
Proof. by move=> PQ; have := PQ 0; rewrite delta_zero. Qed.

Lemma gdp_refl d0 (V : measurableType d0) m (P : {measure set V -> \bar R}) :
  P setT = 1%E -> gdp m P P.
Proof.
move=> P1 eps f tf; have [mf f0 f1] := tf.
have F1 := integral_test_le1 P1 tf; have F0 := int_ge0 P f0.
have := delta_above0 m eps; move: F0 F1; case: (\int[P]_x f x)%E => [r| |] //.
rewrite -EFinM -EFinD !lee_fin => r0 r1 le_d.
apply: (@le_trans _ _ (expR eps * r + above0 (1 - expR eps))); last by rewrite ler_add2l.
rewrite addrC -ler_subl_addr -{1}[r]mul1r -mulrBl.
have [le1|lt1] := leP 0 (1 - expR eps).
  by apply: le_trans (above0_le _); rewrite ler_pimulr.
by apply: le_trans (above0_ge0 _); rewrite nmulr_rle0.
Qed.

Theorem gdp_composes (m1 m2 : R) : 0 <= m1 -> 0 <= m2 ->
  composes T U (delta m1) (delta m2) (delta (Num.sqrt (m1 ^+ 2 + m2 ^+ 2))).
Proof.
move=> m10 m20 P Q K K' P1 Q1 PQ KK' eps.
have [m1E|m1n0] := eqVneq m1 0.
  rewrite m1E expr0n /= add0r sqrtr_sqr ger0_norm //; rewrite m1E in PQ.
  have := hockey_stick_composition P1 (gdp_zero PQ) (fun x => KK' x eps).
  by rewrite !add0r.
have [m2E|m2n0] := eqVneq m2 0.
  rewrite m2E expr0n /= addr0 sqrtr_sqr ger0_norm //; rewrite m2E in KK'.
  have := hockey_stick_composition P1 (PQ eps) (fun x => gdp_zero (KK' x)).
  by rewrite !addr0.
have {m1n0}m10 : 0 < m1 by rewrite lt_neqAle eq_sym m1n0.
have {m2n0}m20 : 0 < m2 by rewrite lt_neqAle eq_sym m2n0.
set s := Num.sqrt _.
have q0 : 0 < m1 ^+ 2 + m2 ^+ 2 by rewrite addr_gt0 // exprn_gt0.
have s0 : 0 < s by rewrite sqrtr_gt0.
have ss : s ^+ 2 = m1 ^+ 2 + m2 ^+ 2 by rewrite sqr_sqrtr // ltW.
move=> f tf; have [mf f0 f1] := tf; rewrite !ge0_integral_bind //.
pose b x := (\int[K x]_y f y)%E; pose a x := (\int[K' x]_y f y)%E.
have [mb b0 b1] : test b := test_bind K tf; have [ma a0 a1] : test a := test_bind K' tf.
have aE x : a x = (fine (a x))%:E.
  by rewrite fineK // ge0_fin_numE // (le_lt_trans (a1 x)) // ltry.
have bE x : b x = (fine (b x))%:E.
  by rewrite fineK // ge0_fin_numE // (le_lt_trans (b1 x)) // ltry.
have mfa : measurable_fun setT (fine \o a).
  by apply: measurable_fun_comp => //; apply: measurable_fun_fine.
pose S := [set p : T * R | below m2 p.2 < fine (a p.1) \/ 1 <= fine (a p.1)].
have ma1 : measurable_fun setT (fun p : T * R => fine (a p.1)).
  exact: (measurable_fun_comp mfa (@measurable_fst _ _ T R)).
have mb2 : measurable_fun setT (fun p : T * R => below m2 p.2).
  by apply: measurable_below; exact: measurable_snd.
have mS : measurable S.
  rewrite (_ : S = (fun p : T * R => fine (a p.1) - below m2 p.2) @^-1` `]0, +oo[ `|`
      (fun p : T * R => fine (a p.1)) @^-1` `[1, +oo[); last first.
    apply/seteqP; split => p; rewrite /S /= !in_itv /= !andbT subr_gt0 //.
  apply: measurableU; rewrite -[X in measurable X]setTI.
    by apply: measurable_funB => //; exact: measurable_itv.
  by apply: ma1 => //; exact: measurable_itv.
have sec x : xsection S x = [set z | below m2 z < fine (a x) \/ 1 <= fine (a x)].
  by apply/seteqP; split => z; rewrite /xsection /S /= inE.
have level x := half_line (a := fine (a x)) (b := fine (b x)) m20.
have {}level x : (normal m2 (xsection S x) <= a x)%E /\ (b x <= normal 0 (xsection S x))%E.
  have a01 : 0 <= fine (a x) <= 1.
    by move: (a0 x) (a1 x); rewrite (aE x) !lee_fin /= => -> ->.
  have b01 : fine (b x) <= 1 by move: (b1 x); rewrite (bE x) lee_fin.
  rewrite sec (aE x) (bE x) /=; apply: level => // e.
  have : (b x <= (expR e)%:E * a x + (delta m2 e)%:E)%E := KK' x e f tf.
  by rewrite (bE x) (aE x) -EFinM -EFinD lee_fin.
have mN c : measurable_fun setT (fun x => normal c (xsection S x)).
  apply: measurable_fun_xsection; last by rewrite inE.
  by apply: mass1_sigma_finite; rewrite normal_total ltry.
have mY (V : {measure set T -> \bar R}) : V setT = 1%E ->
    measurable_fun setT (fun z => V (ysection S z)).
  move=> V1; apply: measurable_fun_ysection; last by rewrite inE.
  by apply: mass1_sigma_finite; rewrite V1 ltry.
have mphi c : measurable_fun setT (fun z : R => (phi (z - c))%:E).
  by apply: measurable_EFin; apply: measurable_phi; exact: measurable_minus.
apply: (@le_trans _ _ (\int[P]_x normal 0 (xsection S x))%E).
  by apply: int_le => // x; case: (level x).
rewrite (slices P1 0 mS).
apply: (@le_trans _ _ ((expR eps)%:E * \int[Q]_x normal m2 (xsection S x) + (delta s eps)%:E)%E);
    last first.
  apply: lee_add => //; apply: lee_wpmul2l; first exact: expR_weight_ge0.
  by apply: int_le => // x; case: (level x).
rewrite (slices Q1 m2 mS) -(delta_plane eps m10 s0 ss).
have mQ : measurable_fun setT (fun z : R => (phi (z - m2))%:E * Q (ysection S z))%E.
  by apply: emeasurable_funM => //; exact: mY.
have Q0 (z : R) : (0 <= (phi (z - m2))%:E * Q (ysection S z))%E.
  by rewrite mule_ge0 // lee_fin phi_ge0.
have md : measurable_fun setT (fun z : R => (phi z)%:E * (delta m1 (eps + loss m2 z))%:E)%E.
  apply: emeasurable_funM.
    by apply: measurable_EFin; apply: measurable_phi; exact: measurable_fun_id.
  apply: measurable_delta; apply: measurable_funD; first exact: measurable_fun_cst.
  by apply: measurable_loss; exact: measurable_fun_id.
have d0 (z : R) : (0 <= (phi z)%:E * (delta m1 (eps + loss m2 z))%:E)%E.
  by rewrite -EFinM lee_fin mulr_ge0 ?phi_ge0 ?delta_ge0.
have meQ : measurable_fun setT
    (fun z : R => (expR eps)%:E * ((phi (z - m2))%:E * Q (ysection S z)))%E.
  exact: measurable_funeM.
have eQ0 (z : R) : (0 <= (expR eps)%:E * ((phi (z - m2))%:E * Q (ysection S z)))%E.
  by rewrite mule_ge0 ?expR_weight_ge0.
rewrite -(int_scale _ (expR_ge0 eps) mQ Q0) -(int_add _ meQ eQ0 md d0).
apply: int_le => [|z||z].
- by apply: emeasurable_funM => //; exact: mY.
- by rewrite mule_ge0 // lee_fin phi_ge0.
- exact: emeasurable_funD.
have mYz : measurable (ysection S z) by exact: measurable_ysection.
rewrite subr0; have := hockey_stick_set (PQ (eps + loss m2 z)) mYz.
move=> /(lee_wpmul2l (_ : 0 <= (phi z)%:E)%E); rewrite lee_fin phi_ge0 => /(_ isT)/le_trans.
apply; rewrite ge0_muleDr ?lee_fin ?delta_ge0 //; last first.
  by rewrite mule_ge0 // expR_weight_ge0.
apply: lee_add => //; rewrite !muleA -!EFinM phi_shift -/(loss m2 z) expRD.
by rewrite mulrCA.
Qed.

End Compose.

Theorem gdp_post_processing d d' (T : measurableType d) (U : measurableType d')
    (R : realType) (m : R) (P Q : {measure set T -> \bar R}) (K : markov_kernel T U R) :
  gdp m P Q -> gdp m (bind P K) (bind Q K).
Proof. exact: profile_post_processing. Qed.

Lemma gdp_weaken d (T : measurableType d) (R : realType) (m m' : R)
    (P Q : {measure set T -> \bar R}) : 0 <= m -> m <= m' -> gdp m P Q -> gdp m' P Q.
Proof. by move=> m0 mm'; apply: profile_weaken => eps; exact: delta_mono. Qed.

(** * Many stages *)

Section Steps.
Context d (S : measurableType d) (R : realType).
Variables (start : {measure set S -> \bar R}) (step step' : nat -> markov_kernel S S R).
Variable m : nat -> R.

(* The law after t stages; the state may keep all that was released. *)
Fixpoint after (start : {measure set S -> \bar R}) (step : nat -> markov_kernel S S R) t :
    {measure set S -> \bar R} :=
  if t is t'.+1 then [the {measure set S -> \bar R} of bind (after start step t') (step t')]
  else start.

Lemma after_total step0 t : start setT = 1%E -> after start step0 t setT = 1%E.
Proof. by move=> s1; elim: t => // t IH /=; rewrite bind_total. Qed.

Definition total_mu t : R := Num.sqrt (\sum_(i < t) m i ^+ 2).

Theorem gdp_steps t : start setT = 1%E -> (forall i, 0 <= m i) ->
  (forall i x, gdp (m i) (step i x) (step' i x)) ->
  gdp (total_mu t) (after start step t) (after start step' t).
Proof.
move=> s1 m0 KK'; elim: t => [|t IH]; first exact: gdp_refl.
have sq : 0 <= \sum_(i < t) m i ^+ 2 by apply: sumr_ge0 => i _; exact: sqr_ge0.
have -> : total_mu t.+1 = Num.sqrt (total_mu t ^+ 2 + m t ^+ 2).
  by rewrite /total_mu big_ord_recr /= sqr_sqrtr.
have tm0 : 0 <= total_mu t := sqrtr_ge0 _.
exact: (gdp_composes tm0 (m0 t) (after_total step t s1) (after_total step' t s1) IH (KK' t)).
Qed.

End Steps.
