(* The noise of a release: normal in R^n around a point that may depend on what came
   before, and any function of both.

     spread        the law of out (x, centre x + sigma b), b normal
     spread_gdp    at two points: |centre x - centre y| / sigma *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Line Space HockeyStick Profile.
From AsapDP Require Import GaussLine GaussCurve GaussHalf GaussPlane GaussCompose GaussSpace.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Spread.
Variables (R : realType) (n : nat) (sigma : R).
Context d (X : measurableType d) d' (U : measurableType d').
Variables (centre : X -> space R n) (out : X * space R n -> U).
Hypotheses (mcentre : measurable_fun setT centre) (mout : measurable_fun setT out).

Let drawn (p : X * space R n) : U :=
  out (p.1, (centre p.1 : 'rV[R]_n) + sigma *: (p.2 : 'rV[R]_n)).

Let measurable_drawn : measurable_fun setT drawn.
Proof.
apply: (measurable_fun_comp mout); apply/prod_measurable_funP; split => /=.
  exact: measurable_fst.
apply: measurable_add; first exact: (measurable_fun_comp mcentre (@measurable_fst _ _ _ _)).
exact: (measurable_fun_comp (@measurable_scale R n sigma) (@measurable_snd _ _ _ _)).
Qed.

(* The law of out (x, centre x + sigma b), b normal. *)
Definition spread : markov_kernel X U R :=
  comp (graph (const_kernel X (normal_space_total R n))) (map_kernel R measurable_drawn).

Lemma integral_spread x (f : U -> \bar R) : measurable_fun setT f -> (forall y, 0 <= f y)%E ->
  (\int[spread x]_y f y = \int[normal_space R n]_b f (drawn (x, b)))%E.
Proof.
move=> mf f0.
have mk p : (\int[map_kernel R measurable_drawn p]_y f y = f (drawn p))%E.
  by rewrite /= integral_dirac // indicE in_setT mul1e.
transitivity (\int[graph (const_kernel X (normal_space_total R n)) x]_p f (drawn p))%E.
  apply: (etrans (ge0_integral_bind _ (map_kernel R measurable_drawn) f0 mf)).
  by apply: eq_integral => p _; exact: mk.
exact: (ge0_integral_graph (const_kernel X (normal_space_total R n)) x
  (fun p => f0 (drawn p)) (measurable_fun_comp mf measurable_drawn)).
Qed.

End Spread.

Section SpreadPrivacy.
Variables (R : realType) (n : nat) (sigma m : R).
Hypothesis sigma0 : 0 < sigma.
Context d (X : measurableType d) d' (U : measurableType d').
Variables (c c' : X -> space R n) (out : X * space R n -> U).
Hypotheses (mc : measurable_fun setT c) (mc' : measurable_fun setT c').
Hypothesis mout : measurable_fun setT out.

(* Two centres, the same function of what is drawn around them. *)
Theorem spread_gdp x x' : (forall v, out (x, v) = out (x', v)) ->
  norm2 ((c x : 'rV[R]_n) - (c' x' : 'rV[R]_n)) <= m * sigma ->
  gdp m (spread sigma mc mout x) (spread sigma mc' mout x').
Proof.
move=> same near eps f tf; have [mf f0 f1] := tf; have s0 := ltW sigma0.
rewrite !integral_spread //.
pose w : 'rV[R]_n := sigma^-1 *: ((c' x' : 'rV[R]_n) - (c x : 'rV[R]_n)).
have nw : norm2 w <= m.
  rewrite norm2Z ger0_norm ?invr_ge0 // ler_pdivr_mull // [sigma * _]mulrC.
  by rewrite (norm_distC (norm2_is_norm R n)).
pose g (b : space R n) : \bar R := f (out (x, (c x : 'rV[R]_n) + sigma *: (b : 'rV[R]_n))).
have tg : test g.
  split=> [|b|b]; [|exact: f0|exact: f1].
  apply: (measurable_fun_comp mf); apply: (measurable_fun_comp mout).
  apply/prod_measurable_funP; split => /=; first exact: measurable_fun_cst.
  apply: measurable_add; first exact: measurable_fun_cst.
  exact: measurable_scale.
have vec (a s b : 'rV[R]_n) : a + (s + (b - a)) = b + s by rewrite addrC -addrA subrK addrC.
have := space_gdp w eps tg.
have -> : (\int[normal_space R n]_b g ((b : 'rV[R]_n) + w)%R = \int[normal_space R n]_b
    f (out (x', (c' x' : 'rV[R]_n) + sigma *: (b : 'rV[R]_n))%R))%E.
  apply: eq_integral => b _; rewrite /g same scalerDr /w scalerA divff ?gt_eqF // scale1r.
  by rewrite vec.
move=> /le_trans; apply; apply: lee_add => //.
by rewrite lee_fin; apply: delta_mono => //; exact: norm2_ge0.
Qed.

End SpreadPrivacy.
