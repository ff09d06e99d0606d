(* Finite probabilistic programs: what a sampler does with at most so many steps.

   A law with finitely many outcomes is a list of weighted values; [ret] and
   [draw] make programs of such laws, as the samplers of the crate are written:
   x <~ m ; k draws x from m and goes on with k.
   A loop gets a number of rounds; what it has not decided by then is [None], and
   the theorems about a sampler let the number of rounds grow. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.analysis Require Import reals topology normedtype sequences.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Import numFieldTopology.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Reserved Notation "x <~ m ; k" (at level 100, m at next level, k at level 200,
  right associativity, format "x  <~  m ;  '/' k").

Section Program.
Variable R : realType.
Implicit Types (T U : Type).

Definition program T := seq (R * T).

Definition ret T (x : T) : program T := [:: (1, x)].
Definition draw T U (m : program T) (k : T -> program U) : program U :=
  flatten [seq [seq (p.1 * q.1, q.2) | q <- k p.2] | p <- m].

(* The mean of f, and the probability of an outcome. *)
Definition mean T (m : program T) (f : T -> R) : R := \sum_(p <- m) p.1 * f p.2.
Definition prob (T : eqType) (m : program T) (x : T) : R := mean m (fun y => (y == x)%:R).

Lemma eq_mean T (m : program T) f g : f =1 g -> mean m f = mean m g.
Proof. by move=> fg; apply: eq_bigr => p _; rewrite fg. Qed.

Lemma mean_ret T (x : T) f : mean (ret x) f = f x.
Proof. by rewrite /mean big_seq1 mul1r. Qed.

Lemma mean_draw T U (m : program T) (k : T -> program U) f :
  mean (draw m k) f = mean m (fun x => mean (k x) f).
Proof.
rewrite /mean big_flatten big_map; apply: eq_bigr => p _.
by rewrite big_map mulr_sumr; apply: eq_bigr => q _; rewrite mulrA.
Qed.

Lemma mean_map T U (m : program T) (h : T -> U) f :
  mean (draw m (fun x => ret (h x))) f = mean m (fun x => f (h x)).
Proof. by rewrite mean_draw; apply: eq_mean => x; rewrite mean_ret. Qed.

Lemma meanD T (m : program T) f g : mean m (fun x => f x + g x) = mean m f + mean m g.
Proof. by rewrite -big_split; apply: eq_bigr => p _; rewrite mulrDr. Qed.

Lemma meanZ T (m : program T) c f : mean m (fun x => c * f x) = c * mean m f.
Proof. by rewrite mulr_sumr; apply: eq_bigr => p _; rewrite mulrCA. Qed.

Lemma meanZr T (m : program T) c f : mean m (fun x => f x * c) = mean m f * c.
Proof. by rewrite mulrC -meanZ; apply: eq_mean => x; rewrite mulrC. Qed.

(* Weights are probabilities: none is negative. *)
Definition nonnegative T (m : program T) := all (fun p => 0 <= p.1) m.

Lemma mean_ge0 T (m : program T) f : nonnegative m -> (forall x, 0 <= f x) -> 0 <= mean m f.
Proof.
move=> + f0; rewrite /mean; elim: m => [|p m IH]; first by rewrite big_nil.
by move=> /andP[p0 /IH m0]; rewrite big_cons addr_ge0 // mulr_ge0.
Qed.

Lemma nonnegative_ret T (x : T) : nonnegative (ret x).
Proof. by rewrite /nonnegative /= ler01. Qed.

Lemma nonnegative_draw T U (m : program T) (k : T -> program U) :
  nonnegative m -> (forall x, nonnegative (k x)) -> nonnegative (draw m k).
Proof.
move=> + k0; elim: m => //= p m IH /andP[p0 /IH m0].
rewrite /nonnegative /draw /= all_cat all_map; apply/andP; split=> //.
by apply: sub_all (k0 p.2) => q q0 /=; rewrite mulr_ge0.
Qed.

(** * Elementary draws *)

(* A coin that shows true with probability p. *)
Definition coin (p : R) : program bool := [:: (p, true); (1 - p, false)].

Lemma mean_coin p f : mean (coin p) f = p * f true + (1 - p) * f false.
Proof. by rewrite /mean big_cons big_seq1. Qed.

Lemma nonnegative_coin p : 0 <= p <= 1 -> nonnegative (coin p).
Proof. by case/andP=> p0 p1; rewrite /nonnegative /= p0 subr_ge0 p1. Qed.

Lemma prob_coin p : prob (coin p) true = p.
Proof. by rewrite /prob mean_coin mulr1 mulr0 addr0. Qed.

(* A number below n, each with the same probability (n > 0). *)
Definition uniform n : program nat := [seq (n%:R^-1, i) | i <- index_iota 0 n].

Lemma mean_uniform n f : mean (uniform n) f = n%:R^-1 * \sum_(i < n) f i.
Proof. by rewrite /mean big_map big_mkord mulr_sumr. Qed.

Lemma nonnegative_uniform n : nonnegative (uniform n).
Proof. by rewrite /nonnegative all_map; apply/allP => i _ /=; rewrite invr_ge0 ler0n. Qed.

(** * Retry until accepted *)

Section Retry.
Variable T : eqType.
Implicit Types (m : program (option T)) (n : nat).

Fixpoint retry n m : program (option T) :=
  if n is n'.+1 then draw m (fun o => if o is Some x then ret (Some x) else retry n' m)
  else ret None.

(* Every accepted value keeps its share, whatever the number of tries. *)
Lemma mean_retry n m f : f None = 0 ->
  mean (retry n m) f = mean m f * \sum_(j < n) prob m None ^+ j.
Proof.
move=> f0; elim: n => [|n IH]; first by rewrite mean_ret big_ord0 mulr0.
rewrite /= mean_draw big_ord_recl mulrDr mulr1.
have -> : \sum_(i < n) prob m None ^+ lift ord0 i =
    prob m None * \sum_(i < n) prob m None ^+ i.
  by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite -exprS.
rewrite mulrCA -IH -meanZr -meanD; apply: eq_mean => -[y|].
  by rewrite mean_ret mul0r addr0.
by rewrite f0 mul1r add0r.
Qed.

Lemma nonnegative_retry n m : nonnegative m -> nonnegative (retry n m).
Proof.
move=> m0; elim: n => [|n IH] /=; first exact: nonnegative_ret.
by apply: nonnegative_draw => // -[y|] //; exact: nonnegative_ret.
Qed.

Lemma retry_share_gt0 n m : nonnegative m -> (0 < n)%N ->
  0 < \sum_(j < n) prob m None ^+ j.
Proof.
move=> m0; case: n => // n _; rewrite big_ord_recl ltr_paddr ?ltr01 // sumr_ge0 // => j _.
by rewrite exprn_ge0 // mean_ge0 // => x; rewrite ler0n.
Qed.

Lemma prob_retry_None n m : prob (retry n m) None = prob m None ^+ n.
Proof.
elim: n => [|n IH]; first by rewrite /prob mean_ret.
rewrite {1}/prob /= mean_draw exprS -IH -meanZr; apply: eq_mean => -[y|].
  by rewrite mean_ret mul0r.
by rewrite mul1r.
Qed.

Lemma prob_retry n m x :
  prob (retry n m) (Some x) = prob m (Some x) * \sum_(j < n) prob m None ^+ j.
Proof. exact: mean_retry. Qed.

(* In the limit: the law of one try, given that it is accepted. *)
Lemma prob_retry_limit m x : 0 <= prob m None < 1 ->
  (fun n => prob (retry n m) (Some x)) --> prob m (Some x) / (1 - prob m None).
Proof.
move=> /andP[r0 r1].
rewrite (_ : (fun n => _) = series (geometric (prob m (Some x)) (prob m None))).
  by apply: cvg_geometric_series; rewrite ger0_norm.
by apply/funext => n; rewrite prob_retry /series /= big_mkord mulr_sumr.
Qed.

Lemma prob_retry_ends m : 0 <= prob m None < 1 ->
  (fun n => prob (retry n m) None) --> (0 : R).
Proof.
move=> /andP[r0 r1].
rewrite (_ : (fun n => _) = (fun n => prob m None ^+ n)).
  by apply: cvg_expr; rewrite ger0_norm.
by apply/funext => n; rewrite prob_retry_None.
Qed.

End Retry.
End Program.

Notation "x <~ m ; k" := (draw m (fun x => k)) : ring_scope.
