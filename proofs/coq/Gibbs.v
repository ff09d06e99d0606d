(* lem:pure_DP_Post_Sam: the exact posterior on a bounded set is private.

   The Gibbs law of an energy f has density e^(-f)/Z with respect to a base
   measure.  If the energies of two data sets differ by a function of oscillation
   at most eps, their Gibbs laws are eps-indistinguishable: oscillation, not
   absolute value, so nothing is lost to the two normalising constants.

   The proof compares at a *pair* of points,
     e^(-g y) e^(-f x) <= e^eps e^(-f y) e^(-g x),
   integrates over x in A and over every y, and divides by both constants; no
   supremum or infimum of an energy appears.

     dp_density             a bound on densities is a bound on laws
     gibbs mu f             the law e^(-f) mu / Z
     lem_pure_DP_Post_Sam   oscillation of f - g at most eps
     lem_pure_DP_Post_Sam_diameter   gamma * G * Diam at most eps             *)

From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp.
From mathcomp.analysis Require Import nsatz_realtype.
From AsapDP Require Import Kernels PureDP.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Lemma dp_density d (T : measurableType d) (R : realType) (eps : R)
    (mu : {measure set T -> \bar R}) (u v : T -> {nonneg R})
    (u_measurable : measurable_fun setT (fun x => (u x)%:num))
    (v_measurable : measurable_fun setT (fun x => (v x)%:num)) :
  {ae mu, forall x, ((u x)%:num <= expR eps * (v x)%:num)%R} ->
  dp eps (density mu u_measurable) (density mu v_measurable).
Proof.
move=> [N [mN N0 subN]] A mA.
(* Places are named: a search for the pattern would compare both densities. *)
rewrite [leLHS]densityE [X in _ <= _ * X]densityE.
have mA1 : measurable_fun setT (fun x => (\1_A x)%:E : \bar R).
  exact/EFin_measurable_fun/measurable_fun_indic.
have mu1 : measurable_fun setT (fun x => (u x)%:num%:E * (\1_A x)%:E).
  by apply: emeasurable_funM => //; exact/EFin_measurable_fun.
have mv1 : measurable_fun setT (fun x => (v x)%:num%:E * (\1_A x)%:E).
  by apply: emeasurable_funM => //; exact/EFin_measurable_fun.
have ge0 (w : T -> {nonneg R}) x : 0 <= (w x)%:num%:E * (\1_A x)%:E :> \bar R.
  by rewrite -EFinM lee_fin mulr_ge0.
rewrite -ge0_integralM_EFin //; last exact: expR_ge0.
apply: ae_ge0_le_integral => //.
- by move=> x; rewrite mule_ge0 ?expR_weight_ge0.
- exact: measurable_funeM.
exists N; split => // x /= notle; apply: subN => /= uv; apply: notle.
by rewrite -!EFinM lee_fin mulrA ler_wpmul2r.
Qed.

(* An inequality follows from another one with the same difference of its sides. *)
Lemma ler_shift (R : realType) (a b c d : R) :
  (d - c = b - a -> a <= b -> c <= d)%R.
Proof. by move=> dcba; rewrite -subr_ge0 -dcba subr_ge0. Qed.

(* On numbers alone, because a search among measures is slow. *)
Lemma divide_cross (R : realType) (a b Za Zb : \bar R) (za zb e : R) :
  a \is a fin_num -> b \is a fin_num -> (0 < za)%R -> (0 < zb)%R ->
  za%:E = Za -> zb%:E = Zb -> a * Zb <= e%:E * (b * Za) ->
  (za^-1)%:E * a <= e%:E * ((zb^-1)%:E * b).
Proof.
move=> /fineK <- /fineK <- za0 zb0 <- <-; rewrite -!EFinM !lee_fin.
rewrite -ler_pdivl_mulr // => cross.
rewrite mulrC ler_pdivr_mulr //; apply: le_trans cross _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; nsatz.
Qed.

Section gibbs.
Context d (T : measurableType d) (R : realType).
Variable mu : {measure set T -> \bar R}.
Implicit Types (f g : {mfun T >-> R}).

Definition boltzmann (f : T -> R) (x : T) : {nonneg R} :=
  NngNum (expR_ge0 (- f x)).

Lemma measurable_boltzmann f :
  measurable_fun setT (fun x => (boltzmann f x)%:num).
Proof.
apply: (measurable_fun_comp (f := @expR R) (g := fun x => - f x)%R).
  by apply: continuous_measurable_fun; exact: continuous_expR.
by apply: measurable_funN => //; exact: measurable_funP.
Qed.

Definition gibbs_weight f : {measure set T -> \bar R} :=
  density mu (measurable_boltzmann f).

Definition partition f : \bar R := gibbs_weight f setT.

Lemma partitionE f : partition f = \int[mu]_x (expR (- f x))%:E.
Proof.
rewrite /partition densityE.
by apply: eq_integral => x _; rewrite indicE in_setT mule1.
Qed.

Let inv_partition_ge0 f : (0 <= (fine (partition f))^-1)%R.
Proof. by rewrite invr_ge0 fine_ge0. Qed.

Definition gibbs f : {measure set T -> \bar R} :=
  [the {measure set T -> \bar R} of
    mscale (NngNum (inv_partition_ge0 f)) (gibbs_weight f)].

Lemma gibbsE f A : gibbs f A = ((fine (partition f))^-1)%:E * gibbs_weight f A.
Proof. by []. Qed.

Definition normalisable f := 0 < partition f < +oo.

Lemma partition_fineK f : normalisable f -> (fine (partition f))%:E = partition f.
Proof. by move=> /andP[Z0 Zoo]; rewrite fineK // ge0_fin_numE // ltW. Qed.

Lemma partition_fine_gt0 f : normalisable f -> (0 < fine (partition f))%R.
Proof. by move=> nf; rewrite -lte_fin partition_fineK //; case/andP: nf. Qed.

Lemma gibbs_total f : normalisable f -> gibbs f setT = 1.
Proof.
move=> nf; rewrite gibbsE -/(partition f) -partition_fineK // -EFinM.
by rewrite mulVf // gt_eqF // partition_fine_gt0.
Qed.

Lemma gibbs_weight_fin_num f A :
  normalisable f -> measurable A -> gibbs_weight f A \is a fin_num.
Proof.
move=> /andP[_ Zoo] mA; rewrite ge0_fin_numE //; apply: le_lt_trans Zoo.
by apply: le_measure; rewrite ?inE.
Qed.

(** * Energies that differ by a function of small oscillation *)

(* The base measure lives on Theta, and there alone the energies are compared. *)
Variable Theta : set T.
Hypothesis mTheta : measurable Theta.
Hypothesis mu_on_Theta : mu (~` Theta) = 0.

Let ae_Theta (P : T -> Prop) :
  (forall x, Theta x -> P x) -> {ae mu, forall x, P x}.
Proof.
move=> TP; exists (~` Theta); split => //; first exact: measurableC.
by move=> x nP Tx; exact/nP/TP.
Qed.

Variables (f g : {mfun T >-> R}) (eps : R).
Hypothesis oscillation :
  forall x y, Theta x -> Theta y -> (f y - g y - (f x - g x) <= eps)%R.

Let weight_at y A : Theta y -> measurable A ->
  (expR (- g y))%:E * gibbs_weight f A <=
  (expR eps)%:E * ((expR (- f y))%:E * gibbs_weight g A).
Proof.
move=> Ty mA.
have fg : dp (eps + g y - f y) (gibbs_weight f) (gibbs_weight g).
  apply: dp_density; apply: ae_Theta => x Tx /=.
  rewrite -expRD ler_expR; apply: ler_shift (oscillation Tx Ty).
  nsatz.
rewrite (le_trans (lee_wpmul2l _ (fg A mA))) ?expR_weight_ge0 //.
rewrite !muleA -!EFinM -!expRD le_eqVlt; apply/orP; left; apply/eqP.
by congr ((expR _)%:E * _); nsatz.
Qed.

(* Both sides of weight_at, integrated over y. *)
Let partition_cross A : measurable A ->
  gibbs_weight f A * partition g <=
  (expR eps)%:E * (gibbs_weight g A * partition f).
Proof.
move=> mA.
have mw (h : {mfun T >-> R}) (k : \bar R) :
    measurable_fun setT (fun y => k * (expR (- h y))%:E).
  apply: measurable_funeM; apply/EFin_measurable_fun.
  exact: measurable_boltzmann.
have w0 (h : {mfun T >-> R}) (k : \bar R) y : 0 <= k ->
    0 <= k * (expR (- h y))%:E.
  by move=> k0; rewrite mule_ge0 // expR_weight_ge0.
have intE (h : {mfun T >-> R}) (k : \bar R) : 0 <= k ->
    k * partition h = \int[mu]_y (k * (expR (- h y))%:E).
  move=> k0; rewrite partitionE ge0_integralM; first by [].
  - exact: measurableT.
  - by apply/EFin_measurable_fun; exact: measurable_boltzmann.
  - by move=> y _; exact: expR_weight_ge0.
  - exact: k0.
have Wf0 : 0 <= gibbs_weight f A by exact: measure_ge0.
have Wg0 : 0 <= (expR eps)%:E * gibbs_weight g A.
  by rewrite mule_ge0 ?expR_weight_ge0 ?measure_ge0.
rewrite muleA (intE g _ Wf0) (intE f _ Wg0).
apply: ae_ge0_le_integral.
- by move=> y; exact: w0.
- by move=> y; exact: w0.
- exact: mw.
- exact: mw.
- apply: ae_Theta => y Ty; rewrite muleC -muleA (muleC (gibbs_weight g A)).
  exact: weight_at.
Qed.

Theorem lem_pure_DP_Post_Sam :
  normalisable f -> normalisable g -> dp eps (gibbs f) (gibbs g).
Proof.
move=> nf ng A mA; rewrite [leLHS]gibbsE [X in _ <= _ * X]gibbsE.
apply: divide_cross (partition_cross mA).
- exact: gibbs_weight_fin_num.
- exact: gibbs_weight_fin_num.
- exact: partition_fine_gt0.
- exact: partition_fine_gt0.
- exact: partition_fineK.
- exact: partition_fineK.
Qed.

End gibbs.

(** * Objectives whose difference is Lipschitz on a set of bounded diameter *)

Section diameter.
Context d (T : measurableType d) (R : realType).
Variables (mu : {measure set T -> \bar R}) (Theta : set T).
Hypothesis mTheta : measurable Theta.
Hypothesis mu_on_Theta : mu (~` Theta) = 0.
(* dist stands for any distance; only its bound on Theta is used. *)
Variables (J J' : {mfun T >-> R}) (dist : T -> T -> R) (gamma G diam eps : R).
Hypothesis gamma_ge0 : (0 <= gamma)%R.
Hypothesis G_ge0 : (0 <= G)%R.
Hypothesis lipschitz : forall x y, Theta x -> Theta y ->
  (J y - J' y - (J x - J' x) <= G * dist x y)%R.
Hypothesis diameter : forall x y, Theta x -> Theta y -> (dist x y <= diam)%R.
Hypothesis temperature : (gamma * G * diam <= eps)%R.

Corollary lem_pure_DP_Post_Sam_diameter :
  normalisable mu (scale_mfun gamma J) -> normalisable mu (scale_mfun gamma J') ->
  dp eps (gibbs mu (scale_mfun gamma J)) (gibbs mu (scale_mfun gamma J')).
Proof.
apply: (lem_pure_DP_Post_Sam mTheta mu_on_Theta) => x y Tx Ty /=.
rewrite -!mulrBl mulrC; apply: le_trans temperature; rewrite -mulrA.
apply: ler_wpmul2l => //; apply: le_trans (lipschitz Tx Ty) _.
by apply: ler_wpmul2l => //; exact: diameter.
Qed.

End diameter.
