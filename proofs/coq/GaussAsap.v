(* thm:asap_privacy and lem:convert_pure_G_DP for Gaussian privacy.

     thm_asap_privacy_gdp    a reference that is m-GDP, samples near it, and noise that
                             is m'-GDP at all points near one point: the release is
                             sqrt(m^2 + m'^2)-GDP
     lem_convert_pure_G_DP   eps0-DP is m-GDP, if one half-line of N(0,1) against
                             N(m,1) is as good as the answer of randomised response *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid HockeyStick Profile.
From AsapDP Require Import GaussLine GaussCurve GaussHalf GaussPlane GaussCompose.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Asap.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (m m' : R) (near : T -> T -> Prop).
Variables (reference reference' : {measure set T -> \bar R}).
Variables (draw draw' : markov_kernel T T R) (noise : markov_kernel T U R).

Theorem thm_asap_privacy_gdp : 0 <= m -> 0 <= m' ->
  reference setT = 1%E -> reference' setT = 1%E -> gdp m reference reference' ->
  (forall y, {ae draw y, forall x, near x y}) ->
  (forall y, {ae draw' y, forall x, near x y}) ->
  (forall y x x', near x y -> near x' y -> gdp m' (noise x) (noise x')) ->
  gdp (Num.sqrt (m ^+ 2 + m' ^+ 2))
    (bind (bind reference draw) noise) (bind (bind reference' draw') noise).
Proof.
move=> m0 m'0 r1 r1' ref near_d near_d' noise_near.
exact: (thm_asap_privacy_profile (gdp_composes m0 m'0) r1 r1' ref near_d near_d'
  noise_near (delta_ge0 m')).
Qed.

End Asap.

Section Convert.
Variables (R : realType) (eps0 m c : R).
Context d (T : measurableType d).

(* What is asked of the normal law is about one half-line: N(0,1) has at least
   e^eps0/(1 + e^eps0) below c, and N(m,1) at most 1/(1 + e^eps0). *)
Theorem lem_convert_pure_G_DP (mu nu : {measure set T -> \bar R}) :
  0 <= eps0 -> expR eps0 <= below 0 c * (1 + expR eps0) -> below m c * (1 + expR eps0) <= 1 ->
  mu setT = 1%E -> nu setT = 1%E -> indistinguishable eps0 mu nu -> gdp m mu nu.
Proof.
move=> e0 first second mu1 nu1 munu.
apply: profile_weaken (lem_convert_pure_profile mu1 nu1 munu) => eps.
rewrite /randomised_response; case: ifP => _; last case: ifP => _; last exact: delta_ge0.
  by rewrite ler_subl_addl; exact: delta_one.
have a0 : 0 < 1 + expR eps0 by rewrite ltr_paddl // expR_gt0.
rewrite ler_pdivr_mulr //.
have := hockey_stick_set (normal_gdp m eps) (@measurable_ray R c).
rewrite !belowE -EFinM -EFinD lee_fin => test.
have h1 := ler_wpmul2r (ltW a0) test.
have h2 := ler_wpmul2l (expR_ge0 eps) second.
apply: le_from (ler_add (ler_add h1 h2) first) _.
by move: (expR eps) (expR eps0) (below _ _) (below _ _) (delta _ _) => t a p q d'; nsatz.
Qed.

End Convert.
