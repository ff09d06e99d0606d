(* Digits that are drawn when they are needed (src/noise/fraction.rs), as trees of coin tosses.

   A program may toss coins and ask for the words of one number, in order.  Run lazily, a
   word is drawn when it is asked for first and kept; run eagerly, all words are there
   from the beginning.  Fill up what a lazy run left open with fair words: outcome and
   words together have the same law as in an eager run (own_digits_on_demand).  The trees
   of Tapes.v, which are compared with the crate bit for bit, are such programs
   (exceeds_lazily, kept_lazily); so their exponential and normal numbers have the law of
   numbers whose digits were all there (own_digits_exponential, own_digits_normal).  A
   fresh number is below x with the chance that x has, as far as words were compared, and
   undecided with a chance that halves with every bit (own_digits_comparison).             *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp.
From AsapDP Require Import Tapes.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * Means of trees *)

Fixpoint expect A (t : tree A) (f : A -> rat) : rat :=
  match t with
  | Done a => f a
  | Toss k => (expect (k false) f + expect (k true) f) / 2%:R
  | Open => 0
  end.

Lemma mass_expect A (t : tree A) (p : pred A) : mass t p = expect t (fun a => (p a)%:R).
Proof. by elim: t => //= k IH; rewrite !IH. Qed.

Lemma eq_expect A (t : tree A) f g : f =1 g -> expect t f = expect t g.
Proof. by move=> fg; elim: t => //= k IH; rewrite !IH. Qed.

Lemma expect_next A B (t : tree A) (k : A -> tree B) f :
  expect (next t k) f = expect t (fun a => expect (k a) f).
Proof. by elim: t => //= h IH; rewrite !IH. Qed.

Lemma expectD A (t : tree A) f g : expect t (fun a => f a + g a) = expect t f + expect t g.
Proof. by elim: t => [a|k IH|] /=; rewrite ?addr0 // !IH addrACA mulrDl. Qed.

Lemma expectZ A (t : tree A) c f : expect t (fun a => f a * c) = expect t f * c.
Proof. by elim: t => [a|k IH|] /=; rewrite ?mul0r // !IH -mulrDl mulrAC. Qed.

Lemma expect0 A (t : tree A) : expect t (fun=> 0) = 0.
Proof. by elim: t => //= k IH; rewrite !IH addr0 mul0r. Qed.

Lemma next_next A B C (t : tree A) (k : A -> tree B) (h : B -> tree C) :
  next (next t k) h = next t (fun a => next (k a) h).
Proof. by elim: t => //= f IH; congr Toss; apply/funext. Qed.

(** * Programs that ask for digits *)

Inductive program A :=
  | Ret of A
  | Flip of (bool -> program A)
  | Ask of nat & (nat -> program A)
  | Stuck.
Arguments Stuck {A}.

Fixpoint bind A B (p : program A) (f : A -> program B) : program B :=
  match p with
  | Ret a => f a
  | Flip k => Flip (fun b => bind (k b) f)
  | Ask i k => Ask i (fun v => bind (k v) f)
  | Stuck => Stuck
  end.

(* Tosses only. *)
Fixpoint tosses A (t : tree A) : program A :=
  match t with
  | Done a => Ret a
  | Toss k => Flip (fun b => tosses (k b))
  | Open => Stuck
  end.

(* In order: when word i is asked for, all before it are known, m of them at first;
   and no word from L on is asked for. *)
Fixpoint orderly A (p : program A) (L m : nat) : Prop :=
  match p with
  | Ret _ | Stuck => True
  | Flip k => forall b, orderly (k b) L m
  | Ask i k => (i <= m)%N /\ (i < L)%N /\ forall v, orderly (k v) L (maxn m i.+1)
  end.

Lemma orderly_mono A (p : program A) L m m' : (m <= m')%N -> orderly p L m -> orderly p L m'.
Proof.
elim: p m m' => //= [k IH|i k IH] m m' mm'; first by move=> ok b; exact: IH (ok b).
move=> [im [iL ok]]; split; first exact: leq_trans im mm'.
split=> // v; apply: IH (ok v).
by rewrite geq_max !leq_max mm' leqnn orbT.
Qed.

Lemma orderly_bind A B (p : program A) (f : A -> program B) L m :
  orderly p L m -> (forall a, orderly (f a) L m) -> orderly (bind p f) L m.
Proof.
elim: p m => //= [k IH|i k IH] m ok fok; first by move=> b; exact: IH.
move: ok => [im [iL ok]]; do 2 split=> //; move=> v; apply: IH => // a.
by apply: orderly_mono (fok a); rewrite leq_maxl.
Qed.

Lemma orderly_tosses A (t : tree A) L m : orderly (tosses t) L m.
Proof. by elim: t => //= k IH b. Qed.

Section Words.
(* The bits of a word. *)
Variable w : nat.
Implicit Types x X : seq nat.

Fixpoint lazily A (p : program A) x : tree (A * seq nat) :=
  match p with
  | Ret a => Done (a, x)
  | Flip k => Toss (fun b => lazily (k b) x)
  | Ask i k => next (revealed w i x) (fun '(v, x') => lazily (k v) x')
  | Stuck => Open
  end.

Fixpoint eagerly A (p : program A) X : tree A :=
  match p with
  | Ret a => Done a
  | Flip k => Toss (fun b => eagerly (k b) X)
  | Ask i k => eagerly (k (nth 0%N X i)) X
  | Stuck => Open
  end.

Lemma expect_word l : expect (word l) (fun=> 1) = 1.
Proof. by elim: l => //= l IH; rewrite !expect_next /= IH -[1 + 1]/(2%:R) divff. Qed.

(* m fair words more. *)
Fixpoint complete m x : tree (seq nat) :=
  if m is m'.+1 then next (word w) (fun v => complete m' (rcons x v)) else Done x.

(* Only what begins with x matters. *)
Lemma eq_complete m x f g : (forall y, f (x ++ y) = g (x ++ y)) ->
  expect (complete m x) f = expect (complete m x) g.
Proof.
elim: m x => [|m IH] x fg /=; first by have := fg [::]; rewrite cats0.
by rewrite !expect_next; apply: eq_expect => v; apply: IH => y; rewrite cat_rcons.
Qed.

(* The two runs have the same law, outcome and words together. *)
Theorem own_digits_on_demand A (p : program A) x L (f : A -> seq nat -> rat) :
  orderly p L (size x) -> (size x <= L)%N ->
  expect (lazily p x) (fun '(a, x') => expect (complete (L - size x') x') (f a)) =
  expect (complete (L - size x) x) (fun X => expect (eagerly p X) (fun a => f a X)).
Proof.
elim: p x => [a|k IH|i k IH|] x /= ok xL.
- by apply: eq_expect => X.
- by rewrite expectZ expectD !IH.
- have [ix [iL {}ok]] := ok; rewrite expect_next /revealed.
  move: ix; rewrite leq_eqVlt => /orP[/eqP ix|ix]; last first.
    rewrite ix /= IH //; last by have := ok (nth 0%N x i); rewrite (maxn_idPl ix).
    by apply: eq_complete => y; rewrite nth_cat ix.
  rewrite {}ix ltnn expect_next in iL ok *.
  rewrite -[in RHS](@subnSK (size x) L) //= expect_next; apply: eq_expect => v /=.
  have vs : size (rcons x v) = (size x).+1 by rewrite size_rcons.
  rewrite IH vs //; last by have := ok v; rewrite (maxn_idPr _).
  by apply: eq_complete => y; rewrite cat_rcons nth_cat ltnn subnn.
- by rewrite expect0.
Qed.

(** * The programs of Tapes.v *)

Lemma lazily_bind A B (p : program A) (f : A -> program B) x :
  lazily (bind p f) x = next (lazily p x) (fun '(a, x') => lazily (f a) x').
Proof.
elim: p x => //= [k IH|i k IH] x; first by congr Toss; apply/funext.
by rewrite next_next; congr next; apply/funext => -[v x'].
Qed.

Lemma lazily_tosses A (t : tree A) x : lazily (tosses t) x = next t (fun a => Done (a, x)).
Proof. by elim: t => //= k IH; congr Toss; apply/funext. Qed.

Variable rounds : nat.

Fixpoint exceeds (fuel index : nat) : program bool :=
  if fuel is fuel'.+1 then
    bind (tosses (word w)) (fun fresh => Ask index (fun own =>
      if fresh == own then exceeds fuel' index.+1 else Ret (fresh < own)%N))
  else Stuck.

Lemma exceeds_lazily fuel index x : lazily (exceeds fuel index) x = exceeds_from w fuel index x.
Proof.
elim: fuel index x => //= fuel IH index x.
rewrite lazily_bind lazily_tosses next_next /=; congr next; apply/funext => fresh /=.
by congr next; apply/funext => -[own x']; case: ifP.
Qed.

Lemma exceeds_orderly fuel index m L : (index <= m)%N -> (index + fuel <= L)%N ->
  orderly (exceeds fuel index) L m.
Proof.
elim: fuel index m => //= fuel IH index m im fL.
apply: orderly_bind; first exact: orderly_tosses.
move=> fresh /=; split=> //; split; first by apply: leq_trans fL; rewrite addnS ltnS leq_addr.
move=> own; case: ifP => // _; apply: IH; first by rewrite leq_max leqnn orbT.
by rewrite addSnnS.
Qed.

(* A round of e^(-x): the coin, then a number below the count. *)
Fixpoint going (fuel : nat) (coin : program bool) (gone : nat) : program bool :=
  if fuel is fuel'.+1 then
    bind coin (fun heads =>
      if heads then
        bind (tosses (uniform_up_to rounds gone)) (fun u =>
          if u == 0%N then going fuel' coin gone.+1 else Ret (~~ odd gone))
      else Ret (~~ odd gone))
  else Stuck.

Lemma going_lazily fuel coin gone x :
  lazily (going fuel coin gone) x = going_on_with rounds fuel (lazily coin) x gone.
Proof.
elim: fuel gone x => //= fuel IH gone x; rewrite lazily_bind.
congr next; apply/funext => -[[] x'] //=.
rewrite lazily_bind lazily_tosses next_next /=; congr next; apply/funext => u /=.
by case: ifP.
Qed.

Lemma going_orderly fuel coin gone L m : orderly coin L m -> orderly (going fuel coin gone) L m.
Proof.
move=> ok; elim: fuel gone => //= fuel IH gone; apply: orderly_bind => // -[] //.
by apply: orderly_bind; [exact: orderly_tosses|move=> u; case: ifP].
Qed.

Definition below : program bool := exceeds rounds 0.
Definition kept_exp : program bool := going rounds below 0.

(* The coin of e^(-x^2/2). *)
Definition kept_square : program bool := going rounds
  (bind (tosses fair_coin) (fun heads => if heads then
    bind below (fun yes => if yes then below else Ret false) else Ret false)) 0.

Fixpoint kept (k : nat) : program bool :=
  if k is k'.+1 then bind kept_exp (fun yes => if yes then kept k' else Ret false)
  else kept_square.

Let below_lazily x : lazily below x = exceeds_fresh rounds w x.
Proof. exact: exceeds_lazily. Qed.

Let kept_exp_lazily x : lazily kept_exp x = bernoulli_exp_with rounds (exceeds_fresh rounds w) x.
Proof. by rewrite /kept_exp going_lazily; congr going_on_with; apply/funext. Qed.

Lemma kept_lazily k x : lazily (kept k) x = kept_against rounds w k x.
Proof.
elim: k x => [|k IH] x; last first.
  rewrite /= lazily_bind kept_exp_lazily; congr next; apply/funext => -[[] x'] //=.
rewrite /= /kept_square going_lazily /bernoulli_exp_with; congr going_on_with.
apply/funext => y /=; congr Toss; apply/funext => -[] //=.
by rewrite lazily_bind below_lazily; congr next; apply/funext => -[[] y'] //=.
Qed.

Let below_orderly m : orderly below rounds m.
Proof. exact: exceeds_orderly. Qed.

Let kept_exp_orderly m : orderly kept_exp rounds m.
Proof. exact: going_orderly. Qed.

Lemma kept_orderly k m : orderly (kept k) rounds m.
Proof.
elim: k m => [|k IH] m /=; last by apply: orderly_bind => // -[].
apply: going_orderly => -[] //=.
by apply: orderly_bind => // -[].
Qed.

(** * Numbers with all their digits *)

(* The exponential number, its fraction drawn first, all words of it. *)
Fixpoint full_exponential (fuel whole : nat) : tree (nat * seq nat) :=
  if fuel is fuel'.+1 then
    next (complete rounds [::]) (fun X => next (eagerly kept_exp X) (fun yes =>
      if yes then Done (whole, X) else full_exponential fuel' whole.+1))
  else Open.

Let filled (f : nat -> seq nat -> rat) (n : nat * seq nat) : rat :=
  expect (complete (rounds - size n.2) n.2) (f n.1).

(* A fraction that is rejected leaves no trace; one that is kept is filled up. *)
Let attempt (p : program bool) (f : seq nat -> rat) (rest : rat) : orderly p rounds 0 ->
  expect (lazily p [::]) (fun '(yes, x) =>
    if yes then expect (complete (rounds - size x) x) f else rest) =
  expect (complete rounds [::]) (fun X => expect (eagerly p X) (fun yes =>
    if yes then f X else rest)).
Proof.
move=> ok; pose g (yes : bool) X := if yes then f X else rest.
have full m x : expect (complete m x) (fun=> rest) = rest.
  elim: m x => //= m IH x; rewrite expect_next (eq_expect _ (fun v => IH (rcons x v))).
  by rewrite -[in LHS](mul1r rest) expectZ expect_word mul1r.
have := @own_digits_on_demand _ p [::] rounds g ok (leq0n _).
by rewrite subn0 => <-; apply: eq_expect => -[[] x] //=.
Qed.

Theorem own_digits_exponential fuel whole (f : nat -> seq nat -> rat) :
  expect (exponential_from rounds w fuel whole) (filled f) =
  expect (full_exponential fuel whole) (fun '(v, X) => f v X).
Proof.
elim: fuel whole => //= fuel IH whole.
rewrite expect_next -kept_exp_lazily.
transitivity (expect (lazily kept_exp [::]) (fun '(yes, x) =>
    if yes then expect (complete (rounds - size x) x) (f whole)
    else expect (full_exponential fuel whole.+1) (fun '(v, X) => f v X))).
  by apply: eq_expect => -[[] x] /=; rewrite ?IH.
rewrite attempt //= expect_next; apply: eq_expect => X; rewrite expect_next.
by apply: eq_expect => -[].
Qed.

Fixpoint full_normal (fuel : nat) : tree (nat * seq nat) :=
  if fuel is fuel'.+1 then
    next (whole_part rounds rounds) (fun k =>
      next (complete rounds [::]) (fun X => next (eagerly (kept k) X) (fun yes =>
        if yes then Done (k, X) else full_normal fuel')))
  else Open.

Theorem own_digits_normal fuel (f : nat -> seq nat -> rat) :
  expect (absolute_normal rounds w fuel) (filled f) =
  expect (full_normal fuel) (fun '(k, X) => f k X).
Proof.
elim: fuel => //= fuel IH; rewrite !expect_next; apply: eq_expect => k.
rewrite expect_next -kept_lazily.
transitivity (expect (lazily (kept k) [::]) (fun '(yes, x) =>
    if yes then expect (complete (rounds - size x) x) (f k)
    else expect (full_normal fuel) (fun '(v, X) => f v X))).
  by apply: eq_expect => -[[] x] /=; rewrite ?IH.
rewrite attempt; last exact: kept_orderly.
rewrite expect_next; apply: eq_expect => X; rewrite expect_next.
by apply: eq_expect => -[].
Qed.

(** * Comparing decides as the numbers do *)

Let base : rat := 2%:R ^- w.

(* The number that the first words are. *)
Fixpoint dyadic (fuel index : nat) X : rat :=
  if fuel is fuel'.+1 then ((nth 0%N X index)%:R + dyadic fuel' index.+1 X) * base else 0.

Let expect_equal own : (own < 2 ^ w)%N ->
  expect (word w) (fun v => (v == own)%:R) = base.
Proof. by move=> ow; rewrite /base -(mass_word ow) mass_expect. Qed.

Let expect_below own : (own <= 2 ^ w)%N ->
  expect (word w) (fun v => (v < own)%N%:R) = own%:R * base.
Proof.
elim: own => [|own IH] ow; first by rewrite mul0r (eq_expect _ (g := fun=> 0)) ?expect0.
rewrite (eq_expect _ (g := fun v => (v < own)%N%:R + (v == own)%:R)); last first.
  by move=> v; rewrite ltnS leq_eqVlt -natrD; case: ltngtP.
by rewrite expectD IH ?(ltnW ow) // expect_equal // -[own.+1]addn1 natrD mulrDl mul1r.
Qed.

(* A fresh number is below X: the chance is X, as far as words are compared; what is left
   open is one unit of the last place. *)
Theorem own_digits_comparison fuel index X : (forall i, (nth 0%N X i < 2 ^ w)%N) ->
  mass (eagerly (exceeds fuel index) X) (pred1 true) = dyadic fuel index X /\
  mass (eagerly (exceeds fuel index) X) (pred1 false) =
    1 - dyadic fuel index X - base ^+ fuel.
Proof.
move=> small; rewrite !mass_expect.
have eager_bind B (t : tree nat) (h : nat -> program B) :
    eagerly (bind (tosses t) h) X = next t (fun v => eagerly (h v) X).
  by elim: t => //= k IH; congr Toss; apply/funext.
have step fl i (f : bool -> rat) : expect (eagerly (exceeds fl.+1 i) X) f =
    expect (word w) (fun v => (v == nth 0%N X i)%:R * expect (eagerly (exceeds fl i.+1) X) f +
      (v < nth 0%N X i)%N%:R * f true + (nth 0%N X i < v)%N%:R * f false).
  rewrite /= eager_bind expect_next; apply: eq_expect => v /=.
  by case: ltngtP => _ /=; rewrite ?mul0r ?mul1r ?addr0 ?add0r.
elim: fuel index => [|fuel IH] index; first by rewrite /= expr0 subr0 subrr.
have [IHt IHf] := IH index.+1; have own := small index; set c := nth 0%N X index in own *.
have above : expect (word w) (fun v => (c < v)%N%:R) = 1 - (c%:R + 1) * base.
  apply: (canRL (addrK _)); rewrite -(natrD _ c 1) addn1 -(expect_below own) -expectD -[RHS](expect_word w).
  by apply: eq_expect => v; rewrite ltnS -natrD; case: leqP.
have sum (p q r : rat) : expect (word w) (fun v => (v == c)%:R * p + (v < c)%N%:R * q +
    (c < v)%N%:R * r) = base * p + c%:R * base * q + (1 - (c%:R + 1) * base) * r.
  by rewrite !expectD !expectZ expect_equal // expect_below ?(ltnW own) // above.
split; rewrite step -/c sum /=.
  by rewrite IHt -/c mulr0 addr0 mulr1 mulrDl addrC [base * _]mulrC.
rewrite IHf -/c mulr0 addr0 mulr1 exprS.
move: (dyadic _ _ _) (base ^+ fuel) base => u e b.
rewrite !mulrBr mulr1 !mulrDl mul1r !opprD addrC !addrA subrK.
by rewrite [u * b]mulrC.
Qed.

End Words.
