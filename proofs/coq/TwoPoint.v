(* Laws on two points, for the examples of Witness.v and Refuted.v.

     two_point a b          mass a at true, b at false
     dp_two_point           privacy is two inequalities
     randomised_response    the truth with odds e^eps : 1
     gibbs_two_point        a Gibbs law on two points, in numbers
     within_dirac           near points carry near laws
     discrete_kernel        a kernel on a space where every set is measurable    *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp.
From AsapDP Require Import Kernels PureDP Coupling Gibbs.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section discrete.
Context d d' (T : measurableType d) (U : measurableType d') (R : realType).
Hypothesis discrete : forall A : set T, measurable A.
Variables (K : T -> {measure set U -> \bar R}) (K1 : forall x, K x setT = 1).

Let K_measurable B : measurable B -> measurable_fun setT (fun x => K x B).
Proof. by move=> _ _ C _; exact: discrete. Qed.

Definition discrete_kernel : markov_kernel T U R :=
  @MarkovKernel _ _ T U R (Kernel K_measurable) K1.

End discrete.

Section two_point.
Context (R : realType).
Implicit Types (a b : {nonneg R}).

Lemma measurable_bool (A : set bool) : measurable A.
Proof. by []. Qed.

Lemma measurable_fun_on_bool d (T : measurableType d) (f : bool -> T) :
  measurable_fun setT f.
Proof. by move=> _ A _; exact: measurable_bool. Qed.

Definition two_point a b : {measure set bool -> \bar R} :=
  mix a b [the {measure set bool -> \bar R} of dirac true]
    [the {measure set bool -> \bar R} of dirac false].

Lemma two_pointE a b A : two_point a b A =
  a%:num%:E * (\1_A true)%:E + b%:num%:E * (\1_A false)%:E.
Proof. exact: mixE. Qed.

Lemma two_point_total a b : two_point a b setT = (a%:num + b%:num)%:E.
Proof. by rewrite two_pointE !indicE !in_setT !mule1. Qed.

Lemma two_point_true a b : two_point a b [set true] = a%:num%:E.
Proof.
rewrite two_pointE !indicE mem_set // memNset // mule1.
by rewrite mule0 adde0.
Qed.

Lemma two_point_false a b : two_point a b [set false] = b%:num%:E.
Proof.
rewrite two_pointE !indicE memNset // mem_set // mule1.
by rewrite mule0 add0e.
Qed.

Lemma integral_two_point a b (f : bool -> \bar R) : (forall x, 0 <= f x) ->
  \int[two_point a b]_x f x = a%:num%:E * f true + b%:num%:E * f false.
Proof.
move=> f0; have mf : measurable_fun setT f by exact: measurable_fun_on_bool.
rewrite /two_point /mix integral_measure_add //.
by rewrite !ge0_integral_mscale // !integral_dirac // !indicE !in_setT !mul1e.
Qed.

Lemma dp_two_point (eps : R) a b a' b' :
  (a%:num <= expR eps * a'%:num)%R -> (b%:num <= expR eps * b'%:num)%R ->
  dp eps (two_point a b) (two_point a' b').
Proof.
move=> aa' bb' A _; rewrite [leLHS]two_pointE [X in _ <= _ * X]two_pointE.
rewrite -!EFinM -!EFinD lee_fin mulrDr !mulrA.
by apply: ler_add; apply: ler_wpmul2r.
Qed.

End two_point.

Section randomised_response.
Context (R : realType).
Implicit Types (eps : R) (x y : bool).

Let odds_gt0 eps : (0 < expR eps + 1)%R.
Proof. by rewrite ltr_spaddr // expR_ge0. Qed.

Let chance eps x : R := ((if x then expR eps else 1) / (expR eps + 1))%R.

Let chance_ge0 eps x : (0 <= chance eps x)%R.
Proof. by rewrite divr_ge0 ?(ltW (odds_gt0 _)) //; case: x; rewrite ?expR_ge0. Qed.

Definition randomised_response eps x : {measure set bool -> \bar R} :=
  two_point (NngNum (chance_ge0 eps x)) (NngNum (chance_ge0 eps (~~ x))).

Lemma randomised_response_total eps x : randomised_response eps x setT = 1.
Proof.
rewrite two_point_total /= /chance -mulrDl.
by case: x; rewrite /= ?[(1 + _)%R]addrC divff // gt_eqF.
Qed.

Lemma randomised_response_dp eps x y : (0 <= eps)%R ->
  dp eps (randomised_response eps x) (randomised_response eps y).
Proof.
move=> eps0; have e1 : (1 <= expR eps)%R by rewrite -(@expR0 R) ler_expR.
have ratio u v : (chance eps u <= expR eps * chance eps v)%R.
  rewrite /chance mulrA ler_pmul2r ?invr_gt0 //.
  apply: (@le_trans _ _ (expR eps)); first by case: u.
  by rewrite ler_pmulr ?expR_gt0 //; case: v.
by apply: dp_two_point; exact: ratio.
Qed.

End randomised_response.

Section gibbs_two_point.
Context (R : realType) (a b : {nonneg R}) (f : {mfun bool >-> R}).

Lemma gibbs_weight_two_point A : gibbs_weight (two_point a b) f A =
  (a%:num * (expR (- f true) * \1_A true) +
   b%:num * (expR (- f false) * \1_A false))%:E.
Proof.
rewrite [LHS]densityE integral_two_point; first by rewrite -!EFinM -EFinD.
by move=> x; rewrite -EFinM lee_fin mulr_ge0 //= expR_ge0.
Qed.

Lemma partition_two_point : partition (two_point a b) f =
  (a%:num * expR (- f true) + b%:num * expR (- f false))%:E.
Proof. by rewrite [LHS]gibbs_weight_two_point !indicE !in_setT !mulr1. Qed.

Lemma normalisable_two_point : (0 < a%:num)%R -> normalisable (two_point a b) f.
Proof.
move=> a0; rewrite /normalisable partition_two_point lte_fin ltey andbT.
by rewrite ltr_spaddl ?mulr_gt0 ?expR_gt0 // mulr_ge0 // expR_ge0.
Qed.

Lemma gibbs_two_point A : gibbs (two_point a b) f A =
  ((a%:num * expR (- f true) + b%:num * expR (- f false))^-1 *
   (a%:num * (expR (- f true) * \1_A true) +
    b%:num * (expR (- f false) * \1_A false)))%:E.
Proof.
rewrite gibbsE partition_two_point [X in _ * X]gibbs_weight_two_point.
by rewrite -EFinM.
Qed.

End gibbs_two_point.

Section dirac.
Context d (T : measurableType d) (R : realType).

Lemma within_dirac (near : T -> T -> Prop) (x y : T) :
  measurable [set x] -> measurable [set y] -> near x y ->
  within near (dirac x : set T -> \bar R) (dirac y).
Proof.
move=> mx my xy.
exists [the {measure set (T * T)%type -> \bar R} of dirac (x, y)]; split.
  split=> A mA; rewrite /= !diracE; congr (nat_of_bool _)%:R%:E; apply/idP/idP;
    by rewrite !inE //= => -[].
exists (~` ([set x] `*` [set y])); split.
- by apply: measurableC; exact: measurableM.
- by rewrite /= diracE memNset //=; apply.
- by move=> [u v] /= nuv [ux vy]; apply: nuv; rewrite ux vy.
Qed.

Lemma bind_dirac d' (U : measurableType d') (K : kernel T U R) x A :
  measurable A ->
  bind [the {measure set T -> \bar R} of dirac x] K A = K x A.
Proof.
move=> mA; rewrite /bind integral_dirac ?indicE ?in_setT ?mul1e //.
exact: kernel_measurable.
Qed.

End dirac.
