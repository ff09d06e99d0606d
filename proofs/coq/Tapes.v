(* The samplers of src/noise as trees of coin tosses: the programs that are extracted
   and run, tape by tape, beside the Rust functions (own:tapes).

   A tree is decided, or tosses a fair coin and goes on, or has run out of rounds.  On a
   tape of bits it has an outcome or wants more bits.  Proved: counting the tapes of n
   bits on which a tree has an outcome is its law (own_tapes_counting), and the uniform
   sampler gives each number equally many (own_tapes_uniform).  What the comparison
   adds: the Rust functions take the same bits in the same order to the same outcome.
   Digits are drawn in words; here a word has few bits, and stands at the top of the 64
   that the crate's words have. *)
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Inductive tree (A : Type) :=
  | Done of A
  | Toss of (bool -> tree A)
  | Open.
Arguments Open {A}.

Fixpoint next A B (t : tree A) (f : A -> tree B) : tree B :=
  match t with
  | Done a => f a
  | Toss k => Toss (fun b => next (k b) f)
  | Open => Open
  end.

(** * The samplers, in the order in which the crate takes its bits *)

(* A word of w bits, the lowest first. *)
Fixpoint word (w : nat) : tree nat :=
  if w is w'.+1 then
    Toss (fun b => next (word w') (fun v => Done (nat_of_bool b + v.*2)))
  else Done 0.

(* How many bits the number has. *)
Fixpoint width_within (fuel m : nat) : nat :=
  if fuel is fuel'.+1 then
    if m == 0 then 0 else (width_within fuel' m./2).+1
  else 0.
Definition width m := width_within m m.

Lemma width_enough m : m < 2 ^ width m.
Proof.
suff within fuel l : l <= fuel -> l < 2 ^ width_within fuel l by exact: within.
elim: fuel l => [|fuel IH] [|l] //= lf.
rewrite expnS mul2n; apply: leq_trans (_ : (l.+1)./2.+1.*2 <= _).
  have := odd_double_half l.+1; move: (l.+1)./2 => h; case: (odd _) => /= <-;
    by rewrite doubleS ?add1n ?add0n // leqW.
rewrite leq_double; apply: IH.
have less : l.+1 %/ 2 < l.+1 by exact: ltn_Pdiv.
by move: (leq_trans less lf); rewrite divn2 ltnS.
Qed.

Section Samplers.
Variable rounds : nat.

Fixpoint attempts (tries last : nat) : tree nat :=
  if tries is tries'.+1 then
    next (word (width last)) (fun v =>
      if v <= last then Done v else attempts tries' last)
  else Open.

Definition uniform_up_to last := attempts rounds last.

Definition bernoulli p q : tree bool :=
  next (uniform_up_to q.-1) (fun u => Done (u < p)).

Fixpoint going_on (fuel : nat) (coin : tree bool) (gone : nat) : tree bool :=
  if fuel is fuel'.+1 then
    next coin (fun heads =>
      if heads then
        next (uniform_up_to gone) (fun u =>
          if u == 0 then going_on fuel' coin gone.+1 else Done (~~ odd gone))
      else Done (~~ odd gone))
  else Open.

Definition bernoulli_exp_of coin := going_on rounds coin 0.
Definition bernoulli_exp_one := bernoulli_exp_of (Done true).

Fixpoint bernoulli_exp_whole (whole : nat) : tree bool :=
  if whole is whole'.+1 then
    next bernoulli_exp_one (fun yes =>
      if yes then bernoulli_exp_whole whole' else Done false)
  else Done true.

Definition bernoulli_exp p q : tree bool :=
  next (bernoulli_exp_whole (p %/ q)) (fun yes =>
    if yes then bernoulli_exp_of (bernoulli (p %% q) q) else Done false).

Fixpoint below_period (fuel t : nat) : tree nat :=
  if fuel is fuel'.+1 then
    next (uniform_up_to t.-1) (fun u =>
      next (bernoulli_exp u t) (fun yes =>
        if yes then Done u else below_period fuel' t))
  else Open.

Fixpoint with_periods (fuel x t : nat) : tree nat :=
  if fuel is fuel'.+1 then
    next bernoulli_exp_one (fun yes =>
      if yes then with_periods fuel' (x + t) t else Done x)
  else Open.

(* The outcome: is it negative, and its magnitude. *)
Fixpoint laplace_tries (fuel t s : nat) : tree (bool * nat) :=
  if fuel is fuel'.+1 then
    next (below_period rounds t) (fun u =>
      next (with_periods rounds u t) (fun x =>
        Toss (fun negative =>
          if negative && (x %/ s == 0) then laplace_tries fuel' t s
          else Done (negative, x %/ s))))
  else Open.

Definition discrete_laplace t s := laplace_tries rounds t s.

(** ** Numbers whose digits are drawn when they are needed *)

(* The words of a fraction that are known, the first one first; a word has w bits. *)
Variable w : nat.
Notation fraction := (seq nat).

Definition revealed (index : nat) (x : fraction) : tree (nat * fraction) :=
  if index < size x then Done (nth 0 x index, x)
  else next (word w) (fun v => Done (v, rcons x v)).

(* Is a fresh number below x?  The first word that differs decides. *)
Fixpoint exceeds_from (fuel index : nat) (x : fraction) : tree (bool * fraction) :=
  if fuel is fuel'.+1 then
    next (word w) (fun fresh => next (revealed index x) (fun '(own, x') =>
      if fresh == own then exceeds_from fuel' index.+1 x' else Done (fresh < own, x')))
  else Open.

Definition exceeds_fresh x := exceeds_from rounds 0 x.

(* e^(-x) from a coin that may reveal digits. *)
Fixpoint going_on_with (fuel : nat) (coin : fraction -> tree (bool * fraction))
    (x : fraction) (gone : nat) : tree (bool * fraction) :=
  if fuel is fuel'.+1 then
    next (coin x) (fun '(heads, x') =>
      if heads then
        next (uniform_up_to gone) (fun u =>
          if u == 0 then going_on_with fuel' coin x' gone.+1 else Done (~~ odd gone, x'))
      else Done (~~ odd gone, x'))
  else Open.

Definition bernoulli_exp_with coin x := going_on_with rounds coin x 0.

Fixpoint exponential_from (fuel whole : nat) : tree (nat * fraction) :=
  if fuel is fuel'.+1 then
    next (bernoulli_exp_with exceeds_fresh [::]) (fun '(kept, x) =>
      if kept then Done (whole, x) else exponential_from fuel' whole.+1)
  else Open.

Definition exponential := exponential_from rounds 0.

Definition fair_coin : tree bool := Toss (fun b => Done b).

Fixpoint successes (fuel k : nat) : tree nat :=
  if fuel is fuel'.+1 then
    next (bernoulli_exp_of fair_coin) (fun yes =>
      if yes then successes fuel' k.+1 else Done k)
  else Open.

Fixpoint whole_part (fuel : nat) : tree nat :=
  if fuel is fuel'.+1 then
    next (successes rounds 0) (fun k =>
      next (bernoulli_exp_whole ((k * k.-1) %/ 2)) (fun yes =>
        if yes then Done k else whole_part fuel'))
  else Open.

(* e^(-x) k times, then the coin of e^(-x^2/2). *)
Fixpoint kept_against (k : nat) (x : fraction) : tree (bool * fraction) :=
  if k is k'.+1 then
    next (bernoulli_exp_with exceeds_fresh x) (fun '(yes, x') =>
      if yes then kept_against k' x' else Done (false, x'))
  else bernoulli_exp_with (fun x => next fair_coin (fun heads =>
    if heads then next (exceeds_fresh x) (fun '(yes, x') =>
      if yes then exceeds_fresh x' else Done (false, x'))
    else Done (false, x))) x.

Fixpoint absolute_normal (fuel : nat) : tree (nat * fraction) :=
  if fuel is fuel'.+1 then
    next (whole_part rounds) (fun k => next (kept_against k [::]) (fun '(kept, x) =>
      if kept then Done (k, x) else absolute_normal fuel'))
  else Open.

(* Words stand at the top of 64 bits, so the first one decides how s x is rounded. *)
Definition rounded_normal (s : nat) : tree (bool * nat) :=
  next (absolute_normal rounds) (fun '(k, x) => next (revealed 0 x) (fun '(v, _) =>
    next fair_coin (fun negative =>
      Done (negative, s * k + (2 * s * v + 2 ^ w) %/ 2 ^ w.+1)))).

(* Half up, from halves that were cut. *)
Definition rounded_halves (halves : nat) : nat := (halves + 1) %/ 2.

Definition first_word (x : fraction) : nat := head 0 x.

Definition rounded_laplace (s : nat) : tree (bool * nat) :=
  next exponential (fun '(whole, x) => next fair_coin (fun negative =>
    Done (negative, rounded_halves ((2 * s * (whole * 2 ^ w + first_word x)) %/ 2 ^ w)))).

Fixpoint times A (n : nat) (t : tree A) : tree (seq A) :=
  if n is n'.+1 then next t (fun a => next (times n' t) (fun l => Done (a :: l)))
  else Done [::].

(* k + 1 exponential numbers, k signs, k fractions. *)
Definition cube_laplace (s columns : nat) : tree (seq (bool * nat)) :=
  next (times columns.+1 exponential) (fun terms =>
    let radius := sumn [seq n.1 * 2 ^ w + first_word n.2 | n <- terms] in
    next (times columns fair_coin) (fun signs => next (times columns (word w)) (fun parts =>
      Done [seq (z.1, rounded_halves ((2 * s * radius * z.2) %/ 2 ^ (w + w)))
        | z <- zip signs parts]))).

End Samplers.

(** * Tapes *)

Fixpoint run A (t : tree A) (tape : seq bool) : option A :=
  match t, tape with
  | Done a, _ => Some a
  | Toss k, b :: tape' => run (k b) tape'
  | _, _ => None
  end.

(* Every tape of n bits. *)
Fixpoint tapes n : seq (seq bool) :=
  if n is n'.+1 then map (cons false) (tapes n') ++ map (cons true) (tapes n')
  else [:: [::]].

Lemma size_tapes n : size (tapes n) = 2 ^ n.
Proof. by elim: n => //= n IH; rewrite size_cat !size_map IH addnn expnS mul2n. Qed.

Lemma mem_tapes n w : (w \in tapes n) = (size w == n).
Proof.
elim: n w => [|n IH] [|b w] //=; first by rewrite mem_cat; apply/negbTE/norP; split;
  apply/mapP => -[].
rewrite mem_cat eqSS -IH; apply/orP/idP => [[] /mapP[v vn [_ ->]] //|wn].
by case: b; [right|left]; apply/mapP; exists w.
Qed.

Lemma uniq_tapes n : uniq (tapes n).
Proof.
elim: n => //= n IH; rewrite cat_uniq !map_inj_uniq ?IH ?andbT /=;
  try by move=> u v [].
by apply/hasPn => _ /mapP[v _ ->]; apply/mapP => -[].
Qed.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The law: what fair tosses give an outcome of p within n of them. *)
Fixpoint law A (n : nat) (t : tree A) (p : pred A) : rat :=
  match t, n with
  | Done a, _ => (p a)%:R
  | Toss k, n'.+1 => (law n' (k false) p + law n' (k true) p) / 2%:R
  | _, _ => 0
  end.

Definition decides A (t : tree A) (p : pred A) (tape : seq bool) : bool :=
  if run t tape is Some a then p a else false.

Theorem own_tapes_counting A n (t : tree A) (p : pred A) :
  (count (decides t p) (tapes n))%:R = 2%:R ^+ n * law n t p.
Proof.
elim: n t => [|n IH] [a|k|] /=; rewrite ?mulr0 ?mul1r ?addn0 ?expr0 ?mul1r //.
- have -> : count (decides (Done a) p) (map (cons false) (tapes n) ++
      map (cons true) (tapes n)) = (2 ^ n.+1 * p a)%N.
    rewrite count_cat !count_map.
    have all b : count (preim (cons b) (decides (Done a) p)) (tapes n) = (2 ^ n * p a)%N.
      rewrite -size_tapes; elim: (tapes n) => //= w s ->; rewrite /decides /=.
      by case: (p a); rewrite /= ?muln1 ?muln0.
    by rewrite !all addnn -mul2n mulnA -expnS.
  by rewrite natrM natrX.
- rewrite count_cat !count_map natrD.
  have step b : count (preim (cons b) (decides (Toss k) p)) (tapes n) =
      count (decides (k b) p) (tapes n) by exact: eq_count.
  rewrite !step !IH -mulrDr exprSr -mulrA; congr (_ * _).
  by rewrite mulrCA mulfV ?mulr1 ?pnatr_eq0.
- by rewrite count_cat !count_map !(eq_count (a2 := pred0)) // !count_pred0.
Qed.

(** * The uniform sampler *)

(* The whole law: as many tosses as the tree has. *)
Fixpoint mass A (t : tree A) (p : pred A) : rat :=
  match t with
  | Done a => (p a)%:R
  | Toss k => (mass (k false) p + mass (k true) p) / 2%:R
  | Open => 0
  end.

Lemma eq_mass A (t : tree A) (p q : pred A) : p =1 q -> mass t p = mass t q.
Proof. by move=> pq; elim: t => [a|k IH|] //=; rewrite ?pq // !IH. Qed.

Lemma mass_map A B (t : tree A) (h : A -> B) p :
  mass (next t (fun a => Done (h a))) p = mass t (fun a => p (h a)).
Proof. by elim: t => [a|k IH|] //=; rewrite !IH. Qed.

(* Each number of w bits has the same mass. *)
Lemma mass_word w v : (v < 2 ^ w)%N -> mass (word w) (pred1 v) = (2%:R ^+ w)^-1.
Proof.
elim: w v => [|w IH] v; first by rewrite expn0 ltnS leqn0 => /eqP ->; rewrite invr1.
rewrite expnS mul2n => vw.
have -> : mass (word w.+1) (pred1 v) =
    (mass (word w) (fun u => pred1 v (nat_of_bool false + u.*2)%N) +
     mass (word w) (fun u => pred1 v (nat_of_bool true + u.*2)%N)) / 2%:R.
  by rewrite -!mass_map.
have half : (v./2 < 2 ^ w)%N by rewrite -ltn_double (leq_ltn_trans _ vw) // -[leqRHS]odd_double_half leq_addl.
have part b : mass (word w) (fun u => pred1 v (nat_of_bool b + u.*2)%N) =
    (odd v == b)%:R * (2%:R ^+ w)^-1.
  have [ob|nob] := eqVneq (odd v) b.
    rewrite mul1r -(IH _ half); apply: eq_mass => u /=.
    rewrite -[in LHS](odd_double_half v) ob eqn_add2l -!muln2 eqn_mul2r //.
  rewrite mul0r -[RHS](_ : mass (word w) pred0 = 0); last first.
    by elim: (word w) => [a|k IHk|] //=; rewrite !IHk addr0 mul0r.
  apply: eq_mass => u /=; apply/negbTE; apply: contra nob => /eqP <-.
  by rewrite oddD odd_double addbF oddb.
rewrite !part -mulrDl -natrD (_ : (_ + _)%N = 1%N); last by case: (odd v).
by rewrite mul1r exprS invfM mulrC.
Qed.

(* Both are drawn in an attempt with the same mass, and an attempt that fails is as
   likely for both. *)
Theorem own_tapes_uniform tries last v v' :
  (v <= last)%N -> (v' <= last)%N ->
  mass (attempts tries last) (pred1 v) = mass (attempts tries last) (pred1 v').
Proof.
move=> vl v'l; have wide := width_enough last; elim: tries => //= tries IH.
have split (t : tree nat) u : (u <= last)%N ->
    mass (next t (fun a => if (a <= last)%N then Done a else attempts tries last)) (pred1 u) =
    mass t (pred1 u) + mass t (fun a => (last < a)%N) * mass (attempts tries last) (pred1 u).
  move=> ul; elim: t => [a|k IHk|] /=; last by rewrite mul0r addr0.
    have [al|la] := leqP a last => /=; first by rewrite mul0r addr0.
    by rewrite mul1r (_ : (a == u) = false) ?add0r // gtn_eqF // (leq_ltn_trans ul la).
  by rewrite !IHk addrACA -mulrDl [in RHS]mulrAC -mulrDl.
rewrite !split // IH !mass_word //; apply: leq_ltn_trans wide => //.
Qed.
