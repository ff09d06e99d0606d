(* Independent numbers, signs and blocks.

     line_law p P           P has density p on the line
     signed P               a fair sign before a number
     signed_law             its density
     iid P n                n independent numbers, coordinate by coordinate
     iid_density            the density is the product                             *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Line Euclid Space GaussLine GaussSpace.
From AsapDP Require Import LineLaw Volume.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Signs *)

Section Signed.
Variable R : realType.
Implicit Types (P Q : {measure set R -> \bar R}) (g : R -> \bar R) (p : R -> R).

(* P has density p. *)
Definition line_law p P := forall g, measurable_fun setT g -> (forall t, 0 <= g t)%E ->
  (\int[P]_t g t = \int[line R]_t ((p t)%:E * g t))%E.

Lemma measurable_opp : measurable_fun setT (fun t : R => - t).
Proof. by apply: measurable_funN; exact: measurable_fun_id. Qed.

Let half_ge0 : 0 <= half R. Proof. exact/ltW/half_gt0. Qed.
Let coin : {nonneg R} := NngNum half_ge0.

Fact signed_spec P : {Q : {measure set R -> \bar R} |
  (P setT = 1%E -> Q setT = 1%E) /\
  forall g, measurable_fun setT g -> (forall t, 0 <= g t)%E ->
  (\int[Q]_t g t = (half R)%:E * \int[P]_t g t + (half R)%:E * \int[P]_t g (- t)%R)%E}.
Proof.
pose N := [the {measure set R -> \bar R} of pushforward P measurable_opp].
exists (mix coin coin P N); split=> [P1|g mg g0].
  rewrite mixE /= /pushforward preimage_setT P1 !mule1 -EFinD.
  by rewrite halves.
rewrite /mix integral_measure_add // !ge0_integral_mscale //; congr (_ + _ * _)%E.
exact: (integral_pushforward measurable_opp P mg g0).
Qed.

Definition signed P : {measure set R -> \bar R} := sval (signed_spec P).

Lemma signed_total P : P setT = 1%E -> signed P setT = 1%E.
Proof. exact: (proj1 (svalP (signed_spec P))). Qed.

Lemma integral_signed P g : measurable_fun setT g -> (forall t, 0 <= g t)%E ->
  (\int[signed P]_t g t = (half R)%:E * \int[P]_t g t + (half R)%:E * \int[P]_t g (- t)%R)%E.
Proof. exact: (proj2 (svalP (signed_spec P))). Qed.

Lemma line_points (s : seq R) :
  measurable [set t : R | t \in s] /\ line R [set t | t \in s] = 0%E.
Proof.
elim: s => [|a s [ms s0]].
  by rewrite (_ : [set t | _] = set0) ?measure0 //; apply/seteqP; split.
have -> : [set t : R | t \in a :: s] = [set a] `|` [set t | t \in s].
  apply/seteqP; split => t /=; rewrite inE; first by move=> /orP[/eqP|]; [left|right].
  by move=> [->|->]; rewrite ?eqxx ?orbT.
have ma : measurable [set a] := measurable_set1 a.
split; first exact: measurableU.
apply/eqP; rewrite eq_le measure_ge0 andbT (le_trans (measure_union (line R) ma ms)) //.
by rewrite s0 adde0 lineE lebesgue_measure_set1.
Qed.

(* A density on both sides; finitely many points do not matter. *)
Lemma signed_law P p (q : R -> R) (s : seq R) : measurable_fun setT p -> (forall t, 0 <= p t) ->
  measurable_fun setT q -> (forall t, 0 <= q t) ->
  (forall t, t \notin s -> half R * (p t + p (- t)) = q t) ->
  line_law p P -> line_law q (signed P).
Proof.
move=> mp p0 mq q0 pq PE g mg g0.
have mn : measurable_fun setT (fun t : R => g (- t)) by exact: (measurable_fun_comp mg measurable_opp).
have mpn : measurable_fun setT (fun t : R => p (- t)) by exact: (measurable_fun_comp mp measurable_opp).
have mE (h : R -> R) : measurable_fun setT h -> measurable_fun setT (fun t => (h t)%:E * g t)%E.
  by move=> mh; apply: emeasurable_funM => //; exact: measurable_EFin.
have E0 (h : R -> R) t : 0 <= h t -> (0 <= (h t)%:E * g t)%E by move=> h0; rewrite mule_ge0.
have turn : (\int[P]_t g (- t)%R = \int[line R]_t ((p (- t))%:E * g t))%E.
  rewrite (PE _ mn (fun t => g0 _)).
  have n1 : -1 != 0 :> R by rewrite oppr_eq0 oner_eq0.
  have := line_affine 0 n1 (mE _ mpn) (fun t => E0 (fun t => p (- t)) t (p0 _)).
  rewrite normrN normr1 invr1 mul1e => <-; apply: eq_integral => t _.
  by rewrite mulN1r addr0 opprK.
rewrite (integral_signed P mg g0) (PE g mg g0) turn.
rewrite -(int_scale _ half_ge0 (mE _ mp) (fun t => E0 p t (p0 t))).
rewrite -(int_scale _ half_ge0 (mE _ mpn) (fun t => E0 (fun t => p (- t)) t (p0 _))).
have ms (h : R -> R) : measurable_fun setT h ->
    measurable_fun setT (fun t => (half R)%:E * ((h t)%:E * g t))%E.
  by move=> mh; apply: measurable_funeM; exact: mE.
have s0 (h : R -> R) t : 0 <= h t -> (0 <= (half R)%:E * ((h t)%:E * g t))%E.
  by move=> h0; rewrite mule_ge0 ?lee_fin // E0.
rewrite -(int_add _ (ms _ mp) (fun t => s0 p t (p0 t)) (ms _ mpn) (fun t => s0 (fun t => p (- t)) t (p0 _))).
apply: ge0_ae_eq_integral => //.
- by apply: emeasurable_funD; exact: ms.
- exact: mE.
- move=> t _; rewrite adde_ge0 //; first exact: (s0 p t (p0 t)).
  exact: (s0 (fun t => p (- t)) t (p0 _)).
- by move=> t _; exact: E0.
exists [set t | t \in s]; split.
- exact: (proj1 (line_points s)).
- exact: (proj2 (line_points s)).
move=> t /= ne; apply: contrapT => /negP ts; apply: ne => _.
by rewrite -(pq t ts) !muleA -!EFinM -ge0_muleDl ?lee_fin ?mulr_ge0 // -EFinD -mulrDr.
Qed.

End Signed.

(** * Independent numbers *)

Section Iid.
Variables (R : realType) (P : {measure set R -> \bar R}).
Hypothesis P_total : P setT = 1%E.

Fact iid_step_spec n (Q : {measure set (space R n) -> \bar R}) :
  {Q' : {measure set (space R (1 + n)) -> \bar R} | Q' setT = Q setT /\
    forall g : space R (1 + n) -> \bar R, measurable_fun setT g -> (forall b, 0 <= g b)%E ->
    (\int[Q']_b g b = \int[Q]_u \int[P]_z g (extend z u))%E}.
Proof.
pose J := joint Q (const_kernel (space R n) P_total).
exists [the {measure set (space R (1 + n)) -> \bar R} of
  pushforward J (@measurable_extend R n)]; split=> [|g mg g0].
  exact: (etrans (congr1 J (preimage_setT _)) (bind_total Q _)).
apply: (etrans (integral_pushforward (@measurable_extend R n) J mg g0)).
have mc := measurable_fun_comp mg (@measurable_extend R n).
exact: (ge0_integral_joint Q (const_kernel (space R n) P_total)
  (fun p => g0 (extend p.2 p.1)) mc).
Qed.

Fixpoint iid n : {measure set (space R n) -> \bar R} :=
  match n with
  | 0 => [the {measure set (space R 0) -> \bar R} of dirac (origin R)]
  | n'.+1 => sval (iid_step_spec (iid n'))
  end.

Lemma iid_total n : iid n setT = 1%E.
Proof.
elim: n => [|n IH]; first by rewrite /= diracE in_setT.
exact: (etrans (proj1 (svalP (iid_step_spec (iid n)))) IH).
Qed.

Lemma integral_iid n (g : space R (1 + n) -> \bar R) :
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[iid n.+1]_b g b = \int[iid n]_u \int[P]_z g (extend z u))%E.
Proof. exact: (proj2 (svalP (iid_step_spec (iid n)))). Qed.

Variable p : R -> R.
Hypotheses (mp : measurable_fun setT p) (p0 : forall t, 0 <= p t) (PE : line_law p P).

Definition product n (b : space R n) : R := \prod_i p ((b : 'rV[R]_n) 0 i).

Lemma product_ge0 n b : 0 <= @product n b.
Proof. by apply: prodr_ge0. Qed.

Lemma measurable_product n : measurable_fun setT (@product n).
Proof.
rewrite /product; elim: (index_enum _) => [|i s IH].
  rewrite [X in measurable_fun _ X](_ : _ = cst 1); first exact: measurable_fun_cst.
  by apply/funext => b; rewrite big_nil.
rewrite [X in measurable_fun _ X](_ : _ = fun b : space R n =>
    p ((b : 'rV[R]_n) 0 i) * \prod_(i <- s) p ((b : 'rV[R]_n) 0 i)); last first.
  by apply/funext => b; rewrite big_cons.
apply: measurable_funM => //; exact: (measurable_fun_comp mp (GaussSpace.measurable_coordinate i)).
Qed.

Lemma product_extend n z (u : 'rV[R]_n) :
  product (extend z u : space R (1 + n)) = p z * product (u : space R n).
Proof.
rewrite /product /extend big_split_ord /= big_ord1 row_mxEl mxE /= mulr1n.
by congr (_ * _); apply: eq_bigr => i _; rewrite row_mxEr.
Qed.

(* The density is the product. *)
Theorem iid_density n (g : space R n -> \bar R) :
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[iid n]_b g b = \int[lebesgue R n]_b ((product b)%:E * g b))%E.
Proof.
elim: n g => [|n IH] g mg g0.
  rewrite integral_lebesgue0 /=; last 2 first.
  - by apply: emeasurable_funM => //; apply: measurable_EFin; exact: measurable_product.
  - by move=> b; rewrite mule_ge0 // lee_fin product_ge0.
  by rewrite integral_dirac // indicE in_setT mul1e /product big_ord0 mul1e.
have mpg : measurable_fun setT (fun b : space R (1 + n) => (product b)%:E * g b)%E.
  by apply: emeasurable_funM => //; apply: measurable_EFin; exact: measurable_product.
have pg0 (b : space R (1 + n)) : (0 <= (product b)%:E * g b)%E.
  by rewrite mule_ge0 // lee_fin product_ge0.
have me := measurable_extended mg; have mpe := measurable_extended mpg.
have sP : sigma_finite setT P by apply: mass1_sigma_finite; rewrite P_total ltry.
have minner := measurable_inner sP me (fun q => g0 _).
rewrite (integral_iid mg g0) (IH _ minner (fun u => int_ge0 _ (fun z => g0 _))).
rewrite (integral_lebesgue mpg pg0); apply: eq_integral => u _.
have mz : measurable_fun setT (fun z : R => g (extend z u)).
  exact: (measurable_fun_prod1 (f := fun q : space R n * R => g (extend q.2 q.1)) u me).
rewrite /= (PE mz (fun z => g0 _)).
have mpz : measurable_fun setT (fun z : R => (p z)%:E * g (extend z u))%E.
  by apply: emeasurable_funM => //; exact: measurable_EFin.
rewrite -(int_scale _ (product_ge0 u) mpz) => [|z]; last by rewrite mule_ge0 // lee_fin.
by apply: eq_integral => z _; rewrite muleA -EFinM product_extend mulrC.
Qed.

End Iid.
