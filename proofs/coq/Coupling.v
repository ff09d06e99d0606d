(* Couplings as data (def:W_infty, own:fallback).

   "The law mu is within Delta of the law nu in the Wasserstein-infinity sense"
   says that some measure on pairs has mu and nu as its marginals and sees only
   pairs at distance at most Delta.  Taken as the definition, this needs neither
   a metric nor Strassen's theorem: `near` below is any relation.

     coupling pi mu nu      pi has the marginals mu and nu
     within near mu nu      some coupling sees only near pairs
     mix a b mu nu          the mixture a*mu + b*nu
     within_refl            every law is near itself, if points are
     within_mix             a mixture of couplings is a coupling
     within_product         if all points are near, so are all laws of mass 1    *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp.
From AsapDP Require Import Kernels.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section measurable_projections.
Context d d' (T : measurableType d) (U : measurableType d').

Lemma measurable_fst : measurable_fun setT (fst : T * U -> T).
Proof.
by have /prod_measurable_funP[] := @measurable_fun_id _ [the measurableType _ of
  (T * U)%type] setT.
Qed.

Lemma measurable_snd : measurable_fun setT (snd : T * U -> U).
Proof.
by have /prod_measurable_funP[] := @measurable_fun_id _ [the measurableType _ of
  (T * U)%type] setT.
Qed.

Lemma preimage_fst (A : set T) : (fst : T * U -> T) @^-1` A = A `*` setT.
Proof. by apply/seteqP; split => -[x y] //= []. Qed.

Lemma preimage_snd (B : set U) : (snd : T * U -> U) @^-1` B = setT `*` B.
Proof. by apply/seteqP; split => -[x y] //= []. Qed.

End measurable_projections.

(** * Couplings *)

Section coupling.
Context d (T : measurableType d) (R : realType).
Implicit Types (mu nu : {measure set T -> \bar R})
  (pi : {measure set (T * T)%type -> \bar R}).

Definition coupling (pi : set (T * T) -> \bar R) (mu nu : set T -> \bar R) :=
  (forall A, measurable A -> pi (A `*` setT) = mu A) /\
  (forall A, measurable A -> pi (setT `*` A) = nu A).

Definition within (near : T -> T -> Prop) (mu nu : set T -> \bar R) :=
  exists pi : {measure set (T * T)%type -> \bar R},
    coupling pi mu nu /\ {ae pi, forall z, near z.1 z.2}.

Lemma integral_coupling_first pi mu nu (f : T -> \bar R) :
  coupling pi mu nu -> (forall x, 0 <= f x) -> measurable_fun setT f ->
  \int[pi]_z f z.1 = \int[mu]_x f x.
Proof.
move=> [pimu _] f0 mf.
rewrite -(@integral_pushforward _ _ _ _ _ (@measurable_fst _ _ T T)) //.
by apply: eq_measure_integral => A mA _; rewrite -pimu // -preimage_fst.
Qed.

Lemma integral_coupling_second pi mu nu (f : T -> \bar R) :
  coupling pi mu nu -> (forall x, 0 <= f x) -> measurable_fun setT f ->
  \int[pi]_z f z.2 = \int[nu]_x f x.
Proof.
move=> [_ pinu] f0 mf.
rewrite -(@integral_pushforward _ _ _ _ _ (@measurable_snd _ _ T T)) //.
by apply: eq_measure_integral => A mA _; rewrite -pinu // -preimage_snd.
Qed.

(* Only the values on measurable sets count: two names of one law are equally
   near to a third. *)
Lemma eq_within near (mu mu' nu nu' : set T -> \bar R) :
  (forall A, measurable A -> mu A = mu' A) ->
  (forall A, measurable A -> nu A = nu' A) ->
  within near mu nu -> within near mu' nu'.
Proof.
move=> mumu' nunu' [pi [[pimu pinu] pinear]]; exists pi; split => //.
by split=> A mA; [rewrite pimu // mumu'|rewrite pinu // nunu'].
Qed.

End coupling.

(** * Couplings that always exist *)

Section diagonal.
Context d (T : measurableType d) (R : realType).
Variable near : T -> T -> Prop.
Hypothesis near_refl : forall x, near x x.
Hypothesis near_measurable : measurable [set z : T * T | near z.1 z.2].

Let measurable_diagonal : measurable_fun setT (fun x : T => (x, x)).
Proof.
by apply/prod_measurable_funP; split; exact: measurable_fun_id.
Qed.

Lemma within_refl (mu : {measure set T -> \bar R}) : within near mu mu.
Proof.
exists [the {measure set (T * T)%type -> \bar R} of
  pushforward mu measurable_diagonal]; split.
  by split => A mA /=; rewrite /pushforward; congr (mu _);
    apply/seteqP; split => x //= [].
exists (~` [set z : T * T | near z.1 z.2]); split => //.
  exact: measurableC.
rewrite /= /pushforward [X in mu X](_ : _ = set0) ?measure0 //.
by apply/seteqP; split => x //=; apply; exact: near_refl.
Qed.

End diagonal.

Lemma within_product d (T : measurableType d) (R : realType)
    (mu nu : {measure set T -> \bar R}) (near : T -> T -> Prop) :
  (forall x y, near x y) -> mu setT = 1 -> nu setT = 1 -> within near mu nu.
Proof.
move=> nearT mu1 nu1; exists (joint mu (const_kernel T nu1)); split.
  split => A mA; first by rewrite joint_first.
  by rewrite joint_second /bind integral_cst // mu1 mule1.
by apply: aeW => z; exact: nearT.
Qed.

(** * Mixtures *)

Section mixture.
Context d (T : measurableType d) (R : realType).
Variables (a b : {nonneg R}).

Definition mix (mu nu : {measure set T -> \bar R}) : {measure set T -> \bar R} :=
  [the {measure set T -> \bar R} of measure_add
    [the {measure set T -> \bar R} of mscale a mu]
    [the {measure set T -> \bar R} of mscale b nu]].

Lemma mixE mu nu A : mix mu nu A = a%:num%:E * mu A + b%:num%:E * nu A.
Proof. exact: measure_addE. Qed.

End mixture.

Section mixture_coupling.
Context d (T : measurableType d) (R : realType).
Variables (a b : {nonneg R}) (near : T -> T -> Prop).
Implicit Types (mu nu : {measure set T -> \bar R}).

Lemma ae_mix d' (U : measurableType d') (p q : {measure set U -> \bar R})
    (P : U -> Prop) :
  {ae p, forall z, P z} -> {ae q, forall z, P z} ->
  {ae mix a b p q, forall z, P z}.
Proof.
move=> [M [mM M0 subM]] [N [mN N0 subN]]; exists (M `&` N); split.
- exact: measurableI.
- have sub0 (m : {measure set U -> \bar R}) X :
      measurable X -> M `&` N `<=` X -> m X = 0 -> m (M `&` N) = 0.
    by move=> mX sX; apply: subset_measure0 => //; exact: measurableI.
  by rewrite mixE (sub0 p M) ?(sub0 q N) ?mule0 ?adde0 // => z [].
- by move=> z Pz; split; [exact: subM|exact: subN].
Qed.

(* A mixture of couplings is a coupling of the mixtures. *)
Lemma within_mix mu nu mu' nu' : within near mu nu -> within near mu' nu' ->
  within near (mix a b mu mu') (mix a b nu nu').
Proof.
move=> [p [[pmu pnu] pnear]] [q [[qmu qnu] qnear]].
exists (mix a b p q); split; last exact: ae_mix.
by split => A mA; rewrite !mixE ?pmu ?qmu ?pnu ?qnu.
Qed.

(* Mixing a law with itself changes nothing. *)
Lemma mix_self mu A : (a%:num + b%:num = 1)%R -> mix a b mu mu A = mu A.
Proof. by move=> ab1; rewrite mixE -ge0_muleDl // -EFinD ab1 mul1e. Qed.

Lemma within_mix_common mu mu' nu : (a%:num + b%:num = 1)%R ->
  within near mu nu -> within near mu' nu -> within near (mix a b mu mu') nu.
Proof.
move=> ab1 mununear mu'nu; apply: eq_within (within_mix mununear mu'nu) => //.
by move=> A _; exact: mix_self.
Qed.

End mixture_coupling.
