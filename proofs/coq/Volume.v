(* Lebesgue measure on R^n.

   The library has it on the line only.  Here it is the normal law with its density
   divided out: then shifts need no proof but Cameron and Martin's, and the iterated
   integral below says that it is the measure it should be.

     lebesgue n               the volume
     integral_lebesgue        in R^(1+n), an iterated integral with lengths on the line
     lebesgue_sigma_finite    balls have finite volume
     integral_lebesgue_shift  shifts do not change it
     integral_lebesgue_scale  b -> a b changes it by |a|^n
     lebesgue_origin          a point has none, if n > 0                              *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Euclid Line Space GaussLine GaussSpace.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Measurable functions on R^n *)

Lemma integral_one (R : realType) d (T : measurableType d) (mu : {measure set T -> \bar R})
    (A : set T) : measurable A -> mu A = (\int[mu]_x (\1_A x)%:E)%E.
Proof. by move=> mA; rewrite integral_indic // setIT. Qed.

Section Measurable.
Variables (R : realType) (n : nat).

Lemma measurable_norm2 :
  measurable_fun setT ((fun u : 'rV[R]_n => norm2 u) : space R n -> R).
Proof.
apply: (@lipschitz_measurable _ _ 1) => u v; rewrite mul1r ler_norml; apply/andP; split.
  rewrite ler_oppl opprB ler_subl_addr -{1}[v](subrK u) (le_trans (norm2_triangle _ _)) //.
  by rewrite ler_add2r -norm2N opprB.
by rewrite ler_subl_addr -{1}[u](subrK v) norm2_triangle.
Qed.

(* A vector that depends measurably on something, coordinate by coordinate. *)
Lemma measurable_rows d (T : measurableType d) (f : T -> 'rV[R]_n) :
  (forall i, measurable_fun setT (fun t => f t 0 i)) ->
  measurable_fun setT (f : T -> space R n).
Proof.
move=> mf.
have part (s : seq 'I_n) : measurable_fun setT
    ((fun t => \sum_(i <- s) f t 0 i *: delta_mx 0 i) : T -> space R n).
  elim: s => [|i s IH].
    rewrite [X in measurable_fun _ X](_ : _ = cst (0 : 'rV[R]_n)); last first.
      by apply/funext => t; rewrite big_nil.
    exact: measurable_fun_cst.
  rewrite [X in measurable_fun _ X](_ : _ = (fun q : R * space R n =>
      along (delta_mx 0 i) q.1 q.2) \o
      (fun t => (f t 0 i, (\sum_(i <- s) f t 0 i *: delta_mx 0 i) : space R n))); last first.
    by apply/funext => t; rewrite /= /along big_cons addrC.
  apply: measurable_fun_comp; first exact: measurable_along.
  by apply/prod_measurable_funP; split; [exact: mf|exact: IH].
rewrite [X in measurable_fun _ X](_ : _ = fun t =>
    \sum_(i <- index_enum _) f t 0 i *: delta_mx 0 i); first exact: part.
by apply/funext => t; rewrite -row_sum_delta.
Qed.

Lemma measurable_scaled d (T : measurableType d) (r : T -> R) (f : T -> space R n) :
  measurable_fun setT r -> measurable_fun setT f ->
  measurable_fun setT ((fun t => r t *: (f t : 'rV[R]_n)) : T -> space R n).
Proof.
move=> mr mf; apply: measurable_rows => i.
rewrite [X in measurable_fun _ X](_ : _ = fun t => r t * (f t : 'rV[R]_n) 0 i).
  apply: measurable_funM => //.
  exact: (measurable_fun_comp (measurable_coordinate i) mf).
by apply/funext => t; rewrite mxE.
Qed.

End Measurable.

(** * The volume *)

Section Volume.
Variable R : realType.

Definition peak n : R := mass R ^+ n.

Lemma peak_gt0 n : 0 < peak n.
Proof. by rewrite exprn_gt0 // mass_gt0. Qed.

(* One over the density of the normal law. *)
Definition flatten n (b : space R n) : R :=
  peak n * expR (half R * dot (b : 'rV[R]_n) b).

Lemma flatten_gt0 n b : 0 < @flatten n b.
Proof. by rewrite mulr_gt0 ?peak_gt0 ?expR_gt0. Qed.

Let flatten_ge0 n b : 0 <= @flatten n b.
Proof. exact/ltW/flatten_gt0. Qed.

Lemma measurable_flatten n : measurable_fun setT (@flatten n).
Proof.
apply: measurable_funM; first exact: measurable_fun_cst.
apply: measurable_fun_expR; apply: measurable_funrM.
rewrite [X in measurable_fun _ X](_ : _ = fun b : space R n => norm2 (b : 'rV[R]_n) ^+ 2).
  by apply: measurable_fun_sqr; exact: measurable_norm2.
by apply/funext => b; rewrite sqr_norm2.
Qed.

(* The density of the normal law. *)
Definition normal_density n (b : space R n) : R := (flatten b)^-1.

Lemma normal_densityE n (b : space R n) :
  normal_density b = (peak n)^-1 * expR (- (half R * dot (b : 'rV[R]_n) b)).
Proof. by rewrite /normal_density /flatten invfM expRN. Qed.

Lemma normal_density_ge0 n b : 0 <= @normal_density n b.
Proof. by rewrite invr_ge0. Qed.

Lemma flattenK n (b : space R n) : flatten b * normal_density b = 1.
Proof. by rewrite mulfV // gt_eqF // flatten_gt0. Qed.

Lemma measurable_normal_density n : measurable_fun setT (@normal_density n).
Proof.
rewrite [X in measurable_fun _ X](_ : _ = fun b : space R n =>
    (peak n)^-1 * expR (- (half R * norm2 (b : 'rV[R]_n) ^+ 2))).
  apply: measurable_funM; first exact: measurable_fun_cst.
  apply: measurable_fun_expR; apply: measurable_funN; apply: measurable_funrM.
  by apply: measurable_fun_sqr; exact: measurable_norm2.
by apply/funext => b; rewrite normal_densityE sqr_norm2.
Qed.

Let weight n (b : space R n) : {nonneg R} := NngNum (flatten_ge0 b).

(* Sealed by Qed, as [density] is and for the same reason. *)
Fact lebesgue_spec n : {V : {measure set (space R n) -> \bar R} |
  forall g, measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[V]_b g b = \int[normal_space R n]_b ((flatten b)%:E * g b))%E}.
Proof.
have mw : measurable_fun setT (fun b : space R n => (weight b)%:num) by exact: measurable_flatten.
exists (density (normal_space R n) mw) => g mg g0.
exact: (ge0_integral_density (normal_space R n) mw g0 mg).
Qed.

Definition lebesgue n : {measure set (space R n) -> \bar R} := sval (lebesgue_spec n).

Lemma lebesgue_normal n (g : space R n -> \bar R) :
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[lebesgue n]_b g b = \int[normal_space R n]_b ((flatten b)%:E * g b))%E.
Proof. exact: (svalP (lebesgue_spec n)). Qed.

(* The normal law has a density. *)
Theorem normal_space_density n (g : space R n -> \bar R) :
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[normal_space R n]_b g b = \int[lebesgue n]_b ((normal_density b)%:E * g b))%E.
Proof.
move=> mg g0; rewrite lebesgue_normal.
- by apply: eq_integral => b _; rewrite muleA -EFinM flattenK mul1e.
- by apply: emeasurable_funM => //; apply: measurable_EFin; exact: measurable_normal_density.
- by move=> b; rewrite mule_ge0 // lee_fin normal_density_ge0.
Qed.

Lemma integral_lebesgue0 (g : space R 0 -> \bar R) :
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[lebesgue 0]_b g b = g (origin R))%E.
Proof.
move=> mg g0; rewrite lebesgue_normal //= integral_dirac //.
  by rewrite /flatten /peak expr0 mul1r /dot big_ord0 mulr0 expR0 mul1e indicE in_setT mul1e.
by apply: emeasurable_funM => //; apply: measurable_EFin; exact: measurable_flatten.
Qed.

Let flatten_extend n z (u : space R n) :
  phi (z - 0) * flatten (extend z u : space R (1 + n)) = flatten u.
Proof.
rewrite /flatten /phi /gauss subr0 dot_extend /peak exprS mulrDr expRD -expr2 expRN.
have e0 : expR (half R * z ^+ 2) != 0 by rewrite gt_eqF // expR_gt0.
have m0 : mass R != 0 by rewrite gt_eqF // mass_gt0.
by rewrite exprD expr1 -!mulrA (mulKf m0) mulrCA (mulKf e0).
Qed.

Lemma measurable_extended n (g : space R (1 + n) -> \bar R) : measurable_fun setT g ->
  measurable_fun setT (fun p : space R n * R => g (extend p.2 p.1)).
Proof. by move=> mg; exact: (measurable_fun_comp mg (@measurable_extend R n)). Qed.

(* What Lebesgue measure is: one coordinate more, one integral more. *)
Theorem integral_lebesgue n (g : space R (1 + n) -> \bar R) :
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[lebesgue n.+1]_b g b = \int[lebesgue n]_u \int[line R]_z g (extend z u))%E.
Proof.
move=> mg g0.
have mfg : measurable_fun setT (fun b : space R (1 + n) => (flatten b)%:E * g b)%E.
  by apply: emeasurable_funM => //; apply: measurable_EFin; exact: measurable_flatten.
have fg0 (b : space R (1 + n)) : (0 <= (flatten b)%:E * g b)%E by rewrite mule_ge0 // lee_fin.
have me := measurable_extended mg; have mfe := measurable_extended mfg.
rewrite lebesgue_normal // (integral_normal_space mfg fg0) lebesgue_normal.
- apply: eq_integral => u _.
  have mz : measurable_fun setT (fun z : R => g (extend z u)).
    exact: (measurable_fun_prod1 (f := fun p : space R n * R => g (extend p.2 p.1)) u me).
  have mfz : measurable_fun setT
      (fun z : R => (flatten (extend z u : space R (1 + n)))%:E * g (extend z u))%E.
    exact: (measurable_fun_prod1 (f := fun p : space R n * R =>
      (flatten (extend p.2 p.1 : space R (1 + n)))%:E * g (extend p.2 p.1))%E u mfe).
  rewrite (integral_normal 0 mfz (fun z => fg0 _)) -(int_scale _ (flatten_ge0 u) mz (fun z => g0 _)).
  by apply: eq_integral => z _; rewrite muleA -EFinM flatten_extend.
- exact: (measurable_inner (@line_sigma_finite R) me (fun p => g0 _)).
- by move=> u; apply: int_ge0.
Qed.

(** * Balls, shifts, scales *)

Lemma lebesgue_ball n (k : R) : (lebesgue n [set b | (norm2 (b : 'rV[R]_n) <= k)%R] < +oo)%E.
Proof.
set B := [set _ | _]; have mB : measurable (B : set (space R n)).
  rewrite (_ : B = (fun u : 'rV[R]_n => norm2 u) @^-1` `]-oo, k]); last first.
    by apply/seteqP; split => b; rewrite /= in_itv.
  rewrite -[X in measurable X]setTI; apply: (@measurable_norm2 R n) => //.
  exact: measurable_itv.
have m1 : measurable_fun setT (fun b : space R n => (\1_B b)%:E : \bar R).
  by apply: measurable_EFin; exact: measurable_fun_indic.
rewrite (integral_one _ mB) lebesgue_normal //; last by move=> b; rewrite lee_fin.
apply: (@le_lt_trans _ _ (peak n * expR (half R * k ^+ 2))%:E); last exact: ltry.
apply: (@le_trans _ _ (\int[normal_space R n]_b (peak n * expR (half R * k ^+ 2))%:E)%E);
  last by rewrite integral_cst // normal_space_total mule1.
apply: int_le => [|b||b].
- by apply: emeasurable_funM => //; apply: measurable_EFin; exact: measurable_flatten.
- by rewrite mule_ge0 // lee_fin.
- exact: measurable_fun_cst.
rewrite indicE; have [/set_mem Bb|_] := boolP (b \in B); last first.
  by rewrite mule0 lee_fin mulr_ge0 ?expR_ge0 // ltW // peak_gt0.
rewrite mule1 lee_fin ler_pmul2l ?peak_gt0 // ler_expR ler_pmul2l ?half_gt0 //.
by rewrite -sqr_norm2 ler_pexpn2r ?nnegrE ?norm2_ge0 // (le_trans (norm2_ge0 _) Bb).
Qed.

Lemma lebesgue_sigma_finite n : sigma_finite setT (lebesgue n).
Proof.
exists (fun k => [set b : space R n | (norm2 (b : 'rV[R]_n) <= k%:R)%R]).
  apply/seteqP; split => // b _; exists (Num.ExtraDef.archi_bound (norm2 (b : 'rV[R]_n))) => //=.
  exact/ltW/archi_boundP/norm2_ge0.
move=> k; split; last exact: lebesgue_ball.
rewrite (_ : [set _ | _] = (fun u : 'rV[R]_n => norm2 u) @^-1` `]-oo, k%:R]); last first.
  by apply/seteqP; split => b; rewrite /= in_itv.
rewrite -[X in measurable X]setTI; apply: (@measurable_norm2 R n) => //.
exact: measurable_itv.
Qed.

Theorem integral_lebesgue_shift n (y : 'rV[R]_n) (g : space R n -> \bar R) :
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[lebesgue n]_b g ((b : 'rV[R]_n) + y)%R = \int[lebesgue n]_b g b)%E.
Proof.
move=> mg g0.
have madd (v : 'rV[R]_n) : measurable_fun setT
    ((fun b : 'rV[R]_n => b + v) : space R n -> space R n).
  by apply: measurable_add; [exact: measurable_fun_id|exact: measurable_fun_cst].
rewrite lebesgue_normal //; last exact: (measurable_fun_comp mg (madd y)).
pose G (b : space R n) : \bar R := ((flatten ((b : 'rV[R]_n) - y : space R n))%:E * g b)%E.
have mG : measurable_fun setT G.
  apply: emeasurable_funM => //; apply: measurable_EFin.
  exact: (measurable_fun_comp (@measurable_flatten n) (madd (- y))).
have G0 b : (0 <= G b)%E by rewrite mule_ge0 // lee_fin.
transitivity (\int[normal_space R n]_b G ((b : 'rV[R]_n) + y)%R)%E.
  by apply: eq_integral => b _; rewrite /G addrK.
rewrite (cameron_martin y mG G0) lebesgue_normal //; apply: eq_integral => b _.
rewrite /G muleA -EFinM /flatten mulrCA -expRD; congr ((_ * expR _)%:E * _)%E.
rewrite !dot_simpl opprK (dotC y b); have := halves R; move: (half R) => h hh; nsatz.
Qed.

Theorem integral_lebesgue_scale n (a : R) (g : space R n -> \bar R) : a != 0 ->
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[lebesgue n]_b g (a *: (b : 'rV[R]_n))%R =
   ((`|a| ^+ n)^-1)%:E * \int[lebesgue n]_b g b)%E.
Proof.
move=> a0; have i0 k : 0 <= (`|a| ^+ k)^-1 by rewrite invr_ge0 exprn_ge0.
elim: n g => [|n IH] g mg g0.
  rewrite !integral_lebesgue0 ?expr0 ?invr1 ?mul1e //.
    by rewrite (thinmx0 (a *: origin R)) (thinmx0 (origin R)).
  exact: (measurable_fun_comp mg (measurable_scale a)).
have mga : measurable_fun setT (fun b : space R (1 + n) => g (a *: (b : 'rV[R]_(1 + n)))).
  exact: (measurable_fun_comp mg (measurable_scale a)).
rewrite (integral_lebesgue mga) // (integral_lebesgue mg g0).
have me := measurable_extended mg.
pose G (u : space R n) : \bar R := (\int[line R]_z g (extend z u))%E.
have mG : measurable_fun setT G by exact: (measurable_inner (@line_sigma_finite R) me (fun p => g0 _)).
have G0 u : (0 <= G u)%E by apply: int_ge0.
have mGa : measurable_fun setT (fun u : space R n => G (a *: (u : 'rV[R]_n))).
  exact: (measurable_fun_comp mG (measurable_scale a)).
transitivity (\int[lebesgue n]_u (`|a|^-1%:E * G (a *: (u : 'rV[R]_n))%R))%E.
  apply: eq_integral => u _.
  have mz : measurable_fun setT (fun z : R => g (extend z (a *: (u : 'rV[R]_n)))).
    exact: (measurable_fun_prod1 (f := fun p : space R n * R => g (extend p.2 p.1)) (a *: (u : 'rV[R]_n)) me).
  rewrite /G -(line_affine 0 a0 mz (fun z => g0 _)); apply: eq_integral => z _.
  by rewrite /extend scale_row_mx scale_scalar_mx addr0.
have inv0 : 0 <= `|a|^-1 by rewrite invr_ge0.
rewrite (int_scale _ inv0 mGa (fun u => G0 _)).
by rewrite (IH G mG G0) muleA -EFinM exprS invfM.
Qed.

Lemma measurable_origin n : measurable [set (0 : 'rV[R]_n) : space R n].
Proof.
rewrite (_ : [set _] = (fun u : 'rV[R]_n => norm2 u) @^-1` `]-oo, 0]); last first.
  apply/seteqP; split => b /=; rewrite in_itv /=.
    by move=> ->; rewrite /norm2 /dot big1 ?sqrtr0 // => i _; rewrite mxE mul0r.
  move=> b0; apply: dot_eq0; rewrite -sqr_norm2.
  by rewrite (_ : norm2 _ = 0) ?expr0n //; apply/eqP; rewrite eq_le b0 norm2_ge0.
rewrite -[X in measurable X]setTI; apply: (@measurable_norm2 R n) => //.
exact: measurable_itv.
Qed.

(* Twice a point is the same point, and twice its volume. *)
Theorem lebesgue_origin n : lebesgue n.+1 [set (0 : 'rV[R]_n.+1) : space R n.+1] = 0%E.
Proof.
set O := [set _]; have mO : measurable O := @measurable_origin n.+1.
have fin : (lebesgue n.+1 O < +oo)%E.
  apply: le_lt_trans (lebesgue_ball n.+1 0); apply: le_measure; rewrite ?inE //.
    rewrite (_ : [set _ | _] = (fun u : 'rV[R]_n.+1 => norm2 u) @^-1` `]-oo, 0]); last first.
      by apply/seteqP; split => b; rewrite /= in_itv.
    rewrite -[X in measurable X]setTI; apply: (@measurable_norm2 R n.+1) => //.
    exact: measurable_itv.
  by move=> b ->; rewrite /= /norm2 /dot big1 ?sqrtr0 // => i _; rewrite mxE mul0r.
have m1 : measurable_fun setT (fun b : space R n.+1 => (\1_O b)%:E : \bar R).
  by apply: measurable_EFin; exact: measurable_fun_indic.
have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
have i0 b : (0 <= (\1_O b)%:E :> \bar R)%E by rewrite lee_fin.
have := integral_lebesgue_scale two0 m1 i0.
rewrite (eq_integral (fun b => (\1_O b)%:E)); last first.
  move=> b _; rewrite !indicE; congr (nat_of_bool _)%:R%:E; apply/idP/idP; rewrite !inE /O /=.
    by move=> /eqP; rewrite scaler_eq0 pnatr_eq0 /= => /eqP.
  by move=> ->; rewrite scaler0.
have [v vE] : exists v, lebesgue n.+1 O = v%:E.
  by exists (fine (lebesgue n.+1 O)); rewrite fineK // ge0_fin_numE.
rewrite -integral_one // vE -EFinM => -[] same; congr EFin; apply/eqP.
have : (1 - (`|2%:R| ^+ n.+1)^-1) * v == 0 by rewrite mulrBl mul1r -same subrr.
rewrite mulf_eq0 => /orP[|//]; rewrite subr_eq0 => /eqP one.
have : 1 < `|2%:R : R| ^+ n.+1 by rewrite exprn_egt1 // normr_nat ltr1n.
by rewrite -[X in _ < X]invrK -one invr1 ltxx.
Qed.

End Volume.
