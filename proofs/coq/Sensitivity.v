(* lem:sensitivity_minimizer: how far the minimisers of neighbours are apart.

   Strong convexity is stated by its inequality on segments, so that no inner
   product, no gradient and no completeness is needed: any vector space with a
   norm, any convex domain.  [Euclid] supplies the 2-norm on R^d. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets reals nsatz_realtype.
From AsapDP Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Local Open Scope classical_set_scope.

Section Definitions.
Variables (R : realType) (V : lmodType R) (N : V -> R).
Implicit Types (C : set V) (J l : V -> R).

Definition segment (t : R) (x y : V) : V := t *: x + (1 - t) *: y.

Definition convex_set C :=
  forall x y t, C x -> C y -> 0 <= t <= 1 -> C (segment t x y).

(* Lambda = 0 is convexity. *)
Definition strongly_convex C (Lambda : R) J :=
  forall x y t, C x -> C y -> 0 <= t <= 1 ->
  J (segment t x y) <=
    t * J x + (1 - t) * J y - Lambda / 2%:R * (t * (1 - t)) * N (x - y) ^+ 2.

Definition minimiser C J (a : V) := C a /\ forall x, C x -> J a <= J x.

Definition lipschitz_on C (G : R) l :=
  forall x y, C x -> C y -> l x - l y <= G * N (x - y).

End Definitions.

Section Sensitivity.
Variables (R : realType) (V : lmodType R) (N : V -> R).
Hypothesis normed : is_norm N.
Implicit Types (C : set V) (J l : V -> R) (Lambda G tau t : R).

Lemma strongly_convexD C Lambda J l :
  strongly_convex N C Lambda J -> strongly_convex N C 0 l ->
  strongly_convex N C Lambda (fun x => J x + l x).
Proof.
move=> Jc lc x y t Cx Cy t01.
by apply: le_from (ler_add (Jc x y t Cx Cy t01) (lc x y t Cx Cy t01)) _; nsatz.
Qed.

Lemma lipschitz_onN C G l :
  lipschitz_on N C G l -> lipschitz_on N C G (fun x => - l x).
Proof.
move=> lG x y Cx Cy; rewrite (norm_distC normed).
by apply: le_from (lG y x Cy Cx) _; nsatz.
Qed.

Lemma lipschitz_onB C G l l' :
  lipschitz_on N C G l -> lipschitz_on N C G l' ->
  lipschitz_on N C (2%:R * G) (fun x => l x - l' x).
Proof.
move=> lG l'G x y Cx Cy; have := lG x y Cx Cy; have := l'G y x Cy Cx.
rewrite (norm_distC normed y) => h h'; apply: le_from (ler_add h h') _.
by rewrite -[2%:R * G * _]mulrA mulr_natl mulr2n; nsatz.
Qed.

(* Along the segment from the minimiser a to b the objective first cannot fall;
   what strong convexity adds then has to be paid by J b. *)
Lemma quadratic_growth C Lambda J a b :
  convex_set C -> strongly_convex N C Lambda J -> minimiser C J a -> C b ->
  J a + Lambda / 2%:R * N (a - b) ^+ 2 <= J b.
Proof.
move=> Cc Jc [Ca Ja] Cb; rewrite addrC -ler_subr_addr.
set M := Lambda / 2%:R * _; set gap := J b - J a.
have step t : 0 < t <= 1 -> M * (1 - t) <= gap.
  move=> /andP[t0 t1]; have t01 : 0 <= t <= 1 by rewrite ltW.
  have := le_trans (Ja _ (Cc _ _ _ Cb Ca t01)) (Jc _ _ _ Cb Ca t01).
  rewrite (norm_distC normed) => low; rewrite -(ler_pmul2l t0).
  by apply: le_from low _; rewrite /gap /M expr2; nsatz.
have gap0 : 0 <= gap by have := step 1; rewrite ltr01 lexx subrr mulr0 => ->.
rewrite leNgt; apply/negP => gapM.
have M0 : 0 < M := le_lt_trans gap0 gapM.
have := step ((M - gap) / M / 2%:R).
have t0 : 0 < (M - gap) / M / 2%:R by rewrite !divr_gt0 ?subr_gt0 // ltr0n.
have tM : (M - gap) / M <= 1.
  by rewrite ler_pdivr_mulr // mul1r ler_subl_addr ler_addl.
have th : (M - gap) / M / 2%:R < (M - gap) / M.
  by rewrite ltr_pdivr_mulr ?ltr0n // ltr_pmulr ?ltr1n // divr_gt0 ?subr_gt0.
rewrite t0 (le_trans (ltW th) tM) => /(_ isT); apply/negP; rewrite -ltNge.
by rewrite mulrBr mulr1 ltr_subr_addl -ltr_subr_addr mulrC -ltr_pdivl_mulr.
Qed.

(* The two objectives see each other's minimisers from a distance. *)
Lemma lem_sensitivity_minimizer C Lambda G J J' a b :
  0 < Lambda -> 0 <= G -> convex_set C ->
  strongly_convex N C Lambda J -> strongly_convex N C Lambda J' ->
  lipschitz_on N C G (fun x => J x - J' x) ->
  minimiser C J a -> minimiser C J' b ->
  N (a - b) <= G / Lambda.
Proof.
move=> L0 G0 Cc Jc J'c JG am bm.
have growth := ler_add (quadratic_growth Cc Jc am (proj1 bm))
                       (quadratic_growth Cc J'c bm (proj1 am)).
have := JG b a (proj1 bm) (proj1 am); rewrite (norm_distC normed b a) => lip.
have [N0|Nneq] := eqVneq (N (a - b)) 0; first by rewrite N0 divr_ge0 // ltW.
have Npos : 0 < N (a - b) by rewrite lt_neqAle eq_sym Nneq (norm_ge0 normed).
rewrite ler_pdivl_mulr // -(ler_pmul2r Npos).
rewrite (norm_distC normed b a) in growth.
apply: le_from (ler_add growth lip) _.
rewrite expr2; have := splitr Lambda; set h := Lambda / 2%:R => ->; nsatz.
Qed.

(* Replace-one neighbours: a common part, and one loss exchanged for another. *)
Corollary lem_sensitivity_minimizer_replace C Lambda G J l l' a b :
  0 < Lambda -> 0 <= G -> convex_set C ->
  strongly_convex N C Lambda J ->
  strongly_convex N C 0 l -> strongly_convex N C 0 l' ->
  lipschitz_on N C G l -> lipschitz_on N C G l' ->
  minimiser C (fun x => J x + l x) a -> minimiser C (fun x => J x + l' x) b ->
  N (a - b) <= 2%:R * G / Lambda.
Proof.
move=> L0 G0 Cc Jc lc l'c lG l'G am bm.
apply: (lem_sensitivity_minimizer L0 _ Cc (strongly_convexD Jc lc) (strongly_convexD Jc l'c)) am bm.
  by rewrite mulr_ge0 ?ler0n.
by move=> x y Cx Cy; apply: le_from (lipschitz_onB lG l'G Cx Cy) _; nsatz.
Qed.

(* Add/remove neighbours: one loss more. *)
Corollary lem_sensitivity_minimizer_add C Lambda G J l a b :
  0 < Lambda -> 0 <= G -> convex_set C ->
  strongly_convex N C Lambda J -> strongly_convex N C 0 l ->
  lipschitz_on N C G l ->
  minimiser C (fun x => J x + l x) a -> minimiser C J b ->
  N (a - b) <= G / Lambda.
Proof.
move=> L0 G0 Cc Jc lc lG am bm.
apply: (lem_sensitivity_minimizer L0 G0 Cc (strongly_convexD Jc lc) Jc) am bm.
by move=> x y Cx Cy; apply: le_from (lG x y Cx Cy) _; nsatz.
Qed.

(* Points found within tau of the minimisers. *)
Corollary lem_sensitivity_minimizer_approx C Lambda G tau J J' a b a' b' :
  0 < Lambda -> 0 <= G -> convex_set C ->
  strongly_convex N C Lambda J -> strongly_convex N C Lambda J' ->
  lipschitz_on N C G (fun x => J x - J' x) ->
  minimiser C J a -> minimiser C J' b ->
  N (a' - a) <= tau -> N (b' - b) <= tau ->
  N (a' - b') <= G / Lambda + 2%:R * tau.
Proof.
move=> L0 G0 Cc Jc J'c JG am bm; apply: (dist_moved normed).
exact: lem_sensitivity_minimizer am bm.
Qed.

(* own:certified-minimiser: a small slope certifies a near minimiser.  The slope
   is any lower bound on how fast J can fall from x; |grad J x| <= Lambda tau
   gives it, and so does a gradient mapping. *)
Lemma own_certified_minimiser C Lambda tau J a x :
  0 < Lambda -> 0 <= tau -> convex_set C -> strongly_convex N C Lambda J ->
  minimiser C J a -> C x ->
  J x - Lambda * tau * N (a - x) + Lambda / 2%:R * N (a - x) ^+ 2 <= J a ->
  N (x - a) <= tau.
Proof.
move=> L0 tau0 Cc Jc am Cx slope; have growth := quadratic_growth Cc Jc am Cx.
rewrite (norm_distC normed x a).
have [->//|Nneq] := eqVneq (N (a - x)) 0.
have Npos : 0 < N (a - x) by rewrite lt_neqAle eq_sym Nneq (norm_ge0 normed).
rewrite -(ler_pmul2l L0) -(ler_pmul2r Npos); apply: le_from (ler_add slope growth) _.
rewrite expr2; have := splitr Lambda; set h := Lambda / 2%:R => ->; nsatz.
Qed.

End Sensitivity.

(* The ridge term that every objective of the crate contains. *)
Section Ridge.
Variables (R : realType) (d : nat).
Implicit Types (C : set 'rV[R]_d) (Lambda : R).

Lemma strongly_convex_ridge C Lambda :
  strongly_convex (@norm2 R d) C Lambda (fun x => Lambda / 2%:R * norm2 x ^+ 2).
Proof.
move=> x y t _ _ _; rewrite sqr_norm2_segment expr2 le_eqVlt.
by apply/orP; left; apply/eqP; nsatz.
Qed.

Lemma convex_sum C (I : Type) (r : seq I) (l : I -> 'rV[R]_d -> R) :
  (forall i, strongly_convex (@norm2 R d) C 0 (l i)) ->
  strongly_convex (@norm2 R d) C 0 (fun x => \sum_(i <- r) l i x).
Proof.
move=> lc; elim: r => [|i r IH] x y t Cx Cy t01.
  by rewrite !big_nil !mul0r !mulr0 subr0 addr0.
rewrite !big_cons.
by apply: le_from (ler_add (lc i x y t Cx Cy t01) (IH x y t Cx Cy t01)) _; nsatz.
Qed.

(* J_D(x) = sum of the losses of the records + (Lambda/2)|x|_2^2. *)
Definition objective (Z : Type) (loss : Z -> 'rV[R]_d -> R) Lambda (D : seq Z) x :=
  Lambda / 2%:R * norm2 x ^+ 2 + \sum_(z <- D) loss z x.

Lemma objective_strongly_convex C Z (loss : Z -> 'rV[R]_d -> R) Lambda D :
  (forall z, strongly_convex (@norm2 R d) C 0 (loss z)) ->
  strongly_convex (@norm2 R d) C Lambda (objective loss Lambda D).
Proof.
by move=> lc; apply: strongly_convexD (convex_sum D lc); apply: strongly_convex_ridge.
Qed.

(* The lemma for data sets: one record more, in any position. *)
Theorem lem_sensitivity_minimizer_data C Z (loss : Z -> 'rV[R]_d -> R) Lambda G D D' z a b :
  0 < Lambda -> 0 <= G -> convex_set C ->
  (forall z, strongly_convex (@norm2 R d) C 0 (loss z)) ->
  (forall z, lipschitz_on (@norm2 R d) C G (loss z)) ->
  minimiser C (objective loss Lambda (D ++ z :: D')) a ->
  minimiser C (objective loss Lambda (D ++ D')) b ->
  norm2 (a - b) <= G / Lambda.
Proof.
move=> L0 G0 Cc lc lG am bm.
apply: (lem_sensitivity_minimizer (norm2_is_norm R d) L0 G0 Cc) am bm;
  try exact: objective_strongly_convex.
move=> x y Cx Cy; rewrite /objective !big_cat !big_cons.
by apply: le_from (lG z x y Cx Cy) _; nsatz.
Qed.

Theorem lem_sensitivity_minimizer_data_replace C Z (loss : Z -> 'rV[R]_d -> R)
    Lambda G D D' z z' a b :
  0 < Lambda -> 0 <= G -> convex_set C ->
  (forall z, strongly_convex (@norm2 R d) C 0 (loss z)) ->
  (forall z, lipschitz_on (@norm2 R d) C G (loss z)) ->
  minimiser C (objective loss Lambda (D ++ z :: D')) a ->
  minimiser C (objective loss Lambda (D ++ z' :: D')) b ->
  norm2 (a - b) <= 2%:R * G / Lambda.
Proof.
move=> L0 G0 Cc lc lG am bm.
apply: (lem_sensitivity_minimizer (norm2_is_norm R d) L0 _ Cc) am bm;
  try exact: objective_strongly_convex; first by rewrite mulr_ge0 ?ler0n.
move=> x y Cx Cy; rewrite /objective !big_cat !big_cons.
by apply: le_from (lipschitz_onB (norm2_is_norm R d) (lG z) (lG z') Cx Cy) _; nsatz.
Qed.

End Ridge.
