(* own:gaussian-tilt 1 and 2: normal noise that is moved by an amount that depends on it.

   Points of the line move back by s, between 0 and m; b undoes that.  If the way there
   shortens lengths by no more than the factor e^(J + s(m - s)/2), whatever s is near a
   point, then for a test k and every eps >= J

     E k(Z) <= e^eps E k(b Z) + delta m (eps - J)                        (line_tilt)

   as the logarithm of the two densities' quotient is then J and a part s/m of that of
   N(0,1) against N(m,1).  No derivative of b is taken: lengths are compared by [Line],
   piece by piece.  In R^n the same along any unit vector (space_tilt).               *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Line Flow Space HockeyStick.
From AsapDP Require Import Profile GaussLine GaussCurve GaussPlane GaussSpace.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Lemma up_to_expR (R : realType) (x y : \bar R) : (0 <= y)%E -> (0 <= x)%E ->
  (forall t, 0 < t -> (x <= (expR t)%:E * y)%E) -> (x <= y)%E.
Proof.
move=> y0 x0 xy; have [xoo|] := ltP x +oo%E; first exact: le_up_to_expR.
rewrite leye_eq => /eqP xE; have := xy 1 ltr01; rewrite xE.
by case: y y0 xy => [y| |] // _ _; rewrite -EFinM leye_eq.
Qed.

(* A mean of two exponents, one of them not negative. *)
Lemma chord (R : realType) (m E s v : R) : 0 <= E -> 0 <= s <= m ->
  above0 (1 - expR (E + s * (v - half R * m))) <= above0 (1 - expR (E + loss m v)).
Proof.
move=> E0 /andP[s0 sm]; have -> : loss m v = m * (v - half R * m).
  by rewrite /loss; move: (half R) => h; rewrite expr2; nsatz.
move: (v - half R * m) => t; have [t0|/ltW t0] := leP 0 t.
  rewrite above0_neg ?above0_ge0 // subr_le0 -[leLHS](@expR0 R) ler_expR.
  by rewrite addr_ge0 // mulr_ge0.
by apply: above0_mono; rewrite ler_add2l ler_opp2 ler_expR ler_add2l ler_wnmul2r.
Qed.

(** * One line *)

Section LineTilt.
Variables (R : realType) (m J : R) (s b : R -> R).
Hypothesis s_bounds : forall v, 0 <= s v <= m.
Hypotheses (ms : measurable_fun setT s) (mb : measurable_fun setT b).
Hypothesis back : forall v, b (v - s v) = v.
Hypothesis forth : forall w, b w - s (b w) = w.

Let price v : R := J + half R * (s v * (m - s v)).

Hypothesis shortens : forall e, 0 < e -> exists2 h, 0 < h & forall lo, exists k,
  [/\ 0 < k, forall v, lo <= s v < lo + h -> k <= expR (e + (J + half R * (s v * (m - s v)))) &
  forall r r', lo <= s r < lo + h -> lo <= s r' < lo + h ->
    `|r - r'| <= k * `|(r - s r) - (r' - s r')|].

Let weight v : {nonneg R} := NngNum (expR_ge0 (- price v)).

Let measurable_weight : measurable_fun setT (fun v => (weight v)%:num).
Proof.
apply: measurable_fun_expR; apply: measurable_funN; apply: measurable_funD.
  exact: measurable_fun_cst.
apply: measurable_funrM; apply: measurable_funM => //.
by apply: measurable_funB => //; exact: measurable_fun_cst.
Qed.

Let weighed := density (line R) measurable_weight.

Let turned : {measure set R -> \bar R} :=
  [the {measure set R -> \bar R} of pushforward (line R) mb].

Let piece e h k lo A : 0 < k ->
  (forall v, lo <= s v < lo + h -> k <= expR (e + price v)) ->
  (forall r r', lo <= s r < lo + h -> lo <= s r' < lo + h ->
    `|r - r'| <= k * `|(r - s r) - (r' - s r')|) ->
  measurable A -> A `<=` [set v | lo <= s v < lo + h] ->
  (weighed A <= (expR e)%:E * turned A)%E.
Proof.
move=> k0 small apart mA Abin.
have mI : measurable_fun setT (fun v : R => (\1_A v : R)%:E).
  by apply: measurable_EFin; exact: measurable_fun_indic.
have I0 (v : R) : (0 <= (\1_A v : R)%:E)%E by rewrite lee_fin.
have ek0 : 0 <= expR e / k by exact: (divr_ge0 (expR_ge0 e) (ltW k0)).
apply: (@le_trans _ _ ((expR e / k)%:E * line R A)%E).
  rewrite densityE -[line R A](_ : (\int[line R]_v (\1_A v)%:E)%E = _); last first.
    by rewrite integral_indic // setIT.
  rewrite -int_scale //; apply: int_le => [|v||v].
  - apply: emeasurable_funM => //; apply: measurable_EFin; exact: measurable_weight.
  - by rewrite mule_ge0 // lee_fin.
  - exact: measurable_funeM.
  rewrite -!EFinM lee_fin indicE; have [vA|_] := boolP (v \in A); last by rewrite !mulr0.
  rewrite !mulr1 ler_pdivl_mulr //=; rewrite inE in vA.
  apply: le_trans (ler_wpmul2l (expR_ge0 _) (small v (Abin v vA))) _.
  by rewrite -expRD addrCA addNr addr0.
rewrite EFinM -muleA; apply: lee_wpmul2l; first exact: expR_weight_ge0.
have le : (line R A <= k%:E * line R (b @^-1` A))%E.
  apply: (line_expanding (t := fun v => v - s v)) => // [v Av|r r' /Abin rA /Abin rA'].
    by rewrite /= back.
  exact: apart.
have i0 : (0 <= (k^-1)%:E)%E by rewrite lee_fin invr_ge0 ltW.
have := lee_wpmul2l i0 le; rewrite muleA -EFinM mulVf ?gt_eqF // mul1e.
exact.
Qed.

Let weighed_le A : measurable A -> (weighed A <= turned A)%E.
Proof.
move=> mA; apply: up_to_expR; [exact: measure_ge0|exact: measure_ge0|move=> e e0].
have [h h0 bins] := shortens e0.
apply: (by_pieces (expR_ge0 e) ms h0) mA => lo B mB Bbin; have [k [k0 small apart]] := bins lo.
exact: (piece k0 small apart mB Bbin).
Qed.

Let integral_le (g : R -> \bar R) : measurable_fun setT g -> (forall v, 0 <= g v)%E ->
  (\int[line R]_v ((expR (- price v))%:E * g v) <= \int[line R]_w g (b w))%E.
Proof.
move=> mg g0.
have d0 : dp 0 weighed turned.
  by move=> A mA; rewrite expR0 mul1e; exact: weighed_le.
have := dp_integral d0 g0; rewrite expR0 mul1e => le.
apply: le_trans (eq_lee (esym (ge0_integral_density (line R) measurable_weight g0 mg))) _.
exact: le_trans le (eq_lee (integral_pushforward mb (line R) mg g0)).
Qed.

Theorem line_tilt eps (k : R -> \bar R) : J <= eps -> test k ->
  (\int[normal 0]_v k v <= (expR eps)%:E * \int[normal 0]_w k (b w)
    + (delta m (eps - J))%:E)%E.
Proof.
move=> Je [mk k0 k1]; have e0 := expR_ge0 eps.
have mkb : measurable_fun setT (fun w => k (b w)) by exact: (measurable_fun_comp mk mb).
have id1 : measurable_fun setT (fun v : R => v) by exact: measurable_fun_id.
rewrite (integral_normal 0 mk k0) (integral_normal 0 mkb (fun w => k0 _)) -deltaE.
have mphi (f : R -> R) : measurable_fun setT f -> measurable_fun setT (fun v => (phi (f v))%:E).
  by move=> mf; apply: measurable_EFin; exact: measurable_phi.
have p0 (v : R) : (0 <= (phi v)%:E)%E by rewrite lee_fin phi_ge0.
pose g v : \bar R := ((phi (v - s v))%:E * k v)%E.
have mg : measurable_fun setT g.
  by apply: emeasurable_funM => //; apply: mphi; exact: measurable_funB.
have g0 v : (0 <= g v)%E by rewrite /g mule_ge0.
have mw : measurable_fun setT (fun v => (expR (- price v))%:E * g v)%E.
  by apply: emeasurable_funM => //; apply: measurable_EFin; exact: measurable_weight.
have w0 v : (0 <= (expR (- price v))%:E * g v)%E by rewrite mule_ge0 // expR_weight_ge0.
have mst : measurable_fun setT (fun v : R => (stick m (eps - J) v)%:E).
  by apply: measurable_EFin; apply: measurable_stick => //; exact: measurable_fun_cst.
have st0 (v : R) : (0 <= (stick m (eps - J) v)%:E)%E by rewrite lee_fin stick_ge0.
apply: (@le_trans _ _ ((expR eps)%:E * \int[line R]_v ((expR (- price v))%:E * g v)
    + \int[line R]_v (stick m (eps - J) v)%:E)%E); last first.
  apply: lee_add => //; apply: lee_wpmul2l; first exact: expR_weight_ge0.
  apply: le_trans (integral_le mg g0) _.
  by apply: eq_lee; apply: eq_integral => w _; rewrite /g forth subr0.
have mew : measurable_fun setT (fun v => (expR eps)%:E * ((expR (- price v))%:E * g v))%E.
  exact: measurable_funeM.
rewrite -(int_scale _ e0 mw w0) -(int_add _ mew _ mst st0); last first.
  by move=> v; rewrite mule_ge0 // expR_weight_ge0.
apply: int_le => [|v||v].
- by apply: emeasurable_funM => //; apply: mphi; exact: measurable_minus.
- by rewrite mule_ge0.
- exact: emeasurable_funD.
have [r kE] : exists r, k v = r%:E.
  exists (fine (k v)); rewrite fineK // ge0_fin_numE //.
  exact: le_lt_trans (k1 v) (ltry _).
have r0 : 0 <= r by rewrite -lee_fin -kE.
have r1 : r <= 1 by rewrite -lee_fin -kE.
rewrite /g kE -!EFinM -EFinD lee_fin subr0 phi_shift stickE.
set X := eps - J + s v * (v - half R * m).
have expo : expR eps * (expR (- price v) * (phi v * expR (s v * v - half R * s v ^+ 2) * r)) =
    phi v * (expR X * r).
  rewrite (_ : X = eps + (- price v + (s v * v - half R * s v ^+ 2))); last first.
    rewrite /X /price; move: (half R) (s v) => h t; rewrite expr2; nsatz.
  by rewrite !expRD; move: (expR _) (expR _) (expR _) (phi v) => *; nsatz.
rewrite expo -mulrDr; apply: ler_wpmul2l; first exact: phi_ge0.
have E0 : 0 <= eps - J by rewrite subr_ge0.
have := chord v E0 (s_bounds v); rewrite -/X -ler_subl_addl -{1}[r]mul1r -mulrBl.
apply: le_trans; have [x0|x0] := leP 0 (1 - expR X).
  by apply: le_trans (above0_le _); rewrite ler_pimulr.
by apply: le_trans (above0_ge0 _); rewrite nmulr_rle0.
Qed.

End LineTilt.

(** * Along a unit vector *)

Section SpaceTilt.
Variables (R : realType) (n : nat) (w : 'rV[R]_n) (m J : R).
Variables (s : space R n -> R) (b : space R n -> space R n).
Hypothesis unit_w : dot w w = 1.
Hypothesis s_bounds : forall g, 0 <= s g <= m.
Hypotheses (ms : measurable_fun setT s) (mb : measurable_fun setT b).
Hypothesis back : forall g, b (along w (- s g) g) = g.
Hypothesis forth : forall g, along w (s (b g)) g = b g.
Hypothesis shortens : forall e, 0 < e -> exists2 h, 0 < h & forall lo, exists k,
  [/\ 0 < k, forall g, lo <= s g < lo + h -> k <= expR (e + (J + half R * (s g * (m - s g)))) &
  forall g r r', lo <= s (along w r g) < lo + h -> lo <= s (along w r' g) < lo + h ->
    `|r - r'| <= k * `|(r - s (along w r g)) - (r' - s (along w r' g))|].

Let along_redrawn (g : space R n) r v : along w r (redrawn w g v) = redrawn w g (v + r).
Proof. by rewrite /redrawn along_add addrCA addrA. Qed.

Let measurable_line (g : space R n) : measurable_fun setT (redrawn w g).
Proof.
exact: (measurable_fun_prod1 (f := fun p => redrawn w p.1 p.2) g (measurable_redrawn w)).
Qed.

Let on_line eps (k : space R n -> \bar R) (g : space R n) : J <= eps -> test k ->
  (\int[normal 0]_v k (redrawn w g v) <= (expR eps)%:E * \int[normal 0]_v k (b (redrawn w g v))
    + (delta m (eps - J))%:E)%E.
Proof.
move=> Je [mk k0 k1]; pose sg v := s (redrawn w g v).
pose bg v := v + s (b (redrawn w g v)).
have msg : measurable_fun setT sg by exact: (measurable_fun_comp ms (measurable_line g)).
have mbg : measurable_fun setT bg.
  apply: measurable_funD; first exact: measurable_fun_id.
  exact: (measurable_fun_comp (measurable_fun_comp ms mb) (measurable_line g)).
have bgE v : redrawn w g (bg v) = b (redrawn w g v).
  by rewrite /bg -along_redrawn forth.
have backg v : bg (v - sg v) = v.
  by rewrite /bg /sg -along_redrawn back subrK.
have forthg v : bg v - sg (bg v) = v by rewrite /sg bgE /bg addrK.
have shorter e : 0 < e -> exists2 h, 0 < h & forall lo, exists k0,
    [/\ 0 < k0, forall v, lo <= sg v < lo + h -> k0 <= expR (e + (J + half R * (sg v * (m - sg v)))) &
    forall r r', lo <= sg r < lo + h -> lo <= sg r' < lo + h ->
      `|r - r'| <= k0 * `|(r - sg r) - (r' - sg r')|].
  move=> e0; have [h h0 bins] := shortens e0; exists h => // lo.
  have [q [q0 small apart]] := bins lo; exists q; split => // [v|r r' br br'].
    exact: small.
  pose c := dot (g : 'rV[R]_n) w; have := apart g (r - c) (r' - c) br br'.
  rewrite -/(redrawn w g r) -/(redrawn w g r') -/(sg r) -/(sg r').
  rewrite (_ : r - c - (r' - c) = r - r'); last by nsatz.
  by rewrite (_ : r - c - sg r - (r' - c - sg r') = r - sg r - (r' - sg r')) //; nsatz.
have tk : test (fun v => k (redrawn w g v)).
  by split=> // ; exact: (measurable_fun_comp mk (measurable_line g)).
have := line_tilt (fun v => s_bounds (redrawn w g v)) msg mbg backg forthg shorter Je tk.
by under [X in (_ <= _ * X + _)%E]eq_integral do rewrite bgE.
Qed.

Theorem space_tilt eps (k : space R n -> \bar R) : J <= eps -> test k ->
  (\int[normal_space R n]_g k g <= (expR eps)%:E * \int[normal_space R n]_g k (b g)
    + (delta m (eps - J))%:E)%E.
Proof.
move=> Je tk; have [mk k0 k1] := tk; have N1 := normal_space_total R n.
have mkb : measurable_fun setT (fun g => k (b g)) by exact: (measurable_fun_comp mk mb).
rewrite -(resample unit_w mk k0) -(resample unit_w mkb (fun g => k0 _)).
have mr (f : space R n -> \bar R) : measurable_fun setT f -> (forall g, 0 <= f g)%E ->
    measurable_fun setT (fun g => \int[normal 0]_v f (redrawn w g v))%E.
  move=> mf f0; have mfr : measurable_fun setT (fun p : space R n * R => f (redrawn w p.1 p.2)).
    exact: (measurable_fun_comp mf (measurable_redrawn w)).
  have sn : sigma_finite setT (@normal R 0).
    by apply: mass1_sigma_finite; rewrite normal_total ltry.
  exact: (measurable_inner sn mfr (fun p => f0 _)).
have i0 (f : space R n -> \bar R) : (forall g, 0 <= f g)%E -> forall g,
    (0 <= \int[normal 0]_v f (redrawn w g v))%E by move=> f0 g; apply: int_ge0.
pose r g := (\int[normal 0]_v k (b (redrawn w g v)))%E.
have mrr : measurable_fun setT r by exact: (mr (fun g => k (b g)) mkb (fun g => k0 _)).
have rr0 g : (0 <= r g)%E by exact: (i0 (fun g => k (b g))).
have me : measurable_fun setT (fun g => (expR eps)%:E * r g)%E by exact: measurable_funeM.
have e0 g : (0 <= (expR eps)%:E * r g)%E by rewrite mule_ge0 ?expR_weight_ge0.
have c0 (g : space R n) : (0 <= (delta m (eps - J))%:E)%E by rewrite lee_fin delta_ge0.
have mc : measurable_fun setT (fun _ : space R n => (delta m (eps - J))%:E).
  exact: measurable_fun_cst.
have dE : (delta m (eps - J))%:E = (\int[normal_space R n]_g (delta m (eps - J))%:E)%E.
  by rewrite integral_cst // N1 mule1.
rewrite [X in (_ <= _ + X)%E]dE -(int_scale _ (expR_ge0 eps) mrr rr0).
rewrite -(int_add _ me e0 mc c0).
apply: int_le => [|g||g]; [exact: mr|exact: i0|exact: emeasurable_funD|].
exact: on_line.
Qed.

End SpaceTilt.
