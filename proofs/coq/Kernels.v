(* Kernels: families of measures, and what one does with them.

   mathcomp-analysis 0.6.0 has measures and integrals but no kernels; this file
   adds what the theorems on privacy need.  The interface:

     kernel T U R          a measurable family of measures on U, indexed by T
     markov_kernel T U R   the same, every measure of total mass 1
     bind mu K             the law of y, where x ~ mu and then y ~ K x
     joint mu K            the law of the pair (x, y)                (K Markov)
     comp K L              the kernel x |-> bind (K x) L             (both Markov)
     graph K               the kernel x |-> law of (x, y), y ~ K x   (K Markov)
     map_kernel mf         the deterministic kernel x |-> dirac (f x)
     const_kernel nu       the kernel that forgets x
     density mu f          the measure with density f >= 0 with respect to mu
     ge0_integral_bind     integrals against bind are iterated integrals
     ge0_integral_joint    integrals against joint likewise
     ge0_integral_density  integrals against density are weighted integrals
     ae_ge0_le_integral    almost everywhere f <= g gives the same of integrals *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(** * Two facts on integrals *)

Section integrals.
Context d (T : measurableType d) (R : realType).
Variable mu : {measure set T -> \bar R}.

(* The library has this for an inequality that holds everywhere only. *)
Lemma ae_ge0_le_integral (f g : T -> \bar R) :
  (forall x, 0 <= f x) -> (forall x, 0 <= g x) ->
  measurable_fun setT f -> measurable_fun setT g ->
  {ae mu, forall x, f x <= g x} -> \int[mu]_x f x <= \int[mu]_x g x.
Proof.
move=> f0 g0 mf mg [N [mN N0 subN]].
rewrite (negligible_integral mN) // [leRHS](negligible_integral mN) //.
apply: ge0_le_integral => //; first exact: measurableD.
- exact: measurable_funTS.
- exact: measurable_funTS.
- by move=> x [_ Nx]; apply: contrapT => fg; exact/Nx/subN.
Qed.

(* A non-negative measurable function is the limit of simple ones, and so is its
   integral, for every measure at once. *)
Lemma ge0_integral_approx (f : T -> \bar R) : (forall x, 0 <= f x) ->
  measurable_fun setT f ->
  exists g : {nnsfun T >-> R}^nat,
    [/\ forall x, nondecreasing_seq (fun n => (g n x)%:E),
        forall x, (fun n => (g n x)%:E) --> f x
      & forall m : {measure set T -> \bar R},
          (fun n => \int[m]_x (g n x)%:E) --> \int[m]_x f x].
Proof.
move=> f0 mf.
have [g [nd_g gf]] := approximation measurableT mf (fun x _ => f0 x).
have ndE x : nondecreasing_seq (fun n => (g n x)%:E).
  by move=> m n mn; rewrite lee_fin; exact/lefP/nd_g.
have cvgE x : (fun n => (g n x)%:E) --> f x by exact: gf.
exists g; split => // m.
have -> : \int[m]_x f x = \int[m]_x lim (fun n => (g n x)%:E).
  by apply: eq_integral => x _; apply/esym/cvg_lim => //; exact: cvgE.
apply: cvg_monotone_convergence => //.
- by move=> n; exact/EFin_measurable_fun.
- by move=> n x _; rewrite lee_fin.
Qed.

(* The integral of a simple function, as the finite sum that it is. *)
Lemma integral_nnsfunE (g : {nnsfun T >-> R}) :
  \int[mu]_x (g x)%:E = \sum_(r \in range g) (r%:E * mu (g @^-1` [set r])).
Proof. by rewrite integralT_nnsfun sintegralE. Qed.

End integrals.

(** * Kernels *)

Record kernel d d' (T : measurableType d) (U : measurableType d')
    (R : realType) := Kernel {
  kernel_law :> T -> {measure set U -> \bar R};
  kernel_measurable : forall B, measurable B ->
    measurable_fun setT (fun x => kernel_law x B) }.

Record markov_kernel d d' (T : measurableType d) (U : measurableType d')
    (R : realType) := MarkovKernel {
  markov_kernel_kernel :> kernel T U R;
  markov_total : forall x, markov_kernel_kernel x setT = 1 }.

Section kernel_integral.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variable K : kernel T U R.

Let measurable_integral_nnsfun (g : {nnsfun U >-> R}) :
  measurable_fun setT (fun x => \int[K x]_y (g y)%:E).
Proof.
under eq_fun do rewrite integral_nnsfunE.
apply: emeasurable_fun_fsum => // r.
by apply: measurable_funeM; exact: kernel_measurable.
Qed.

Lemma measurable_kernel_integral (f : U -> \bar R) :
  (forall y, 0 <= f y) -> measurable_fun setT f ->
  measurable_fun setT (fun x => \int[K x]_y f y).
Proof.
move=> f0 mf; have [g [_ _ gf]] := ge0_integral_approx f0 mf.
by apply: (emeasurable_fun_cvg (fun n x => \int[K x]_y (g n y)%:E)).
Qed.

End kernel_integral.

(** * First x, then y *)

Section bind.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (mu : {measure set T -> \bar R}) (K : kernel T U R).

Definition bind (B : set U) : \bar R := \int[mu]_x K x B.

Let bind0 : bind set0 = 0.
Proof.
by rewrite /bind; under eq_integral do rewrite measure0; rewrite integral0.
Qed.

Let bind_ge0 B : 0 <= bind B.
Proof. by apply: integral_ge0 => x _. Qed.

Let bind_semi_sigma_additive : semi_sigma_additive bind.
Proof.
move=> F mF tF mUF.
have -> : bind (\bigcup_n F n) = \sum_(n <oo) bind (F n).
  rewrite /bind -integral_nneseries //.
    by apply: eq_integral => x _; rewrite measure_semi_bigcup.
  by move=> n; exact: kernel_measurable.
by apply: is_cvg_nneseries => n _; exact: bind_ge0.
Qed.

HB.instance Definition _ := isMeasure.Build _ _ _ bind
  bind0 bind_ge0 bind_semi_sigma_additive.

Let integral_bind_nnsfun (g : {nnsfun U >-> R}) :
  \int[bind]_y (g y)%:E = \int[mu]_x \int[K x]_y (g y)%:E.
Proof.
rewrite integral_nnsfunE; under [RHS]eq_integral do rewrite integral_nnsfunE.
rewrite ge0_integral_fsum; [|exact: measurableT| | |exact: fimfunP].
- apply: eq_fsbigr => r /[!inE] -[y _ <-]; rewrite /bind ge0_integralM_EFin //.
  exact: kernel_measurable.
- by move=> r; apply: measurable_funeM; exact: kernel_measurable.
- by move=> r x _; exact: nnsfun_mulemu_ge0.
Qed.

Lemma ge0_integral_bind (f : U -> \bar R) :
  (forall y, 0 <= f y) -> measurable_fun setT f ->
  \int[bind]_y f y = \int[mu]_x \int[K x]_y f y.
Proof.
move=> f0 mf; have [g [nd_g _ gf]] := ge0_integral_approx f0 mf.
have mg n : measurable_fun setT (fun y => (g n y)%:E).
  exact/EFin_measurable_fun.
have g0 n y : 0 <= (g n y)%:E by rewrite lee_fin.
rewrite -(cvg_lim _ (gf [the {measure set U -> \bar R} of bind])) //.
apply/cvg_lim => //; under eq_fun do rewrite integral_bind_nnsfun.
have -> : \int[mu]_x \int[K x]_y f y =
    \int[mu]_x lim (fun n => \int[K x]_y (g n y)%:E).
  by apply: eq_integral => x _; apply/esym/cvg_lim => //; exact: gf.
apply: cvg_monotone_convergence => //.
- by move=> n; apply: measurable_kernel_integral.
- by move=> n x _; exact: integral_ge0.
- by move=> x _ m n mn; apply: ge0_le_integral => // y _; exact: nd_g.
Qed.

End bind.

Lemma bind_total d d' (T : measurableType d) (U : measurableType d')
    (R : realType) (mu : {measure set T -> \bar R}) (K : markov_kernel T U R) :
  bind mu K setT = mu setT.
Proof.
rewrite /bind; under eq_integral do rewrite markov_total.
by rewrite integral_cst // mul1e.
Qed.

(** * Kernels made of kernels *)

Section comp.
Context d1 d2 d3 (T : measurableType d1) (U : measurableType d2)
  (V : measurableType d3) (R : realType).
Variables (K : markov_kernel T U R) (L : markov_kernel U V R).

Let comp_law x : {measure set V -> \bar R} :=
  [the {measure set V -> \bar R} of bind (K x) L].

Let comp_measurable C : measurable C ->
  measurable_fun setT (fun x => comp_law x C).
Proof.
by move=> mC; apply: measurable_kernel_integral => //; exact: kernel_measurable.
Qed.

Let comp_total x : comp_law x setT = 1.
Proof. by rewrite /= bind_total markov_total. Qed.

Definition comp : markov_kernel T V R :=
  @MarkovKernel _ _ T V R (Kernel comp_measurable) comp_total.

Lemma compE x : comp x = bind (K x) L :> (set V -> \bar R).
Proof. by []. Qed.

End comp.

Section const.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (nu : {measure set U -> \bar R}) (nu1 : nu setT = 1).

Let const_measurable B : measurable B -> measurable_fun setT (fun _ : T => nu B).
Proof. by move=> _; exact: measurable_fun_cst. Qed.

Definition const_kernel : markov_kernel T U R :=
  @MarkovKernel _ _ T U R (Kernel const_measurable) (fun=> nu1).

End const.

Section map.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (f : T -> U) (mf : measurable_fun setT f).

Let map_law x : {measure set U -> \bar R} :=
  [the {measure set U -> \bar R} of dirac (f x)].

Let map_measurable B : measurable B -> measurable_fun setT (fun x => map_law x B).
Proof.
move=> mB; apply/EFin_measurable_fun.
have mfB : measurable (f @^-1` B) by rewrite -(setTI (f @^-1` B)); exact: mf.
rewrite [X in measurable_fun _ X](_ : _ = \1_(f @^-1` B)).
  exact: measurable_fun_indic.
by apply/funext => x; rewrite !indicE; congr (nat_of_bool _)%:R; apply/idP/idP;
  rewrite !inE.
Qed.

Let map_total x : map_law x setT = 1.
Proof. by rewrite /= diracE in_setT. Qed.

Definition map_kernel : markov_kernel T U R :=
  @MarkovKernel _ _ T U R (Kernel map_measurable) map_total.

End map.

(** * Pairs *)

Section graph.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variable K : markov_kernel T U R.

Let pair_with (x : T) (y : U) : T * U := (x, y).

Let measurable_pair_with x : measurable_fun setT (pair_with x).
Proof.
by apply/prod_measurable_funP; split; [exact: measurable_fun_cst
                                      |exact: measurable_fun_id].
Qed.

Let graph_law x : {measure set (T * U)%type -> \bar R} :=
  [the {measure set (T * U)%type -> \bar R} of
    pushforward (K x) (measurable_pair_with x)].

Let graph_lawE x A : graph_law x A = K x (xsection A x).
Proof.
rewrite /= /pushforward; congr (K x _); apply/seteqP; split => y /=;
  by rewrite /xsection /= inE.
Qed.

Let measurable_section_law (A : set (T * U)) :=
  measurable A /\ measurable_fun setT (fun x => K x (xsection A x)).

(* The total mass is finite, so the sets with a measurable section law form a
   monotone class; it has the rectangles, hence every measurable set. *)
Let graph_measurable (A : set (T * U)) : measurable A ->
  measurable_fun setT (fun x => graph_law x A).
Proof.
under eq_fun do rewrite graph_lawE.
suff sub : (measurable : set (set (T * U))) `<=` measurable_section_law.
  by move=> /sub[].
rewrite measurable_prod_measurableType.
set C := [set A1 `*` A2 | A1 in measurable & A2 in measurable].
have CI : setI_closed C.
  move=> X Y [X1 mX1 [X2 mX2 <-{X}]] [Y1 mY1 [Y2 mY2 <-{Y}]].
  exists (X1 `&` Y1); first exact: measurableI.
  by exists (X2 `&` Y2); [exact: measurableI|rewrite setMI].
have CT : C setT by exists setT => //; exists setT => //; rewrite setMTT.
have CB : C `<=` measurable_section_law.
  move=> X [X1 mX1 [X2 mX2 <-{X}]]; split; first exact: measurableM.
  have -> : (fun x => K x (xsection (X1 `*` X2) x)) =
      (fun x => (\1_X1 x)%:E * K x X2).
    rewrite funeqE => x; rewrite indicE.
    have [xX1|xX1] := boolP (x \in X1); first by rewrite mul1e in_xsectionM.
    by rewrite mul0e notin_xsectionM// measure0.
  apply: emeasurable_funM; last exact: kernel_measurable.
  exact/EFin_measurable_fun/measurable_fun_indic.
apply: monotone_class_subset => //; split => //; first exact: CB.
- move=> X Y XY [mX mphiX] [mY mphiY]; split; first exact: measurableD.
  have -> : (fun x => K x (xsection (X `\` Y) x)) =
      (fun x => K x (xsection X x) - K x (xsection Y x)).
    rewrite funeqE => x; rewrite xsectionD// measureD.
    + by rewrite setIidr//; exact: le_xsection.
    + exact: measurable_xsection.
    + exact: measurable_xsection.
    + apply: (@le_lt_trans _ _ (K x setT)); last by rewrite markov_total ltey.
      by apply: le_measure; rewrite ?inE //; exact: measurable_xsection.
  exact: emeasurable_funB.
- move=> F ndF BF; split.
    by apply: bigcupT_measurable => n; have [] := BF n.
  apply: (emeasurable_fun_cvg (fun n x => K x (xsection (F n) x))) => //.
    by move=> n; have [] := BF n.
  move=> x _; rewrite xsection_bigcup; apply: nondecreasing_cvg_mu.
  + by move=> n; apply: measurable_xsection; case: (BF n).
  + by apply: bigcupT_measurable => i; apply: measurable_xsection; case: (BF i).
  + by move=> m n mn; exact/subsetPset/le_xsection/subsetPset/ndF.
Qed.

Let graph_total x : graph_law x setT = 1.
Proof. by rewrite /= /pushforward preimage_setT markov_total. Qed.

Definition graph : markov_kernel T [the measurableType _ of (T * U)%type] R :=
  @MarkovKernel _ _ T [the measurableType _ of (T * U)%type] R
    (Kernel graph_measurable) graph_total.

Lemma graphE x A : graph x A = K x (xsection A x).
Proof. exact: graph_lawE. Qed.

Lemma ge0_integral_graph x (f : T * U -> \bar R) :
  (forall z, 0 <= f z) -> measurable_fun setT f ->
  \int[graph x]_z f z = \int[K x]_y f (x, y).
Proof. by move=> f0 mf; rewrite /= integral_pushforward. Qed.

End graph.

Section joint.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Variables (mu : {measure set T -> \bar R}) (K : markov_kernel T U R).

Definition joint : {measure set (T * U)%type -> \bar R} :=
  [the {measure set (T * U)%type -> \bar R} of bind mu (graph K)].

Lemma jointE A : joint A = \int[mu]_x K x (xsection A x).
Proof. by apply: eq_integral => x _; exact: graphE. Qed.

Lemma ge0_integral_joint (f : T * U -> \bar R) :
  (forall z, 0 <= f z) -> measurable_fun setT f ->
  \int[joint]_z f z = \int[mu]_x \int[K x]_y f (x, y).
Proof.
move=> f0 mf; rewrite ge0_integral_bind //.
by apply: eq_integral => x _; exact: ge0_integral_graph.
Qed.

(* The first component of the pair is distributed as mu, the second as bind. *)
Lemma joint_first A : measurable A -> joint (A `*` setT) = mu A.
Proof.
move=> mA; rewrite jointE -[in RHS](setIT A) -integral_indic //.
apply: eq_integral => x _; rewrite indicE.
have [xA|xA] := boolP (x \in A); first by rewrite in_xsectionM// markov_total.
by rewrite notin_xsectionM// measure0.
Qed.

Lemma joint_second B : joint (setT `*` B) = bind mu K B.
Proof.
by rewrite jointE; apply: eq_integral => x _; rewrite in_xsectionM// in_setT.
Qed.

End joint.

(** * Densities *)

Section density.
Context d (T : measurableType d) (R : realType).
Variables (mu : {measure set T -> \bar R}) (f : T -> {nonneg R}).
Hypothesis mf : measurable_fun setT (fun x => (f x)%:num).

(* The mass f x at the point x: the measure with density f is then a bind, and
   its additivity and its integrals need no proof of their own. *)
Let weight_law x : {measure set T -> \bar R} :=
  [the {measure set T -> \bar R} of mscale (f x) (dirac x)].

Let weight_measurable B : measurable B ->
  measurable_fun setT (fun x => weight_law x B).
Proof.
move=> mB; apply: emeasurable_funM; first exact/EFin_measurable_fun.
exact/EFin_measurable_fun/measurable_fun_indic.
Qed.

(* Sealed by Qed: a search that compares two densities would else unfold both
   down to the integral, which takes minutes. *)
Fact density_spec : {m : {measure set T -> \bar R} |
  forall A, m A = \int[mu]_x ((f x)%:num%:E * (\1_A x)%:E)}.
Proof.
by exists [the {measure set T -> \bar R} of bind mu (Kernel weight_measurable)].
Qed.

Definition density : {measure set T -> \bar R} := sval density_spec.

Lemma densityE A : density A = \int[mu]_x ((f x)%:num%:E * (\1_A x)%:E).
Proof. exact: (svalP density_spec). Qed.

Lemma ge0_integral_density (g : T -> \bar R) :
  (forall x, 0 <= g x) -> measurable_fun setT g ->
  \int[density]_x g x = \int[mu]_x ((f x)%:num%:E * g x).
Proof.
move=> g0 mg.
rewrite (eq_measure_integral [the {measure set T -> \bar R} of
  bind mu (Kernel weight_measurable)]); last by move=> A _ _; exact: densityE.
rewrite ge0_integral_bind //; apply: eq_integral => x _ /=.
by rewrite ge0_integral_mscale // integral_dirac // indicE in_setT mul1e.
Qed.

End density.
