(* own:discrete-laplace: the program that draws P(k) proportional to
   e^(-|k| s/t), from uniform numbers, coins e^(-u/t) and fair signs.

   The coins are those of [BernoulliExp], taken as exact.  Loops have a number of
   rounds; every outcome within reach of the rounds has exactly its weight, up to
   a factor that all outcomes share. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.analysis Require Import reals topology normedtype sequences exp.
From mathcomp.analysis Require Import nsatz_realtype.
From AsapDP Require Import Program UniformBelow.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sampler.
Variables (R : realType) (s t : nat).
Hypotheses (s_gt0 : (0 < s)%N) (t_gt0 : (0 < t)%N).
Implicit Types (rounds tries : nat) (k : int).

Let E (x : nat) : R := expR (- (x%:R / t%:R)).

(* U is uniform below t, kept with probability e^(-U/t). *)
Definition keep : program R (option nat) :=
  u <~ uniform R t ; b <~ coin (E u) ; ret R (if b then Some u else None).

(* V counts successes of e^(-1) before the first failure. *)
Fixpoint count rounds : program R (option nat) :=
  if rounds is rounds'.+1 then
    b <~ coin (expR (-1)) ;
    if b then v <~ count rounds' ; ret R (omap succn v) else ret R (Some 0%N)
  else ret R None.

(* Y = (U + t V) / s with a sign; minus 0 is thrown away. *)
Definition signed_quotient (minus : bool) (u v : option nat) : option int :=
  if (u, v) is (Some a, Some b) then
    let y := ((a + t * b) %/ s)%N in
    if minus then (if y == 0%N then None else Some (- y%:Z)) else Some y%:Z
  else None.

Definition attempt rounds : program R (option int) :=
  u <~ retry rounds keep ; v <~ count rounds ; minus <~ fair R ;
  ret R (signed_quotient minus u v).

Definition laplace_sampler tries rounds := retry tries (attempt rounds).

Lemma mean_keep f : f None = 0 ->
  mean keep f = t%:R^-1 * \sum_(u < t) E u * f (Some (u : nat)).
Proof.
move=> f0; rewrite mean_draw mean_uniform; congr (_ * _); apply: eq_bigr => u _.
by rewrite mean_map mean_coin f0 mulr0 addr0.
Qed.

Lemma mean_count rounds f : f None = 0 ->
  mean (count rounds) f =
  (1 - expR (-1)) * \sum_(v < rounds) expR (-1) ^+ v * f (Some (v : nat)).
Proof.
elim: rounds f => [|rounds IH] f f0; first by rewrite mean_ret f0 big_ord0 mulr0.
rewrite /= mean_draw mean_coin mean_map IH // mean_ret big_ord_recl mulrDr mul1r addrC.
congr (_ + _); rewrite mulrCA; congr (_ * _); rewrite mulr_sumr.
by apply: eq_bigr => v _; rewrite mulrA -exprS.
Qed.

(* Every x below t * rounds is u + t v in exactly one way. *)
Lemma sum_mixed_radix rounds (F : nat -> R) :
  \sum_(u < t) \sum_(v < rounds) F (u + t * v)%N = \sum_(x < t * rounds) F x.
Proof.
rewrite exchange_big /=; elim: rounds => [|rounds IH]; first by rewrite muln0 !big_ord0.
rewrite big_ord_recr IH mulnSr big_split_ord /=; congr (_ + _).
by apply: eq_bigr => u _; rewrite addnC.
Qed.

(* The s values whose quotient is y. *)
Lemma sum_quotient N y (F : nat -> R) : (s * y.+1 <= N)%N ->
  \sum_(x < N) ((x %/ s)%N == y)%:R * F x = \sum_(j < s) F (s * y + j)%N.
Proof.
move=> reach.
have quotient x : ((x %/ s)%N == y) = (s * y <= x < s * y.+1)%N.
  by rewrite eqn_leq -ltnS ltn_divLR // leq_divRL // andbC ![(_ * s)%N]mulnC.
rewrite -(big_mkord xpredT (fun x => ((x %/ s)%N == y)%:R * F x)).
have low : (s * y <= s * y.+1)%N by rewrite leq_mul.
rewrite (big_cat_nat _ _ _ (leq0n (s * y)) (leq_trans low reach)) /=.
rewrite [X in X + _]big_nat big1 ?add0r => [|x /andP[_ x_lt]]; last first.
  by rewrite quotient leqNgt x_lt mul0r.
rewrite (big_cat_nat _ _ _ low reach) /= [X in _ + X]big_nat [X in _ + X]big1 ?addr0; last first.
  by move=> x /andP[x_ge _]; rewrite quotient ltnNge x_ge andbF mul0r.
rewrite big_nat (eq_bigr F) => [|x x_in]; last by rewrite quotient x_in mul1r.
rewrite -big_nat mulnSr -{1}[(s * y)%N]add0n big_addn addKn big_mkord.
by apply: eq_bigr => j _; rewrite addnC.
Qed.

Let ED x y : E (x + y)%N = E x * E y.
Proof. by rewrite /E natrD mulrDl opprD expRD. Qed.

Let Et v : E (t * v)%N = expR (-1) ^+ v.
Proof.
rewrite /E natrM mulrAC mulfV ?mul1r; last by rewrite pnatr_eq0 -lt0n.
by rewrite -expRMm mulrN1.
Qed.

(* Each sign has probability one half, and 0 is reached with one of them only. *)
Lemma mean_sign x k :
  mean (fair R) (fun minus => ((if minus then (if x == 0%N then None else Some (- x%:Z))
    else Some x%:Z) == Some k)%:R) = 2%:R^-1 * (x == `|k|%N)%:R.
Proof.
have half : 1 - 2%:R^-1 = 2%:R^-1 :> R by rewrite {1}(splitr 1) div1r addrK.
rewrite mean_coin half -mulrDr; congr (_ * _).
by case: k x => [m|m] [|x]; rewrite ?add0r ?addr0.
Qed.

Let E_ge0 x : 0 <= E x. Proof. exact/ltW/expR_gt0. Qed.

Let E_le1 x : E x <= 1.
Proof. by rewrite /E -[leRHS]expR0 ler_expR oppr_le0 divr_ge0 // ler0n. Qed.

Let nonnegative_keep : nonnegative keep.
Proof.
apply: nonnegative_draw; first exact: nonnegative_uniform.
move=> u; apply: nonnegative_draw; first by rewrite nonnegative_coin // E_ge0 E_le1.
by move=> b; exact: nonnegative_ret.
Qed.

Let e_lt1 : expR (-1) < 1 :> R. Proof. by rewrite expR_lt1 oppr_lt0 ltr01. Qed.

Lemma nonnegative_attempt rounds : nonnegative (attempt rounds).
Proof.
apply: nonnegative_draw; first exact: nonnegative_retry.
move=> u; apply: nonnegative_draw => [|v].
  elim: rounds => [|rounds IH] /=; first exact: nonnegative_ret.
  apply: nonnegative_draw; first by rewrite nonnegative_coin // ltW ?expR_gt0 //= ltW.
  case; last exact: nonnegative_ret.
  by apply: nonnegative_draw => // v; exact: nonnegative_ret.
apply: nonnegative_draw; last by move=> b; exact: nonnegative_ret.
by rewrite nonnegative_coin // invr_ge0 ler0n invf_le1 ?ltr0n // ler1n.
Qed.

(* What the outcomes of an attempt share. *)
Definition share rounds : R :=
  t%:R^-1 * (\sum_(j < rounds) prob keep None ^+ j) * (1 - expR (-1)) * 2%:R^-1 * \sum_(j < s) E j.

Lemma share_gt0 rounds : (0 < rounds)%N -> 0 < share rounds.
Proof.
move=> rounds_gt0.
rewrite !mulr_gt0 ?invr_gt0 ?ltr0n ?subr_gt0 ?retry_share_gt0 //.
by rewrite -(prednK s_gt0) big_ord_recl ltr_paddr ?expR_gt0 ?sumr_ge0.
Qed.

Lemma prob_attempt rounds k : (s * `|k|.+1 <= t * rounds)%N ->
  prob (attempt rounds) (Some k) = share rounds * expR (- (s%:R / t%:R * `|k|%:R)).
Proof.
move=> reach.
pose g x : R := 2%:R^-1 * ((x %/ s)%N == `|k|%N)%:R.
have inner u : mean (count rounds) (fun v => mean (fair R) (fun minus =>
    (signed_quotient minus (Some u) v == Some k)%:R)) =
    (1 - expR (-1)) * \sum_(v < rounds) expR (-1) ^+ v * g (u + t * v)%N.
  rewrite mean_count; last by rewrite mean_coin !mulr0 addr0.
  by congr (_ * _); apply: eq_bigr => v _; rewrite mean_sign.
have outer u : mean (v <~ count rounds ; minus <~ fair R ; ret R (signed_quotient minus u v))
    (fun o => (o == Some k)%:R) = mean (count rounds) (fun v => mean (fair R) (fun minus =>
    (signed_quotient minus u v == Some k)%:R)).
  by rewrite mean_draw; apply: eq_mean => v; rewrite mean_map.
have none : mean (count rounds) (fun v => mean (fair R) (fun minus =>
    (signed_quotient minus None v == Some k)%:R)) = 0.
  rewrite -[RHS](mul0r (mean (count rounds) (fun=> 0))) -meanZ; apply: eq_mean => v.
  by rewrite mean_coin !mulr0 addr0.
have core : \sum_(u < t) E u * (\sum_(v < rounds) expR (-1) ^+ v * g (u + t * v)%N) =
    2%:R^-1 * (expR (- (s%:R / t%:R * `|k|%:R)) * \sum_(j < s) E j).
  under eq_bigr do rewrite mulr_sumr.
  under eq_bigr do under eq_bigr do rewrite mulrA -Et -ED.
  rewrite (sum_mixed_radix rounds (fun x => E x * g x)).
  under eq_bigr do rewrite /g mulrCA [E _ * _]mulrC.
  rewrite -mulr_sumr sum_quotient //; congr (_ * _); rewrite mulr_sumr.
  by apply: eq_bigr => j _; rewrite ED; congr (_ * _); rewrite /E natrM mulrAC.
rewrite {1}/prob mean_draw (eq_mean _ outer) mean_retry // mean_keep //.
under eq_bigr do rewrite inner mulrCA.
rewrite -mulr_sumr core.
rewrite /share; move: (\sum_(j < rounds) _) (\sum_(j < s) _) (expR (- _)) => A B C.
by nsatz.
Qed.

Theorem own_discrete_laplace_attempt rounds : (0 < rounds)%N ->
  exists2 c, 0 < c & forall k, (s * `|k|.+1 <= t * rounds)%N ->
  prob (attempt rounds) (Some k) = c * expR (- (s%:R / t%:R * `|k|%:R)).
Proof.
by move=> rounds_gt0; exists (share rounds); [exact: share_gt0|exact: prob_attempt].
Qed.

(* What is thrown away does not change the shares. *)
Theorem own_discrete_laplace_sampler tries rounds : (0 < tries)%N -> (0 < rounds)%N ->
  exists2 c, 0 < c & forall k, (s * `|k|.+1 <= t * rounds)%N ->
  prob (laplace_sampler tries rounds) (Some k) = c * expR (- (s%:R / t%:R * `|k|%:R)).
Proof.
move=> tries_gt0 rounds_gt0.
have [c c0 weight] := own_discrete_laplace_attempt rounds_gt0.
exists (c * \sum_(j < tries) prob (attempt rounds) None ^+ j) => [|k reach].
  by rewrite mulr_gt0 // retry_share_gt0 // nonnegative_attempt.
by rewrite prob_retry weight // mulrAC.
Qed.

End Sampler.
