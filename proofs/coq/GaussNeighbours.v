(* own:gaussian-tilt: neighbours.

   With [GaussObjective], both releases are one function of two tilts whose laws are
   mu-GDP; a replaced record is one less and one more, and distances add.

     seen_together                  two data sets, seen from one that is a part of both
     own_gaussian_tilt_add_remove   mu >= m + sqrt(pi/2) J
     own_gaussian_tilt_replace_one  twice that                                        *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Sensitivity Line Flow Space Argmin.
From AsapDP Require Import ObjectivePerturbation Logistic HockeyStick Profile GaussLine.
From AsapDP Require Import GaussCurve GaussHalf GaussPlane GaussCompose GaussSpace.
From AsapDP Require Import GaussTail GaussBoth GaussTilt GaussObjective.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Neighbours *)

Section Neighbours.
Variables (R : realType) (n : nat) (C : set 'rV[R]_n).
Variables (Z : Type) (x : Z -> 'rV[R]_n) (loss slope : Z -> R -> R) (curvature : Z -> R).
Variable Lambda : R.
Hypothesis contract : loss_contract C x loss slope curvature Lambda.
Hypothesis domain : domain_contract C.
Variable sd : 'rV[R]_n.
Let M := solved contract domain sd.
Let N := normal_space R n.

(* Two data sets seen from one that is a part of both: each release is the minimiser of
   the common part at the tilt F g, from which B tells g. *)
Inductive seen_together (mu : R) (D D' : seq Z) : Prop := SeenTogether (D0 : seq Z)
  (F F' B B' : space R n -> space R n) of measurable_fun setT F & measurable_fun setT F' &
  measurable_fun setT B & measurable_fun setT B' &
  (forall g, B (F g) = g) & (forall g, B' (F' g) = g) &
  (forall g, M D (B g) = M D0 g) & (forall g, M D' (B' g) = M D0 g) &
  (forall eps k, test k -> (\int[N]_g k (F g) <=
    (expR eps)%:E * \int[N]_g k (F' g) + (delta mu eps)%:E)%E).

Variables (m J mu : R).
Hypothesis sd_gt0 : forall i, 0 < sd 0 i.
Hypothesis price : gaussian_price C x slope Lambda sd m J.
Hypotheses (m_gt0 : 0 < m) (J_ge0 : 0 <= J).
Hypothesis mu_pays : m + half R * mass R * J <= mu.

Let m_le_mu : m <= mu.
Proof.
apply: le_trans mu_pays; rewrite ler_addl.
exact: (mulr_ge0 (mulr_ge0 (ltW (half_gt0 R)) (ltW (mass_gt0 R))) J_ge0).
Qed.

Let m_bounds : 0 <= m <= mu.
Proof. by rewrite (ltW m_gt0) m_le_mu. Qed.

Let mu_gt0 : 0 < mu := lt_le_trans m_gt0 m_le_mu.

Let one D1 D2 z := one_record_gdp contract domain sd_gt0 D1 D2 z price m_bounds
  (fun eps => own_gaussian_tilt_price m_gt0 J_ge0 mu_pays (eps := eps)).

(* The nine facts of [seen_together], for a record more and a record less. *)
Lemma add_remove_seen D D' : add_remove D D' -> seen_together mu D D'.
Proof.
case=> -[D1 [z [D2 [-> ->]]]]; have [up down] := one D1 D2 z.
  apply: (SeenTogether (D0 := D1 ++ D2) (F := forth contract domain sd D1 D2 z)
    (F' := id) (B := back contract domain sd D1 D2 z) (B' := id)).
  - exact: measurable_forth.
  - exact: measurable_fun_id.
  - exact: measurable_back.
  - exact: measurable_fun_id.
  - by move=> g; rewrite forthK.
  - by [].
  - by move=> g; rewrite /M solved_back.
  - by [].
  move=> eps k tk; rewrite -(integral_moved_tilt contract domain sd D1 D2 z tk).
  exact: (up eps k tk).
apply: (SeenTogether (D0 := D1 ++ D2) (F := id) (F' := forth contract domain sd D1 D2 z)
  (B := id) (B' := back contract domain sd D1 D2 z)).
- exact: measurable_fun_id.
- exact: measurable_forth.
- exact: measurable_fun_id.
- exact: measurable_back.
- by [].
- by move=> g; rewrite forthK.
- by [].
- by move=> g; rewrite /M solved_back.
move=> eps k tk; rewrite -(integral_moved_tilt contract domain sd D1 D2 z tk).
exact: (down eps k tk).
Qed.

Lemma replace_one_seen D D' : replace_one D D' -> seen_together (mu + mu) D D'.
Proof.
case=> D1 [z [z' [D2 [-> ->]]]].
have [up _] := one D1 D2 z; have [_ down] := one D1 D2 z'.
apply: (SeenTogether (D0 := D1 ++ D2) (F := forth contract domain sd D1 D2 z)
  (F' := forth contract domain sd D1 D2 z') (B := back contract domain sd D1 D2 z)
  (B' := back contract domain sd D1 D2 z')).
- exact: measurable_forth.
- exact: measurable_forth.
- exact: measurable_back.
- exact: measurable_back.
- by move=> g; rewrite forthK.
- by move=> g; rewrite forthK.
- by move=> g; rewrite /M solved_back.
- by move=> g; rewrite /M solved_back.
move=> eps k tk; rewrite -(integral_moved_tilt contract domain sd D1 D2 z tk).
rewrite -(integral_moved_tilt contract domain sd D1 D2 z' tk).
exact: (gdp_trans mu_gt0 mu_gt0 up down eps tk).
Qed.

Let integral_exact D (k : space R n -> \bar R) : test k ->
  (\int[exact contract domain (normal_tilt sd) D]_t k t = \int[N]_g k (M D g))%E.
Proof.
case=> mk k0 _; have mr := measurable_released contract domain D.
apply: (etrans (integral_pushforward mr (normal_tilt sd) mk k0)).
exact: (integral_pushforward (measurable_times_sd sd) N (measurable_fun_comp mk mr)
  (fun b => k0 _)).
Qed.

Let seen_exact nu D D' : seen_together nu D D' ->
  gdp nu (exact contract domain (normal_tilt sd) D) (exact contract domain (normal_tilt sd) D').
Proof.
case=> D0 F F' B B' _ _ _ _ BF BF' ME ME' le eps k tk; rewrite !integral_exact //.
have [mk k0 k1] := tk.
have FE g : M D0 (F g) = M D g by rewrite -ME BF.
have FE' g : M D0 (F' g) = M D' g by rewrite -ME' BF'.
have tM : test (fun g => k (M D0 g)).
  by split=> //; exact: (measurable_fun_comp mk (measurable_solved contract domain sd D0)).
have eqF : (\int[N]_g k (M D0 (F g)) = \int[N]_g k (M D g))%E.
  by apply: eq_integral => g _; rewrite FE.
have eqF' : (\int[N]_g k (M D0 (F' g)) = \int[N]_g k (M D' g))%E.
  by apply: eq_integral => g _; rewrite FE'.
by rewrite -eqF -eqF'; exact: (le eps (fun g => k (M D0 g)) tM).
Qed.

Theorem own_gaussian_tilt_add_remove D D' : add_remove D D' ->
  gdp mu (exact contract domain (normal_tilt sd) D) (exact contract domain (normal_tilt sd) D').
Proof. by move=> DD'; exact/seen_exact/add_remove_seen. Qed.

Theorem own_gaussian_tilt_replace_one D D' : replace_one D D' ->
  gdp (mu + mu) (exact contract domain (normal_tilt sd) D)
    (exact contract domain (normal_tilt sd) D').
Proof. by move=> DD'; exact/seen_exact/replace_one_seen. Qed.

End Neighbours.
