(* Two uses of the curve of Gaussian privacy.

     gdp_trans       two steps: distances add
     gdp_from_both   the curve for eps >= 0 in both directions is the whole curve        *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Line Flow HockeyStick Profile.
From AsapDP Require Import GaussLine GaussCurve GaussHalf GaussPlane GaussCompose GaussTail.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Both.
Variable R : realType.
Implicit Types (m eps c z : R).

(** * Two steps *)

Lemma delta_two m1 m2 eps : 0 < m1 -> 0 < m2 -> exists eps1 eps2,
  eps = eps1 + eps2 /\ delta m1 eps1 + expR eps1 * delta m2 eps2 = delta (m1 + m2) eps.
Proof.
move=> m10 m20; have s0 : 0 < m1 + m2 by rewrite addr_gt0.
pose c := half R * (m1 + m2) - eps / (m1 + m2).
exists (- loss m1 c), (- loss m2 (c - m1)).
have sum : - loss m1 c + - loss m2 (c - m1) = - loss (m1 + m2) c.
  by rewrite /loss; have := halves R; move: (half R) => k kk; rewrite !expr2; nsatz.
have lc : - loss (m1 + m2) c = eps.
  rewrite /loss /c mulrBr [(m1 + m2) * (eps / _)]mulrC divfK ?gt_eqF // expr2.
  by move: (m1 + m2) => t; nsatz.
split; first by rewrite sum lc.
have h1 := half_line_delta c m10; have h2 := half_line_delta (c - m1) m20.
have h3 := half_line_delta c s0; rewrite -sum in h3; rewrite -lc -sum.
rewrite expRD in h3; move: h1 h2 h3; rewrite (below_shift m1 c) (below_shift m2).
rewrite (below_shift (m1 + m2)) opprD addrA.
move: (expR (- loss m1 c)) (expR (- loss m2 (c - m1))) (below _ _) (below _ _) (below _ _).
by move: (delta _ _) (delta _ _) (delta _ _) => *; nsatz.
Qed.

Theorem gdp_trans d (T : measurableType d) m1 m2 (P Q V : {measure set T -> \bar R}) :
  0 < m1 -> 0 < m2 -> gdp m1 P Q -> gdp m2 Q V -> gdp (m1 + m2) P V.
Proof.
move=> m10 m20 PQ QV eps; have [eps1 [eps2 [-> <-]]] := delta_two eps m10 m20.
exact: hockey_stick_trans (PQ eps1) (QV eps2).
Qed.

(** * Both directions *)

Lemma delta_falls m eps eps' : eps <= eps' -> delta m eps' <= delta m eps.
Proof.
have ms e : measurable_fun setT (fun z : R => (stick m e z)%:E).
  apply: measurable_EFin.
  by apply: measurable_stick; [exact: measurable_fun_cst|exact: measurable_fun_id].
move=> ee'; rewrite -lee_fin -(deltaE m eps) -(deltaE m eps').
apply: int_le => [|z||z]; [exact: ms|by rewrite lee_fin stick_ge0|exact: ms|rewrite lee_fin].
by apply: above0_mono; rewrite ler_add2l ler_opp2 ler_wpmul2r ?phi_ge0 // ler_expR.
Qed.

(* The two laws exchanged: z -> m - z. *)
Lemma delta_opposite m eps :
  delta m (- eps) + expR (- eps) = 1 + expR (- eps) * delta m eps.
Proof.
have ms e : measurable_fun setT (fun z : R => (stick m e z)%:E).
  apply: measurable_EFin.
  by apply: measurable_stick; [exact: measurable_fun_cst|exact: measurable_fun_id].
have s0 e z : (0 <= (stick m e z)%:E)%E by rewrite lee_fin stick_ge0.
have mp a : measurable_fun setT (fun z : R => (phi (z - a))%:E).
  by apply: measurable_EFin; apply: measurable_phi; exact: measurable_minus.
have p0 a (z : R) : (0 <= (phi (z - a))%:E)%E by rewrite lee_fin phi_ge0.
have e0 := expR_ge0 (- eps).
have n1 : -1 != 0 :> R by rewrite oppr_eq0 oner_eq0.
have flip := line_affine m n1 (ms (- eps)) (s0 (- eps)).
rewrite normrN normr1 invr1 mul1e in flip.
have mflip : measurable_fun setT (fun z : R => (stick m (- eps) (- 1 * z + m))%:E).
  apply: (measurable_fun_comp (ms (- eps))).
  apply: measurable_funD; last exact: measurable_fun_cst.
  by apply: measurable_funrM; exact: measurable_fun_id.
have msc (f : R -> \bar R) : measurable_fun setT f ->
    measurable_fun setT (fun z => (expR (- eps))%:E * f z)%E by move=> mf; exact: measurable_funeM.
have sc0 (f : R -> \bar R) : (forall z, 0 <= f z)%E ->
    forall z, (0 <= (expR (- eps))%:E * f z)%E by move=> f0 z; rewrite mule_ge0 ?expR_weight_ge0.
have lhs : (\int[line R]_z ((stick m (- eps) (- 1 * z + m)%R)%:E
    + (expR (- eps))%:E * (phi (z - 0)%R)%:E) = (delta m (- eps) + expR (- eps))%:E)%E.
  rewrite (int_add _ mflip (fun z => s0 _ _) (msc _ (mp 0)) (sc0 _ (p0 0))).
  by rewrite flip deltaE (int_scale _ e0 (mp 0) (p0 0)) integral_phi mule1 -EFinD.
have rhs : (\int[line R]_z ((phi (z - m)%R)%:E + (expR (- eps))%:E * (stick m eps z)%:E) =
    (1 + expR (- eps) * delta m eps)%:E)%E.
  rewrite (int_add _ (mp m) (p0 m) (msc _ (ms eps)) (sc0 _ (s0 eps))).
  by rewrite integral_phi (int_scale _ e0 (ms eps) (s0 eps)) deltaE -EFinM -EFinD.
apply: EFin_inj; apply: (etrans (esym lhs)); apply: (etrans _ rhs).
apply: eq_integral => z _; rewrite -!EFinM -!EFinD; congr EFin.
have pm : phi (- 1 * z + m) = phi (z - m) by rewrite -phiN mulN1r opprD opprK.
have pz : phi (- 1 * z + m - m) = phi z by rewrite mulN1r addrK phiN.
rewrite /stick pm pz subr0.
have -> : expR (- eps) * above0 (phi z - expR eps * phi (z - m)) =
    above0 (expR (- eps) * phi z - phi (z - m)).
  rewrite (above0M _ e0); congr above0; have := expRxMexpNx_1 eps.
  by move: (expR eps) (expR (- eps)) (phi z) (phi (z - m)) => e e' p q ee; nsatz.
move: (phi (z - m)) (expR (- eps) * phi z) => p q; have [pq|qp] := leP p q.
  by rewrite above0_neg ?subr_le0 // above0_pos ?subr_ge0 // add0r addrCA subrr addr0.
by rewrite above0_pos ?subr_ge0 ?(ltW qp) // above0_neg ?subr_le0 ?(ltW qp) // subrK addr0.
Qed.

Lemma hockey_stick_opposite d (T : measurableType d) eps dl (P Q : {measure set T -> \bar R}) :
  P setT = 1%E -> Q setT = 1%E -> hockey_stick eps dl P Q ->
  hockey_stick (- eps) (1 - expR (- eps) + expR (- eps) * dl) Q P.
Proof.
move=> P1 Q1 PQ f tf; have [mf f0 f1] := tf.
have fE t : f t = (fine (f t))%:E.
  by rewrite fineK // ge0_fin_numE // (le_lt_trans (f1 t)) // ltry.
pose g t := (1 - fine (f t))%:E.
have mff : measurable_fun setT (fun t => fine (f t)).
  by apply: (measurable_fun_comp (f := fine)) => //; apply: measurable_fun_fine.
have tg : test g.
  split=> [|t|t]; rewrite /g.
  - apply: measurable_EFin; apply: measurable_funB => //; exact: measurable_fun_cst.
  - by rewrite lee_fin subr_ge0 -lee_fin -fE.
  - by rewrite lee_fin ler_subl_addr ler_addl -lee_fin -fE.
have [mg g0 g1] := tg.
have sum (V : {measure set T -> \bar R}) : V setT = 1%E -> exists2 r,
    (\int[V]_t f t = r%:E)%E & (\int[V]_t g t = (1 - r)%:E)%E.
  move=> V1; have F1 := integral_test_le1 V1 tf; have F0 := int_ge0 V f0.
  have G1 := integral_test_le1 V1 tg; have G0 := int_ge0 V g0.
  have : (\int[V]_t f t + \int[V]_t g t = 1)%E.
    rewrite -(int_add _ mf f0 mg g0) -(integral_one V1); apply: eq_integral => t _.
    by rewrite /g {1}(fE t) -EFinD addrCA subrr addr0.
  move: F0 F1 G0 G1; case: (\int[V]_t f t)%E => [r| |] //.
  case: (\int[V]_t g t)%E => [q| |] // _ _ _ _ [rq].
  by exists r => //; congr EFin; rewrite -rq addrAC subrr add0r.
have [p pE pg] := sum P P1; have [q qE qg] := sum Q Q1.
have := PQ g tg; rewrite pg qg pE qE -!EFinM -!EFinD !lee_fin => le.
have := ler_wpmul2l (expR_ge0 (- eps)) le; have := expRxMexpNx_1 eps.
move: (expR eps) (expR (- eps)) => e e' ee {}le; apply: le_from le _.
by nsatz.
Qed.

(* It is enough to bound both directions for eps >= 0. *)
Lemma gdp_from_both d (T : measurableType d) m (P Q : {measure set T -> \bar R}) :
  P setT = 1%E -> Q setT = 1%E ->
  (forall eps, 0 <= eps -> hockey_stick eps (delta m eps) P Q) ->
  (forall eps, 0 <= eps -> hockey_stick eps (delta m eps) Q P) -> gdp m P Q.
Proof.
move=> P1 Q1 PQ QP eps; have [/PQ//|/ltW e0] := leP 0 eps.
have en0 : 0 <= - eps by rewrite oppr_ge0.
have := hockey_stick_opposite Q1 P1 (QP _ en0); rewrite opprK.
have := delta_opposite m (- eps); rewrite opprK => dE.
apply: hockey_stick_weaken => //.
by rewrite addrAC -dE addrK.
Qed.

End Both.
