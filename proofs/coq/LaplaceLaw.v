(* own:discrete-laplace: the program has the law, and it ends.

   [LaplaceSampler] has the shares of the outcomes, [DiscreteLaplace] the law.  Here they
   meet: with n rounds and n tries an outcome k has a probability that tends to
   (1 - q)/(1 + q) q^|k|, q = e^(-s/t), and what is undecided tends to 0.  Each attempt is
   undecided with probability at most 3/4 for large n.  The coins e^(-u/t) are taken as
   exact; [BernoulliExp] has their own loops. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.analysis Require Import reals topology normedtype sequences exp.
From mathcomp.analysis Require Import nsatz_realtype.
From AsapDP Require Import Program UniformBelow LaplaceSampler DiscreteLaplace.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Import numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Law.
Variables (R : realType) (s t : nat).
Hypotheses (s_gt0 : (0 < s)%N) (t_gt0 : (0 < t)%N).
Implicit Types (n : nat) (k : int).

Let x : R := expR (- t%:R^-1).
Let e : R := expR (-1).
Let q : R := expR (- (s%:R / t%:R)).
Let rho : R := prob (keep R t) None.

Let t_neq0 : t%:R != 0 :> R. Proof. by rewrite pnatr_eq0 -lt0n. Qed.

Let x_lt1 : x < 1. Proof. by rewrite /x expR_lt1 oppr_lt0 invr_gt0 ltr0n. Qed.
Let x_gt0 : 0 < x. Proof. exact: expR_gt0. Qed.
Let e_gt0 : 0 < e. Proof. exact: expR_gt0. Qed.
Let e_lt1 : e < 1. Proof. by rewrite /e expR_lt1 oppr_lt0 ltr01. Qed.

Let power n : expR (- (n%:R / t%:R)) = x ^+ n :> R.
Proof. by rewrite -expRMm mulrN. Qed.

(* Sums of powers. *)
Let powers (y : R) n : ((1 - y) * (\sum_(j < n) y ^+ j))%R = 1 - y ^+ n.
Proof. by rewrite -[1 - y]opprB mulNr -subrX1 opprB. Qed.

Let total_retry (T : eqType) (m : program R (option T)) n :
  mean m (fun=> 1) = 1 -> mean (retry n m) (fun=> 1) = 1.
Proof.
move=> m1; elim: n => [|n IH]; first by rewrite mean_ret.
by rewrite /= mean_draw -[RHS]m1; apply: eq_mean => -[y|]; rewrite ?mean_ret.
Qed.

Let total_uniform : mean (uniform R t) (fun=> 1) = 1.
Proof. by rewrite mean_uniform sumr_const card_ord -[1 *+ t]/(t%:R) mulVf. Qed.

Let total_coin (p : R) : mean (coin p) (fun=> 1) = 1.
Proof. by rewrite mean_coin !mulr1 addrC subrK. Qed.

Let total_keep : mean (keep R t) (fun=> 1) = 1.
Proof.
rewrite mean_draw -[RHS]total_uniform; apply: eq_mean => u.
by rewrite mean_map total_coin.
Qed.

Let total_count n : mean (count R n) (fun=> 1) = 1.
Proof.
elim: n => [|n IH]; first by rewrite mean_ret.
by rewrite /= mean_draw -[RHS](total_coin e); apply: eq_mean => -[]; rewrite ?mean_ret ?mean_map.
Qed.

Let total_attempt n : mean (attempt R s t n) (fun=> 1) = 1.
Proof.
rewrite mean_draw -[RHS](total_retry n total_keep); apply: eq_mean => u.
rewrite mean_draw -[RHS](total_count n); apply: eq_mean => v.
by rewrite mean_map total_coin.
Qed.

(* Something or nothing. *)
Let split (T : eqType) (m : program R (option T)) : mean m (fun=> 1) = 1 ->
  mean m (fun o => (o != None)%:R) = 1 - prob m None.
Proof.
move=> m1; apply/eqP; rewrite eq_sym subr_eq -m1 -meanD; apply/eqP/eq_mean => o.
by case: (o == None); rewrite ?add0r ?addr0.
Qed.

Let kept : 1 - rho = t%:R^-1 * \sum_(j < t) x ^+ j.
Proof.
rewrite -(split total_keep) mean_keep //; congr (_ * _).
by apply: eq_bigr => u _; rewrite power mulr1.
Qed.

Let kept_gt0 : 0 < 1 - rho.
Proof.
rewrite kept mulr_gt0 ?invr_gt0 ?ltr0n // -(prednK t_gt0) big_ord_recl ltr_paddr ?exprn_gt0 //.
by apply: sumr_ge0 => j _; rewrite exprn_ge0 // ltW.
Qed.

Let rho_ge0 : 0 <= rho.
Proof.
rewrite /rho /prob /keep mean_draw mean_uniform mulr_ge0 ?invr_ge0 ?ler0n // sumr_ge0 // => u _.
rewrite mean_map mean_coin mulr0 add0r mulr1 subr_ge0 power.
by rewrite exprn_ile1 // ltW.
Qed.

Let decided_keep n : mean (retry n (keep R t)) (fun o => (o != None)%:R) = 1 - rho ^+ n.
Proof. by rewrite (split (total_retry n total_keep)) prob_retry_None. Qed.

Let decided_count n : mean (count R n) (fun o => (o != None)%:R) = 1 - e ^+ n.
Proof. by rewrite mean_count // -powers; congr (_ * _); apply: eq_bigr => v _; rewrite mulr1. Qed.

(* Minus zero is thrown away and plus zero is not. *)
Let mean_attempt n :
  mean (attempt R s t n) (fun o => (o != None)%:R + (o == Some 0)%:R) =
  (1 - rho ^+ n) * (1 - e ^+ n).
Proof.
rewrite mean_draw -decided_keep -meanZr; apply: eq_mean => u.
rewrite mean_draw -decided_count -meanZ; apply: eq_mean => v.
rewrite mean_map mean_coin /signed_quotient.
have half : 1 - 2%:R^-1 = 2%:R^-1 :> R by rewrite {1}(splitr 1) div1r addrK.
have two : 2%:R^-1 + 2%:R^-1 = 1 :> R by rewrite [RHS]splitr mul1r.
rewrite half -mulrDr; case: u v => [a|] [b|]; rewrite /= ?addr0 ?mulr0 ?mul0r //.
case: (_ %/ _)%N => [|y]; rewrite /= ?add0r ?addr0 ?mulr1 ?mul1r //.
all: by rewrite mulrDr mulr1.
Qed.

(* The share of an attempt that tries long enough. *)
Let A : R := (1 - q) / 2%:R.

Let shareE n : share R s t n = A * (1 - rho ^+ n).
Proof.
have xt : x ^+ t = e by rewrite -power mulfV.
have xs : x ^+ s = q by rewrite -power.
have := powers x t; have := powers x s; have := powers rho n; have := kept.
have powersE : \sum_(j < s) expR (- (j%:R / t%:R)) = \sum_(j < s) x ^+ j.
  by apply: eq_bigr => j _; rewrite power.
rewrite /share powersE -/rho -/e /A xt xs.
move: (\sum_(j < t) _) (\sum_(j < s) _) (\sum_(j < n) _) (2%:R^-1) (t%:R^-1) => S1 S2 S3 h i.
by move: (rho ^+ n) => y *; nsatz.
Qed.

Let undecided n : (s <= t * n)%N ->
  prob (attempt R s t n) None = 1 - (1 - rho ^+ n) * (1 - e ^+ n) + A * (1 - rho ^+ n).
Proof.
move=> reach; have := mean_attempt n; rewrite meanD (split (total_attempt n)) => <-.
have := @prob_attempt R s t s_gt0 t_gt0 n 0; rewrite muln1 mulr0 oppr0 expR0 mulr1.
move=> /(_ reach); rewrite shareE /prob => ->; set p := mean _ _.
by move: p (A * _) => p c; nsatz.
Qed.

Let a n : R := 1 - (1 - rho ^+ n) * (1 - e ^+ n) + A * (1 - rho ^+ n).

Let rho_lt1 : rho < 1. Proof. by rewrite -subr_gt0. Qed.

Let vanishes (y : R) : 0 <= y -> y < 1 -> (fun n => 1 - y ^+ n) --> (1 : R).
Proof.
move=> y0 y1; rewrite -[X in _ --> X]subr0.
by apply: cvgB; [exact: cvg_cst|apply: cvg_expr; rewrite ger0_norm].
Qed.

Let q_bounds : 0 < q < 1.
Proof. by rewrite expR_gt0 /q expR_lt1 oppr_lt0 divr_gt0 ?ltr0n. Qed.

Let A_le : 0 <= A /\ A + A <= 1.
Proof.
have /andP[q0 q1] := q_bounds; split.
  by apply: divr_ge0; [rewrite subr_ge0 ltW|exact: ler0n].
by rewrite /A -splitr ler_subl_addr ler_addl ltW.
Qed.

Let a_limit : a --> A.
Proof.
have r := vanishes rho_ge0 rho_lt1; have c := vanishes (ltW e_gt0) e_lt1.
have limE : 1 - 1 * 1 + A * 1 = A by rewrite !mulr1 subrr add0r.
rewrite -[X in _ --> X]limE.
apply: cvgD; last by apply: cvgMr.
by apply: cvgB; [exact: cvg_cst|exact: cvgM].
Qed.

Let a_ge0 n : 0 <= a n.
Proof.
have bound (y : R) : 0 <= y -> y < 1 -> 0 <= 1 - y ^+ n <= 1.
  move=> y0 y1; rewrite subr_ge0 exprn_ile1 ?(ltW y1) //=.
  by rewrite ler_subl_addr ler_addl exprn_ge0.
have /andP[r0 r1] := bound _ rho_ge0 rho_lt1; have /andP[c0 c1] := bound _ (ltW e_gt0) e_lt1.
apply: addr_ge0; last by rewrite mulr_ge0 //; case: A_le.
by rewrite subr_ge0 mulr_ile1.
Qed.

(* Undecided with probability at most 3/4, so never for long. *)
Let b : R := 3%:R / 4%:R.

Let b_lt1 : b < 1. Proof. by rewrite /b ltr_pdivr_mulr ?ltr0n // mul1r ltr_nat. Qed.
Let b_ge0 : 0 <= b. Proof. by rewrite /b divr_ge0 ?ler0n. Qed.

Let a_small : exists N, forall n, (N <= n)%N -> a n <= b.
Proof.
have quarter : 0 < 4%:R^-1 :> R by rewrite invr_gt0 ltr0n.
have [N _ close] := (cvgrPdist_lt _ _).1 a_limit _ quarter; exists N => n Nn.
have := close n Nn; rewrite /= distrC => /ltW nearby.
have up := le_trans (ler_norm _) nearby; rewrite ler_subl_addl in up; apply: le_trans up _.
have [_ A2] := A_le; rewrite -(ler_pmul2r (_ : 0 < 4%:R)) ?ltr0n // /b mulrDl.
rewrite mulVf ?pnatr_eq0 // divfK ?pnatr_eq0 //.
have -> : 4%:R = 2%:R + 2%:R :> R by rewrite -natrD.
have -> : 3%:R = 2%:R + 1 :> R by rewrite -(natrD _ 2 1).
rewrite ler_add2r mulrDr -mulrDl -[leRHS]mul1r; apply: ler_wpmul2r => //; exact: ler0n.
Qed.

Let a_power : (fun n => a n ^+ n) --> (0 : R).
Proof.
have [N small] := a_small.
apply: (@squeeze_cvgr _ _ _ _ (cst 0) _ (fun n => b ^+ n)); last first.
- by apply: cvg_expr; rewrite ger0_norm.
- exact: cvg_cst.
exists N => // n Nn; rewrite /= exprn_ge0 ?a_ge0 //=.
by apply: ler_expn2r; rewrite ?nnegrE ?a_ge0 // small.
Qed.

Let enough m n : (m <= n)%N -> (m <= t * n)%N.
Proof. by move=> mn; rewrite (leq_trans mn) // leq_pmull. Qed.

(* It ends. *)
Theorem own_discrete_laplace_ends :
  (fun n => prob (laplace_sampler R s t n n) None) --> (0 : R).
Proof.
apply: (@squeeze_cvgr _ _ _ _ (fun n => a n ^+ n) _ (fun n => a n ^+ n)) a_power a_power.
by exists s => // n sn; rewrite /= prob_retry_None undecided ?enough // -/(a n) lexx.
Qed.

(* And then it has its law. *)
Theorem own_discrete_laplace_law k :
  (fun n => prob (laplace_sampler R s t n n) (Some k)) --> laplace (s%:R / t%:R) k.
Proof.
pose E := expR (- (s%:R / t%:R * `|k|%:R)) : R.
pose f n := A * (1 - rho ^+ n) * E * ((1 - a n ^+ n) / (1 - a n)).
have [A0 A1] := A_le.
have A1_neq0 : 1 - A != 0.
  rewrite subr_eq0; apply/negP => /eqP A1E; move: A1; rewrite -A1E leNgt => /negP; apply.
  by rewrite ltr_addl ltr01.
have fl : f --> A * 1 * E * ((1 - 0) / (1 - A)).
  apply: cvgM; first by apply: cvgMl; apply: cvgMr; exact: vanishes.
  apply: cvgM; first by apply: cvgB; [exact: cvg_cst|exact: a_power].
  by apply: cvgV => //; apply: cvgB; [exact: cvg_cst|exact: a_limit].
have limE : A * 1 * E * ((1 - 0) / (1 - A)) = laplace (s%:R / t%:R) k.
  rewrite /laplace /laplace_constant -/q mulr1 subr0 mul1r mulrAC; congr (_ * _).
  have /andP[q0 q1] := q_bounds.
  apply: (mulIf A1_neq0); rewrite divfK // mulrAC.
  have q2 : 1 + q != 0 by rewrite gt_eqF // addr_gt0 // ltr01.
  apply: (mulIf q2); rewrite divfK // /A.
  have := mulVf (_ : 2%:R != 0 :> R); rewrite pnatr_eq0 => /(_ isT).
  by move: (2%:R^-1) => h; rewrite -[2%:R]/(1 + 1); nsatz.
rewrite -limE; apply: (@squeeze_cvgr _ _ _ _ f _ f) (fl) (fl).
have [N small] := a_small; exists (maxn N (s * `|k|.+1)) => // n /=.
rewrite geq_max => /andP[Nn kn].
have sn : (s <= t * n)%N by rewrite enough // (leq_trans _ kn) // leq_pmulr.
have a1 : 1 - a n != 0 by rewrite gt_eqF // subr_gt0 (le_lt_trans (small n Nn)).
rewrite /laplace_sampler prob_retry prob_attempt ?enough // shareE undecided // -/(a n) -/E.
have -> : \sum_(j < n) a n ^+ j = (1 - a n ^+ n) / (1 - a n).
  by rewrite -powers mulrAC mulfV // mul1r.
by rewrite /f lexx.
Qed.

End Law.
