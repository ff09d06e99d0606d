(* The constants of lem:sensitivity_minimizer cannot be halved.

   On the line: x^2/2 has its minimiser at 0, x^2/2 + x at -1, x^2/2 - x at 1.
   One loss of slope 1 moves the minimiser by G/Lambda = 1, the exchange of
   two by 2G/Lambda = 2. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets reals nsatz_realtype.
From AsapDP Require Import Euclid Sensitivity.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Local Open Scope classical_set_scope.

Section Line.
Variable R : realType.
Let N (x : R^o) : R := `|x|.

Lemma line_is_norm : is_norm N.
Proof. by split=> [v|v|u v]; [exact: normr_ge0|exact: normrN|exact: ler_norm_add]. Qed.

(* The parabola with its minimiser at -c, up to a constant. *)
Definition tilted (c x : R^o) : R := 1 / 2%:R * (x * x) + c * x.

Lemma tilted_strongly_convex c : strongly_convex N setT 1 (tilted c).
Proof.
move=> x y t _ _ _; rewrite /N real_normK ?num_real // le_eqVlt.
apply/orP; left; apply/eqP.
by rewrite /tilted /segment /GRing.scale /= expr2; nsatz.
Qed.

Lemma tilted_minimiser c : minimiser setT (tilted c) (- c).
Proof.
split=> // x _; have sq : 0 <= 1 / 2%:R * ((x + c) * (x + c)).
  by rewrite mulr_ge0 ?divr_ge0 ?ler0n ?ler01 // -expr2 sqr_ge0.
apply: le_from sq _; rewrite /tilted.
by have := splitr (1 : R); set h := 1 / 2%:R => one; nsatz.
Qed.

Lemma linear_lipschitz c : lipschitz_on N setT `|c| (fun x => c * x).
Proof. by move=> x y _ _; rewrite /N -mulrBr -normrM ler_norm. Qed.

Let half_lt (x : R) : 0 < x -> x / 2%:R < x.
Proof. by move=> x0; rewrite ltr_pdivr_mulr ?ltr0n // ltr_pmulr // ltr1n. Qed.

(* G/(2 Lambda) in place of G/Lambda. *)
Theorem sensitivity_halved_is_false :
  ~ (forall (Lambda G : R) (J J' : R^o -> R) (a b : R^o), 0 < Lambda -> 0 <= G ->
     strongly_convex N setT Lambda J -> strongly_convex N setT Lambda J' ->
     lipschitz_on N setT G (fun x => J x - J' x) ->
     minimiser setT J a -> minimiser setT J' b ->
     N (a - b) <= G / (2%:R * Lambda)).
Proof.
move=> /(_ 1 1 (tilted 0) (tilted (-1)) (- 0) (- -1)) claim.
have {claim} := claim ltr01 ler01 (tilted_strongly_convex 0)
  (tilted_strongly_convex (-1)) _ (tilted_minimiser 0) (tilted_minimiser (-1)).
rewrite /N opprK oppr0 sub0r normrN normr1 mulr1 => claim.
have /claim : lipschitz_on N setT 1 (fun x => tilted 0 x - tilted (-1) x).
  move=> x y Cx Cy; have := linear_lipschitz 1 Cx Cy; rewrite normr1.
  by move=> lip; apply: le_from lip _; rewrite /tilted; nsatz.
by apply/negP; rewrite -ltNge half_lt // ltr01.
Qed.

(* G/Lambda for replace-one neighbours: the factor 2 forgotten. *)
Theorem sensitivity_replace_without_2_is_false :
  ~ (forall (Lambda G : R) (J l l' : R^o -> R) (a b : R^o), 0 < Lambda -> 0 <= G ->
     strongly_convex N setT Lambda J ->
     strongly_convex N setT 0 l -> strongly_convex N setT 0 l' ->
     lipschitz_on N setT G l -> lipschitz_on N setT G l' ->
     minimiser setT (fun x => J x + l x) a ->
     minimiser setT (fun x => J x + l' x) b ->
     N (a - b) <= G / Lambda).
Proof.
pose lin (c x : R^o) : R := c * x.
have linc c : strongly_convex N setT 0 (lin c).
  move=> x y t _ _ _; rewrite !mul0r subr0 le_eqVlt; apply/orP; left; apply/eqP.
  by rewrite /lin /segment /GRing.scale /=; nsatz.
have tiltE c : (fun x => tilted 0 x + lin c x) = tilted c.
  by apply/funext => x; rewrite /tilted /lin; nsatz.
move=> /(_ 1 1 (tilted 0) (lin 1) (lin (-1)) (- 1) (- -1)) claim.
have := claim ltr01 ler01 (tilted_strongly_convex 0) (linc 1) (linc (-1)).
rewrite !tiltE => {}claim; have := linear_lipschitz 1; have := linear_lipschitz (-1).
rewrite normrN normr1 => lip' lip.
have := claim lip lip' (tilted_minimiser 1) (tilted_minimiser (-1)).
apply/negP; rewrite -ltNge /N opprK divr1 -opprD normrN ger0_norm ?addr_ge0 ?ler01 //.
by rewrite ltr_addl ltr01.
Qed.

End Line.
