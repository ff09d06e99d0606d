(* own:objective-perturbation: the minimiser of a tilted objective is private.

   M(D) = argmin over C of J_D + <b, .>, b random.  No density of M(D) is written
   down: one record more is another b (argmin_insert), moved along the row of that
   record by the slope of its loss, and [Flow] bounds what such a move does to the law
   of b.  C is any closed convex set with a point, the loss any convex function of a
   linear prediction with a Lipschitz slope on C, the tilt any law that changes by at
   most e^(cost |r|) if it is shifted along a row by r.

     price_contract up down    what one record more, and one less, costs at most
     price_separate            up = eps_b + ln(1 + beta/Lambda), down = eps_b
     own_objective_perturbation_add_remove    up, if down <= up
     own_objective_perturbation_replace_one   up + down
     own_objective_perturbation_distance      the computed point is surely near     *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Line Flow Euclid Sensitivity Space Argmin.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Neighbours *)

Section Neighbours.
Variable Z : Type.
Implicit Types D : seq Z.

Definition one_more D D' := exists D1 z D2, D = D1 ++ z :: D2 /\ D' = D1 ++ D2.

Definition add_remove D D' := one_more D D' \/ one_more D' D.

Definition replace_one D D' :=
  exists D1 z z' D2, D = D1 ++ z :: D2 /\ D' = D1 ++ z' :: D2.

End Neighbours.

Lemma moves_cancel (R : realType) (r r' t t' : R) :
  r - t - (r' - t') + (t - t') = r - r'.
Proof. by nsatz. Qed.

(** * Laws that may be shifted *)

Section Shifts.
Variables (R : realType) (n : nat).
Implicit Types (P : {measure set (space R n) -> \bar R}) (y : 'rV[R]_n).

(* Along y, the law changes by at most e^(c|r|). *)
Definition shift_private (c : R) y P := forall r A, measurable A ->
  (P (along y r @^-1` A) <= (expR (c * `|r|))%:E * P A)%E.

Lemma along_opp y r : along (- y) r = along y (- r).
Proof. by apply/funext => u; rewrite /along scalerN scaleNr. Qed.

Lemma shift_privateN c y P : shift_private c y P -> shift_private c (- y) P.
Proof. by move=> yP r A mA; rewrite along_opp -(normrN r); exact: yP. Qed.

Lemma shift_flow c y P : 0 <= c -> (P setT < +oo)%E -> shift_private c y P ->
  flow_contract (along y) c P.
Proof.
move=> c0 P1 yP; split => //.
- by move=> r s u; exact: along_add.
- exact: along_zero.
- exact: measurable_along.
Qed.

End Shifts.

(** * Laws with a density *)

Section Densities.
Variables (R : realType) (n : nat) (y : 'rV[R]_n) (c : R).
Variables (volume P : {measure set (space R n) -> \bar R}) (nu : space R n -> R).

(* Any measure that shifts along y do not change, and a density that they change by
   at most e^(c|r|): Euclidean Laplace, a cube, independent Laplace. *)
Theorem density_shift_private :
  (forall r A, measurable A -> volume (along y r @^-1` A) = volume A) ->
  measurable_fun setT nu -> (forall b, 0 <= nu b) ->
  (forall b r, nu b <= expR (c * `|r|) * nu (along y r b)) ->
  (forall A, measurable A -> P A = (\int[volume]_b ((nu b)%:E * (\1_A b)%:E))%E) ->
  shift_private c y P.
Proof.
move=> invariant mnu nu0 slow PE r A mA.
have ms : measurable_fun setT (along y r).
  have -> : along y r = (fun z : R * space R n => along y z.1 z.2) \o (fun b => (r, b)) by [].
  apply: measurable_fun_comp; first exact: measurable_along.
  by apply/prod_measurable_funP; split; [exact: measurable_fun_cst|exact: measurable_fun_id].
have mrA : measurable (along y r @^-1` A) by rewrite -[X in measurable X]setTI; exact: ms.
pose g b : \bar R := ((nu b)%:E * (\1_A b)%:E)%E.
have mg : measurable_fun setT g.
  by apply: emeasurable_funM; [exact/EFin_measurable_fun
                              |exact/EFin_measurable_fun/measurable_fun_indic].
have g0 b : (0 <= g b)%E by rewrite mule_ge0 // lee_fin.
have turn : (\int[volume]_b g b = \int[volume]_b g (along y r b))%E.
  transitivity (\int[pushforward volume ms]_b g b)%E; last by rewrite integral_pushforward.
  by apply: eq_measure_integral => B mB _; rewrite /= /pushforward invariant.
have mgr : measurable_fun setT (fun b => g (along y r b)) by exact: measurable_fun_comp mg ms.
rewrite (PE _ mrA) (PE _ mA) -/g turn -ge0_integralM_EFin //; last exact: expR_ge0.
apply: ge0_le_integral => //.
- by move=> b _; rewrite mule_ge0 // lee_fin.
- by apply: emeasurable_funM; [exact/EFin_measurable_fun
                              |exact/EFin_measurable_fun/measurable_fun_indic].
- by move=> b _; rewrite mule_ge0 // lee_fin expR_ge0.
- exact: measurable_funeM.
move=> b _; rewrite /g (_ : \1_(along y r @^-1` A) b = \1_A (along y r b)).
  by rewrite -!EFinM lee_fin mulrA; apply: ler_wpmul2r.
by rewrite !indicE; congr (nat_of_bool _)%:R; apply/idP/idP; rewrite !inE.
Qed.

(* The law that the crate uses: density proportional to e^(-c0 |b|_2). *)
Theorem euclidean_laplace_density (c0 k : R) : 0 <= c0 -> 0 <= k ->
  (forall b, nu b = k * expR (- (c0 * norm2 (b : 'rV[R]_n)))) -> c = c0 * norm2 y ->
  forall b r, nu b <= expR (c * `|r|) * nu (along y r b).
Proof.
move=> c00 k0 nuE -> b r; rewrite !nuE mulrCA -expRD ler_wpmul2l // ler_expR.
have := norm2_triangle (b : 'rV[R]_n) (r *: y); rewrite norm2Z -/(along y r b) => tri.
by apply: le_from (ler_wpmul2l c00 tri) _; nsatz.
Qed.

End Densities.

(** * The law of the minimiser *)

Section Laws.
Variables (R : realType) (n : nat) (C : set 'rV[R]_n).
Variables (Z : Type) (x : Z -> 'rV[R]_n) (loss slope : Z -> R -> R) (curvature : Z -> R).
Variable Lambda : R.
Hypothesis contract : loss_contract C x loss slope curvature Lambda.
Hypothesis domain : domain_contract C.
Variables (P : {measure set (space R n) -> \bar R}) (cost : Z -> R).
Implicit Types (D : seq Z) (theta eta u b : 'rV[R]_n).

(* The law of b: of total mass 1, and private along the row of each record. *)
Record tilt_contract : Prop := TiltContract {
  tilt_total : P setT = 1%E;
  tilt_cost_ge0 : forall z, 0 <= cost z;
  tilt_shift : forall z, shift_private (cost z) (x z) P }.

Hypothesis tilt : tilt_contract.

(* M(D) for one b: the minimiser of J_D + <b, .> over C. *)
Definition released D (b : space R n) : space R n :=
  argmin contract domain D (- (b : 'rV[R]_n)).

Lemma released_minimiser D b :
  minimiser C (fun theta => total x loss Lambda D theta + dot b theta) (released D b).
Proof.
have [Ct tmin] := argmin_minimiser contract domain D (- b); split => // theta Ct'.
by have := tmin theta Ct'; rewrite /tilted !dotNl !opprK.
Qed.

Lemma released_lipschitz D (u v : 'rV[R]_n) :
  norm2 ((released D u : 'rV[R]_n) - (released D v : 'rV[R]_n))
    <= Lambda^-1 * norm2 (u - v).
Proof.
have := argmin_lipschitz contract domain D (- u) (- v).
by rewrite -[- u - - v]opprD norm2N.
Qed.

Lemma measurable_released D : measurable_fun setT (released D).
Proof.
by apply: (lipschitz_map_measurable (K := Lambda^-1)); exact: released_lipschitz.
Qed.

Definition exact D : {measure set (space R n) -> \bar R} :=
  [the {measure set (space R n) -> \bar R} of pushforward P (measurable_released D)].

(* The slope of a record at the minimiser. *)
Definition slope_at D z (b : space R n) : R := slope z (prediction x z (released D b)).

Lemma measurable_slope_at D z : measurable_fun setT (slope_at D z).
Proof.
have L0 := loss_Lambda contract.
apply: (@lipschitz_measurable _ _ (`|curvature z| * (norm2 (x z) * Lambda^-1))) => u v.
have Cin w : C (released D w) by exact: argmin_in.
apply: le_trans (loss_curvature contract z (Cin u) (Cin v)) _.
rewrite -mulrA; apply: (@le_trans _ _ (`|curvature z| *
    `|prediction x z (released D u) - prediction x z (released D v)|)).
  by rewrite ler_wpmul2r // ler_norm.
rewrite ler_wpmul2l // /prediction -dotNr -dotDr.
have abs_cs (a c : 'rV[R]_n) : `|dot a c| <= norm2 a * norm2 c.
  by rewrite ler_norml cauchy_schwarz andbT ler_oppl -dotNl -(norm2N a) cauchy_schwarz.
apply: (le_trans (abs_cs (x z) ((released D u : 'rV[R]_n) - released D v))); rewrite -mulrA ler_wpmul2l ?norm2_ge0 //.
exact: released_lipschitz.
Qed.

(** ** One record *)

Section OneRecord.
Variables (D1 D2 : seq Z) (z : Z).
Let less := D1 ++ D2.
Let more := D1 ++ z :: D2.
Let y := - x z.

Let flow : flow_contract (along y) (cost z) P.
Proof.
apply: shift_flow; first exact: (tilt_cost_ge0 tilt).
  by rewrite (tilt_total tilt) ltry.
exact/shift_privateN/(tilt_shift tilt).
Qed.

Let alongE r (b : space R n) : - (along y r b : 'rV[R]_n) = - (b : 'rV[R]_n) + r *: x z.
Proof. by rewrite /along /y scalerN opprB addrC. Qed.

(* With one record more the same point comes from another b, and back. *)
Let more_less b : released more b = released less (along y (- slope_at more z b) b).
Proof. by rewrite /released alongE scaleNr; exact: argmin_insert. Qed.

Let less_more b : released less b = released more (along y (slope_at less z b) b).
Proof. by rewrite /released alongE; exact: argmin_remove. Qed.

Let back_less b r :
  slope_at less z (along y (r - slope_at more z (along y r b)) b) =
  slope_at more z (along y r b).
Proof.
have := more_less (along y r b); set s := slope_at more z _.
rewrite along_add [- s + r]addrC => e.
by rewrite {2}/s [LHS]/slope_at [RHS]/slope_at e.
Qed.

(* The same for slopes that are read off at b. *)
Let slope_along D b r r' kappa : 0 <= kappa ->
  `|slope_at D z (along y r b) - slope_at D z (along y r' b)| <=
    kappa * `|prediction x z (released D (along y r b))
              - prediction x z (released D (along y r' b))| ->
  let s := slope_at D z (along y r b) - slope_at D z (along y r' b) in
  `|r - r'| <= `|r - r' + s| /\
  `|r - r' + s| <= (1 + kappa * (Lambda^-1 * norm2 (x z) ^+ 2)) * `|r - r'|.
Proof.
move=> k0; rewrite /slope_at /released !alongE => sk.
by have [_ lo hi] := slope_along k0 sk.
Qed.

(* The price of a record more: where its slope is in a short interval, its curvature
   is at most kappa, and noise that pays for the slope costs at most a. *)
Definition slope_price (E : R) := forall e, 0 < e -> exists2 h, 0 < h & forall lo,
  exists kappa a, [/\ 0 <= kappa,
    forall theta, C theta -> lo <= slope z (prediction x z theta) <= lo + h ->
      cost z * `|slope z (prediction x z theta)| <= a,
    forall theta eta, C theta -> C eta ->
      lo <= slope z (prediction x z theta) <= lo + h ->
      lo <= slope z (prediction x z eta) <= lo + h ->
      `|slope z (prediction x z theta) - slope z (prediction x z eta)| <=
        kappa * `|prediction x z theta - prediction x z eta|
    & (1 + kappa * (Lambda^-1 * norm2 (x z) ^+ 2)) * expR a <= expR e * E].

Lemma one_more_costs E A : 0 <= E -> slope_price E -> measurable A ->
  (exact more A <= E%:E * exact less A)%E.
Proof.
move=> E0 priced mA; rewrite /exact /= /pushforward.
pose B := released less @^-1` A.
have mB : measurable B.
  by rewrite -[X in measurable X]setTI; exact: (measurable_released less).
have -> : released more @^-1` A = moved (along y) (fun b => - slope_at more z b) @^-1` B.
  by apply/seteqP; split => b; rewrite /= more_less.
apply: (flow_price flow (f' := fun b => - slope_at less z b)) => //.
- by apply: measurable_funN; exact: measurable_slope_at.
- by apply: measurable_funN; exact: measurable_slope_at.
- by move=> b; rewrite /slope_at -more_less.
move=> e e0; have [h h0 bins] := priced e e0; exists h => // lo.
have [kappa [a [k0 ca curved ka]]] := bins (- lo - h).
have Cin w : C (released less w) by exact: argmin_in.
have flip (b : space R n) : lo <= - slope_at less z b < lo + h ->
    - lo - h <= slope_at less z b <= - lo - h + h.
  by rewrite subrK -opprD ler_oppl [slope_at _ _ _ <= _]ler_oppr =>
    /andP[-> /ltW ->].
exists (1 + kappa * (Lambda^-1 * norm2 (x z) ^+ 2)), a; split => //.
- rewrite ltr_paddr // mulr_ge0 // mulr_ge0 ?sqr_ge0 // invr_ge0 ltW //.
  exact: (loss_Lambda contract).
- by move=> b /flip inb; rewrite normrN; apply: ca.
- move=> b r r' /flip br /flip br'; rewrite !opprK.
  have := curved _ _ (Cin _) (Cin _) br br' => /(slope_along k0) [_].
  by rewrite opprD addrACA.
Qed.

Lemma one_less_costs a A :
  (forall theta, C theta -> cost z * `|slope z (prediction x z theta)| <= a) ->
  measurable A -> (exact less A <= (expR a)%:E * exact more A)%E.
Proof.
move=> ca mA; rewrite /exact /= /pushforward.
pose B := released more @^-1` A.
have mB : measurable B.
  by rewrite -[X in measurable X]setTI; exact: (measurable_released more).
have -> : released less @^-1` A = moved (along y) (slope_at less z) @^-1` B.
  by apply/seteqP; split => b; rewrite /= less_more.
rewrite -[expR a]mul1r.
apply: (flow_bin flow (f' := slope_at more z)) => //.
- exact: measurable_slope_at.
- exact: measurable_slope_at.
- by move=> b; rewrite /slope_at -less_more.
- by move=> b _; apply: ca; exact: argmin_in.
have Cin w : C (released less w) by exact: argmin_in.
move=> b r r' _ _; rewrite mul1r.
(* the points that move to the places r and r' of the line *)
pose v := r - slope_at more z (along y r b).
pose v' := r' - slope_at more z (along y r' b).
have at_v : slope_at less z (along y v b) = slope_at more z (along y r b).
  exact: back_less.
have at_v' : slope_at less z (along y v' b) = slope_at more z (along y r' b).
  exact: back_less.
have := loss_curvature contract z (Cin (along y v b)) (Cin (along y v' b)).
move=> /le_trans/(_ (ler_wpmul2r (normr_ge0 _) (ler_norm (curvature z)))).
move=> /(slope_along (normr_ge0 _))[+ _]; rewrite at_v at_v' -/v -/v' => /le_trans; apply.
by rewrite /v /v' moves_cancel.
Qed.

End OneRecord.

(** ** Neighbours *)

(* Every record: one more costs up, one less costs down. *)
Record price_contract (up down : R) : Prop := PriceContract {
  price_up : forall z, slope_price z (expR up);
  price_down : forall z theta, C theta ->
    cost z * `|slope z (prediction x z theta)| <= down }.

Theorem own_objective_perturbation_add_remove up down : down <= up ->
  price_contract up down -> private (@add_remove Z) up exact.
Proof.
move=> du [pu pd] D D' [] [D1 [z [D2 [-> ->]]]] A mA.
  exact: (one_more_costs _ _ (expR_ge0 up) (pu z) mA).
apply: le_trans (one_less_costs _ _ (pd z) mA) _.
by apply: lee_wpmul2r => //; rewrite lee_fin ler_expR.
Qed.

Theorem own_objective_perturbation_replace_one up down :
  price_contract up down -> private (@replace_one Z) (up + down) exact.
Proof.
move=> [pu pd] D D' [D1 [z [z' [D2 [-> ->]]]]].
apply: (dp_trans (nu := exact (D1 ++ D2))) => A mA.
  exact: (one_more_costs _ _ (expR_ge0 up) (pu z) mA).
exact: (one_less_costs _ _ (pd z') mA).
Qed.

(* Slope and curvature by themselves, each at its worst. *)
Lemma price_separate eps_b beta :
  (forall z theta, C theta -> cost z * `|slope z (prediction x z theta)| <= eps_b) ->
  (forall z, 0 <= curvature z) ->
  (forall z, curvature z * norm2 (x z) ^+ 2 <= beta) -> 0 <= beta ->
  price_contract (eps_b + ln (1 + beta / Lambda)) eps_b.
Proof.
move=> ce c0 cb b0; have L0 := loss_Lambda contract; split => // z e e0.
have bL : 0 <= beta / Lambda by rewrite divr_ge0 // ltW.
exists 1 => // lo; exists (curvature z), eps_b; split => //.
- by move=> theta Ct _; exact: ce.
- by move=> theta eta Ct Ce _ _; exact: (loss_curvature contract).
rewrite [eps_b + _]addrC expRD lnK; last by rewrite posrE ltr_paddr.
apply: (@le_trans _ _ ((1 + beta / Lambda) * expR eps_b)).
  apply: ler_wpmul2r; first exact: expR_ge0.
  rewrite ler_add2l mulrCA mulrC.
  by apply: ler_wpmul2r; [rewrite invr_ge0 ltW|exact: cb].
apply: ler_pemull; first by rewrite mulr_ge0 ?expR_ge0 // addr_ge0.
by rewrite -[1](@expR0 R) ler_expR ltW.
Qed.

(* The curvature of the logistic loss is p(1 - p) where its slope is p in absolute
   value: both at the same point, own:joint-price. *)
Definition joint_slopes := forall z theta eta, C theta -> C eta ->
  let s := slope z (prediction x z theta) in
  let t := slope z (prediction x z eta) in
  [/\ `|s| <= 1, `|t| <= 1 & exists p, [/\ Num.min `|s| `|t| <= p <= Num.max `|s| `|t| &
    `|s - t| <= p * (1 - p) * `|prediction x z theta - prediction x z eta|]].

Lemma price_joint eps_b kappa up : joint_slopes -> 0 <= eps_b ->
  (forall z, cost z <= eps_b) -> 0 <= kappa ->
  (forall z, Lambda^-1 * norm2 (x z) ^+ 2 <= kappa) ->
  (forall p, 0 <= p <= 1 -> expR (p * eps_b) * (1 + kappa * (p * (1 - p))) <= expR up) ->
  price_contract up eps_b.
Proof.
move=> joint e0 ce k0 xk pup; have L0 := loss_Lambda contract.
have pen z theta : C theta -> `|slope z (prediction x z theta)| <= 1.
  by move=> Ct; have [] := joint z theta theta Ct Ct.
split => [z e eps0|z theta Ct]; last first.
  rewrite -[eps_b]mulr1; apply: ler_pmul => //; [exact: (tilt_cost_ge0 tilt)|].
  exact: pen.
have k1 : 0 < kappa + eps_b + 1 by rewrite ltr_paddl // addr_ge0.
pose h := e / (kappa + eps_b + 1); have h0 : 0 < h by rewrite divr_gt0.
have hE : kappa * h + eps_b * h <= e.
  by rewrite -mulrDl mulrCA ler_pimulr ?(ltW eps0) // ler_pdivr_mulr // mul1r ler_addl.
exists h => // lo.
have [[theta0 [C0 in0]]|none] := pselect (exists theta, C theta /\
    lo <= slope z (prediction x z theta) <= lo + h); last first.
  exists 0, 0; split => //.
  - by move=> theta Ct inb; case: none; exists theta.
  - by move=> theta eta Ct _ inb; case: none; exists theta.
  rewrite mul0r addr0 expR0 mulr1; have := pup 0; rewrite lexx ler01 => /(_ isT).
  rewrite mul0r expR0 mul0r mulr0 addr0 mul1r => /le_trans; apply.
  by rewrite ler_pemull ?expR_ge0 // -[1](@expR0 R) ler_expR ltW.
pose p0 := `|slope z (prediction x z theta0)|.
have p01 : 0 <= p0 <= 1 by rewrite normr_ge0 pen.
have nearby theta : C theta -> lo <= slope z (prediction x z theta) <= lo + h ->
    `| `|slope z (prediction x z theta)| - p0| <= h.
  move=> Ct /andP[l1 l2]; have /andP[l3 l4] := in0.
  apply: le_trans (ler_dist_dist _ _) _; rewrite ler_norml; apply/andP; split.
    by apply: le_from (ler_add l1 l4) _; nsatz.
  by apply: le_from (ler_add l2 l3) _; nsatz.
exists (p0 * (1 - p0) + h), (eps_b * (p0 + h)).
have /andP[p00 p1] := p01.
have q0 : 0 <= p0 * (1 - p0) by rewrite mulr_ge0 // subr_ge0.
split; first by rewrite addr_ge0 // ltW.
- move=> theta Ct inb; apply: ler_pmul => //; first exact: (tilt_cost_ge0 tilt).
  have := nearby theta Ct inb; rewrite ler_norml => /andP[_].
  by rewrite ler_subl_addl.
- move=> theta eta Ct Ce inb inb'.
  have [s1 t1 [p [/andP[plo phi] /le_trans]]] := joint z theta eta Ct Ce; apply.
  rewrite ler_wpmul2r //.
  have pp : `|p - p0| <= h.
    have n1 := nearby theta Ct inb; have n2 := nearby eta Ce inb'.
    rewrite !ler_norml in n1 n2 *.
    move: n1 n2 => /andP[a1 a2] /andP[b1 b2]; apply/andP; split.
      by rewrite ler_subr_addr; apply: le_trans plo; rewrite le_minr -!ler_subr_addr a1 b1.
    by rewrite ler_subl_addr (le_trans phi) // le_maxl -!ler_subl_addr a2 b2.
  have pr : 0 <= p <= 1.
    rewrite (le_trans _ plo) ?le_minr ?normr_ge0 //=.
    by rewrite (le_trans phi) // le_maxl s1 t1.
  rewrite -ler_subl_addl (_ : _ - _ = (p - p0) * (1 - p - p0)); last by nsatz.
  apply: le_trans (ler_norm _) _; rewrite normrM -[h]mulr1; apply: ler_pmul => //.
  have /andP[p00' p1'] := pr; rewrite ler_norml; apply/andP; split.
    by apply: le_from (ler_add p1 p1') _; nsatz.
  by apply: le_from (ler_add p00 p00') _; nsatz.
have step : 1 + (p0 * (1 - p0) + h) * (Lambda^-1 * norm2 (x z) ^+ 2) <=
    (1 + kappa * (p0 * (1 - p0))) * expR (kappa * h).
  apply: (@le_trans _ _ (1 + kappa * (p0 * (1 - p0)) + kappa * h)).
    rewrite -addrA ler_add2l -mulrDr mulrC ler_wpmul2r ?xk //.
    by rewrite addr_ge0 // ltW.
  have a1 : 1 <= 1 + kappa * (p0 * (1 - p0)) by rewrite ler_addl mulr_ge0.
  have kh : 0 <= kappa * h by rewrite mulr_ge0 // ltW.
  have h1 : 1 + kappa * h <= expR (kappa * h) by exact: expR_ge1Dx.
  have h2 := ler_wpmul2l (le_trans ler01 a1) h1.
  apply: le_trans h2; rewrite [leRHS]mulrDr mulr1 ler_add2l; exact: ler_pemull.
apply: le_trans (ler_wpmul2r (expR_ge0 _) step) _.
have e1 : expR (kappa * h) * expR (eps_b * (p0 + h)) <= expR e * expR (p0 * eps_b).
  by rewrite -!expRD ler_expR; apply: le_from hE _; nsatz.
have f0 : 0 <= 1 + kappa * (p0 * (1 - p0)) by rewrite addr_ge0 // mulr_ge0.
rewrite -mulrA; apply: le_trans (ler_wpmul2l f0 e1) _.
rewrite mulrCA ler_wpmul2l ?expR_ge0 // mulrC; exact: pup.
Qed.

End Laws.

(** * The computed point *)

(* J lies above its tangent at theta by Lambda/2 |.|^2, g is its gradient there;
   b' is the tilt that was drawn, within e_b of the exact b; the solver stopped at
   |g + b'| <= r.  Whatever b is, theta is within (e_b + r)/Lambda of the exact
   minimiser: the coupling by b that thm:asap_privacy asks for. *)
Theorem own_objective_perturbation_distance (R : realType) (n : nat)
    (J : 'rV[R]_n -> R) (Lambda e_b r : R) (theta theta_b g b b' : 'rV[R]_n) :
  0 < Lambda -> strongly_convex (@norm2 R n) setT Lambda J ->
  (forall y, J theta + dot g (y - theta) + Lambda / 2%:R * norm2 (y - theta) ^+ 2 <= J y) ->
  minimiser setT (fun y => J y + dot b y) theta_b ->
  norm2 (b - b') <= e_b -> norm2 (g + b') <= r ->
  norm2 (theta - theta_b) <= (e_b + r) / Lambda.
Proof.
move=> L0 Jc tangent minb bb' gb'; have normed := norm2_is_norm R n.
have er : norm2 (g + b) <= e_b + r.
  rewrite -[g + b](subrK (g + b')) (le_trans (norm2_triangle _ _)) // ler_add //.
  by rewrite opprD addrACA subrr add0r.
have er0 : 0 <= e_b + r := le_trans (norm2_ge0 _) er.
have tilt_convex : strongly_convex (@norm2 R n) setT Lambda (fun y => J y + dot b y).
  apply: strongly_convexD => // u v t _ _ _; rewrite !mul0r subr0 /segment !dot_simpl.
  exact: lexx.
apply: (own_certified_minimiser normed L0 _ _ tilt_convex minb) => //.
  by rewrite divr_ge0 // ltW.
have := cauchy_schwarz (- (g + b)) (theta_b - theta); rewrite norm2N => cs.
have := ler_add (tangent theta_b) (le_trans cs (ler_wpmul2r (norm2_ge0 _) er)).
move=> h; apply: le_from h _.
rewrite [Lambda * _]mulrC divfK ?gt_eqF // !dot_simpl; nsatz.
Qed.
