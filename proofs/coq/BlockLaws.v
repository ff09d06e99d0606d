(* own:shaped-tilt at the level of real numbers: the laws of the blocks of a table.

   A cube: s r U, r the sum of n + 1 exponential numbers and U uniform in [-1, 1]^n, has
   density proportional to e^(-|z|_oo/s): substitute z = r u for a fixed r and exchange the
   integrals; the rest is the length of a tail.  A 1-norm block: s times n exponential
   numbers with fair signs, density proportional to e^(-|z|_1/s).

     own_cube_laplace       the law of a cube as it is drawn
     own_iid_laplace        the law of a 1-norm block as it is drawn
     cube_laplace_shift, iid_laplace_shift    what a shift along y costs
     beside P Q             two blocks side by side, independent
     beside_shift           their costs add up                                      *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Line Euclid Space GaussLine GaussSpace.
From AsapDP Require Import Volume ObjectivePerturbation Exponential Gamma EuclideanLaplace.
From AsapDP Require Import Independent.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * The 1-norm *)

Section Laplace.
Variable R : realType.
Implicit Types t s : R.

Definition two_sided t : R := half R * expR (- `|t|).

Let two_sided_ge0 t : 0 <= two_sided t.
Proof. by rewrite mulr_ge0 ?expR_ge0 // ltW // half_gt0. Qed.

Let measurable_two_sided : measurable_fun setT two_sided.
Proof.
apply: measurable_funrM; apply: measurable_fun_expR; apply: measurable_funN.
by apply: measurable_fun_comp; [exact: measurable_fun_normr|exact: measurable_fun_id].
Qed.

(* An exponential number with a sign. *)
Lemma laplace_law : line_law two_sided (signed (exponential R)).
Proof.
apply: (signed_law (p := @decay R) (s := [:: 0]) (measurable_decay_on `]0, +oo[) (@decay_ge0 R)
  measurable_two_sided two_sided_ge0).
- move=> t; rewrite inE => t0; rewrite /two_sided; congr (_ * _).
  have [tp|tn|te] := ltrgtP 0 t; last by rewrite te eqxx in t0.
    by rewrite (gtr0_norm tp) decay_gt0 // [decay (- t)]decay_le0 ?addr0 // oppr_le0 ltW.
  by rewrite (ltr0_norm tn) [decay t]decay_le0 ?(ltW tn) // decay_gt0 ?oppr_gt0 // add0r opprK.
- exact: (@integral_exponential R).
Qed.

Let signed_exponential_total := signed_total (exponential_total R).

(* n of them, times s. *)
Fact iid_laplace_spec n s : {Q : {measure set (space R n) -> \bar R} | Q setT = 1%E /\
  forall g : space R n -> \bar R, measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[Q]_b g b = \int[iid signed_exponential_total n]_b g (s *: (b : 'rV[R]_n))%R)%E}.
Proof.
exists [the {measure set (space R n) -> \bar R} of
  pushforward (iid signed_exponential_total n) (@measurable_scale R n s)]; split=> [|g mg g0].
  exact: (etrans (congr1 (iid signed_exponential_total n) (preimage_setT _)) (iid_total _ _)).
exact: (integral_pushforward (@measurable_scale R n s) _ mg g0).
Qed.

Definition iid_laplace n s : {measure set (space R n) -> \bar R} := sval (iid_laplace_spec n s).

Lemma iid_laplace_total n s : iid_laplace n s setT = 1%E.
Proof. exact: (proj1 (svalP (iid_laplace_spec n s))). Qed.

Lemma coordinate_norm1 n (u : 'rV[R]_n) i : `|u 0 i| <= norm1 u.
Proof. by rewrite /norm1 (bigD1 i) //= ler_addl sumr_ge0. Qed.

Lemma measurable_norm1 n :
  measurable_fun setT ((fun u : 'rV[R]_n => norm1 u) : space R n -> R).
Proof.
apply: (@lipschitz_measurable _ _ (Num.sqrt n%:R)) => u v.
apply: le_trans (norm1_le_norm2 _); have N := norm1_is_norm R n.
rewrite ler_norml; apply/andP; split; last first.
  by rewrite ler_subl_addr -{1}[u](subrK v) (norm_triangle N).
rewrite ler_oppl opprB ler_subl_addr -{1}[v](subrK u) (le_trans (norm_triangle N _ _)) //.
by rewrite ler_add2r (norm_distC N).
Qed.

Let product_two_sided n (b : space R n) :
  product two_sided b = half R ^+ n * expR (- norm1 (b : 'rV[R]_n)).
Proof.
rewrite /product /two_sided big_split /= prodr_const card_ord; congr (_ * _).
rewrite /norm1 (big_morph (fun x : R => expR (- x)) (id1 := 1) (op1 := *%R)) //.
  by move=> x y; rewrite opprD expRD.
by rewrite oppr0 expR0.
Qed.

Theorem own_iid_laplace n s : 0 < s -> norm_law (fun z => norm1 z / s) (iid_laplace n s).
Proof.
move=> s0; have -> : (fun z : 'rV[R]_n => norm1 z / s) = (fun z => norm1 (s^-1 *: z)).
  apply/funext => z; rewrite /norm1 mulr_suml; apply: eq_bigr => i _.
  by rewrite mxE normrM ger0_norm ?invr_ge0 ?ltW // mulrC.
have unit_law : norm_law (@norm1 R n) (iid signed_exponential_total n).
  exists (half R ^+ n); first by rewrite exprn_gt0 // half_gt0.
  move=> g mg g0.
  rewrite (iid_density signed_exponential_total measurable_two_sided two_sided_ge0 laplace_law mg g0).
  by apply: eq_integral => b _; rewrite product_two_sided.
exact: (norm_law_scale s0 (@measurable_norm1 n) unit_law (proj2 (svalP (iid_laplace_spec n s)))).
Qed.

Theorem iid_laplace_shift n s (y : 'rV[R]_n) : 0 < s ->
  shift_private (s^-1 * norm1 y) y (iid_laplace n s).
Proof.
move=> s0; apply: norm_law_shift (own_iid_laplace n s0).
  by apply: measurable_funM; [exact: measurable_norm1|exact: measurable_fun_cst].
move=> b r; have := norm_triangle (norm1_is_norm R n) b (r *: y) => tri.
rewrite -mulrA [norm1 y * _]mulrC [s^-1 * _]mulrC -mulrDl ler_pmul2r ?invr_gt0 //.
apply: le_trans tri _; rewrite ler_add2l /norm1 mulr_sumr; apply: ler_sum => i _.
by rewrite mxE normrM.
Qed.

End Laplace.

(** * The cube *)

Section Cube.
Variable R : realType.
Implicit Types t s : R.

Definition box t : R := half R * (t \in `]-1, 1[)%:R.

Let box_ge0 t : 0 <= box t.
Proof. by rewrite mulr_ge0 // ltW // half_gt0. Qed.

Let measurable_box : measurable_fun setT box.
Proof. by apply: measurable_funrM; exact: measurable_itv_indicator. Qed.

(* A uniform number with a sign. *)
Lemma box_law : line_law box (signed (uniform_unit R)).
Proof.
pose p t : R := (t \in `]0, 1])%:R.
have mp : measurable_fun setT p by exact: measurable_itv_indicator.
have p0 t : 0 <= p t by exact: ler0n.
apply: (signed_law (s := [:: 0; 1; -1]) mp p0 measurable_box box_ge0).
- move=> t; rewrite !inE !negb_or => /and3P[t0 t1 tm]; rewrite /box; congr (_ * _).
  rewrite /p !in_itv /= oppr_gt0 ler_oppl.
  have [tp|tn|te] := ltrgtP 0 t; last by rewrite te eqxx in t0.
    rewrite addr0 (lt_trans _ tp) ?oppr_lt0 //= le_eqVlt (negbTE t1) /=.
    by [].
  by rewrite add0r (lt_trans tn) // andbT /= le_eqVlt eq_sym (negbTE tm).
- move=> g mg g0; rewrite (integral_uniform_unit mg g0); apply: eq_integral => t _.
  by rewrite indicE /= mem_setE.
Qed.

Let uniform_total := signed_total (uniform_unit_total R).

Definition norm_oo n (u : 'rV[R]_n) : R := \big[Num.max/0]_i `|u 0 i|.

Lemma norm_oo_ge0 n (u : 'rV[R]_n) : 0 <= norm_oo u.
Proof. by rewrite /norm_oo; elim/big_ind: _ => // x y x0 y0; rewrite le_maxr x0. Qed.

Lemma norm_oo_le n (u : 'rV[R]_n) i : `|u 0 i| <= norm_oo u.
Proof. exact: (@le_bigmax _ _ _ 0 (fun i => `|u 0 i|) i). Qed.

Lemma norm_ooD n (u v : 'rV[R]_n) : norm_oo (u + v) <= norm_oo u + norm_oo v.
Proof.
apply/bigmax_leP; split; first by rewrite addr_ge0 ?norm_oo_ge0.
move=> i _; rewrite mxE (le_trans (ler_norm_add _ _)) // ler_add ?norm_oo_le //.
Qed.

Lemma norm_ooZ n a (u : 'rV[R]_n) : 0 < a -> norm_oo (a *: u) = a * norm_oo u.
Proof.
move=> a0; apply/eqP; rewrite eq_le; apply/andP; split.
  apply/bigmax_leP; split; first by rewrite mulr_ge0 ?norm_oo_ge0 // ltW.
  by move=> i _; rewrite mxE normrM (gtr0_norm a0) ler_pmul2l // norm_oo_le.
rewrite mulrC -ler_pdivl_mulr //; apply/bigmax_leP; split; first by rewrite divr_ge0 ?norm_oo_ge0 // ltW.
move=> i _; rewrite ler_pdivl_mulr // mulrC.
by have := norm_oo_le (a *: u) i; rewrite mxE normrM (gtr0_norm a0).
Qed.

Lemma norm_ooZ_le n r (u : 'rV[R]_n) : norm_oo (r *: u) <= norm_oo u * `|r|.
Proof.
apply/bigmax_leP; split; first by rewrite mulr_ge0 ?norm_oo_ge0.
by move=> i _; rewrite mxE normrM mulrC ler_wpmul2r ?norm_oo_le.
Qed.

Lemma measurable_norm_oo n :
  measurable_fun setT ((fun u : 'rV[R]_n => norm_oo u) : space R n -> R).
Proof.
have le2 (u : 'rV[R]_n) : norm_oo u <= norm2 u.
  by apply/bigmax_leP; split; [exact: norm2_ge0|move=> i _; exact: coordinate_norm2].
apply: (@lipschitz_measurable _ _ 1) => u v; rewrite mul1r ler_norml; apply/andP; split.
  rewrite ler_oppl opprB ler_subl_addr -{1}[v](subrK u) (le_trans (norm_ooD _ _)) //.
  by rewrite ler_add2r -norm2N opprB le2.
by rewrite ler_subl_addr -{1}[u](subrK v) (le_trans (norm_ooD _ _)) // ler_add2r le2.
Qed.

Let product_box n (b : space R n) :
  product box b = half R ^+ n * (norm_oo (b : 'rV[R]_n) < 1)%R%:R.
Proof.
rewrite /product /box big_split /= prodr_const card_ord; congr (_ * _).
have [/bigmax_ltP[_ all1]|nall] := boolP (norm_oo (b : 'rV[R]_n) < 1).
  rewrite big1 // => i _; have := all1 i isT.
  by rewrite in_itv /= ltr_norml => ->.
have [i ib] : exists i, ~~ (`|(b : 'rV[R]_n) 0 i| < 1).
  apply/existsP; apply: contraR nall; rewrite negb_exists => /forallP all1.
  by apply/bigmax_ltP; split => // i _; have := all1 i; rewrite negbK.
by rewrite (bigD1 i) //= in_itv /= -ltr_norml (negbTE ib) mul0r.
Qed.

Fact cube_laplace_spec n s : {Q : {measure set (space R n) -> \bar R} | Q setT = 1%E /\
  forall g : space R n -> \bar R, measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[Q]_z g z = \int[gamma R n.+1]_r \int[iid uniform_total n]_u
    g (s *: (r *: (u : 'rV[R]_n)))%R)%E}.
Proof.
pose K := const_kernel R (iid_total uniform_total n).
have ms : measurable_fun setT
    ((fun p => s *: (p.1 *: (p.2 : 'rV[R]_n))) : R * space R n -> space R n).
  apply: measurable_scaled; first exact: measurable_fun_cst.
  by apply: measurable_scaled; [exact: measurable_fst|exact: measurable_snd].
exists [the {measure set (space R n) -> \bar R} of pushforward (joint (gamma R n.+1) K) ms].
split=> [|g mg g0].
  apply: (etrans (congr1 (joint (gamma R n.+1) K) (preimage_setT _))).
  exact: (etrans (bind_total (gamma R n.+1) _) (gamma_total R n.+1)).
apply: (etrans (integral_pushforward ms (joint (gamma R n.+1) K) mg g0)).
exact: (ge0_integral_joint (gamma R n.+1) K (fun p => g0 _) (measurable_fun_comp mg ms)).
Qed.

Definition cube_laplace n s : {measure set (space R n) -> \bar R} := sval (cube_laplace_spec n s).

Lemma cube_laplace_total n s : cube_laplace n s setT = 1%E.
Proof. exact: (proj1 (svalP (cube_laplace_spec n s))). Qed.

Lemma integral_cube_laplace n s (g : space R n -> \bar R) :
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[cube_laplace n s]_z g z = \int[gamma R n.+1]_r \int[iid uniform_total n]_u
    g (s *: (r *: (u : 'rV[R]_n)))%R)%E.
Proof. exact: (proj2 (svalP (cube_laplace_spec n s))). Qed.

Section Substitution.
Variables (n : nat) (k : R) (k_ge0 : 0 <= k) (g : space R n -> \bar R).
Hypotheses (mg : measurable_fun setT g) (g0 : forall b, (0 <= g b)%E).

Let c : R := half R ^+ n.
Let c_ge0 : 0 <= c. Proof. by rewrite exprn_ge0 // ltW // half_gt0. Qed.

(* The part of the cube of side 2r. *)
Let G (p : R * space R n) : \bar R :=
  ((k * c * decay_on `]norm_oo (p.2 : 'rV[R]_n), +oo[ p.1)%:E * g p.2)%E.

Let inside (r : R) (z : space R n) : \bar R :=
  ((c * (norm_oo (z : 'rV[R]_n) < r)%R%:R)%:E * g z)%E.

Let measurable_below (r : R) :
  measurable_fun setT (fun z : space R n => (norm_oo (z : 'rV[R]_n) < r)%R%:R : R).
Proof.
rewrite [X in measurable_fun _ X](_ : _ = (fun t : R => (t \in `]-oo, r[)%:R : R) \o
    (fun z : space R n => norm_oo (z : 'rV[R]_n))); last first.
  by apply/funext => z; rewrite /= in_itv.
apply: measurable_fun_comp; first exact: measurable_itv_indicator.
exact: measurable_norm_oo.
Qed.

Let measurable_inside r : measurable_fun setT (inside r).
Proof. by apply: emeasurable_funM => //; apply: measurable_EFin; apply: measurable_funrM. Qed.

Let inside_ge0 r z : (0 <= inside r z)%E.
Proof. by rewrite mule_ge0 // lee_fin mulr_ge0. Qed.

Let mG : measurable_fun setT G.
Proof.
apply: emeasurable_funM; last exact: (measurable_fun_comp mg (@measurable_snd _ _ _ _)).
apply: measurable_EFin; apply: measurable_funrM; apply: measurable_funM.
  by apply: measurable_fun_expR; apply: measurable_funN; exact: measurable_fst.
rewrite [X in measurable_fun _ X](_ : _ = (fun t : R => (t \in `]0, +oo[)%:R : R) \o
    (fun p : R * space R n => p.1 - norm_oo (p.2 : 'rV[R]_n))); last first.
  by apply/funext => p; rewrite /= !in_itv /= !andbT subr_gt0.
apply: measurable_fun_comp; first exact: measurable_itv_indicator.
apply: measurable_funB; first exact: measurable_fst.
exact: (measurable_fun_comp (@measurable_norm_oo n) (@measurable_snd _ _ _ _)).
Qed.

Let G0 p : (0 <= G p)%E.
Proof. by rewrite mule_ge0 // lee_fin mulr_ge0 ?decay_on_ge0 // mulr_ge0. Qed.

(* For a fixed r: z = r u. *)
Let substitution (r : R) : ((k * gamma_weight n r)%:E *
    \int[iid uniform_total n]_u g (r *: (u : 'rV[R]_n))%R =
  \int[lebesgue R n]_z G (r, z))%E.
Proof.
have mgr : measurable_fun setT (fun u : space R n => g (r *: (u : 'rV[R]_n))).
  exact: (measurable_fun_comp mg (measurable_scale r)).
have [r0|r0] := leP r 0.
  rewrite /gamma_weight decay_le0 // !mulr0 mul0e (eq_integral (cst 0%E)) ?integral0 // => z _.
  rewrite /G /decay_on /= in_itv /= andbT ltNge (le_trans r0) ?norm_oo_ge0 //= !mulr0.
  by rewrite mul0e.
have rn : r != 0 by rewrite gt_eqF.
rewrite (iid_density uniform_total measurable_box box_ge0 box_law mgr (fun u => g0 _)).
have -> : (\int[lebesgue R n]_b ((product box b)%:E * g (r *: (b : 'rV[R]_n))%R) =
    \int[lebesgue R n]_b inside r (r *: (b : 'rV[R]_n))%R)%E.
  apply: eq_integral => b _; rewrite /inside product_box norm_ooZ // -/c.
  have -> : (r * norm_oo (b : 'rV[R]_n) < r) = (norm_oo (b : 'rV[R]_n) < 1).
    by rewrite -{2}[r]mulr1 ltr_pmul2l.
  by [].
rewrite (integral_lebesgue_scale rn (measurable_inside r) (inside_ge0 r)) (gtr0_norm r0).
have pw : 0 < r ^+ n by rewrite exprn_gt0.
rewrite muleA -EFinM /gamma_weight decay_gt0 //.
have -> : k * (r ^+ n * expR (- r)) * (r ^+ n)^-1 = k * expR (- r).
  by rewrite -mulrA; congr (_ * _); rewrite mulrAC mulfV ?mul1r // gt_eqF.
have k0 : 0 <= k * expR (- r) by rewrite mulr_ge0 ?expR_ge0.
rewrite -(int_scale _ k0 (measurable_inside r) (inside_ge0 r)); apply: eq_integral => z _.
rewrite /inside /G /decay_on /= in_itv /= andbT muleA -EFinM; congr (_%:E * _)%E.
by rewrite mulrACA.
Qed.

Let tail (z : space R n) : (\int[line R]_r G (r, z) =
  (k * c * expR (- norm_oo (z : 'rV[R]_n)))%:E * g z)%E.
Proof.
have md : measurable_fun setT (fun r : R => (decay_on `]norm_oo (z : 'rV[R]_n), +oo[ r)%:E).
  by apply: measurable_EFin; exact: measurable_decay_on.
have d0 (r : R) : (0 <= (decay_on `]norm_oo (z : 'rV[R]_n), +oo[ r)%:E)%E.
  by rewrite lee_fin decay_on_ge0.
have c0 : (0 <= (k * c)%:E * g z)%E by rewrite mule_ge0 // lee_fin mulr_ge0.
rewrite /G /=; under eq_integral do rewrite EFinM -muleA [(_ * g z)%E]muleC muleA.
by rewrite ge0_integralM // integral_decay_tail -muleA [(g z * _)%E]muleC muleA -EFinM.
Qed.

Lemma cube_integral : (\int[line R]_r ((k * gamma_weight n r)%:E *
    \int[iid uniform_total n]_u g (r *: (u : 'rV[R]_n))%R) =
  \int[lebesgue R n]_z ((k * c * expR (- norm_oo (z : 'rV[R]_n)))%:E * g z))%E.
Proof.
rewrite (eq_integral _ _ (fun r _ => substitution r)).
rewrite (swap (@line_sigma_finite R) (@lebesgue_sigma_finite R n) mG G0).
exact: (eq_integral _ _ (fun z _ => tail z)).
Qed.

End Substitution.

(* own:shaped-tilt: r U has density proportional to e^(-|z|_oo). *)
Theorem own_cube_laplace n s : 0 < s -> norm_law (fun z => norm_oo z / s) (cube_laplace n s).
Proof.
move=> s0; have -> : (fun z : 'rV[R]_n => norm_oo z / s) = (fun z => norm_oo (s^-1 *: z)).
  by apply/funext => z; rewrite norm_ooZ ?invr_gt0 // mulrC.
have [k k0 gd] := gamma_density R n; pose c : R := half R ^+ n.
have c0 : 0 < c by rewrite exprn_gt0 // half_gt0.
have sU : sigma_finite setT (iid uniform_total n).
  by apply: mass1_sigma_finite; rewrite iid_total ltry.
have mixed (g : space R n -> \bar R) : measurable_fun setT g -> (forall b, 0 <= g b)%E ->
    (\int[cube_laplace n 1]_z g z = \int[lebesgue R n]_z
      ((k * c * expR (- norm_oo (z : 'rV[R]_n)))%:E * g z))%E.
  move=> mg g0; rewrite -(cube_integral k0 mg g0) (integral_cube_laplace 1 mg g0).
  have mp : measurable_fun setT (fun p : R * space R n => g (p.1 *: (p.2 : 'rV[R]_n))).
    apply: (measurable_fun_comp mg); apply: measurable_scaled; first exact: measurable_fst.
    exact: measurable_snd.
  rewrite (eq_integral (fun r : R => \int[iid uniform_total n]_u g (r *: (u : 'rV[R]_n))%R))%E;
    last by move=> r _; apply: eq_integral => u _; rewrite scale1r.
  apply: gd; first exact: (measurable_inner sU mp (fun p => g0 _)).
  by move=> r; apply: int_ge0.
have kc : 0 < k * c.
  rewrite lt_neqAle mulr_ge0 ?(ltW c0) // andbT eq_sym; apply/negP => /eqP kc.
  have mone : measurable_fun setT (fun _ : space R n => 1%E : \bar R) by exact: measurable_fun_cst.
  have := mixed _ mone (fun=> lee01); rewrite integral_cst // cube_laplace_total mul1e kc.
  rewrite (eq_integral (cst 0%E)) ?integral0; last by move=> z _; rewrite mul0r mul0e.
  by move=> -[] /eqP; rewrite oner_eq0.
have unit_law : norm_law (@norm_oo n) (cube_laplace n 1) by exists (k * c).
have scaled (g : space R n -> \bar R) : measurable_fun setT g -> (forall b, 0 <= g b)%E ->
    (\int[cube_laplace n s]_z g z = \int[cube_laplace n 1]_z g (s *: (z : 'rV[R]_n))%R)%E.
  move=> mg g0; have mgs := measurable_fun_comp mg (measurable_scale s).
  refine (etrans (integral_cube_laplace s mg g0)
    (etrans _ (esym (integral_cube_laplace 1 mgs (fun b => g0 _))))).
  by apply: eq_integral => r _; apply: eq_integral => b _; rewrite /= scale1r.
exact: (norm_law_scale s0 (@measurable_norm_oo n) unit_law scaled).
Qed.

Theorem cube_laplace_shift n s (y : 'rV[R]_n) : 0 < s ->
  shift_private (s^-1 * norm_oo y) y (cube_laplace n s).
Proof.
move=> s0; apply: norm_law_shift (own_cube_laplace n s0).
  by apply: measurable_funM; [exact: measurable_norm_oo|exact: measurable_fun_cst].
move=> b r; rewrite -mulrA [norm_oo y * _]mulrC [s^-1 * _]mulrC -mulrDl ler_pmul2r ?invr_gt0 //.
apply: le_trans (norm_ooD _ _) _; rewrite ler_add2l mulrC; exact: norm_ooZ_le.
Qed.

End Cube.

(** * Blocks side by side *)

Section Beside.
Variables (R : realType) (n1 n2 : nat).
Variables (P : {measure set (space R n1) -> \bar R}) (Q : {measure set (space R n2) -> \bar R}).
Hypothesis Q_total : Q setT = 1%E.

Let paste (p : space R n1 * space R n2) : space R (n1 + n2) :=
  row_mx (p.1 : 'rV[R]_n1) (p.2 : 'rV[R]_n2).

Let measurable_paste : measurable_fun setT paste.
Proof.
apply: measurable_rows => i; rewrite /paste.
have [j ->|j ->] := split_ordP i.
  rewrite [X in measurable_fun _ X](_ : _ = (fun u : space R n1 => (u : 'rV[R]_n1) 0 j) \o fst).
    exact: (measurable_fun_comp (GaussSpace.measurable_coordinate j) (@measurable_fst _ _ _ _)).
  by apply/funext => p; rewrite row_mxEl.
rewrite [X in measurable_fun _ X](_ : _ = (fun u : space R n2 => (u : 'rV[R]_n2) 0 j) \o snd).
  exact: (measurable_fun_comp (GaussSpace.measurable_coordinate j) (@measurable_snd _ _ _ _)).
by apply/funext => p; rewrite row_mxEr.
Qed.

Fact beside_spec : {S : {measure set (space R (n1 + n2)) -> \bar R} | S setT = P setT /\
  forall g : space R (n1 + n2) -> \bar R, measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[S]_b g b = \int[P]_u \int[Q]_v g (paste (u, v)))%E}.
Proof.
pose J := joint P (const_kernel (space R n1) Q_total).
exists [the {measure set (space R (n1 + n2)) -> \bar R} of pushforward J measurable_paste].
split=> [|g mg g0].
  exact: (etrans (congr1 J (preimage_setT _)) (bind_total P _)).
apply: (etrans (integral_pushforward measurable_paste J mg g0)).
exact: (ge0_integral_joint P (const_kernel (space R n1) Q_total) (fun p => g0 _)
  (measurable_fun_comp mg measurable_paste)).
Qed.

Definition beside : {measure set (space R (n1 + n2)) -> \bar R} := sval beside_spec.

Lemma beside_total : P setT = 1%E -> beside setT = 1%E.
Proof. exact: (etrans (proj1 (svalP beside_spec))). Qed.

Let measurable_move n (y : 'rV[R]_n) r : measurable_fun setT (along y r).
Proof. by apply: measurable_add; [exact: measurable_fun_id|exact: measurable_fun_cst]. Qed.

(* What holds of sets holds of functions. *)
Lemma shift_integral n (S : {measure set (space R n) -> \bar R}) c y r
    (h : space R n -> \bar R) : shift_private c y S ->
  measurable_fun setT h -> (forall b, 0 <= h b)%E ->
  (\int[S]_b h (along y r b) <= (expR (c * `|r|))%:E * \int[S]_b h b)%E.
Proof.
move=> priv mh h0.
have moved : dp (c * `|r|) (pushforward S (measurable_move y r)) S by move=> A mA; exact: priv.
by rewrite -(integral_pushforward (measurable_move y r) S mh h0); exact: dp_integral.
Qed.

Theorem beside_shift c1 c2 (y1 : 'rV[R]_n1) (y2 : 'rV[R]_n2) :
  shift_private c1 y1 P -> shift_private c2 y2 Q ->
  shift_private (c1 + c2) (row_mx y1 y2) beside.
Proof.
move=> priv1 priv2 r A mA; set y := row_mx y1 y2.
have mrA : measurable (along y r @^-1` A).
  by rewrite -[X in measurable X]setTI; exact: measurable_move.
have m1 : measurable_fun setT (fun b : space R (n1 + n2) => (\1_A b)%:E : \bar R).
  by apply: measurable_EFin; exact: measurable_fun_indic.
have i0 (b : space R (n1 + n2)) : (0 <= (\1_A b)%:E :> \bar R)%E by rewrite lee_fin.
have m1r := measurable_fun_comp m1 (measurable_move y r).
have sQ : sigma_finite setT Q by apply: mass1_sigma_finite; rewrite Q_total ltry.
have mp := measurable_fun_comp m1 measurable_paste.
pose F (u : space R n1) : \bar R := (\int[Q]_v (\1_A (paste (u, v)))%:E)%E.
have mF : measurable_fun setT F by exact: (measurable_inner sQ mp (fun p => i0 _)).
have F0 u : (0 <= F u)%E by apply: int_ge0.
have -> : beside A = (\int[P]_u F u)%E.
  by rewrite (integral_one _ mA); exact: (proj2 (svalP beside_spec) _ m1 i0).
have -> : beside (along y r @^-1` A) =
    (\int[P]_u \int[Q]_v (\1_A (paste (along y1 r u, along y2 r v)))%:E)%E.
  rewrite (integral_one _ mrA).
  transitivity (\int[beside]_b (\1_A (along y r b))%:E)%E.
    by apply: eq_integral => b _; rewrite !indicE; congr (nat_of_bool _)%:R%:E.
  rewrite (proj2 (svalP beside_spec) _ m1r (fun b => i0 _)).
  apply: eq_integral => u _; apply: eq_integral => v _.
  by rewrite /= /paste /along /y scale_row_mx add_row_mx.
have mu u : measurable_fun setT (fun v : space R n2 => (\1_A (paste (u, v)))%:E : \bar R).
  exact: (measurable_fun_prod1 (f := fun p => (\1_A (paste p))%:E) u mp).
have mFr := measurable_fun_comp mF (measurable_move y1 r).
have e0 : 0 <= expR (c2 * `|r|) by exact: expR_ge0.
apply: (@le_trans _ _ (\int[P]_u ((expR (c2 * `|r|))%:E * F (along y1 r u)))%E).
  apply: ae_ge0_le_integral.
  - by move=> u; apply: int_ge0.
  - by move=> u; rewrite mule_ge0 // lee_fin.
  - have mpr : measurable_fun setT (fun p : space R n1 * space R n2 =>
        (\1_A (paste (along y1 r p.1, along y2 r p.2)))%:E : \bar R).
      rewrite [X in measurable_fun _ X](_ : _ = (fun b => (\1_A (along y r b))%:E) \o paste).
        exact: (measurable_fun_comp m1r measurable_paste).
      by apply/funext => p; rewrite /= /paste /along /y scale_row_mx add_row_mx.
    exact: (measurable_inner sQ mpr (fun p => i0 _)).
  - exact: measurable_funeM.
  exists set0; split=> // u /=; apply: contraPP => _; apply.
  exact: (shift_integral r priv2 (mu _) (fun v => i0 _)).
rewrite (int_scale _ e0 mFr (fun u => F0 _)) mulrDl expRD EFinM [X in (_ <= X * _)%E]muleC -muleA.
apply: lee_wpmul2l; first by rewrite lee_fin.
exact: (shift_integral r priv1 mF F0).
Qed.

End Beside.
