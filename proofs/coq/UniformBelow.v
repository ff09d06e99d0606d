(* own:uniform-below: uniform numbers below n from fair bits, by rejection. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.analysis Require Import reals topology normedtype sequences.
From AsapDP Require Import Program.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Import numFieldTopology.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section UniformBelow.
Variable R : realType.
Implicit Types (n k rounds : nat).

Definition fair : program R bool := coin 2%:R^-1.

(* The number whose k binary digits are fair coins. *)
Fixpoint bits k : program R nat :=
  if k is k'.+1 then b <~ fair ; r <~ bits k' ; ret R (b + r.*2)%N else ret R 0%N.

(* One try: k bits, thrown away unless they are below n. *)
Definition try_below n k : program R (option nat) :=
  r <~ bits k ; ret R (if (r < n)%N then Some r else None).

Definition uniform_below n k rounds := retry rounds (try_below n k).

Lemma sum_even_odd n (f : nat -> R) :
  \sum_(i < n.*2) f i = \sum_(i < n) f i.*2 + \sum_(i < n) f i.*2.+1.
Proof.
elim: n => [|n IH]; first by rewrite !big_ord0 addr0.
by rewrite doubleS !big_ord_recr /= IH -addrA addrACA.
Qed.

Lemma mean_bits k f : mean (bits k) f = (2 ^ k)%:R^-1 * \sum_(i < 2 ^ k) f i.
Proof.
elim: k f => [|k IH] f.
  by rewrite expn0 big_ord_recl big_ord0 mean_ret addr0 invr1 mul1r.
have half : 1 - 2%:R^-1 = 2%:R^-1 :> R.
  by rewrite {1}(splitr 1) div1r addrK.
rewrite /= mean_draw mean_coin half !mean_map !IH -!mulrDr.
by rewrite expnS mul2n sum_even_odd -mul2n natrM invfM -mulrA addrC.
Qed.

Lemma prob_try_below n k i : (n <= 2 ^ k)%N -> (i < n)%N ->
  prob (try_below n k) (Some i) = (2 ^ k)%:R^-1.
Proof.
move=> n2k i_n; rewrite /prob mean_map mean_bits.
have i2k : (i < 2 ^ k)%N := leq_trans i_n n2k.
rewrite (bigD1 (Ordinal i2k)) //= i_n eqxx big1 ?addr0 ?mulr1 // => j ji.
case: ifP => // _; apply/eqP; rewrite pnatr_eq0 eqb0.
by apply: contraNneq ji => -[jE]; apply/eqP/val_inj.
Qed.

Lemma prob_try_below_None n k : (n <= 2 ^ k)%N ->
  prob (try_below n k) None = 1 - n%:R / (2 ^ k)%:R.
Proof.
move=> n2k; rewrite /prob mean_map mean_bits.
have q0 : (2 ^ k)%:R != 0 :> R by rewrite pnatr_eq0 -lt0n expn_gt0.
have -> : \sum_(r < 2 ^ k) ((if (r < n)%N then Some (r : nat) else None) == None)%:R
    = (2 ^ k)%:R - n%:R :> R.
  rewrite -(big_mkord xpredT (fun r => ((if (r < n)%N then Some r else None) == None)%:R)).
  rewrite (big_cat_nat _ _ _ (leq0n n) n2k) /= big_nat big1 ?add0r => [|r /andP[_ rn]].
    rewrite big_nat (eq_bigr (fun=> 1)) => [|r /andP[nr _]].
      by rewrite -big_nat sumr_const_nat natrB.
    by rewrite ltnNge nr.
  by rewrite rn.
by rewrite mulrBr mulVf // mulrC.
Qed.

Section Exact.
Variables (n k : nat).
Hypotheses (n_gt0 : (0 < n)%N) (n_le : (n <= 2 ^ k)%N).

Let q_gt0 : 0 < (2 ^ k)%:R :> R. Proof. by rewrite ltr0n expn_gt0. Qed.

Let rejected : 0 <= prob (try_below n k) None < 1.
Proof.
rewrite prob_try_below_None // subr_ge0 ler_pdivr_mulr // mul1r ler_nat n_le /=.
by rewrite ltr_subl_addl ltr_addr divr_gt0 // ltr0n.
Qed.

(* No value is preferred, however many rounds are allowed. *)
Theorem own_uniform_below_fair rounds i j : (i < n)%N -> (j < n)%N ->
  prob (uniform_below n k rounds) (Some i) = prob (uniform_below n k rounds) (Some j).
Proof. by move=> i_n j_n; rewrite !prob_retry !prob_try_below. Qed.

Theorem own_uniform_below i : (i < n)%N ->
  (fun rounds => prob (uniform_below n k rounds) (Some i)) --> (n%:R^-1 : R).
Proof.
move=> i_n; have := prob_retry_limit (x := i) rejected.
rewrite prob_try_below // prob_try_below_None // opprB addrC subrK.
by rewrite invf_div mulrA mulVf ?mul1r // gt_eqF.
Qed.

(* With the smallest number of bits more than half of the draws are kept. *)
Theorem own_uniform_below_ends rounds : (2 ^ k < n.*2)%N ->
  prob (uniform_below n k rounds) None <= 2%:R^-1 ^+ rounds.
Proof.
move=> small; rewrite prob_retry_None ler_expn2r ?nnegrE ?invr_ge0 ?ler0n //.
  by case/andP: rejected.
rewrite prob_try_below_None // ler_subl_addl -ler_subl_addr {1}(splitr 1) div1r addrK.
rewrite ler_pdivl_mulr // ler_pdivr_mull ?ltr0n // -natrM ler_nat mul2n.
exact: ltnW.
Qed.

End Exact.
End UniformBelow.
