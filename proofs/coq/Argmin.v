(* The minimiser of a tilted objective over a convex set.

     J_D(theta) = Lambda/2 |theta|^2 + sum of loss z <x_z, theta> over z in D
     argmin D u = the minimiser over C of J_D - <u, .>

   The losses are convex with a Lipschitz slope, on the predictions that C makes and
   nowhere else; kinks of the slope are allowed, and C is any closed convex set with a
   point.  Proved: the minimiser exists (argmin_minimiser) and is the only point with
   the first-order condition (first_order), it is 1/Lambda-Lipschitz in u
   (argmin_lipschitz), and a record more is another u (argmin_insert, argmin_remove):

     argmin (D and z) u = argmin D (u - slope z * x_z)

   so that the releases of both data sets are the same function of two points. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets.
From mathcomp.analysis Require Import reals nsatz_realtype.
From AsapDP Require Import Euclid Sensitivity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* A family of numbers that settles down has a limit. *)
Lemma net_limit (R : realType) (a : R -> R) (K : R) :
  (forall e e', 0 < e' -> e' <= e -> `|a e' - a e| <= K * e) ->
  exists l, forall e, 0 < e -> `|l - a e| <= K * e.
Proof.
move=> aK; pose E := [set b | exists2 e, 0 < e & forall e', 0 < e' -> e' <= e -> b <= a e'].
have up e b : 0 < e -> E b -> b <= a e + K * e.
  move=> e0 [e1 e10 be1]; pose e2 := Num.min e e1.
  have e20 : 0 < e2 by rewrite lt_minr e0.
  have := aK e e2 e20; rewrite le_minl lexx => /(_ isT).
  rewrite ler_norml ler_subl_addl addrC => /andP[_ h].
  apply: le_trans h; apply: be1 => //; by rewrite le_minl lexx orbT.
have low e : 0 < e -> E (a e - K * e).
  move=> e0; exists e => // e' e'0 e'e; have := aK e e' e'0 e'e.
  by rewrite ler_norml => /andP[h _]; apply: le_from h _; nsatz.
exists (sup E) => e e0; rewrite ler_norml; apply/andP; split.
  rewrite ler_subr_addr addrC; apply: sup_ub; last exact: low.
  by exists (a e + K * e) => b; exact: up.
rewrite ler_subl_addr addrC; apply: sup_le_ub => [|b]; last exact: up.
by exists (a e - K * e); exact: low.
Qed.

Lemma same_sign (R : realType) (a s : R) : 0 <= a * s -> `|a + s| = `|a| + `|s|.
Proof.
have [a0|a0|<-] := ltrgtP 0 a; last by rewrite add0r normr0 add0r.
- by rewrite pmulr_rge0 // => s0; rewrite (gtr0_norm a0) !ger0_norm // addr_ge0 // ltW.
- rewrite nmulr_rge0 // => s0; rewrite (ltr0_norm a0) !ler0_norm ?opprD //.
  by rewrite -[0]addr0 ler_add // ltW.
Qed.

Section Argmin.
Variables (R : realType) (n : nat) (C : set 'rV[R]_n).
Variables (Z : Type) (x : Z -> 'rV[R]_n) (loss slope : Z -> R -> R) (curvature : Z -> R).
Variable Lambda : R.
Implicit Types (D : seq Z) (theta eta u v : 'rV[R]_n).

Definition prediction z theta := dot (x z) theta.

(* What is asked of a loss: only on C. *)
Record loss_contract : Prop := LossContract {
  loss_Lambda : 0 < Lambda;
  loss_convex : forall z theta eta, C theta -> C eta ->
    loss z (prediction z theta) +
      slope z (prediction z theta) * (prediction z eta - prediction z theta)
    <= loss z (prediction z eta);
  loss_curvature : forall z theta eta, C theta -> C eta ->
    `|slope z (prediction z theta) - slope z (prediction z eta)|
    <= curvature z * `|prediction z theta - prediction z eta| }.

(* A closed convex set with a point. *)
Record domain_contract : Prop := DomainContract {
  domain_convex : convex_set C;
  domain_closed : forall v,
    (forall e, 0 < e -> exists2 w, C w & norm2 (w - v) < e) -> C v;
  domain_point : C !=set0 }.

Hypotheses (contract : loss_contract) (domain : domain_contract).

Definition total D theta :=
  Lambda / 2%:R * norm2 theta ^+ 2 + \sum_(z <- D) loss z (prediction z theta).

Definition tilted D u theta := total D theta - dot u theta.

Definition gradient D theta : 'rV[R]_n :=
  Lambda *: theta + \sum_(z <- D) slope z (prediction z theta) *: x z.

Lemma gradient_insert D z D' theta : gradient (D ++ z :: D') theta =
  gradient (D ++ D') theta + slope z (prediction z theta) *: x z.
Proof.
rewrite /gradient !big_cat big_cons /= -!addrA; congr (_ + (_ + _)); exact: addrC.
Qed.

Let dot_sum (I : Type) (r : seq I) (F : I -> 'rV[R]_n) v :
  dot (\sum_(i <- r) F i) v = \sum_(i <- r) dot (F i) v.
Proof.
elim: r => [|i r IH]; last by rewrite !big_cons dotDl IH.
by rewrite !big_nil /dot big1 // => i _; rewrite mxE mul0r.
Qed.

Let Lambda_halves : Lambda = Lambda / 2%:R + Lambda / 2%:R.
Proof. exact: splitr. Qed.

Let half_ge0 : 0 <= Lambda / 2%:R.
Proof. exact: (divr_ge0 (ltW (loss_Lambda contract)) (ler0n _ _)). Qed.

Lemma tangent D theta eta : C theta -> C eta ->
  total D theta + dot (gradient D theta) (eta - theta)
    + Lambda / 2%:R * norm2 (eta - theta) ^+ 2 <= total D eta.
Proof.
move=> Ct Ce; rewrite /total /gradient dotDl dot_sum.
have sums : \sum_(z <- D) loss z (prediction z theta) +
    \sum_(z <- D) dot (slope z (prediction z theta) *: x z) (eta - theta) <=
    \sum_(z <- D) loss z (prediction z eta).
  rewrite -big_split /=; apply: ler_sum => z _.
  by rewrite dotZl dotDr dotNr; exact: (loss_convex contract).
apply: le_from sums _; move: (\sum_(_ <- _) _) (\sum_(_ <- _) _) (\sum_(_ <- _) _).
move=> a b c; rewrite !sqr_norm2 !dot_simpl (dotC eta theta).
by have := Lambda_halves; move: (Lambda / 2%:R) => h two; nsatz.
Qed.

(** * The first-order condition *)

Definition stationary D u theta :=
  C theta /\ forall eta, C eta -> 0 <= dot (gradient D theta - u) (eta - theta).

Let gradient_moves D theta w : exists2 K, 0 <= K & forall t, 0 <= t ->
  C theta -> C (theta + t *: w) ->
  dot (gradient D (theta + t *: w) - gradient D theta) w <= t * K.
Proof.
exists (Lambda * dot w w + \sum_(z <- D) `|curvature z| * dot (x z) w ^+ 2).
  rewrite addr_ge0 //; first by rewrite mulr_ge0 ?dot_ge0 // ltW // (loss_Lambda contract).
  by apply: sumr_ge0 => z _; rewrite mulr_ge0 // sqr_ge0.
move=> t t0 Ct Ctw; rewrite /gradient !dot_simpl !dot_sum.
have sums : \sum_(z <- D) dot (slope z (prediction z (theta + t *: w)) *: x z) w
    - \sum_(z <- D) dot (slope z (prediction z theta) *: x z) w <=
    \sum_(z <- D) t * (`|curvature z| * dot (x z) w ^+ 2).
  rewrite -sumrB; apply: ler_sum => z _; rewrite !dotZl -mulrBl.
  apply: le_trans (ler_norm _) _; rewrite normrM.
  apply: le_trans (ler_wpmul2r (normr_ge0 _) (loss_curvature contract z Ctw Ct)) _.
  rewrite /prediction dotDr dotZr addrAC subrr add0r normrM (ger0_norm t0).
  rewrite -[dot _ _ ^+ 2]real_normK ?num_real // expr2.
  rewrite [leLHS](_ : _ = t * (curvature z * (`|dot (x z) w| * `|dot (x z) w|))).
    by rewrite ler_wpmul2l // ler_wpmul2r ?mulr_ge0 // ler_norm.
  by nsatz.
move: sums; set a := \sum_(z <- D) dot (slope z (prediction z (theta + _)) *: x z) w.
set b := \sum_(z <- D) dot (slope z (prediction z theta) *: x z) w.
rewrite -mulr_sumr; set c := \sum_(z <- D) `|curvature z| * _.
by move=> sums; apply: le_from sums _; nsatz.
Qed.

Lemma first_order D u theta : minimiser C (tilted D u) theta <-> stationary D u theta.
Proof.
split=> [[Ct tmin]|[Ct st]]; split=> // eta Ce; last first.
  have := tangent D Ct Ce; have := st eta Ce.
  have q0 : 0 <= Lambda / 2%:R * norm2 (eta - theta) ^+ 2.
    exact: (mulr_ge0 half_ge0 (sqr_ge0 _)).
  move=> h1 h2; apply: le_from (ler_add (ler_add h1 h2) q0) _.
  by rewrite /tilted !dot_simpl; nsatz.
have [K K0 moves] := gradient_moves D theta (eta - theta).
set w := eta - theta in moves *.
have bound t : 0 < t -> t <= 1 -> - (t * K) <= dot (gradient D theta - u) w.
  move=> t0 t1.
  have Cm : C (theta + t *: w).
    rewrite (_ : _ + _ = segment t eta theta); last first.
      by rewrite /segment /w scalerBr scalerBl scale1r addrCA.
    by apply: (domain_convex domain) => //; rewrite (ltW t0).
  have h1 := moves t (ltW t0) Ct Cm.
  have h2 := tmin _ Cm.
  have h3 := tangent D Cm Ct.
  have q0 : 0 <= Lambda / 2%:R * norm2 (theta - (theta + t *: w)) ^+ 2.
    exact: (mulr_ge0 half_ge0 (sqr_ge0 _)).
  have h4 : 0 <= t * dot (gradient D (theta + t *: w) - u) w.
    apply: le_from (ler_add (ler_add h2 h3) q0) _.
    by rewrite /tilted opprD addrA subrr add0r !dot_simpl; nsatz.
  rewrite pmulr_rge0 // in h4; apply: le_from (ler_add h4 h1) _.
  by rewrite !dot_simpl; nsatz.
rewrite -[leRHS]opprK -oppr_le0 -[_ <= 0]oppr_ge0 opprK; apply/ler_addgt0Pr => e e0.
have K1 : 0 < K + 1 by rewrite ltr_paddl.
have eK : 0 < e / (K + 1) by rewrite divr_gt0.
have [le1|/ltW ge1] := leP (e / (K + 1)) 1.
  have := bound _ eK le1; rewrite ler_oppl => h.
  have : e / (K + 1) * K <= e.
    by rewrite mulrAC ler_pdivr_mulr // ler_wpmul2l ?ltW // ltr_addl.
  by move=> h'; apply: le_from (ler_add h h') _; nsatz.
have := bound 1 ltr01 (lexx _); rewrite mul1r ler_oppl => h.
have : K <= e.
  apply: (@le_trans _ _ (K + 1)); first by rewrite ler_addl.
  by rewrite -[K + 1]mul1r -ler_pdivl_mulr.
by move=> h'; apply: le_from (ler_add h h') _; nsatz.
Qed.

Lemma gradient_monotone D theta eta : C theta -> C eta ->
  Lambda * dot (eta - theta) (eta - theta)
    <= dot (gradient D eta - gradient D theta) (eta - theta).
Proof.
move=> Ct Ce; apply: le_from (ler_add (tangent D Ct Ce) (tangent D Ce Ct)) _.
rewrite !sqr_norm2 !dot_simpl (dotC eta theta).
by have := Lambda_halves; move: (Lambda / 2%:R) => h two; nsatz.
Qed.

(* Where u moves, the minimiser moves at most 1/Lambda as far, and forwards. *)
Lemma stationary_monotone D u v theta eta : stationary D u theta ->
  stationary D v eta ->
  Lambda * dot (eta - theta) (eta - theta) <= dot (v - u) (eta - theta).
Proof.
move=> [Ct st] [Ce se]; have mono := gradient_monotone D Ct Ce.
apply: le_from (ler_add mono (ler_add (st eta Ce) (se theta Ct))) _.
by rewrite !dot_simpl; nsatz.
Qed.

Lemma stationary_unique D u theta eta :
  stationary D u theta -> stationary D u eta -> theta = eta.
Proof.
move=> st se; have := stationary_monotone st se; rewrite subrr => mono.
have d0 : dot (eta - theta) (eta - theta) <= 0.
  rewrite -(pmulr_rle0 _ (loss_Lambda contract)); apply: le_trans mono _.
  by rewrite /dot big1 // => i _; rewrite mxE mul0r.
have := @dot_eq0 _ _ (eta - theta) (le_anti (_ : _ <= _ <= _)).
by rewrite d0 dot_ge0 => /(_ isT)/eqP; rewrite subr_eq0 => /eqP.
Qed.

(** * The minimiser exists *)

Let h : R := 2%:R^-1.

Let hh : h + h = 1.
Proof. by rewrite -[h]mul1r -splitr. Qed.

Let h_gt0 : 0 < h.
Proof. by rewrite invr_gt0 ltr0n. Qed.

Let midpoint D u theta eta : C theta -> C eta ->
  exists2 mid, C mid & tilted D u mid <=
    h * (tilted D u theta + tilted D u eta)
      - Lambda / 2%:R * (h * h) * dot (theta - eta) (theta - eta).
Proof.
move=> Ct Ce; pose mid := segment h theta eta.
have h01 : 0 <= h <= 1 by rewrite ltW //= -hh ler_addl ltW.
have Cm : C mid by exact: (domain_convex domain).
exists mid => //.
have := ler_wpmul2l (ltW h_gt0) (ler_add (tangent D Cm Ct) (tangent D Cm Ce)).
rewrite /tilted; move: (gradient D mid) (total D mid) => g tm t12.
apply: le_from t12 _; rewrite !sqr_norm2 /mid /segment !dot_simpl.
move: hh; move: h (Lambda / 2%:R) => k l kk.
by rewrite (dotC eta theta); nsatz.
Qed.

Let coordinate_le (v : 'rV[R]_n) i : `|v 0 i| <= norm2 v.
Proof.
rewrite -sqrtr_sqr ler_wsqrtr // /dot (bigD1 i) //= -expr2 ler_addl.
by apply: sumr_ge0 => j _; rewrite -expr2 sqr_ge0.
Qed.

Let bounded_below D u : has_inf [set r | exists2 y, C y & tilted D u y = r].
Proof.
have [theta Ct] := domain_point domain; have L0 := loss_Lambda contract.
split; first by exists (tilted D u theta); exists theta.
have [v vE] : exists v, v = gradient D theta - u by exists (gradient D theta - u).
exists (tilted D u theta - h / Lambda * dot v v) => _ [y Cy <-].
have i0 : 0 <= h / Lambda by exact: (divr_ge0 (ltW h_gt0) (ltW L0)).
have sq := ler_wpmul2l i0 (dot_ge0 (v + Lambda *: (y - theta))).
have Lh : Lambda * (h / Lambda) = h by rewrite mulrC divfK // gt_eqF.
have sqE : h / Lambda * dot (v + Lambda *: (y - theta)) (v + Lambda *: (y - theta)) =
    h / Lambda * dot v v + dot v (y - theta) + Lambda * h * dot (y - theta) (y - theta).
  move: (h / Lambda) Lh hh (y - theta) => i; move: h => k Lh kk w.
  by rewrite !dotDl !dotDr !dotZl !dotZr (dotC w v); nsatz.
rewrite sqE mulr0 in sq; apply: le_from (ler_add sq (tangent D Ct Cy)) _.
have vw : dot v (y - theta) = dot (gradient D theta) (y - theta) - (dot u y - dot u theta).
  by rewrite vE dotDl dotNl [dot u _]dotDr dotNr.
by rewrite -/h /tilted sqr_norm2 vw; move: (dot v v) => A; clear -A; nsatz.
Qed.

Lemma minimiser_exists D u : exists theta, minimiser C (tilted D u) theta.
Proof.
have L0 := loss_Lambda contract; have hasI := bounded_below D u.
pose m := inf [set r | exists2 y, C y & tilted D u y = r].
have low y : C y -> m <= tilted D u y.
  by move=> Cy; apply: inf_lb; [case: hasI|exists y].
have pick e : exists y, C y /\ (0 < e -> tilted D u y <= m + e ^+ 2).
  have [e0|e0] := ltP 0 e; last first.
    by have [y Cy] := domain_point domain; exists y.
  have [_ [y Cy <-] /ltW ym] := inf_adherent (exprn_gt0 2 e0) hasI.
  by exists y.
have [near nearP] := choice pick; pose K := Num.sqrt (8%:R / Lambda).
have K2 : K ^+ 2 = 8%:R / Lambda by rewrite sqr_sqrtr // (divr_ge0 (ler0n _ 8) (ltW L0)).
have K0 : 0 <= K by rewrite sqrtr_ge0.
have close e e' : 0 < e' -> e' <= e -> norm2 (near e' - near e) <= K * e.
  move=> e'0 e'e; have e0 := lt_le_trans e'0 e'e.
  have [Ce te] := nearP e; have [Ce' te'] := nearP e'.
  have [mid Cm tm] := midpoint D u Ce' Ce; have := le_trans (low _ Cm) tm.
  set d := dot _ _ => md.
  have dK : d <= (K * e) ^+ 2.
    have h0 := ltW h_gt0; set a := tilted D u (near e') in te' md.
    set b := tilted D u (near e) in te md.
    have ee : e' ^+ 2 <= e ^+ 2 by rewrite ler_pexpn2r ?nnegrE // ltW.
    have q1 : Lambda / 2%:R * (h * h) * d <= e ^+ 2.
      apply: le_from (ler_add md (ler_add (ler_wpmul2l h0 (te' e'0))
        (ler_add (ler_wpmul2l h0 (te e0)) (ler_wpmul2l h0 ee)))) _.
      by move: hh; move: h => k kk; nsatz.
    rewrite exprMn K2 mulrAC ler_pdivl_mulr // [d * _]mulrC.
    have -> : Lambda * d = 8%:R * (Lambda / 2%:R * (h * h) * d).
      rewrite (_ : 8%:R = (1 + 1) * (1 + 1) * (1 + 1)); last by rewrite -[1 + 1]/(2%:R) -!natrM.
      by have := Lambda_halves; move: (Lambda / 2%:R) hh; move: h => k l kk ll; nsatz.
    by rewrite ler_wpmul2l // ler0n.
  rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?norm2_ge0 ?mulr_ge0 ?(ltW e0) //.
  by rewrite sqr_norm2.
have [l lP] : exists l : 'rV[R]_n, forall i e, 0 < e -> `|l 0 i - near e 0 i| <= K * e.
  have coord i : exists li, forall e, 0 < e -> `|li - near e 0 i| <= K * e.
    apply: net_limit => e e' e'0 e'e; apply: le_trans (close _ _ e'0 e'e).
    by have := coordinate_le (near e' - near e) i; rewrite !mxE.
  have [l lP] := choice coord; exists (\row_i l i) => i e e0.
  by rewrite mxE; exact: lP.
have dist e : 0 < e -> norm2 (near e - l) <= Num.sqrt n%:R * (K * e).
  move=> e0; have Ke : 0 <= K * e by rewrite mulr_ge0 // ltW.
  rewrite -[K * e]ger0_norm // -sqrtr_sqr -sqrtrM ?ler0n // ler_wsqrtr //.
  rewrite mulr_natl -[X in _ *+ X]card_ord -sumr_const ler_sum // => i _.
  rewrite !mxE -expr2 -[leLHS]real_normK ?num_real // ler_pexpn2r ?nnegrE //.
  by rewrite distrC lP.
pose M := Num.sqrt n%:R * K; have M0 : 0 <= M by rewrite mulr_ge0 // sqrtr_ge0.
have M1 : 0 < M + 1 by rewrite ltr_paddl.
have Cl : C l.
  apply: (domain_closed domain) => e e0; exists (near (e / (M + 1))).
    by case: (nearP (e / (M + 1))).
  apply: le_lt_trans (dist _ _) _; first by rewrite divr_gt0.
  rewrite mulrA -/M mulrCA -ltr_pdivl_mull // mulVf ?gt_eqF //.
  by rewrite ltr_pdivr_mulr // mul1r ltr_addl.
exists l; split => // y Cy; apply: le_trans (low _ Cy).
pose g := gradient D l - u; pose N := norm2 g * M.
have N0 : 0 <= N by rewrite mulr_ge0 // norm2_ge0.
have bound e : 0 < e -> tilted D u l <= m + e ^+ 2 + N * e.
  move=> e0; have [Ce te] := nearP e.
  have cs := cauchy_schwarz (- g) (near e - l); rewrite norm2N in cs.
  have cs' := le_trans cs (ler_wpmul2l (norm2_ge0 g) (dist e e0)).
  have q0 : 0 <= Lambda / 2%:R * norm2 (near e - l) ^+ 2.
    exact: (mulr_ge0 half_ge0 (sqr_ge0 _)).
  apply: le_from (ler_add (ler_add (tangent D Cl Ce) q0) (ler_add cs' (te e0))) _.
  by rewrite /tilted /N /M /g !dot_simpl; nsatz.
apply/ler_addgt0Pr => d d0; pose e := Num.min 1 (d / (N + 1)).
have N1 : 0 < N + 1 by exact: (ltr_paddl N0 ltr01).
have e0 : 0 < e by rewrite lt_minr ltr01 divr_gt0.
apply: le_trans (bound e e0) _; rewrite -addrA ler_add2l.
have e1 : e <= 1 by rewrite le_minl lexx.
have ed : e * (N + 1) <= d.
  by rewrite -ler_pdivl_mulr // le_minl lexx orbT.
apply: le_trans ed; rewrite mulrDr mulr1 addrC mulrC ler_add2l expr2.
by rewrite ler_pimulr // ltW.
Qed.

Definition argmin D u := sval (cid (minimiser_exists D u)).

Lemma argmin_minimiser D u : minimiser C (tilted D u) (argmin D u).
Proof. exact: (svalP (cid (minimiser_exists D u))). Qed.

Lemma argmin_stationary D u : stationary D u (argmin D u).
Proof. exact/first_order/argmin_minimiser. Qed.

Lemma argmin_in D u : C (argmin D u).
Proof. by case: (argmin_stationary D u). Qed.

Lemma argmin_lipschitz D u v :
  norm2 (argmin D u - argmin D v) <= Lambda^-1 * norm2 (u - v).
Proof.
have L0 := loss_Lambda contract; set w := argmin D u - argmin D v.
have := stationary_monotone (argmin_stationary D v) (argmin_stationary D u).
rewrite -/w -sqr_norm2 => /le_trans/(_ (cauchy_schwarz _ _)) h1.
have [w0|wn0] := eqVneq (norm2 w) 0.
  by rewrite w0 mulr_ge0 ?norm2_ge0 // invr_ge0 ltW.
have w0 : 0 < norm2 w by rewrite lt_neqAle eq_sym wn0 norm2_ge0.
by rewrite ler_pdivl_mull // -(ler_pmul2r w0) -mulrA -expr2.
Qed.

(* Along x the prediction moves forwards, by at most |x|^2/Lambda per unit. *)
Lemma argmin_along D (y : 'rV[R]_n) u r r' move :
  move = dot y (argmin D (u + r *: y)) - dot y (argmin D (u + r' *: y)) ->
  0 <= (r - r') * move /\ `|move| <= Lambda^-1 * norm2 y ^+ 2 * `|r - r'|.
Proof.
move=> moveD; have L0 := loss_Lambda contract.
have := stationary_monotone (argmin_stationary D (u + r' *: y))
                            (argmin_stationary D (u + r *: y)).
set w := argmin D _ - argmin D _.
have moveE : move = dot y w by rewrite moveD /w dotDr dotNr.
rewrite opprD addrACA subrr add0r -scalerBl dotZl -moveE => mono.
have sgn : 0 <= (r - r') * move.
  by apply: le_trans mono; rewrite mulr_ge0 ?dot_ge0 // ltW.
split => //.
have cs := cauchy_schwarz_sqr y w; rewrite -moveE in cs.
have [m0|mn0] := eqVneq `|move| 0.
  have i0 : 0 <= Lambda^-1 by rewrite invr_ge0 ltW.
  by rewrite m0 (mulr_ge0 (mulr_ge0 i0 (sqr_ge0 _)) (normr_ge0 _)).
have m0 : 0 < `|move| by rewrite lt_neqAle eq_sym mn0 normr_ge0.
have key : Lambda * move ^+ 2 <= norm2 y ^+ 2 * `|(r - r') * move|.
  rewrite (ger0_norm sgn) sqr_norm2.
  apply: le_trans (ler_wpmul2l (ltW L0) cs) _; rewrite mulrCA.
  by apply: ler_wpmul2l mono; exact: dot_ge0.
rewrite -mulrA ler_pdivl_mull // -(ler_pmul2r m0).
by move: key; rewrite normrM -(real_normK (num_real move)) expr2 !mulrA.
Qed.

(** * One record more *)

Lemma argmin_insert D1 z D2 u : argmin (D1 ++ z :: D2) u =
  argmin (D1 ++ D2)
    (u - slope z (prediction z (argmin (D1 ++ z :: D2) u)) *: x z).
Proof.
apply: stationary_unique (argmin_stationary _ _).
have [Ct st] := argmin_stationary (D1 ++ z :: D2) u; split => // eta Ce.
by have := st eta Ce; rewrite gradient_insert opprB addrA.
Qed.

Lemma argmin_remove D1 z D2 u : argmin (D1 ++ D2) u =
  argmin (D1 ++ z :: D2)
    (u + slope z (prediction z (argmin (D1 ++ D2) u)) *: x z).
Proof.
apply: stationary_unique (argmin_stationary _ _).
have [Ct st] := argmin_stationary (D1 ++ D2) u; split => // eta Ce.
by have := st eta Ce; rewrite gradient_insert opprD addrACA subrr addr0.
Qed.

(* The slope of a convex loss does not fall. *)
Lemma slope_monotone z theta eta : C theta -> C eta ->
  0 <= (slope z (prediction z theta) - slope z (prediction z eta)) *
       (prediction z theta - prediction z eta).
Proof.
move=> Ct Ce; have := ler_add (loss_convex contract z Ct Ce) (loss_convex contract z Ce Ct).
by move=> h1; apply: le_from h1 _; nsatz.
Qed.

(* Along the row of a record its slope at the minimiser grows, at most by kappa per
   unit of the prediction; so the way back stretches, by a bounded factor. *)
Lemma slope_along D z u r r' kappa (at_ := fun r => argmin D (u + r *: x z)) : 0 <= kappa ->
  let s := slope z (prediction z (at_ r)) - slope z (prediction z (at_ r')) in
  `|s| <= kappa * `|prediction z (at_ r) - prediction z (at_ r')| ->
  [/\ 0 <= (r - r') * s, `|r - r'| <= `|r - r' + s| &
  `|r - r' + s| <= (1 + kappa * (Lambda^-1 * norm2 (x z) ^+ 2)) * `|r - r'|].
Proof.
move=> k0 s sk.
have [fwd bound] := argmin_along (erefl (dot (x z) (at_ r) - dot (x z) (at_ r'))).
have mono := slope_monotone z (argmin_in D (u + r *: x z)) (argmin_in D (u + r' *: x z)).
rewrite -/(at_ r) -/(at_ r') -/s in mono.
rewrite -!/(prediction z _) in fwd bound.
set m := prediction z (at_ r) - prediction z (at_ r') in sk fwd bound mono.
have sgn : 0 <= (r - r') * s.
  have [m0|mn0] := eqVneq m 0.
    by move: sk; rewrite m0 normr0 mulr0 normr_le0 => /eqP ->; rewrite mulr0.
  have m2 : 0 < m * m by rewrite -expr2 exprn_even_gt0.
  by rewrite -(pmulr_lge0 _ m2); have := mulr_ge0 fwd mono; rewrite mulrACA.
rewrite (same_sign sgn); split => //; first by rewrite ler_addl.
rewrite mulrDl mul1r ler_add2l -mulrA.
by apply: le_trans sk _; apply: ler_wpmul2l.
Qed.

End Argmin.
