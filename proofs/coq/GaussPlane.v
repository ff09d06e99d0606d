(* The normal law of the plane, and what its turning says of delta.

     turn_plane     the normal law does not change under the two substitutions that
                    turn the plane
     delta_plane    a second distance at a right angle: the sum of squares
     delta_mono     delta grows with the distance
     slices         first x, then z normal, and a set of pairs: cut along z       *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Line HockeyStick Profile.
From AsapDP Require Import GaussLine GaussCurve GaussHalf.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Lemma eq_lee (R : realType) (x y : \bar R) : x = y -> (x <= y)%E.
Proof. by move=> ->. Qed.

Section Plane.
Variable R : realType.
Implicit Types (m eps z u w : R).
Let sl := @line_sigma_finite R.

Lemma turn_density (a k z u : R) : a ^+ 2 = 1 + k ^+ 2 ->
  phi z * phi (a * u + - (k * z)) = phi u * phi (a * z + - (k * u)).
Proof.
move=> ak; rewrite /phi !mulf_div; congr (_ / _); rewrite /gauss -!expRD; congr expR.
by rewrite -!opprD -!mulrDr; congr (- (_ * _)); rewrite !expr2 in ak *; nsatz.
Qed.

Lemma turn_plane (a k : R) (H : R -> R) : 0 < a -> a ^+ 2 = 1 + k ^+ 2 ->
  measurable_fun setT H -> (forall t, 0 <= H t) ->
  (\int[line R]_z \int[line R]_w (phi z * (phi w * H (k * z + w)%R))%R%:E =
   \int[line R]_u (phi u * H (a * u)%R)%R%:E)%E.
Proof.
move=> a0 ak mH H0; have an0 : a != 0 by rewrite gt_eqF.
have id1 : measurable_fun setT (fun z : R => z) by exact: measurable_fun_id.
have mlin (c b : R) : measurable_fun setT (fun z : R => c * z + b).
  by apply: measurable_funD; [apply: measurable_funrM|exact: measurable_fun_cst].
pose G z u : R := a * (phi z * (phi (a * u + - (k * z)) * H (a * u))).
have step z : (\int[line R]_w (phi z * (phi w * H (k * z + w)%R))%R%:E =
    \int[line R]_u (G z u)%:E)%E.
  pose g w : \bar R := (phi z * (phi w * H (k * z + w)))%:E.
  have mg : measurable_fun setT g.
    apply: measurable_EFin; apply: measurable_funrM; apply: measurable_funM.
      exact: measurable_phi.
    apply: (measurable_fun_comp mH).
    by apply: measurable_funD => //; exact: measurable_fun_cst.
  have g0 w : (0 <= g w)%E by rewrite lee_fin (mulr_ge0 (phi_ge0 z)) // mulr_ge0 ?phi_ge0.
  have sub := @line_affine R a (- (k * z)) g an0 mg g0.
  have mgs : measurable_fun setT (fun u : R => g (a * u + - (k * z))).
    exact: (measurable_fun_comp mg).
  transitivity (a%:E * \int[line R]_u g (a * u + - (k * z))%R)%E.
    by rewrite sub muleA -EFinM gtr0_norm // divff // mul1e.
  rewrite -(int_scale _ (ltW a0) mgs (fun u => g0 _)); apply: eq_integral => u _.
  by rewrite /g -EFinM /G addrCA subrr addr0.
under eq_integral do rewrite step.
have mz : measurable_fun setT (fun p : R * R => p.1) by exact: measurable_fst.
have mu : measurable_fun setT (fun p : R * R => p.2) by exact: measurable_snd.
have mG : measurable_fun setT (fun p : R * R => (G p.1 p.2)%:E).
  apply: measurable_EFin; apply: measurable_funrM; apply: measurable_funM.
    exact: measurable_phi.
  apply: measurable_funM; last by apply: (measurable_fun_comp mH); apply: measurable_funrM.
  apply: measurable_phi; apply: measurable_funD; first by apply: measurable_funrM.
  by apply: measurable_funN; apply: measurable_funrM.
have G0 (p : R * R) : (0 <= (G p.1 p.2)%:E)%E.
  by rewrite lee_fin mulr_ge0 ?(ltW a0) // mulr_ge0 ?phi_ge0 // mulr_ge0 ?phi_ge0.
rewrite (swap sl sl mG G0) /=; apply: eq_integral => u _.
pose f z : \bar R := (phi z)%:E.
have mf : measurable_fun setT f by apply: measurable_EFin; exact: measurable_phi.
have f0 z : (0 <= f z)%E by rewrite /f lee_fin phi_ge0.
have mfs : measurable_fun setT (fun z : R => f (a * z + - (k * u))).
  exact: (measurable_fun_comp mf).
have sub := @line_affine R a (- (k * u)) f an0 mf f0.
have c0 : 0 <= a * (phi u * H (a * u)) by rewrite mulr_ge0 ?(ltW a0) // mulr_ge0 ?phi_ge0.
transitivity ((a * (phi u * H (a * u)))%:E * \int[line R]_z f (a * z + - (k * u))%R)%E.
  rewrite -(int_scale _ c0 mfs (fun z => f0 _)); apply: eq_integral => z _.
  rewrite /f -EFinM; congr EFin; rewrite /G; have := turn_density z u ak.
  move: (phi (a * u + _)) (phi (a * z + _)) (phi z) (phi u) (H _) => q q' p p' h e.
  by nsatz.
by rewrite sub integral_phi0 mule1 -EFinM gtr0_norm // mulrAC divff // mul1r.
Qed.

(* The sum of squares. *)
Lemma delta_plane m1 m s eps : 0 < m1 -> 0 < s -> s ^+ 2 = m1 ^+ 2 + m ^+ 2 ->
  (\int[line R]_z ((phi z)%:E * (delta m1 (eps + loss m z)%R)%:E) = (delta s eps)%:E)%E.
Proof.
move=> m10 s0 ss; have m1n : m1 != 0 by rewrite gt_eqF.
pose H t : R := above0 (1 - expR (eps + (m1 * t - half R * s ^+ 2))).
have mH : measurable_fun setT H.
  apply: measurable_above0; apply: measurable_funB; first exact: measurable_fun_cst.
  apply: measurable_fun_expR; apply: measurable_funD; first exact: measurable_fun_cst.
  apply: measurable_funD; last exact: measurable_fun_cst.
  by apply: measurable_funrM; exact: measurable_fun_id.
have H0 t : 0 <= H t by exact: above0_ge0.
have ak : (s / m1) ^+ 2 = 1 + (m / m1) ^+ 2.
  by rewrite !expr_div_n ss mulrDl divff // expf_neq0.
apply: (etrans _ (deltaE s eps)); transitivity (\int[line R]_z \int[line R]_w
    (phi z * (phi w * H (m / m1 * z + w)%R))%R%:E)%E.
  apply: eq_integral => z _; rewrite -deltaE.
  have ms : measurable_fun setT (fun w : R => (stick m1 (eps + loss m z) w)%:E).
    apply: measurable_EFin.
    by apply: measurable_stick; [exact: measurable_fun_cst|exact: measurable_fun_id].
  have s0' w : (0 <= (stick m1 (eps + loss m z) w)%:E)%E by rewrite lee_fin stick_ge0.
  rewrite -(int_scale _ (phi_ge0 z) ms s0'); apply: eq_integral => w _.
  rewrite -EFinM stickE; congr (_ * (_ * above0 (1 - expR _)))%:E.
  rewrite -addrA; congr (_ + _); rewrite /loss mulrDr mulrA [m1 * (m / m1)]mulrC divfK //.
  by rewrite ss; move: (half R) => h; rewrite !expr2; nsatz.
rewrite (turn_plane (divr_gt0 s0 m10) ak mH H0); apply: eq_integral => u _.
rewrite stickE; congr (_ * above0 (1 - expR _))%:E; congr (_ + _).
by rewrite /loss mulrA [m1 * (s / m1)]mulrC divfK.
Qed.

Lemma measurable_delta m1 d (T : measurableType d) (e : T -> R) :
  measurable_fun setT e -> measurable_fun setT (fun t => (delta m1 (e t))%:E).
Proof.
move=> me; have ms : measurable_fun setT (fun p : T * R => (stick m1 (e p.1) p.2)%:E).
  apply: measurable_EFin; apply: measurable_stick; last exact: measurable_snd.
  exact: (measurable_fun_comp me (@measurable_fst _ _ T R)).
have s0 (p : T * R) : (0 <= (stick m1 (e p.1) p.2)%:E)%E by rewrite lee_fin stick_ge0.
rewrite (_ : (fun t => (delta m1 (e t))%:E) =
    (fun t => \int[line R]_w (stick m1 (e t) w)%:E)%E); last first.
  by apply/funext => t; rewrite deltaE.
exact: (measurable_inner sl ms s0).
Qed.

Lemma delta_one m eps : 1 <= expR eps + delta m eps.
Proof.
have t1 : test (fun _ : R => 1%E : \bar R).
  by split => [|x|x]; [exact: measurable_fun_cst|exact: lee01|exact: lexx].
have e0 := integral_one (normal_total (0 : R)); have em := integral_one (normal_total m).
have := normal_gdp m eps t1; rewrite [leLHS]e0 [X in (_ <= _ * X + _)%E]em.
by rewrite mule1 -EFinD lee_fin.
Qed.

Lemma delta_above0 m eps : above0 (1 - expR eps) <= delta m eps.
Proof.
rewrite /above0 le_maxl delta_ge0 /= ler_subl_addl; exact: delta_one.
Qed.

Lemma delta_mono m m' eps : 0 <= m -> m <= m' -> delta m eps <= delta m' eps.
Proof.
move=> m0; rewrite le_eqVlt => /orP[/eqP -> //|mm'].
have s0 : 0 < m' := le_lt_trans m0 mm'.
have d0 : 0 < m' ^+ 2 - m ^+ 2 by rewrite subr_gt0 ltr_pexpn2r ?nnegrE // ltW.
pose m1 := Num.sqrt (m' ^+ 2 - m ^+ 2).
have m10 : 0 < m1 by rewrite sqrtr_gt0.
have ss : m' ^+ 2 = m1 ^+ 2 + m ^+ 2 by rewrite sqr_sqrtr ?subrK // ltW.
rewrite -lee_fin.
apply: (le_trans (eq_lee (esym (deltaE m eps)))).
apply: (le_trans _ (eq_lee (delta_plane eps m10 s0 ss))).
have id1 : measurable_fun setT (fun z : R => z) by exact: measurable_fun_id.
have me : measurable_fun setT (fun z : R => eps + loss m z).
  by apply: measurable_funD; [exact: measurable_fun_cst|exact: measurable_loss].
apply: int_le => [|z||z].
- by apply: measurable_EFin; apply: measurable_stick => //; exact: measurable_fun_cst.
- by rewrite lee_fin stick_ge0.
- apply: emeasurable_funM; first by apply: measurable_EFin; exact: measurable_phi.
  exact: measurable_delta.
- by rewrite -EFinM lee_fin stickE ler_wpmul2l ?phi_ge0 // delta_above0.
Qed.

Lemma delta_zero : delta 0 0 = 0 :> R.
Proof.
apply: EFin_inj; rewrite -deltaE; under eq_integral => z _.
  rewrite /stick expR0 mul1r subr0 subrr /above0 maxxx; over.
by rewrite integral0.
Qed.

End Plane.

(** * Slices *)

Section Slices.
Context d (T : measurableType d) (R : realType).
Variables (P : {measure set T -> \bar R}).
Hypothesis P1 : P setT = 1%E.

(* First x, then z ~ N(c, 1), and a set of pairs: cut along z. *)
Lemma slices (c : R) (S : set (T * R)) : measurable S ->
  (\int[P]_x normal c (xsection S x) =
   \int[line R]_z ((phi (z - c)%R)%:E * P (ysection S z)))%E.
Proof.
move=> mS; pose f (p : T * R) : \bar R := (phi (p.2 - c) * \1_S p)%:E.
have mphi2 : measurable_fun setT (fun p : T * R => phi (p.2 - c)).
  apply: measurable_phi; apply: measurable_funD; last exact: measurable_fun_cst.
  exact: measurable_snd.
have mf : measurable_fun setT f.
  by apply: measurable_EFin; apply: measurable_funM => //; exact: measurable_fun_indic.
have f0 p : (0 <= f p)%E by rewrite /f lee_fin mulr_ge0 ?phi_ge0.
have sP : sigma_finite setT P by apply: mass1_sigma_finite; rewrite P1 ltry.
transitivity (\int[P]_x \int[line R]_z f (x, z))%E.
  apply: eq_integral => x _; rewrite normalE; last exact: measurable_xsection.
  apply: eq_integral => z _; rewrite /f !indicE; congr (_ * (nat_of_bool _)%:R)%:E.
  by rewrite mem_xsection.
rewrite (swap sP (@line_sigma_finite R) mf f0); apply: eq_integral => z _.
have mY : measurable (ysection S z) by exact: measurable_ysection.
have mI : measurable_fun setT (fun x : T => (\1_(ysection S z) x : R)%:E).
  by apply: measurable_EFin; exact: measurable_fun_indic.
have I0 (x : T) : (0 <= (\1_(ysection S z) x : R)%:E)%E by rewrite lee_fin.
transitivity ((phi (z - c))%:E * \int[P]_x (\1_(ysection S z) x : R)%:E)%E; last first.
  by rewrite integral_indic // setIT.
rewrite -(int_scale _ (phi_ge0 (z - c)) mI I0); apply: eq_integral => x _.
rewrite /f -EFinM !indicE /=.
by congr (_ * (nat_of_bool _)%:R)%:E; rewrite mem_ysection.
Qed.

End Slices.
