(* own:proximal (c), (d): a contraction repeated, with an error in each step.

   Three layers.  Numbers: w' <= rho w + e.  Points: two sequences driven by the
   same randomness.  Laws: [contracts], which a joint step of two copies implies
   (a coupling kernel that brings almost all pairs closer).  That the proximal
   step contracts with rho = 1/(1 + m eta) is own:proximal (b), a written proof. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.analysis Require Import signed reals ereal topology sequences.
From mathcomp.analysis Require Import measure lebesgue_measure lebesgue_integral exp.
From mathcomp.analysis Require Import nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Numbers *)

Section Numbers.
Variable R : realType.
Implicit Types (rho e D : R) (w : nat -> R) (k : nat).

Definition after rho e D k : R := rho ^+ k * D + e * \sum_(j < k) rho ^+ j.

Lemma after0 rho e D : after rho e D 0 = D.
Proof. by rewrite /after big_ord0 mulr0 addr0 mul1r. Qed.

Lemma afterS rho e D k : after rho e D k.+1 = rho * after rho e D k + e.
Proof.
rewrite /after big_ord_recl expr0 exprS; under eq_bigr do rewrite exprS.
by rewrite -mulr_sumr; nsatz.
Qed.

Lemma contraction_recursion rho e w k : 0 <= rho ->
  (forall j, w j.+1 <= rho * w j + e) -> w k <= after rho e (w 0%N) k.
Proof.
move=> rho0 step; elim: k => [|k IH]; first by rewrite after0.
by apply: le_trans (step k) _; rewrite afterS ler_add2r ler_wpmul2l.
Qed.

Lemma geometric_sum_le rho k : 0 <= rho < 1 ->
  \sum_(j < k) rho ^+ j <= (1 - rho)^-1.
Proof.
move=> /andP[rho0 rho1]; rewrite -[leRHS]mul1r ler_pdivl_mulr ?subr_gt0 //.
by rewrite mulrC -[X in X * _]opprB mulNr -subrX1 opprB ler_subl_addl ler_addr exprn_ge0.
Qed.

(* The constants of own:proximal: rho = 1/(1 + m eta), x = m eta. *)
Lemma proximal_error_sum (x : R) k : 0 < x ->
  \sum_(j < k) (1 + x)^-1 ^+ j <= 1 + x^-1.
Proof.
move=> x0; have x1 : 0 < 1 + x by rewrite addr_gt0 // ltr01.
apply: le_trans (geometric_sum_le _ _) _.
  by rewrite invr_ge0 ltW //= invf_lt1 // ltr_addl.
rewrite (_ : 1 - _ = x / (1 + x)); first by rewrite invf_div mulrDl mul1r divff ?gt_eqF // addrC.
apply: (mulIf (lt0r_neq0 x1)).
by rewrite mulrBl mulVf ?divfK ?gt_eqF // mul1r addrAC subrr add0r.
Qed.

Lemma proximal_steps_enough (x B Delta : R) k : 0 < x -> 0 < B -> 0 < Delta ->
  ln (B / Delta) <= k%:R * ln (1 + x) -> (1 + x)^-1 ^+ k * B <= Delta.
Proof.
move=> x0 B0 D0; have x1 : 0 < 1 + x by rewrite addr_gt0 // ltr01.
rewrite mulr_natl -lnX // ler_ln ?posrE ?divr_gt0 ?exprn_gt0 //.
rewrite ler_pdivr_mulr // => enough.
by rewrite exprVn mulrC ler_pdivr_mulr ?exprn_gt0 // mulrC.
Qed.

End Numbers.

(** * Points *)

(* Two sequences of points: an exact one, and a computed one whose every step is
   within e of the exact step from where it is. *)
Theorem contraction_points (R : realType) (T : Type) (dist : T -> T -> R)
    (step : nat -> T -> T) (x y : nat -> T) (rho e : R) (k : nat) :
  (forall a b c, dist a c <= dist a b + dist b c) -> 0 <= rho ->
  (forall j a b, dist (step j a) (step j b) <= rho * dist a b) ->
  (forall j, dist (x j.+1) (step j (x j)) <= e) ->
  (forall j, y j.+1 = step j (y j)) ->
  dist (x k) (y k) <= after rho e (dist (x 0%N) (y 0%N)) k.
Proof.
move=> triangle rho0 contracts computed exact_steps.
apply: (contraction_recursion (w := fun j => dist (x j) (y j))) => // j.
rewrite exact_steps addrC; apply: le_trans (triangle _ (step j (x j)) _) _.
by rewrite ler_add.
Qed.

(** * Laws *)

(* What vanishes almost everywhere has integral 0. *)
Lemma integral_ae0 d (T : measurableType d) (R : realType)
    (mu : {measure set T -> \bar R}) (f : T -> \bar R) (P : T -> Prop) :
  (forall x, (0 <= f x)%E) -> measurable_fun setT f ->
  {ae mu, forall x, P x} -> (forall x, P x -> f x = 0%E) ->
  (\int[mu]_x f x = 0)%E.
Proof.
move=> f0 mf [N [mN N0 subN]] f_null; apply/eqP.
rewrite eq_le integral_ge0 ?andbT // -(integral0 mu setT).
apply: ae_ge0_le_integral => //; first exact: measurable_fun_cst.
exists N; split=> // x /= f_pos; apply: subN => Px; apply: f_pos.
by rewrite f_null.
Qed.

Section Laws.
Context d (T : measurableType d) (R : realType) (dist : T -> T -> R).
Hypothesis dist_measurable : measurable_fun setT (fun z : T * T => dist z.1 z.2).
Implicit Types (mu nu : {measure set T -> \bar R}) (r rho e : R).

Local Notation pairs := [the measurableType _ of (T * T)%type].

Definition close r (x y : T) := dist x y <= r.

Definition far r : set (T * T) := [set z | ~ close r z.1 z.2].

Lemma far_measurable r : measurable (far r).
Proof.
have -> : far r = ~` ((fun z => dist z.1 z.2) @^-1` [set` `]-oo, r]%R]).
  by apply/seteqP; split=> z /=; rewrite /far /close /= in_itv.
apply: measurableC; rewrite -[X in measurable X]setTI.
by apply: dist_measurable => //; exact: measurable_itv.
Qed.

Lemma within_monotone r r' (mu nu : set T -> \bar R) : r <= r' ->
  within (close r) mu nu -> within (close r') mu nu.
Proof.
move=> rr' [pi [pimunu [N [mN N0 subN]]]]; exists pi; split=> //.
exists N; split=> // z far'; apply: subN => near; apply: far'.
exact: le_trans near rr'.
Qed.

(* own:proximal (b), (d): a step of the one and a step of the other bring laws
   together by the factor rho, up to e. *)
Definition contracts rho e (P P' : kernel T T R) :=
  forall r mu nu, within (close r) mu nu ->
  within (close (rho * r + e)) (bind mu P) (bind nu P').

(* A sufficient condition: one joint step of two copies, P from x and P' from y. *)
Record coupling_kernel rho e (P P' : kernel T T R) (Q : kernel pairs pairs R) : Prop :=
  CouplingKernel {
    coupling_marginals : forall z, coupling (Q z) (P z.1) (P' z.2);
    coupling_closer : forall r z, close r z.1 z.2 ->
      {ae Q z, forall w : T * T, close (rho * r + e) w.1 w.2} }.

Theorem coupling_kernel_contracts rho e P P' Q :
  coupling_kernel rho e P P' Q -> contracts rho e P P'.
Proof.
move=> [marginals closer] r mu nu [pi [pimunu near]].
exists [the {measure set (T * T)%type -> \bar R} of bind pi Q]; split.
  split=> A mA; rewrite /= /bind.
    rewrite -(integral_coupling_first pimunu (f := fun x => P x A)) //.
      by apply: eq_integral => z _; case: (marginals z) => ->.
    exact: kernel_measurable.
  rewrite -(integral_coupling_second pimunu (f := fun y => P' y A)) //.
    by apply: eq_integral => z _; case: (marginals z) => _ ->.
  exact: kernel_measurable.
have mfar := far_measurable (rho * r + e).
exists (far (rho * r + e)); split=> //; rewrite /= /bind.
apply: integral_ae0 near _ => // [|z /closer [F [mF F0 subF]]].
  exact: kernel_measurable.
exact: subset_measure0 F0.
Qed.

(** ** Errors *)

(* Each computed state is within e of an exact one. *)
Section Errors.
Variables (error : markov_kernel T T R) (e : R).
Hypothesis triangle : forall a b c, dist a c <= dist a b + dist b c.
Hypothesis small : forall x, {ae error x, forall x', close e x' x}.

(* Pairs are points of any space U with two measurable coordinates: nested
   products are more than the library's unification bears. *)
Section Pair.
Context d' (U : measurableType d') (first second : U -> T).
Hypothesis mfirst : measurable_fun setT first.
Hypothesis msecond : measurable_fun setT second.
Variable pi : {measure set U -> \bar R}.

Let error_of_first_measurable A : measurable A ->
  measurable_fun setT (fun z => error (first z) A).
Proof.
move=> mA; have mf : measurable_fun setT (fun x => error x A) by exact: kernel_measurable.
exact: measurable_fun_comp mf mfirst.
Qed.

Let error_of_first : markov_kernel U T R :=
  @MarkovKernel _ _ U T R (Kernel error_of_first_measurable)
    (fun z => markov_total error (first z)).

Let moved (z : U * T) : T * T := (z.2, second z.1).

Let moved_measurable : measurable_fun setT moved.
Proof.
apply/prod_measurable_funP; split; first exact: measurable_snd.
exact: measurable_fun_comp msecond (@measurable_fst _ _ U T).
Qed.

Definition move_first : {measure set (T * T)%type -> \bar R} :=
  [the {measure set (T * T)%type -> \bar R} of
    pushforward (joint pi error_of_first) moved_measurable].

Lemma move_first_first A : move_first (A `*` setT) = (\int[pi]_z error (first z) A)%E.
Proof.
transitivity (joint pi error_of_first (setT `*` A)); last exact: joint_second.
by congr (joint _ _ _); apply/seteqP; split=> -[z x] /= [].
Qed.

Lemma move_first_second A : measurable A ->
  move_first (setT `*` A) = pi (second @^-1` A).
Proof.
move=> mA; transitivity (joint pi error_of_first ((second @^-1` A) `*` setT)).
  by congr (joint _ _ _); apply/seteqP; split=> -[z x] /= [].
by apply: joint_first; rewrite -[X in measurable X]setTI; exact: msecond.
Qed.

Lemma move_first_close r : {ae pi, forall z, close r (first z) (second z)} ->
  {ae move_first, forall w, close (r + e) w.1 w.2}.
Proof.
move=> near; have mfar := far_measurable (r + e).
have mfar' : measurable (moved @^-1` far (r + e)).
  by rewrite -[X in measurable X]setTI; exact: moved_measurable.
exists (far (r + e)); split=> //.
transitivity (\int[pi]_z error (first z) (xsection (moved @^-1` far (r + e)) z))%E.
  exact: (jointE pi error_of_first).
apply: (integral_ae0 _ _ near); first by move=> z; exact: measure_ge0.
  rewrite (_ : (fun z => _) = fun z => graph error_of_first z (moved @^-1` far (r + e))).
    exact: kernel_measurable.
  by apply/funext => z; rewrite graphE.
move=> z near_z; case: (small (first z)) => N [mN N0 subN].
apply: subset_measure0 N0 => //; first exact: measurable_xsection.
move=> x'; rewrite /xsection /= inE => far_x'; apply: subN => near_x'; apply: far_x'.
by apply: le_trans (triangle x' (first z) _) _; rewrite addrC; exact: ler_add.
Qed.

End Pair.

Lemma within_error r mu nu : within (close r) mu nu ->
  within (close (r + e)) (bind mu error) nu.
Proof.
move=> [pi [pimunu near]].
exists (move_first (@measurable_fst _ _ T T) (@measurable_snd _ _ T T) pi).
split; last exact: move_first_close.
split=> A mA.
  rewrite move_first_first (integral_coupling_first pimunu (f := fun x => error x A)) //.
  exact: kernel_measurable.
by rewrite move_first_second // preimage_snd; case: pimunu => _ ->.
Qed.

Lemma contracts_error rho (P : markov_kernel T T R) P' :
  contracts rho 0 P P' -> contracts rho e (comp P error) P'.
Proof.
move=> PP' r mu nu /PP'; rewrite addr0 => /within_error.
apply: eq_within => // A mA; rewrite /bind ge0_integral_bind //.
exact: kernel_measurable.
Qed.

End Errors.

(** ** Repeated *)

Fixpoint steps (P : kernel T T R) k mu : {measure set T -> \bar R} :=
  if k is j.+1 then [the {measure set T -> \bar R} of bind (steps P j mu) P] else mu.

Theorem contraction_laws rho e P P' r mu nu k : contracts rho e P P' ->
  within (close r) mu nu ->
  within (close (after rho e r k)) (steps P k mu) (steps P' k nu).
Proof.
move=> PP' munu; elim: k => [|k IH]; first by rewrite after0.
by rewrite afterS; exact: PP' IH.
Qed.

Definition invariant (P : kernel T T R) nu :=
  forall A, measurable A -> bind nu P A = nu A.

Lemma steps_invariant P nu k A : invariant P nu -> measurable A -> steps P k nu A = nu A.
Proof.
move=> inv; elim: k A => // k IH A mA /=; rewrite -inv // /bind.
by apply: eq_measure_integral => B mB _; exact: IH.
Qed.

(* own:proximal: P is the step that runs, P' the exact step, nu its target. *)
Theorem own_proximal_contraction rho e P P' r mu nu k :
  contracts rho e P P' -> invariant P' nu -> within (close r) mu nu ->
  within (close (after rho e r k)) (steps P k mu) nu.
Proof.
move=> PP' inv munu.
apply: (eq_within _ _ (contraction_laws k PP' munu)) => // A mA.
exact: steps_invariant.
Qed.

(* With rho = 1/(1 + m eta), x = m eta, from the centre of a ball of radius B. *)
Corollary own_proximal_c x B Delta P mu nu k : 0 < x -> 0 < B -> 0 < Delta ->
  contracts (1 + x)^-1 0 P P -> invariant P nu -> within (close B) mu nu ->
  ln (B / Delta) <= k%:R * ln (1 + x) ->
  within (close Delta) (steps P k mu) nu.
Proof.
move=> x0 B0 D0 PP inv munu enough.
apply: within_monotone (own_proximal_contraction k PP inv munu).
by rewrite /after mul0r addr0 proximal_steps_enough.
Qed.

Corollary own_proximal_d x e B Delta P P' mu nu k :
  0 < x -> 0 <= e -> 0 < B -> 0 < Delta ->
  contracts (1 + x)^-1 e P P' -> invariant P' nu -> within (close B) mu nu ->
  ln (B / Delta) <= k%:R * ln (1 + x) ->
  within (close (Delta + e * (1 + x^-1))) (steps P k mu) nu.
Proof.
move=> x0 e0 B0 D0 PP' inv munu enough.
apply: within_monotone (own_proximal_contraction k PP' inv munu).
by rewrite ler_add ?proximal_steps_enough // ler_wpmul2l // proximal_error_sum.
Qed.

End Laws.
