(* R^n as a measurable space: row vectors with the Borel sets of the 2-norm.

   What is used of it: Lipschitz maps are measurable, and so is moving a point along
   a row x by a real number, in both arguments together. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import nsatz_realtype.
From AsapDP Require Import Euclid.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Lemma lt_from (R : realType) (a b c d : R) : a < b -> d - c = b - a -> c < d.
Proof. by rewrite -[a < b]subr_gt0 -[c < d]subr_gt0 => ? ->. Qed.

Section Space.
Variables (R : realType) (n : nat).

Definition open2 (O : set 'rV[R]_n) := forall v, O v ->
  exists2 e, 0 < e & forall w, norm2 (w - v) < e -> O w.

Definition space := salgebraType (open2 : set (set 'rV[R]_n)).

Lemma open2_measurable (O : set 'rV[R]_n) : open2 O ->
  measurable (O : set space).
Proof. exact: sub_sigma_algebra. Qed.

Definition lipschitz2 (K : R) (h : 'rV[R]_n -> R) :=
  forall u v, `|h u - h v| <= K * norm2 (u - v).

Lemma lipschitz_measurable K (h : 'rV[R]_n -> R) : lipschitz2 K h ->
  measurable_fun setT (h : space -> R).
Proof.
move=> hK; apply: (measurability (RGenOInfty.measurableE R)) => _ [_ [a ->] <-].
rewrite setTI; apply: open2_measurable => v /=; rewrite in_itv /= andbT => av.
have K1 : 0 < `|K| + 1 by rewrite ltr_paddl.
exists ((h v - a) / (`|K| + 1)); first by rewrite divr_gt0 // subr_gt0.
move=> w; rewrite ltr_pdivl_mulr // => wv; rewrite /= in_itv /= andbT.
have := hK w v; rewrite ler_norml => /andP[+ _] => low.
have : K * norm2 (w - v) < h v - a.
  apply: le_lt_trans wv; rewrite mulrC ler_wpmul2l ?norm2_ge0 //.
  by rewrite (le_trans (ler_norm _)) // ler_addl.
by move=> up; apply: lt_from (ltr_le_add up low) _; nsatz.
Qed.

(* u moves along x by r. *)
Definition along (x : 'rV[R]_n) (r : R) (u : space) : space := (u : 'rV[R]_n) + r *: x.

Lemma along_add x r s u : along x r (along x s u) = along x (r + s) u.
Proof. by rewrite /along -addrA -scalerDl [s + r]addrC. Qed.

Lemma along_zero x u : along x 0 u = u.
Proof. by rewrite /along scale0r addr0. Qed.

(* The points around which O has a ball of radius more than p, moved by q. *)
Let inner (O : set 'rV[R]_n) x (q p : R) : set 'rV[R]_n :=
  [set u | exists2 e, p < e & forall w, norm2 (w - (u + q *: x)) < e -> O w].

Let inner_open O x q p : open2 (inner O x q p).
Proof.
move=> u [e pe Oe]; exists ((e - p) / 2%:R); first by rewrite divr_gt0 // subr_gt0.
move=> u' uu'; exists (e - (e - p) / 2%:R).
  rewrite ltr_subr_addr -ltr_subr_addl ltr_pdivr_mulr //.
  by rewrite mulr_natr mulr2n ltr_addl subr_gt0.
move=> w ww; apply: Oe.
apply: le_lt_trans (dist_triangle (norm2_is_norm R n) (u' + q *: x) _ _) _.
rewrite -(subrK ((e - p) / 2%:R) e); apply: ltr_add => //.
by rewrite opprD addrACA subrr addr0.
Qed.

Lemma measurable_along x :
  measurable_fun setT (fun z : R * space => along x z.1 z.2).
Proof.
apply: (@measurability _ _ _ [the measurableType _ of space] _ _ open2).
  by [].
move=> _ [O oO <-]; rewrite setTI.
pose piece q p : set (R * space) :=
  [set r : R | `|r - q| * norm2 x < p] `*` (inner O x q p : set space).
have -> : (fun z : R * space => along x z.1 z.2) @^-1` O =
    \bigcup_(q in [set: rat]) \bigcup_(p in [set: rat]) piece (ratr q) (ratr p).
  apply/seteqP; split => [[r u] /= Ou|[r u] [q _ [p _ [/= rq [e pe Oe]]]]]; last first.
    apply: Oe; apply: le_lt_trans pe; apply: le_trans (ltW rq).
    by rewrite /along opprD addrACA subrr add0r -scalerBl norm2Z.
  have [e e0 Oe] := oO _ Ou.
  have half0 : 0 < e / 2%:R by rewrite divr_gt0.
  have [p] := rat_in_itvoo half0.
  rewrite in_itv /= => /andP[p0 pe].
  have x1 : 0 < norm2 x + 1 by rewrite ltr_paddl ?norm2_ge0.
  have step0 : r < r + ratr p / (norm2 x + 1) by rewrite ltr_addl divr_gt0.
  have [q] := rat_in_itvoo step0.
  rewrite in_itv /= => /andP[rq qr].
  have rqx : `|r - ratr q| * norm2 x < ratr p.
    rewrite distrC ger0_norm ?subr_ge0 ?ltW //.
    apply: (@le_lt_trans _ _ ((ratr q - r) * (norm2 x + 1))).
      by rewrite ler_wpmul2l ?subr_ge0 ?ltW // ltr_addl.
    by rewrite -ltr_pdivl_mulr // ltr_subl_addl.
  exists q => //; exists p => //; split => //=; exists (e - ratr p).
    rewrite ltr_subr_addr; apply: lt_le_trans (ltr_add pe pe) _.
    by rewrite -mulrDl -mulr2n -(mulr_natr e) mulfK ?pnatr_eq0.
  move=> w we; apply: Oe.
  apply: le_lt_trans (dist_triangle (norm2_is_norm R n) (u + ratr q *: x) _ _) _.
  rewrite -[e](subrK (ratr p)); apply: ltr_add => //.
  by rewrite /along opprD addrACA subrr add0r -scalerBl norm2Z distrC.
apply: bigcupT_measurable_rat => q; apply: bigcupT_measurable_rat => p.
apply: measurableM; last exact: (open2_measurable (@inner_open O x (ratr q) (ratr p))).
have -> : [set r : R | `|r - ratr q| * norm2 x < ratr p] =
    (fun r : R => `|r - ratr q| * norm2 x) @^-1` `]-oo, ratr p[.
  by apply/seteqP; split => r /=; rewrite in_itv.
have md : measurable_fun setT (fun r : R => `|r - ratr q| * norm2 x).
  apply: measurable_funM; last exact: measurable_fun_cst.
  apply: measurable_fun_comp; first exact: measurable_fun_normr.
  by apply: measurable_funB; [exact: measurable_fun_id|exact: measurable_fun_cst].
by rewrite -[X in measurable X]setTI; apply: md => //; exact: measurable_itv.
Qed.

End Space.

Lemma lipschitz_map_measurable (R : realType) n m K (g : 'rV[R]_n -> 'rV[R]_m) :
  (forall u v, norm2 (g u - g v) <= K * norm2 (u - v)) ->
  measurable_fun setT (g : space R n -> space R m).
Proof.
move=> gK.
apply: (@measurability _ _ _ [the measurableType _ of space R m] _ _ (@open2 R m)).
  by [].
move=> _ [O oO <-].
rewrite setTI; apply: open2_measurable => v Ov; have [e e0 Oe] := oO _ Ov.
have K1 : 0 < `|K| + 1 by rewrite ltr_paddl.
exists (e / (`|K| + 1)); first by rewrite divr_gt0.
move=> w; rewrite ltr_pdivl_mulr // => wv; apply: Oe; apply: le_lt_trans wv.
apply: le_trans (gK w v) _; rewrite mulrC ler_wpmul2l ?norm2_ge0 //.
by rewrite (le_trans (ler_norm _)) // ler_addl.
Qed.
