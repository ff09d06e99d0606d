(* own:bernoulli-exp: a coin that shows heads with probability e^(-x), made of
   coins with probability x and of uniform numbers. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.analysis Require Import reals topology normedtype sequences exp.
From mathcomp.analysis Require Import nsatz_realtype.
From AsapDP Require Import Program.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Import numFieldTopology.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Between 0 and 1 *)

Section Fraction.
Variables (R : realType) (x : R).
Implicit Types (k rounds : nat).

(* In round k toss the coin and draw a number below k; go on iff heads and 0.
   The outcome is whether the loop stops in an odd round. *)
Fixpoint exp_rounds rounds k : program R (option bool) :=
  if rounds is rounds'.+1 then
    heads <~ coin x ;
    u <~ uniform R k ;
    if heads && (u == 0%N) then exp_rounds rounds' k.+1 else ret R (Some (odd k))
  else ret R None.

Definition bernoulli_exp rounds := exp_rounds rounds 1.

(* The probability that k rounds go on. *)
Let c k : R := x ^+ k / k`!%:R.

Let c0 : c 0 = 1. Proof. by rewrite /c expr0 fact0 divr1. Qed.

Let cS k : c k * (x / k.+1%:R) = c k.+1.
Proof. by rewrite /c mulf_div -exprSr -natrM mulnC -factS. Qed.

Lemma mean_exp_rounds rounds k f : mean (exp_rounds rounds.+1 k.+1) f =
  x / k.+1%:R * mean (exp_rounds rounds k.+2) f
  + (1 - x / k.+1%:R) * f (Some (odd k.+1)).
Proof.
have k0 : k.+1%:R != 0 :> R by rewrite pnatr_eq0.
rewrite [LHS]/= mean_draw mean_coin !mean_draw !mean_uniform /=.
rewrite big_ord_recl /= (eq_bigr (fun=> f (Some (odd k.+1)))) => [|i _]; last first.
  by rewrite mean_ret.
rewrite [X in _ + (1 - x) * X](_ : _ = f (Some (odd k.+1))); last first.
  rewrite (eq_bigr (fun=> f (Some (odd k.+1)))) => [|i _]; last by rewrite mean_ret.
  by rewrite sumr_const card_ord -[f _ *+ _]mulr_natl mulKf.
rewrite sumr_const card_ord -[f _ *+ _]mulr_natl.
have -> : k%:R = k.+1%:R - 1 :> R by rewrite -addn1 natrD addrK.
have : k.+1%:R^-1 * k.+1%:R = 1 :> R by rewrite mulVf.
by set a := k.+1%:R; set b := a^-1 => ab; nsatz.
Qed.

(* Exactly j rounds go on, for an even j between k and k + rounds. *)
Lemma prob_exp_rounds_true rounds k :
  c k * prob (exp_rounds rounds k.+1) (Some true) =
  \sum_(k <= j < k + rounds) (~~ odd j)%:R * (c j - c j.+1).
Proof.
elim: rounds k => [|rounds IH] k; first by rewrite addn0 big_geq // /prob mean_ret mulr0.
rewrite /prob mean_exp_rounds mulrDr mulrA cS IH addSn addnS addrC.
rewrite [RHS]big_ltn ?ltnS ?leq_addr //; congr (_ + _).
by rewrite mulrA mulrBr mulr1 cS mulrC /=; case: (odd k).
Qed.

Lemma prob_exp_rounds_None rounds k :
  c k * prob (exp_rounds rounds k.+1) None = c (k + rounds).
Proof.
elim: rounds k => [|rounds IH] k; first by rewrite addn0 /prob mean_ret mulr1.
by rewrite /prob mean_exp_rounds mulr0 addr0 mulrA cS IH addnS.
Qed.

Lemma exp_rounds_total rounds k : mean (exp_rounds rounds k.+1) (fun=> 1) = 1.
Proof.
elim: rounds k => [|rounds IH] k; first by rewrite mean_ret.
by rewrite mean_exp_rounds IH !mulr1 addrC subrK.
Qed.

(* Pairs of terms: an even number of terms of the series of e^(-x). *)
Lemma pairs_of_terms n :
  \sum_(0 <= j < n) (~~ odd j)%:R * (c j - c j.+1) =
  series (exp_coeff (- x)) (n + odd n)%N.
Proof.
have term j : exp_coeff (- x) j = (-1) ^+ odd j * c j.
  by rewrite /exp_coeff /c /= signr_odd (exprNn x) mulrA.
elim: n => [|n IH]; first by rewrite /series /= !big_geq.
rewrite big_nat_recr //= IH; case: (boolP (odd n)) => n_odd.
  by rewrite mul0r addr0 addn0 addn1.
rewrite addn0 addn1 /series /= !big_nat_recr //= -/(exp_coeff _ _) -/(exp_coeff _ _).
by rewrite !term /= (negbTE n_odd) expr0 expr1 !mul1r mulN1r addrA.
Qed.

Lemma prob_bernoulli_exp rounds :
  prob (bernoulli_exp rounds) (Some true) =
  series (exp_coeff (- x)) (rounds + odd rounds)%N.
Proof. by have := prob_exp_rounds_true rounds 0; rewrite c0 mul1r pairs_of_terms. Qed.

Theorem own_bernoulli_exp :
  (fun rounds => prob (bernoulli_exp rounds) (Some true)) --> expR (- x).
Proof.
under eq_fun do rewrite prob_bernoulli_exp.
apply: (@cvg_comp _ _ _ (fun n => n + odd n)%N (series (exp_coeff (- x))) \oo \oo).
  move=> A [N _ NA]; exists N => // n /= Nn; apply: NA.
  by rewrite /= (leq_trans Nn) // leq_addr.
exact: is_cvg_series_exp_coeff.
Qed.

(* It is not decided after so many rounds with probability x^rounds/rounds!. *)
Theorem own_bernoulli_exp_ends :
  (fun rounds => prob (bernoulli_exp rounds) None) --> (0 : R).
Proof.
rewrite (_ : (fun rounds => _) = exp_coeff x); first exact: cvg_exp_coeff.
by apply/funext => n; have := prob_exp_rounds_None n 0; rewrite c0 mul1r.
Qed.

Corollary own_bernoulli_exp_tails :
  (fun rounds => prob (bernoulli_exp rounds) (Some false)) --> 1 - expR (- x).
Proof.
rewrite (_ : (fun rounds => _) = (fun rounds => 1 - prob (bernoulli_exp rounds) (Some true)
    - prob (bernoulli_exp rounds) None)).
  rewrite -[X in _ --> X]subr0.
  apply: (@cvgB _ [normedModType R of R^o]); last exact: own_bernoulli_exp_ends.
  by apply: (@cvgB _ [normedModType R of R^o]); [exact: cvg_cst|exact: own_bernoulli_exp].
apply/funext => n; apply/eqP; rewrite eq_sym !subr_eq /prob -!meanD; apply/eqP.
rewrite -[LHS](exp_rounds_total n 0).
by apply: eq_mean => -[[]|] /=; rewrite ?addr0 ?add0r.
Qed.

End Fraction.

(** * Above 1: one coin e^(-1) for each whole part *)

Section Whole.
Variable R : realType.
Implicit Types (n rounds : nat) (one last : program R (option bool)).

Fixpoint heads_in_a_row n one last : program R (option bool) :=
  if n is n'.+1 then
    b <~ one ;
    if b is Some true then heads_in_a_row n' one last else ret R b
  else last.

Lemma prob_heads_in_a_row n one last :
  prob (heads_in_a_row n one last) (Some true) =
  prob one (Some true) ^+ n * prob last (Some true).
Proof.
elim: n => [|n IH]; first by rewrite mul1r.
rewrite {1}/prob /= mean_draw exprS -mulrA -IH -meanZr; apply: eq_mean => -[[]|] /=.
- by rewrite mul1r.
- by rewrite mean_ret mul0r.
- by rewrite mean_ret mul0r.
Qed.

Theorem own_bernoulli_exp_whole n (x : R) :
  (fun rounds => prob (heads_in_a_row n (bernoulli_exp 1 rounds) (bernoulli_exp x rounds))
    (Some true)) --> expR (- (n%:R + x)).
Proof.
rewrite (funext (fun rounds => prob_heads_in_a_row n (bernoulli_exp 1 rounds) _)).
rewrite opprD expRD -[n%:R]mulr1 -mulrN expRMm.
apply: (@cvgM R nat); last exact: own_bernoulli_exp.
elim: n => [|n IH]; first exact: cvg_cst.
rewrite (funext (fun rounds => exprS (prob (bernoulli_exp 1 rounds) (Some true)) n)) exprS.
by apply: (@cvgM R nat) => //; exact: own_bernoulli_exp.
Qed.

End Whole.
