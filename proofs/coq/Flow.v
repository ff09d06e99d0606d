(* Laws that are moved along a line by an amount that depends on the point.

   A one-parameter group [shift r] acts on a space (translations along the row of
   one record), and a law P that changes by at most e^(c|r|) under shift r.  The
   map F u = shift (f u) u moves each point by its own amount.  If the way back
   stretches lengths along the lines by at most k, and costs at most a, then the law
   of F u is at most k e^a times P (flow_bin).  The price may differ from place to
   place, as it does for the logistic loss: slope and curvature are then taken at
   the same point (flow_price).

   No density, no derivative, no change of variables: P is averaged over a short
   shift, Tonelli turns the lines around, and [Line] compares lengths on each. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Line.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* Bounds that hold up to every factor e^t, t > 0, hold. *)
Lemma le_up_to_expR (R : realType) (x y : \bar R) : (0 <= y)%E -> (x < +oo)%E ->
  (0 <= x)%E -> (forall t, 0 < t -> (x <= (expR t)%:E * y)%E) -> (x <= y)%E.
Proof.
move=> y0 xoo x0 xy; case: y y0 xy => [y| |] y0 xy; [|by rewrite leey|by []].
case: x xoo x0 xy => [x| |] xoo x0 xy; [|by []|by []].
rewrite lee_fin; rewrite !lee_fin in x0 y0.
apply/ler_addgt0Pr => e e0; have y1 : 0 < y + 1 by rewrite ltr_paddl.
have h0 : 0 < e / (y + 1) by rewrite divr_gt0.
have := xy (ln (1 + e / (y + 1))); rewrite ln_gt0 ?ltr_addl // => /(_ isT).
rewrite lnK ?posrE ?addr_gt0 // -EFinM lee_fin => /le_trans; apply.
rewrite mulrDl mul1r ler_add2l mulrAC ler_pdivr_mulr // ler_wpmul2l ?ltW //.
by rewrite ltr_addl.
Qed.

(* A bound between two measures that holds wherever f is in a short interval. *)
Lemma by_pieces d (V : measurableType d) (R : realType)
    (mu nu : {measure set V -> \bar R}) (f : V -> R) (E h : R) :
  0 <= E -> measurable_fun setT f -> 0 < h ->
  (forall lo A, measurable A -> A `<=` [set w | lo <= f w < lo + h] ->
    (mu A <= E%:E * nu A)%E) ->
  forall A, measurable A -> (mu A <= E%:E * nu A)%E.
Proof.
move=> E0 mf h0 pieces A mA.
pose bin (j : int) := [set w | j%:~R * h <= f w < j%:~R * h + h].
pose number w : nat := choice.pickle (floor (f w / h) : int).
have binE j w : bin j w <-> floor (f w / h) = j.
  rewrite /bin /=; split=> [/andP[jw wj]|<-]; last first.
    move: (floor_le (f w / h)) (lt_succ_floor (f w / h)).
    by rewrite ler_pdivl_mulr // ltr_pdivr_mulr // mulrDl mul1r => -> ->.
  apply/eqP; rewrite eq_le -ltz_addr1 -floor_lt_int -floor_ge_int.
  by rewrite ltr_pdivr_mulr // intrD mulrDl mul1r wj ler_pdivl_mulr.
pose B n := A `&` [set w | number w = n].
have Bj n : B n = set0 \/ exists j, B n = A `&` bin j.
  have [->|/set0P[w0 [_ w0n]]] := eqVneq (B n) set0; [by left|right].
  exists (floor (f w0 / h)); apply/seteqP; split => w [Aw wn]; split => //.
    by apply/binE; apply: (pcan_inj (@choice.pickleK _)); exact: (etrans wn (esym w0n)).
  by rewrite /= /number (proj1 (binE _ _) wn).
have mbin j : measurable (A `&` bin j).
  apply: measurableI => //; rewrite (_ : bin j = f @^-1` `[j%:~R * h, j%:~R * h + h[).
    by rewrite -[X in measurable X]setTI; apply: mf => //; exact: measurable_itv.
  by apply/seteqP; split => w; rewrite /bin /= in_itv.
have mB n : measurable (B n) by have [->|[j ->]] := Bj n.
have AB : A = \bigcup_n B n.
  by apply/seteqP; split => [w Aw|w [n _ []] //]; exists (number w).
have tB : trivIset setT B by move=> n m _ _ [w [[_ /= <-] [_ /= <-]]].
rewrite AB !measure_semi_bigcup //; try exact: bigcup_measurable.
rewrite -nneseriesrM //; apply: lee_nneseries => // n _.
have [->|[j ->]] := Bj n; first by rewrite !measure0 mule0.
by apply: (pieces (j%:~R * h)) => // w [].
Qed.

Section Tonelli.
Context d (V : measurableType d) (R : realType).
Variable P : {measure set V -> \bar R}.
Hypothesis Pfin : (P setT < +oo)%E.

Let P_sigma_finite : sigma_finite setT P.
Proof.
exists (fun=> setT); first by rewrite bigcup_const //; exists 0%N.
by move=> _; split.
Qed.

Lemma turn_lines (W : set (R * V)) : measurable W ->
  (\int[line R]_r P (xsection W r) = \int[P]_u line R (ysection W u))%E.
Proof.
move=> mW; have := indic_fubini_tonelli (@line_sigma_finite R) P_sigma_finite mW.
rewrite indic_fubini_tonelli_FE // indic_fubini_tonelli_GE //.
Qed.

Lemma measurable_lines (W : set (R * V)) : measurable W ->
  measurable_fun setT (fun r => P (xsection W r)).
Proof. by move=> mW; apply: measurable_fun_xsection => //; rewrite inE. Qed.

Lemma measurable_points (W : set (R * V)) : measurable W ->
  measurable_fun setT (fun u => line R (ysection W u)).
Proof.
move=> mW; apply: measurable_fun_ysection; last by rewrite inE.
exact: line_sigma_finite.
Qed.

End Tonelli.

Section Flow.
Context d (V : measurableType d) (R : realType).
Variables (shift : R -> V -> V) (c : R) (P : {measure set V -> \bar R}).

(* A law that changes by at most e^(c|r|) under a shift by r. *)
Record flow_contract : Prop := FlowContract {
  flow_add : forall r s u, shift r (shift s u) = shift (r + s) u;
  flow_zero : forall u, shift 0 u = u;
  flow_measurable : measurable_fun setT (fun z : R * V => shift z.1 z.2);
  flow_cost_ge0 : 0 <= c;
  flow_finite : (P setT < +oo)%E;
  flow_cost : forall r A, measurable A ->
    (P (shift r @^-1` A) <= (expR (c * `|r|))%:E * P A)%E }.

Hypothesis flow : flow_contract.

Let measurable_shift r : measurable_fun setT (shift r).
Proof.
have -> : shift r = (fun z : R * V => shift z.1 z.2) \o (fun u => (r, u)) by [].
apply: measurable_fun_comp; first exact: (flow_measurable flow).
by apply/prod_measurable_funP; split; [exact: measurable_fun_cst|exact: measurable_fun_id].
Qed.

Let preimage_measurable r A : measurable A -> measurable (shift r @^-1` A).
Proof. by move=> mA; rewrite -[X in measurable X]setTI; exact: measurable_shift. Qed.

Let flow_cost_back r A : measurable A ->
  (P A <= (expR (c * `|r|))%:E * P (shift r @^-1` A))%E.
Proof.
move=> mA; rewrite -(normrN r).
apply: le_trans (flow_cost flow (- r) (preimage_measurable r mA)).
rewrite [X in (_ <= P X)%E](_ : _ = A) //; apply/seteqP; split => u /=;
  by rewrite (flow_add flow) subrr (flow_zero flow).
Qed.

(* Each point moves by f; f' tells from the new point how far it came. *)
Variables (f f' : V -> R).
Hypotheses (mf : measurable_fun setT f) (mf' : measurable_fun setT f').
Hypothesis back : forall u, f' (shift (f u) u) = f u.

Definition moved u := shift (f u) u.

Lemma measurable_moved : measurable_fun setT moved.
Proof.
have -> : moved = (fun z : R * V => shift z.1 z.2) \o (fun u => (f u, u)) by [].
apply: measurable_fun_comp; first exact: (flow_measurable flow).
by apply/prod_measurable_funP; split => //; exact: measurable_fun_id.
Qed.

(* The way back is k-Lipschitz along the lines, on A. *)
Definition stretches (A : set V) k := forall u r r',
  A (shift r u) -> A (shift r' u) ->
  `|(r - f' (shift r u)) - (r' - f' (shift r' u))| <= k * `|r - r'|.

Let slab (delta : R) : set R := `[0, delta]%classic.

Let W1 (delta : R) (A : set V) : set (R * V) := [set z | slab delta z.1 /\ A (moved (shift z.1 z.2))].
Let W2 (delta : R) (A : set V) : set (R * V) :=
  [set z | A (shift z.1 z.2) /\ slab delta (z.1 - f' (shift z.1 z.2))].
Let W3 (delta : R) (A : set V) : set (R * V) := [set z | A z.2 /\ slab delta (z.1 - f' z.2)].

Let preimage_mfun d1 d2 (X : measurableType d1) (Y : measurableType d2) (g : X -> Y) B :
  measurable_fun setT g -> measurable B -> measurable (g @^-1` B).
Proof. by move=> mg mB; rewrite -[X in measurable X]setTI; exact: mg. Qed.

Let mW1 delta A : measurable A -> measurable (W1 delta A).
Proof.
move=> mA; apply: measurableI.
  apply: (@preimage_mfun _ _ _ _ (fun z : R * V => z.1)); first exact: measurable_fst.
  exact: measurable_itv.
apply: (@preimage_mfun _ _ _ _ (fun z : R * V => moved (shift z.1 z.2))) => //.
apply: (measurable_fun_comp measurable_moved); exact: (flow_measurable flow).
Qed.

Let mW2 delta A : measurable A -> measurable (W2 delta A).
Proof.
move=> mA; apply: measurableI.
  apply: (@preimage_mfun _ _ _ _ (fun z : R * V => shift z.1 z.2)) => //.
  exact: (flow_measurable flow).
apply: (@preimage_mfun _ _ _ _ (fun z : R * V => z.1 - f' (shift z.1 z.2))); last first.
  exact: measurable_itv.
apply: measurable_funB; first exact: measurable_fst.
apply: (measurable_fun_comp mf'); exact: (flow_measurable flow).
Qed.

Let mW3 delta A : measurable A -> measurable (W3 delta A).
Proof.
move=> mA; apply: measurableI.
  by apply: (@preimage_mfun _ _ _ _ (fun z : R * V => z.2)) => //; exact: measurable_snd.
apply: (@preimage_mfun _ _ _ _ (fun z : R * V => z.1 - f' z.2)); last first.
  exact: measurable_itv.
apply: measurable_funB; first exact: measurable_fst.
apply: (measurable_fun_comp mf'); exact: measurable_snd.
Qed.

Let line_slab delta : 0 <= delta -> line R (slab delta) = delta%:E.
Proof.
move=> d0; rewrite lineE (lebesgue_measure_itv `[0, delta]) hlength_itv /= lte_fin.
case: ltP => [_|d0']; first by rewrite oppr0 adde0.
by rewrite (le_anti (_ : delta <= 0 <= delta)) // d0 d0'.
Qed.

(* delta * P(F^-1 A) <= e^(c delta) * (line x P)(W1) *)
Let step1 delta A : 0 <= delta -> measurable A ->
  (delta%:E * P (moved @^-1` A) <=
   (expR (c * delta))%:E * \int[line R]_r P (xsection (W1 delta A) r))%E.
Proof.
move=> d0 mA; have mB : measurable (moved @^-1` A) by exact/preimage_mfun/mA/measurable_moved.
rewrite -(line_slab d0) muleC -integral_cst; last exact: measurable_itv.
rewrite -ge0_integralM_EFin //; last 2 first.
- exact: (measurable_lines (flow_finite flow) (mW1 delta mA)).
- exact/expR_ge0.
apply: (@le_trans _ _ (\int[line R]_(r in slab delta)
    ((expR (c * delta))%:E * P (xsection (W1 delta A) r)))%E).
  apply: ge0_le_integral => //.
  - exact: measurable_itv.
  - exact: measurable_fun_cst.
  - by move=> r _; rewrite mule_ge0 // expR_weight_ge0.
  - apply: measurable_funTS; apply: measurable_funeM; exact: (measurable_lines (flow_finite flow) (mW1 delta mA)).
  - move=> r; rewrite /slab /= in_itv /= => /andP[r0 rd].
    apply: le_trans (flow_cost_back r mB) _.
    apply: lee_pmul => //; first exact: expR_weight_ge0.
      by rewrite lee_fin ler_expR ler_wpmul2l ?(flow_cost_ge0 flow) // ger0_norm.
    apply: le_measure; rewrite ?inE; [exact: preimage_measurable| |].
      exact: (measurable_xsection R _ (mW1 delta mA)).
    by move=> u /= Au; rewrite /xsection /= inE /W1 /= /slab /= in_itv /= r0 rd.
apply: subset_integral => //; first exact: measurable_itv.
- apply: measurable_funeM; exact: (measurable_lines (flow_finite flow) (mW1 delta mA)).
- by move=> r _; rewrite mule_ge0 // expR_weight_ge0.
Qed.

(* On each line: the points that come to A from the slab are not longer than k
   times the points of A that come from the slab. *)
Let step2 delta A k u : 0 < k -> measurable A -> stretches A k ->
  (line R (ysection (W1 delta A) u) <= k%:E * line R (ysection (W2 delta A) u))%E.
Proof.
move=> k0 mA Ak.
have inW r : ysection (W1 delta A) u r ->
    slab delta r /\ A (shift (r + f (shift r u)) u).
  by rewrite /ysection /= inE /W1 /moved /= (flow_add flow) addrC.
have way r : f' (shift (r + f (shift r u)) u) = f (shift r u).
  by rewrite addrC -(flow_add flow) back.
apply: (line_expanding (t := fun r => r + f (shift r u))) => //.
- exact: (measurable_ysection R _ (mW1 delta mA)).
- move=> r /inW[sr Ar]; rewrite /ysection /= inE /W2 /=; split => //.
  by rewrite way addrK.
- move=> r r' /inW[_ Ar] /inW[_ Ar']; have := Ak u _ _ Ar Ar'.
  by rewrite !way !addrK.
Qed.

(* Shift back, line by line: what is moved by r has f' within delta of r. *)
Let step3 delta A a : 0 <= delta -> measurable A ->
  (forall w, A w -> c * `|f' w| <= a) ->
  (\int[line R]_r P (xsection (W2 delta A) r) <=
   (expR (a + c * delta))%:E * \int[line R]_r P (xsection (W3 delta A) r))%E.
Proof.
move=> d0 mA Aa; rewrite -ge0_integralM_EFin //; last 2 first.
- exact: (measurable_lines (flow_finite flow) (mW3 delta mA)).
- exact/expR_ge0.
apply: ge0_le_integral => //.
- exact: (measurable_lines (flow_finite flow) (mW2 delta mA)).
- by move=> r _; rewrite mule_ge0 // expR_weight_ge0.
- apply: measurable_funeM; exact: (measurable_lines (flow_finite flow) (mW3 delta mA)).
move=> r _; set S := xsection (W3 delta A) r.
have mS : measurable S by exact: (measurable_xsection R _ (mW3 delta mA)).
have -> : xsection (W2 delta A) r = shift r @^-1` S.
  by apply/seteqP; split => u /=; rewrite /S /xsection /= !inE.
have [->|/set0P[w]] := eqVneq S set0.
  by rewrite preimage_set0 measure0 mule0.
rewrite /S /xsection /= inE /W3 /slab /= in_itv /= => -[Aw /andP[r0 rd]].
apply: le_trans (flow_cost flow r mS) _; apply: lee_wpmul2r => //.
rewrite lee_fin ler_expR -[r](subrK (f' w)) addrC.
apply: le_trans (ler_wpmul2l (flow_cost_ge0 flow) (ler_norm_add _ _)) _.
by rewrite mulrDr ler_add ?Aa // ler_wpmul2l ?(flow_cost_ge0 flow) // ger0_norm.
Qed.

Let step4 delta A : 0 <= delta -> measurable A ->
  (\int[line R]_r P (xsection (W3 delta A) r) = delta%:E * P A)%E.
Proof.
move=> d0 mA; rewrite (turn_lines (flow_finite flow) (mW3 delta mA)).
rewrite (eq_integral (fun u => delta%:E * (\1_A u)%:E)%E); last first.
  move=> u _; rewrite indicE; have [uA|uA] := boolP (u \in A).
    rewrite mule1 (_ : ysection _ _ = `[f' u, f' u + delta]%classic); last first.
      apply/seteqP; split => r; rewrite /ysection /= inE /W3 /slab /= !in_itv /=;
        rewrite subr_ge0 ler_subl_addl; [by case|move=> h; split => //].
      by rewrite inE in uA.
    rewrite lineE (lebesgue_measure_itv `[f' u, f' u + delta]) hlength_itv /= lte_fin.
    rewrite ltr_addl; case: ltP => [_|d0'].
      by rewrite -EFinB addrAC subrr add0r.
    by rewrite (le_anti (_ : delta <= 0 <= delta)) // d0 d0'.
  rewrite mule0 (_ : ysection _ _ = set0) ?measure0 //.
  apply/seteqP; split => r //; rewrite /ysection /= inE /W3 /= => -[Au _].
  by move: uA; rewrite notin_set; apply.
have mI : measurable_fun setT (fun u => (\1_A u)%:E : \bar R).
  exact/EFin_measurable_fun/measurable_fun_indic.
have I0 u : setT u -> (0 <= (\1_A u)%:E :> \bar R)%E by rewrite lee_fin.
by rewrite ge0_integralM_EFin // integral_indic // setIT.
Qed.

(* One price for the whole of A. *)
Theorem flow_bin (A : set V) k a : 0 < k -> measurable A ->
  (forall w, A w -> c * `|f' w| <= a) -> stretches A k ->
  (P (moved @^-1` A) <= (k * expR a)%:E * P A)%E.
Proof.
move=> k0 mA Aa Ak; have c0 := flow_cost_ge0 flow.
have Pfin B : measurable B -> (P B < +oo)%E.
  move=> mB; apply: le_lt_trans (flow_finite flow); apply: le_measure => //;
    by rewrite inE.
apply: le_up_to_expR => // [||t t0].
- by rewrite mule_ge0 // lee_fin; exact: (mulr_ge0 (ltW k0) (expR_ge0 a)).
- exact/Pfin/preimage_mfun/mA/measurable_moved.
pose delta := t / (2%:R * (c + 1)).
have c1 : 0 < 2%:R * (c + 1) by rewrite mulr_gt0 // ltr_paddl.
have d0 : 0 < delta by rewrite divr_gt0.
have dt : c * delta + c * delta <= t.
  rewrite -mulr2n -mulr_natl mulrA /delta mulrCA; apply: ler_pimulr; first exact: ltW.
  by rewrite ler_pdivr_mulr // mul1r ler_wpmul2l // ler_addl.
rewrite -(@lee_pmul2l _ delta%:E) //.
apply: le_trans (step1 (ltW d0) mA) _.
rewrite (turn_lines (flow_finite flow) (mW1 delta mA)).
apply: (@le_trans _ _ ((expR (c * delta))%:E *
    (k%:E * \int[P]_u line R (ysection (W2 delta A) u)))%E).
  apply: lee_wpmul2l; first exact: expR_weight_ge0.
  rewrite -ge0_integralM_EFin //; last 2 first.
  - exact: (measurable_points (mW2 delta mA)).
  - exact: ltW.
  apply: ge0_le_integral => //.
  - exact: (measurable_points (mW1 delta mA)).
  - by move=> u _; rewrite mule_ge0 // lee_fin ltW.
  - by apply: measurable_funeM; exact: (measurable_points (mW2 delta mA)).
  - by move=> u _; exact: step2.
rewrite -(turn_lines (flow_finite flow) (mW2 delta mA)).
have := step3 (ltW d0) mA Aa; rewrite (step4 (ltW d0) mA) => le3.
apply: (@le_trans _ _ ((expR (c * delta))%:E *
    (k%:E * ((expR (a + c * delta))%:E * (delta%:E * P A))))%E).
  apply: lee_wpmul2l; first exact: expR_weight_ge0.
  by apply: lee_wpmul2l le3; rewrite lee_fin ltW.
rewrite !muleA -!EFinM; apply: lee_wpmul2r => //; rewrite lee_fin.
rewrite expRD [leLHS](_ : _ = (delta * (k * expR a)) * expR (c * delta + c * delta)).
  rewrite [leRHS](_ : _ = (delta * (k * expR a)) * expR t).
    apply: ler_wpmul2l; last by rewrite ler_expR.
    exact: (mulr_ge0 (ltW d0) (mulr_ge0 (ltW k0) (expR_ge0 a))).
  by rewrite mulrAC.
by rewrite expRD; move: (expR _) (expR _) => p q; nsatz.
Qed.

(* A price that is right where f' is in a short interval, whichever. *)
Definition price (E : R) := forall e, 0 < e -> exists2 h, 0 < h & forall lo,
  exists k a, [/\ 0 < k, forall w, lo <= f' w < lo + h -> c * `|f' w| <= a,
    stretches [set w | lo <= f' w < lo + h] k & k * expR a <= expR e * E].

Theorem flow_price (E : R) : 0 <= E -> price E -> forall A, measurable A ->
  (P (moved @^-1` A) <= E%:E * P A)%E.
Proof.
move=> E0 priced A mA.
apply: le_up_to_expR => // [||e e0].
- by rewrite mule_ge0 // lee_fin.
- apply: le_lt_trans (flow_finite flow); apply: le_measure; rewrite ?inE //.
  exact/preimage_mfun/mA/measurable_moved.
have [h h0 bins] := priced e e0; rewrite muleA -EFinM.
apply: (by_pieces (mu := [the {measure set V -> \bar R} of pushforward P measurable_moved])
    (f := f') (h := h) _ mf' h0) => //; first by rewrite mulr_ge0 ?expR_ge0.
move=> lo B mB Bbin; have [k [a [k0 ca str ka]]] := bins lo.
apply: (@le_trans _ _ ((k * expR a)%:E * P B)%E); last first.
  by apply: lee_wpmul2r => //; rewrite lee_fin.
apply: flow_bin => // [w /Bbin|u r r' /Bbin br /Bbin br']; first exact: ca.
exact: str.
Qed.

End Flow.
