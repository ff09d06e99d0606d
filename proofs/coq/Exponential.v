(* own:euclidean-laplace, own:variates: the exponential number that the crate draws, at the
   level of real numbers.

   Von Neumann: x is uniform in ]0, 1] and kept with probability e^(-x) (BernoulliExp, for
   real x); otherwise everything starts again and the result is one more.  After N rounds
   the law is the exponential law, cut at N: not only in the limit.  No integral of e^(-x)
   is looked up: that it is 1 follows from h e^(-h) <= 1 - e^(-h) <= h.

     exponential              the law of density e^(-t) on t > 0
     rounds N                 the program with N rounds
     own_exponential_rounds   it has the exponential law on ]0, N]
     own_exponential          and ends: the limit                                   *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Gibbs Rejection Line Euclid Space.
From AsapDP Require Import Logistic LineLaw GaussLine Volume.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Exponential.
Variable R : realType.
Implicit Types (r t h a b : R) (g : R -> \bar R) (A : set R).

Lemma measurable_itv_indicator (i : interval R) :
  measurable_fun setT (fun t : R => (t \in i)%:R : R).
Proof.
rewrite [X in measurable_fun _ X](_ : _ = \1_([set` i])).
  by apply: measurable_fun_indic; exact: measurable_itv.
by apply/funext => t; rewrite indicE /= mem_setE.
Qed.

Lemma measurable_shift a : measurable_fun setT (fun t : R => t + a).
Proof. by apply: measurable_funD; [exact: measurable_fun_id|exact: measurable_fun_cst]. Qed.

(** * e^(-t) *)

(* On an interval. *)
Definition decay_on (i : interval R) t : R := expR (- t) * (t \in i)%:R.

Definition decay t : R := decay_on `]0, +oo[ t.

Lemma decay_on_ge0 i t : 0 <= decay_on i t.
Proof. by rewrite mulr_ge0 // expR_ge0. Qed.

Lemma decay_ge0 t : 0 <= decay t.
Proof. exact: decay_on_ge0. Qed.

Lemma decay_gt0 t : 0 < t -> decay t = expR (- t).
Proof. by move=> t0; rewrite /decay /decay_on in_itv /= t0 mulr1. Qed.

Lemma decay_le0 t : t <= 0 -> decay t = 0.
Proof. by move=> t0; rewrite /decay /decay_on in_itv /= ltNge t0 mulr0. Qed.

Lemma measurable_decay_on i : measurable_fun setT (decay_on i).
Proof.
apply: measurable_funM; last exact: measurable_itv_indicator.
by apply: measurable_fun_expR; apply: measurable_funN; exact: measurable_fun_id.
Qed.

Lemma measurable_decay d (T : measurableType d) (f : T -> R) :
  measurable_fun setT f -> measurable_fun setT (fun x => decay (f x)).
Proof. by move=> mf; apply: (measurable_fun_comp (f := decay)) => //; exact: measurable_decay_on. Qed.

Let total i : \bar R := (\int[line R]_t (decay_on i t)%:E)%E.

Let finite : (total `]0%R, +oo[ < +oo)%E.
Proof.
have /andP[_] := line_laplace_normalisable (@ltr01 R).
rewrite partitionE integral_pushforward //; last 2 first.
- by apply/EFin_measurable_fun; exact: measurable_boltzmann.
- by move=> b; rewrite lee_fin expR_ge0.
apply: le_lt_trans; apply: int_le => [|t||t].
- by apply: measurable_EFin; exact: measurable_decay_on.
- by rewrite lee_fin decay_on_ge0.
- apply: (measurable_fun_comp (f := fun b : space R 1 => (expR (- distance_energy 1 b))%:E)).
    by apply/EFin_measurable_fun; exact: (measurable_boltzmann
      [the {mfun (space R 1) >-> R} of distance_energy 1]).
  exact: measurable_point.
rewrite lee_fin /decay_on /= /distance_energy mul1r norm_point in_itv /= andbT.
have [t0|_] := ltP 0 t; first by rewrite mulr1 (gtr0_norm t0).
by rewrite mulr0 expR_ge0.
Qed.

Let z : R := fine (total `]0, +oo[).

Let totalE : total `]0, +oo[ = z%:E.
Proof.
by rewrite fineK // ge0_fin_numE // /total; apply: int_ge0 => t; rewrite lee_fin decay_on_ge0.
Qed.

Let tail h : total `]h, +oo[ = (expR (- h) * z)%:E.
Proof.
rewrite EFinM -totalE /total -int_scale ?expR_ge0 //; last 2 first.
- by apply: measurable_EFin; exact: measurable_decay_on.
- by move=> t; rewrite lee_fin decay_on_ge0.
rewrite -(@line_shift _ h (fun t => (decay_on `]h, +oo[ t)%:E)).
- apply: eq_integral => t _; rewrite -EFinM /decay_on !in_itv /= !andbT ltr_addr.
  by rewrite mulrA -expRD opprD addrC.
- by apply: measurable_EFin; exact: measurable_decay_on.
- by move=> t; rewrite lee_fin decay_on_ge0.
Qed.

Let head h : 0 <= h -> (total `]0%R, h] + (expR (- h) * z)%:E = z%:E)%E.
Proof.
move=> h0; rewrite -tail -totalE /total -int_add.
- apply: eq_integral => t _; rewrite -EFinD -mulrDr; congr (_ * _)%:E.
  rewrite !in_itv /= !andbT; have [th|ht] := leP t h.
    by rewrite addr0 andbT.
  by rewrite andbF add0r (le_lt_trans h0 ht).
- by apply: measurable_EFin; exact: measurable_decay_on.
- by move=> t; rewrite lee_fin decay_on_ge0.
- by apply: measurable_EFin; exact: measurable_decay_on.
- by move=> t; rewrite lee_fin decay_on_ge0.
Qed.

Lemma line_itv h : 0 <= h -> line R `]0, h]%classic = h%:E.
Proof.
move=> h0; rewrite lineE (lebesgue_measure_itv `]0, h]) hlength_itv /= lte_fin.
case: ltP => [_|hh]; first by rewrite oppr0 adde0.
by rewrite (@le_anti _ _ h 0) // hh h0.
Qed.

Let headE h : 0 <= h -> total `]0, h] = (z * (1 - expR (- h)))%:E.
Proof.
move=> h0; have := head h0; have : (0 <= total `]0%R, h])%E.
  by apply: int_ge0 => t; rewrite lee_fin decay_on_ge0.
case: (total _) => [v| |] //= _; rewrite -EFinD => -[] zE.
by congr EFin; rewrite mulrBr mulr1 [z * _]mulrC -{1}zE addrK.
Qed.

Let head_bounds h : 0 <= h -> h * expR (- h) <= z * (1 - expR (- h)) <= h.
Proof.
move=> h0.
have mi : measurable_fun setT (fun t : R => (\1_(`]0, h]%classic) t)%:E : \bar R).
  by apply: measurable_EFin; apply: measurable_fun_indic; exact: measurable_itv.
have i0 t : (0 <= (\1_(`]0, h]%classic) t)%:E :> \bar R)%E by rewrite lee_fin.
have len : (\int[line R]_t (\1_(`]0, h]%classic) t)%:E = h%:E)%E.
  by rewrite -integral_one ?line_itv //; exact: measurable_itv.
have md : measurable_fun setT (fun t => (decay_on `]0, h] t)%:E).
  by apply: measurable_EFin; exact: measurable_decay_on.
rewrite -!lee_fin -headE //; apply/andP; split.
  rewrite mulrC EFinM -len -int_scale ?expR_ge0 //; apply: int_le => // [|t|t].
  - exact: measurable_funeM.
  - by rewrite mule_ge0 // lee_fin expR_ge0.
  rewrite -EFinM lee_fin indicE /= mem_setE /decay_on.
  have [|_] := boolP (t \in _); last by rewrite !mulr0.
  by rewrite in_itv /= => /andP[_ th]; rewrite !mulr1 ler_expR ler_opp2.
rewrite -len; apply: int_le => // [t|t]; first by rewrite lee_fin decay_on_ge0.
rewrite lee_fin indicE /= mem_setE /decay_on.
have [|_] := boolP (t \in _); last by rewrite !mulr0.
rewrite in_itv /= => /andP[t0 _]; rewrite !mulr1 -[leRHS](@expR0 R) ler_expR.
by rewrite oppr_le0 ltW.
Qed.

(* 1 - h <= z <= 1 + h for small h. *)
Let z1 : z = 1.
Proof.
have up h : 0 < h -> z <= 1 + h.
  move=> h0; have /andP[_ top] := head_bounds (ltW h0).
  have e : 1 + h <= expR h := expR_ge1Dx (ltW h0).
  have z0 : 0 <= z by rewrite -lee_fin -totalE; apply: int_ge0 => t; rewrite lee_fin decay_on_ge0.
  have eh : expR h * expR (- h) = 1 by rewrite -expRD subrr expR0.
  rewrite -(ler_pmul2l h0).
  have s3 : (z * (1 - expR (- h))) * (1 + h) <= h * (1 + h).
    by apply: ler_wpmul2r top; rewrite addr_ge0 // ltW.
  have s4 : z * h <= z * (1 - expR (- h)) * (1 + h).
    rewrite -mulrA; apply: ler_wpmul2l => //.
    have q := ler_wpmul2l (ltW (expR_gt0 (- h))) e; rewrite [leRHS]mulrC eh in q.
    by apply: le_from q _; nsatz.
  by rewrite [h * z]mulrC; exact: le_trans s4 s3.
have low h : 0 < h -> 1 - h <= z.
  move=> h0; have /andP[bot _] := head_bounds (ltW h0).
  have z0 : 0 <= z by rewrite -lee_fin -totalE; apply: int_ge0 => t; rewrite lee_fin decay_on_ge0.
  have e : 1 - h <= expR (- h) by exact: expR_tangent.
  have s : z * (1 - expR (- h)) <= z * h.
    by apply: ler_wpmul2l => //; rewrite ler_subl_addr -ler_subl_addl.
  have := le_trans bot s; rewrite mulrC ler_pmul2r // => eb.
  exact: le_trans e eb.
apply/eqP; rewrite eq_le; apply/andP; split.
  by apply/ler_addgt0Pl => h h0; rewrite addrC up.
by apply/ler_addgt0Pl => h h0; rewrite -ler_subl_addl low.
Qed.

(* How much of it is in ]0, h]. *)
Lemma integral_decay_head h : 0 <= h ->
  (\int[line R]_t (decay_on `]0, h] t)%:E = (1 - expR (- h))%:E)%E.
Proof. by move=> /headE; rewrite z1 mul1r. Qed.

Lemma integral_decay_tail h : (\int[line R]_t (decay_on `]h, +oo[ t)%:E = (expR (- h))%:E)%E.
Proof. by have := tail h; rewrite z1 mulr1. Qed.

(** * The law *)

Let weight t : {nonneg R} := NngNum (decay_ge0 t).

Fact exponential_spec : {P : {measure set R -> \bar R} |
  forall g, measurable_fun setT g -> (forall t, 0 <= g t)%E ->
  (\int[P]_t g t = \int[line R]_t ((decay t)%:E * g t))%E}.
Proof.
have mw : measurable_fun setT (fun t => (weight t)%:num) by exact: measurable_decay_on.
exists (density (line R) mw) => g mg g0.
exact: (ge0_integral_density (line R) mw g0 mg).
Qed.

Definition exponential : {measure set R -> \bar R} := sval exponential_spec.

Lemma integral_exponential g : measurable_fun setT g -> (forall t, 0 <= g t)%E ->
  (\int[exponential]_t g t = \int[line R]_t ((decay t)%:E * g t))%E.
Proof. exact: (svalP exponential_spec). Qed.

Lemma exponentialE A : measurable A ->
  exponential A = (\int[line R]_t ((decay t)%:E * (\1_A t)%:E))%E.
Proof.
move=> mA; rewrite (integral_one _ mA); apply: integral_exponential.
  by apply: measurable_EFin; exact: measurable_fun_indic.
by move=> t; rewrite lee_fin.
Qed.

Lemma exponential_total : exponential setT = 1%E.
Proof.
rewrite exponentialE //; transitivity (total `]0, +oo[); last by rewrite totalE z1.
by apply: eq_integral => t _; rewrite indicE in_setT mule1.
Qed.

(** * The program *)

Let unit_itv : set R := `]0, 1]%classic.
Let measurable_unit : measurable unit_itv. Proof. exact: measurable_itv. Qed.

(* A uniform number, and the chance that it is kept. *)
Definition uniform_unit : {measure set R -> \bar R} := restricted (line R) measurable_unit.

Lemma uniform_unit_total : uniform_unit setT = 1%E.
Proof. by rewrite restrictedE // setTI line_itv. Qed.

Lemma integral_uniform_unit g : measurable_fun setT g -> (forall t, 0 <= g t)%E ->
  (\int[uniform_unit]_t g t = \int[line R]_t ((\1_unit_itv t)%:E * g t))%E.
Proof. by move=> mg g0; rewrite /uniform_unit /restricted ge0_integral_density. Qed.

Definition position t : R := t.
HB.instance Definition _ := @IsMeasurableFun.Build _ _ R position (@measurable_fun_id _ _ setT).
Let position_mfun : {mfun R >-> R} := [the {mfun R >-> R} of position].
Let nothing : {mfun R >-> R} := cst_mfun 0.

Definition keeping : {mfun R >-> R} := acceptance_mfun measurable_unit position_mfun nothing.
Definition keeping_ge0 : forall t, 0 <= keeping t := acceptance_ge0 unit_itv position_mfun nothing.
Definition keeping_le1 : forall t, keeping t <= 1 := acceptance_le1 unit_itv position_mfun nothing.

Lemma keepingE t : 0 < t <= 1 -> keeping t = expR (- t).
Proof.
move=> t01; have [t0 _] := andP t01.
rewrite /= /acceptance indicE mem_set ?mul1r /= ?subr0; last by rewrite /unit_itv /= in_itv.
by rewrite max_r // ltW.
Qed.

(* Start again, and count one. *)
Definition one_more (rest : {measure set R -> \bar R}) : {measure set R -> \bar R} :=
  [the {measure set R -> \bar R} of pushforward rest (measurable_shift 1)].

Fixpoint rounds N : {measure set R -> \bar R} :=
  if N is N'.+1 then one_try uniform_unit keeping_ge0 keeping_le1 (one_more (rounds N'))
  else [the {measure set R -> \bar R} of mzero].

Let kept A : measurable A ->
  accepted_mass uniform_unit keeping_ge0 A = exponential (A `&` unit_itv).
Proof.
move=> mA; have mAu : measurable (A `&` unit_itv) by exact: measurableI.
have mk : measurable_fun setT (fun t => (keeping t)%:E * (\1_A t)%:E)%E.
  by apply: emeasurable_funM; apply/EFin_measurable_fun; last exact: measurable_fun_indic.
have k0 t : (0 <= (keeping t)%:E * (\1_A t)%:E)%E by rewrite -EFinM lee_fin mulr_ge0 ?keeping_ge0.
rewrite /accepted_mass densityE (integral_uniform_unit mk k0) exponentialE //.
apply: eq_integral => t _; rewrite !indicE in_setI -!EFinM.
have [/set_mem At|_] := boolP (t \in A); last by rewrite !mulr0.
have [/set_mem ut|_] := boolP (t \in unit_itv); last by rewrite mul0r mulr0.
move: ut; rewrite /unit_itv /= in_itv /= => t01; have [t0 _] := andP t01.
by rewrite [keeping t]keepingE // decay_gt0 // mul1r.
Qed.

Let keep_prob : accept_prob uniform_unit keeping_ge0 = 1 - expR (- 1).
Proof.
apply: EFin_inj; rewrite accept_probK; [|exact: uniform_unit_total|exact: keeping_le1].
rewrite kept // setTI exponentialE // -(integral_decay_head ler01).
apply: eq_integral => t _; rewrite -EFinM /decay /decay_on indicE -mulrA; congr (_ * _)%:E.
rewrite /unit_itv /= mem_setE !in_itv /= andbT.
by case: (0 < t); rewrite ?mul1r ?mul0r.
Qed.

(* What is at least one, moved down by one. *)
Let moved A N : measurable A ->
  ((expR (- 1))%:E * exponential ((fun t => t + 1)%R @^-1` A `&` `]0%R, N%:R]%classic) =
   exponential (A `&` `]1%R, N.+1%:R]%classic))%E.
Proof.
move=> mA; have mA1 : measurable ((fun t : R => t + 1) @^-1` A).
  by rewrite -[X in measurable X]setTI; exact: (@measurable_shift 1).
have mi (i : interval R) : measurable [set` i] by exact: measurable_itv.
have mE B : measurable B -> measurable_fun setT (fun t : R => (decay t)%:E * (\1_B t)%:E)%E.
  move=> mB; apply: emeasurable_funM; apply: measurable_EFin.
    exact: measurable_decay_on.
  exact: measurable_fun_indic.
have E0 B t : (0 <= (decay t)%:E * (\1_B t)%:E)%E by rewrite -EFinM lee_fin mulr_ge0 ?decay_ge0.
have mB1 := measurableI _ _ mA1 (mi `]0, N%:R]); have mB2 := measurableI _ _ mA (mi `]1, N.+1%:R]).
rewrite !exponentialE // -int_scale ?expR_ge0 //; last exact: mE.
rewrite -(@line_shift _ 1 _ (mE _ mB2) (E0 _)); apply: eq_integral => t _.
rewrite -!EFinM; congr EFin; rewrite !indicE !in_setI.
have -> : (t \in (fun t : R => t + 1) @^-1` A) = (t + 1 \in A) by apply/idP/idP; rewrite !inE.
have [_|_] := boolP (t + 1 \in A); last by rewrite !mulr0.
rewrite /= !mem_setE !in_itv /= -natr1 ler_add2r ltr_addr.
have [t0|_] := ltP 0 t; last by rewrite !mulr0.
rewrite !decay_gt0 ?addr_gt0 // mulrA; congr (_ * _).
by rewrite -expRD opprD addrC.
Qed.

(* The program with N rounds is the exponential law as far as N. *)
Theorem own_exponential_rounds N A : measurable A ->
  rounds N A = exponential (A `&` `]0, N%:R]%classic).
Proof.
elim: N A => [|N IH] A mA.
  rewrite (_ : _ `&` _ = set0) ?measure0 //; apply/seteqP; split => // t [_].
  by rewrite /= in_itv /= => /andP[t0 /(lt_le_trans t0)]; rewrite ltxx.
have mi (i : interval R) : measurable [set` i] by exact: measurable_itv.
have mA1 : measurable ((fun t : R => t + 1) @^-1` A).
  by rewrite -[X in measurable X]setTI; exact: (@measurable_shift 1).
rewrite [rounds _]/= one_tryE //; last exact: uniform_unit_total.
rewrite kept // keep_prob opprB addrC subrK.
rewrite [one_more _ _](_ : _ = rounds N ((fun t => t + 1) @^-1` A)) // IH // moved //.
rewrite -measureU //; [|exact: measurableI|exact: measurableI|].
  rewrite -setIUr; congr (exponential (A `&` _)); apply/seteqP; split => t /=.
    rewrite /unit_itv /= !in_itv /= => -[/andP[-> t1]|/andP[t1 ->]].
      by rewrite (le_trans t1) // ler1n.
    by rewrite andbT (lt_trans ltr01 t1).
  rewrite /unit_itv /= !in_itv /= => /andP[-> ->].
  by have [t1|t1] := leP t 1; [left|right].
apply/seteqP; split => // t [] [_ +] [_].
by rewrite /unit_itv /= !in_itv /= => /andP[_ t1] /andP[/lt_le_trans/(_ t1)]; rewrite ltxx.
Qed.

(* With rounds enough: every set, and the program ends. *)
Theorem own_exponential A : measurable A -> (fun N => rounds N A) --> exponential A.
Proof.
move=> mA; have mi (i : interval R) : measurable [set` i] by exact: measurable_itv.
have mB N : measurable (A `&` `]0, N%:R]%classic) by exact: measurableI.
rewrite (_ : (fun N => rounds N A) = exponential \o (fun N => A `&` `]0, N%:R]%classic));
  last by apply/funext => N; rewrite /= own_exponential_rounds.
have -> : exponential A = exponential (\bigcup_N (A `&` `]0, N%:R]%classic)).
  rewrite !exponentialE //; last exact: bigcupT_measurable.
  apply: eq_integral => t _; have [t0|t0] := leP t 0.
    by rewrite decay_le0 // !mul0e.
  congr (_ * (_)%:E)%E; rewrite !indicE; congr (nat_of_bool _)%:R.
  apply/idP/idP; rewrite !inE; last by move=> -[N _ []].
  move=> At; exists (Num.ExtraDef.archi_bound t) => //; split => //.
  by rewrite /= in_itv /= t0 ltW // archi_boundP // ltW.
apply: nondecreasing_cvg_mu => //; first exact: bigcupT_measurable.
move=> N M NM; apply/subsetPset => t [At]; rewrite /= in_itv /= => /andP[t0 tN]; split => //.
by rewrite /= in_itv /= t0 (le_trans tN) // ler_nat.
Qed.

End Exponential.
