(* The normal law on R^n, with a shift in any direction.

   Coordinate by coordinate, each N(0,1) on the line: no Lebesgue measure on R^n.

     normal_space n        the law of n independent N(0,1), on [space R n]
     cameron_martin        a shift by y is the weight e^(<b,y> - |y|^2/2)
     resample              along a unit vector the law may be drawn again: what is
                           proved on one line holds in R^n
     space_gdp             the law against the law shifted by y is |y|-GDP *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Euclid Line Space HockeyStick Profile.
From AsapDP Require Import GaussLine GaussCurve GaussHalf GaussPlane GaussCompose.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Coordinates *)

Section Coordinates.
Variables (R : realType) (n : nat).
Implicit Types (u v : 'rV[R]_n) (z a : R).

Definition extend z u : 'rV[R]_(1 + n) := row_mx (z%:M) u.

Lemma extendD z u a v : extend z u + extend a v = extend (z + a) (u + v).
Proof. by rewrite /extend add_row_mx raddfD. Qed.

Lemma extend_along z u : extend z u = extend 0 u + z *: extend 1 0.
Proof.
by rewrite /extend scale_row_mx scaler0 add_row_mx addr0 scale_scalar_mx mulr1 -raddfD add0r.
Qed.

Lemma dot_extend z u a v : dot (extend z u) (extend a v) = z * a + dot u v.
Proof.
rewrite /dot /extend big_split_ord /= big_ord1 !row_mxEl !mxE /= !mulr1n.
by congr (_ + _); apply: eq_bigr => i _; rewrite !row_mxEr.
Qed.

Lemma extend_norm2 u : norm2 (extend 0 u) = norm2 u.
Proof. by rewrite /norm2 dot_extend mulr0 add0r. Qed.

Lemma extendP (y : 'rV[R]_(1 + n)) : exists a v, y = extend a v.
Proof.
exists (lsubmx y 0 0), (rsubmx y).
by rewrite /extend -mx11_scalar hsubmxK.
Qed.

Lemma measurable_extend :
  measurable_fun setT (fun p : space R n * R => extend p.2 p.1 : space R (1 + n)).
Proof.
have ml : measurable_fun setT ((fun u => extend 0 u) : space R n -> space R (1 + n)).
  apply: (lipschitz_map_measurable (K := 1)) => u v; rewrite mul1r.
  have -> : extend 0 u - extend 0 v = extend 0 (u - v).
    by rewrite /extend opp_row_mx add_row_mx -raddfB subr0.
  by rewrite extend_norm2.
rewrite [X in measurable_fun _ X](_ : _ = (fun q : R * space R (1 + n) =>
    along (extend 1 0) q.1 q.2) \o (fun p => (p.2, extend 0 p.1))); last first.
  by apply/funext => p; rewrite /= /along -extend_along.
apply: measurable_fun_comp; first exact: measurable_along.
apply/prod_measurable_funP; split => /=; first exact: measurable_snd.
exact: (measurable_fun_comp ml (@measurable_fst _ _ _ _)).
Qed.

Lemma coordinate_norm2 v i : `|v 0 i| <= norm2 v.
Proof.
rewrite -sqrtr_sqr ler_wsqrtr // /dot (bigD1 i) //= -expr2 ler_addl.
by apply: sumr_ge0 => j _; rewrite -expr2 sqr_ge0.
Qed.

Lemma measurable_coordinate i :
  measurable_fun setT ((fun u : 'rV[R]_n => u 0 i) : space R n -> R).
Proof.
apply: (@lipschitz_measurable _ _ 1) => u v; rewrite mul1r.
by have := coordinate_norm2 (u - v) i; rewrite !mxE.
Qed.

Lemma measurable_dot (y : 'rV[R]_n) :
  measurable_fun setT ((fun u : 'rV[R]_n => dot u y) : space R n -> R).
Proof.
apply: (@lipschitz_measurable _ _ (norm2 y)) => u v; rewrite -dotNl -dotDl mulrC.
rewrite ler_norml cauchy_schwarz andbT ler_oppl -dotNl -(norm2N (u - v)).
exact: cauchy_schwarz.
Qed.

Lemma measurable_add d (T : measurableType d) (f g : T -> space R n) :
  measurable_fun setT f -> measurable_fun setT g ->
  measurable_fun setT (fun t => ((f t : 'rV[R]_n) + (g t : 'rV[R]_n)) : space R n).
Proof.
move=> mf mg.
have part (s : seq 'I_n) : measurable_fun setT (fun t => ((f t : 'rV[R]_n) +
    \sum_(i <- s) (g t : 'rV[R]_n) 0 i *: delta_mx 0 i) : space R n).
  elim: s => [|i s IH].
    by rewrite [X in measurable_fun _ X](_ : _ = f) //; apply/funext => t; rewrite big_nil addr0.
  rewrite [X in measurable_fun _ X](_ : _ = (fun q : R * space R n =>
      along (delta_mx 0 i) q.1 q.2) \o (fun t => ((g t : 'rV[R]_n) 0 i,
      (f t : 'rV[R]_n) + \sum_(i <- s) (g t : 'rV[R]_n) 0 i *: delta_mx 0 i))); last first.
    by apply/funext => t; rewrite /= /along big_cons addrCA addrC.
  apply: measurable_fun_comp; first exact: measurable_along.
  apply/prod_measurable_funP; split => //=.
  exact: (measurable_fun_comp (measurable_coordinate i) mg).
rewrite [X in measurable_fun _ X](_ : _ = fun t => (f t : 'rV[R]_n) +
    \sum_(i <- index_enum _) (g t : 'rV[R]_n) 0 i *: delta_mx 0 i); first exact: part.
by apply/funext => t; rewrite -row_sum_delta.
Qed.

Lemma measurable_scale (k : R) :
  measurable_fun setT ((fun u : 'rV[R]_n => k *: u) : space R n -> space R n).
Proof.
apply: (lipschitz_map_measurable (K := `|k|)) => u v.
by rewrite -scalerBr norm2Z.
Qed.

End Coordinates.

(** * The law *)

Section Law.
Variable R : realType.

(* One coordinate more.  Sealed by Qed: a search would else unfold the kernels. *)
Fact extend_spec n (P : {measure set (space R n) -> \bar R}) :
  {Q : {measure set (space R (1 + n)) -> \bar R} | Q setT = P setT /\
    forall g : space R (1 + n) -> \bar R, measurable_fun setT g -> (forall b, 0 <= g b)%E ->
    (\int[Q]_b g b = \int[P]_u \int[normal 0]_z g (extend z u))%E}.
Proof.
pose J := joint P (const_kernel (space R n) (normal_total (0 : R))).
exists [the {measure set (space R (1 + n)) -> \bar R} of
  pushforward J (@measurable_extend R n)]; split=> [|g mg g0].
  exact: (etrans (congr1 J (preimage_setT _)) (bind_total P _)).
apply: (etrans (integral_pushforward (@measurable_extend R n) J mg g0)).
have mc := measurable_fun_comp mg (@measurable_extend R n).
exact: (ge0_integral_joint P (const_kernel (space R n) (normal_total (0 : R)))
  (fun p => g0 (extend p.2 p.1)) mc).
Qed.

Definition origin : space R 0 := (0 : 'rV[R]_0).

Fixpoint normal_space n : {measure set (space R n) -> \bar R} :=
  match n with
  | 0 => [the {measure set (space R 0) -> \bar R} of dirac origin]
  | n'.+1 => sval (extend_spec (normal_space n'))
  end.

Lemma normal_space_total n : normal_space n setT = 1%E.
Proof.
elim: n => [|n IH]; first by rewrite /= diracE in_setT.
exact: (etrans (proj1 (svalP (extend_spec (normal_space n)))) IH).
Qed.

Lemma normal_space_sigma_finite n : sigma_finite setT (normal_space n).
Proof. by apply: mass1_sigma_finite; rewrite normal_space_total ltry. Qed.

Let normal_sigma_finite m : sigma_finite setT (@normal R m).
Proof. by apply: mass1_sigma_finite; rewrite normal_total ltry. Qed.

Lemma integral_normal_space n (g : space R (1 + n) -> \bar R) :
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[normal_space n.+1]_b g b =
   \int[normal_space n]_u \int[normal 0]_z g (extend z u))%E.
Proof. exact: (proj2 (svalP (extend_spec (normal_space n)))). Qed.

(* On the line. *)
Lemma normal_weight a (g : R -> \bar R) : measurable_fun setT g -> (forall z, 0 <= g z)%E ->
  (\int[normal 0]_z g (z + a)%R = \int[normal 0]_z ((expR (loss a z))%:E * g z))%E.
Proof.
move=> mg g0; rewrite (integral_normal_shift 0 a mg g0) add0r (integral_normal a mg g0).
have mw : measurable_fun setT (fun z : R => (expR (loss a z))%:E * g z)%E.
  apply: emeasurable_funM => //; apply: measurable_EFin; apply: measurable_fun_expR.
  by apply: measurable_loss; exact: measurable_fun_id.
have w0 z : (0 <= (expR (loss a z))%:E * g z)%E by rewrite mule_ge0 ?expR_weight_ge0.
rewrite (integral_normal 0 mw w0); apply: eq_integral => z _.
by rewrite subr0 muleA -EFinM phi_shift.
Qed.

Theorem cameron_martin n (y : 'rV[R]_n) (g : space R n -> \bar R) :
  measurable_fun setT g -> (forall b, 0 <= g b)%E ->
  (\int[normal_space n]_b g ((b : 'rV[R]_n) + y)%R = \int[normal_space n]_b
    ((expR (dot (b : 'rV[R]_n) y - half R * dot y y))%:E * g b))%E.
Proof.
elim: n y g => [|n IH] y g mg g0.
  apply: eq_integral => b _; rewrite !(thinmx0 y) !(thinmx0 b) addr0.
  by rewrite /dot !big_ord0 mulr0 subrr expR0 mul1e.
have [a [v yE]] := extendP y; rewrite yE.
have mshift : measurable_fun setT (fun b : space R (1 + n) => g ((b : 'rV[R]_(1 + n)) + extend a v)).
  apply: (measurable_fun_comp mg); apply: measurable_add; first exact: measurable_fun_id.
  exact: measurable_fun_cst.
have mweight : measurable_fun setT (fun b : space R (1 + n) =>
    (expR (dot (b : 'rV[R]_(1 + n)) (extend a v) - half R * dot (extend a v) (extend a v)))%:E * g b)%E.
  apply: emeasurable_funM => //; apply: measurable_EFin; apply: measurable_fun_expR.
  by apply: measurable_funD; [exact: measurable_dot|exact: measurable_fun_cst].
rewrite (integral_normal_space mshift) //.
rewrite (integral_normal_space mweight); last by move=> b; rewrite mule_ge0 ?expR_weight_ge0.
have mge : measurable_fun setT (fun p : space R n * R => g (extend p.2 p.1)).
  exact: (measurable_fun_comp mg (@measurable_extend R n)).
have ml : measurable_fun setT (fun p : space R n * R => (expR (loss a p.2))%:E).
  apply: measurable_EFin; apply: measurable_fun_expR; apply: measurable_loss.
  exact: measurable_snd.
pose h (p : space R n * R) : \bar R := ((expR (loss a p.2))%:E * g (extend p.2 p.1))%E.
have mh : measurable_fun setT h by exact: emeasurable_funM.
have h0 p : (0 <= h p)%E by rewrite /h mule_ge0 ?expR_weight_ge0.
pose g' u : \bar R := (\int[normal 0]_z h (u, z))%E.
have mg' : measurable_fun setT g' by exact: (measurable_inner (normal_sigma_finite 0) mh h0).
have g'0 u : (0 <= g' u)%E by apply: int_ge0 => z; exact: h0.
have mfix u : measurable_fun setT (fun z : R => g (extend z u)).
  exact: (measurable_fun_prod1 (f := fun p : space R n * R => g (extend p.2 p.1)) u mge).
transitivity (\int[normal_space n]_u g' ((u : 'rV[R]_n) + v)%R)%E.
  apply: eq_integral => u _; rewrite /g' /h /= -(normal_weight a (mfix _) (fun z => g0 _)).
  by apply: eq_integral => z _; rewrite extendD.
rewrite (IH v g' mg' g'0); apply: eq_integral => u _.
have mhu : measurable_fun setT (fun z => h (u, z)) by exact: (measurable_fun_prod1 (f := h)).
rewrite -(int_scale _ (expR_ge0 _) mhu (fun z => h0 _)); apply: eq_integral => z _.
rewrite /h muleA -EFinM -expRD; congr ((expR _)%:E * _)%E.
by rewrite !dot_extend /loss; move: (half R) => c; rewrite !expr2; nsatz.
Qed.

Section Resample.
Variables (n : nat) (y : 'rV[R]_n).
Hypothesis unit_y : dot y y = 1.

(* The point b with its part along y replaced by v. *)
Definition redrawn (b : space R n) (v : R) : space R n :=
  along y (v - dot (b : 'rV[R]_n) y) b.

Lemma measurable_redrawn :
  measurable_fun setT (fun p : space R n * R => redrawn p.1 p.2).
Proof.
rewrite [X in measurable_fun _ X](_ : _ = (fun q : R * space R n => along y q.1 q.2) \o
  (fun p : space R n * R => (p.2 - dot (p.1 : 'rV[R]_n) y, p.1))); last exact/funext.
apply: measurable_fun_comp; first exact: measurable_along.
apply/prod_measurable_funP; split => /=; last exact: measurable_fst.
apply: measurable_funB; first exact: measurable_snd.
exact: (measurable_fun_comp (measurable_dot y) (@measurable_fst _ _ _ _)).
Qed.

Theorem resample (g : space R n -> \bar R) : measurable_fun setT g ->
  (forall b, 0 <= g b)%E ->
  (\int[normal_space n]_b \int[normal 0]_v g (redrawn b v) = \int[normal_space n]_b g b)%E.
Proof.
move=> mg g0; have sN := normal_space_sigma_finite n; have sl := @line_sigma_finite R.
have mr : measurable_fun setT (fun p : space R n * R => g (redrawn p.1 p.2)).
  exact: (measurable_fun_comp mg measurable_redrawn).
pose f (p : space R n * R) : \bar R :=
  ((phi (p.2 + dot (p.1 : 'rV[R]_n) y))%:E * g (along y p.2 p.1))%E.
have mdot : measurable_fun setT (fun p : space R n * R => dot (p.1 : 'rV[R]_n) y).
  exact: (measurable_fun_comp (measurable_dot y) (@measurable_fst _ _ _ _)).
have malong : measurable_fun setT (fun p : space R n * R => along y p.2 p.1).
  rewrite [X in measurable_fun _ X](_ : _ = (fun q : R * space R n => along y q.1 q.2) \o
    (fun p : space R n * R => (p.2, p.1))); last exact/funext.
  apply: measurable_fun_comp; first exact: measurable_along.
  by apply/prod_measurable_funP; split => /=; [exact: measurable_snd|exact: measurable_fst].
have mf : measurable_fun setT f.
  apply: emeasurable_funM; last exact: (measurable_fun_comp mg malong).
  apply: measurable_EFin; apply: measurable_phi; apply: measurable_funD => //.
  exact: measurable_snd.
have f0 p : (0 <= f p)%E by rewrite /f mule_ge0 // lee_fin phi_ge0.
transitivity (\int[normal_space n]_b \int[line R]_r f (b, r))%E.
  apply: eq_integral => b _.
  have mb : measurable_fun setT (fun v => g (redrawn b v)).
    exact: (measurable_fun_prod1 (f := fun p => g (redrawn p.1 p.2)) b mr).
  rewrite (integral_normal 0 mb (fun v => g0 _)).
  have mpb : measurable_fun setT (fun v : R => (phi (v - 0))%:E * g (redrawn b v))%E.
    apply: emeasurable_funM => //; apply: measurable_EFin; apply: measurable_phi.
    exact: measurable_minus.
  have pb0 v : (0 <= (phi (v - 0))%:E * g (redrawn b v))%E.
    by rewrite mule_ge0 // lee_fin phi_ge0.
  rewrite -(line_shift (dot (b : 'rV[R]_n) y) mpb pb0); apply: eq_integral => r _.
  by rewrite /f /redrawn subr0 addrK.
rewrite (swap sN sl mf f0).
pose h (p : space R n * R) : \bar R :=
  ((phi (p.2 - dot (p.1 : 'rV[R]_n) y))%:E * g p.1)%E.
have mh : measurable_fun setT h.
  apply: emeasurable_funM; last exact: (measurable_fun_comp mg (@measurable_fst _ _ _ _)).
  apply: measurable_EFin; apply: measurable_phi; apply: measurable_funB => //.
  exact: measurable_snd.
have h0 p : (0 <= h p)%E by rewrite /h mule_ge0 // lee_fin phi_ge0.
transitivity (\int[line R]_r \int[normal_space n]_b h (b, r))%E.
  apply: eq_integral => r _.
  pose G (b : space R n) : \bar R := ((phi (dot (b : 'rV[R]_n) y))%:E * g b)%E.
  have mG : measurable_fun setT G.
    apply: emeasurable_funM => //; apply: measurable_EFin; apply: measurable_phi.
    exact: measurable_dot.
  have G0 b : (0 <= G b)%E by rewrite /G mule_ge0 // lee_fin phi_ge0.
  transitivity (\int[normal_space n]_b G ((b : 'rV[R]_n) + r *: y)%R)%E.
    apply: eq_integral => b _; rewrite /f /G /along /= dotDl dotZl unit_y mulr1.
    by rewrite [r + _]addrC.
  rewrite (cameron_martin (r *: y) mG G0); apply: eq_integral => b _.
  rewrite /G /h muleA -EFinM /= -(phiN (r - _)) opprB phi_shift mulrC.
  by rewrite !dotZr !dotZl unit_y mulr1 expr2.
rewrite -(swap sN sl mh h0); apply: eq_integral => b _.
have mp : measurable_fun setT (fun r : R => (phi (r - dot (b : 'rV[R]_n) y))%:E).
  by apply: measurable_EFin; apply: measurable_phi; exact: measurable_minus.
have p0 (r : R) : (0 <= (phi (r - dot (b : 'rV[R]_n) y))%:E)%E by rewrite lee_fin phi_ge0.
rewrite /h /=.
under eq_integral do rewrite muleC.
by rewrite ge0_integralM // integral_phi mule1.
Qed.

End Resample.

Lemma unit_exists n (y : 'rV[R]_n) : y != 0 ->
  exists2 w, dot w w = 1 & y = norm2 y *: w.
Proof.
move=> y0; have q0 : dot y y != 0.
  by apply: contra y0 => /eqP q; apply/eqP; exact: dot_eq0.
have n0 : norm2 y != 0.
  by rewrite /norm2 sqrtr_eq0 -ltNge lt_neqAle eq_sym q0 dot_ge0.
exists ((norm2 y)^-1 *: y); last by rewrite scalerA divff // scale1r.
by rewrite dotZl dotZr -sqr_norm2 mulrA -expr2 -exprMn mulVf // expr1n.
Qed.

(* Shifted by y, for tests. *)
Theorem space_gdp n (y : 'rV[R]_n) eps (f : space R n -> \bar R) : test f ->
  (\int[normal_space n]_b f b <= (expR eps)%:E *
    \int[normal_space n]_b f ((b : 'rV[R]_n) + y)%R + (delta (norm2 y) eps)%:E)%E.
Proof.
move=> tf; have [mf f0 f1] := tf; have N1 := normal_space_total n.
have [->|y0] := eqVneq y 0.
  have -> : (\int[normal_space n]_b f ((b : 'rV[R]_n) + 0)%R = \int[normal_space n]_b f b)%E.
    by apply: eq_integral => b _; rewrite addr0.
  exact: (gdp_refl (norm2 (0 : 'rV[R]_n)) N1 eps tf).
have [w w1 yE] := unit_exists y0; set m := norm2 y in yE *.
have mr : measurable_fun setT (fun p : space R n * R => f (redrawn w p.1 p.2)).
  exact: (measurable_fun_comp mf (measurable_redrawn w)).
have ms : measurable_fun setT (fun b : space R n => f ((b : 'rV[R]_n) + y)).
  apply: (measurable_fun_comp mf); apply: measurable_add; first exact: measurable_fun_id.
  exact: measurable_fun_cst.
have mb b : measurable_fun setT (fun v => f (redrawn w b v)).
  exact: (measurable_fun_prod1 (f := fun p => f (redrawn w p.1 p.2)) b mr).
rewrite -(resample w1 mf f0) -(resample w1 ms (fun b => f0 _)).
have sn m' : sigma_finite setT (@normal R m').
  by apply: mass1_sigma_finite; rewrite normal_total ltry.
have mi m' : measurable_fun setT (fun b => \int[normal m']_v f (redrawn w b v))%E.
  exact: (measurable_inner (sn m') mr (fun p => f0 _)).
have moved b : (\int[normal 0]_v f ((redrawn w b v : 'rV[R]_n) + y)%R =
    \int[normal m]_v f (redrawn w b v))%E.
  rewrite -[m]add0r -(integral_normal_shift 0 m (mb b) (fun v => f0 _)).
  apply: eq_integral => v _; rewrite /redrawn /along yE -addrA -scalerDl.
  by rewrite addrAC.
have -> : (\int[normal_space n]_b \int[normal 0]_v f ((redrawn w b v : 'rV[R]_n) + y)%R =
    \int[normal_space n]_b \int[normal m]_v f (redrawn w b v))%E.
  by apply: eq_integral => b _; exact: moved.
have i0 m' b : (0 <= \int[normal m']_v f (redrawn w b v))%E by apply: int_ge0.
have me : measurable_fun setT
    (fun b => (expR eps)%:E * \int[normal m]_v f (redrawn w b v))%E.
  exact: measurable_funeM.
have e0 b : (0 <= (expR eps)%:E * \int[normal m]_v f (redrawn w b v))%E.
  by rewrite mule_ge0 ?expR_weight_ge0.
have c0 (b : space R n) : (0 <= (delta m eps)%:E)%E by rewrite lee_fin delta_ge0.
have mc : measurable_fun setT (fun _ : space R n => (delta m eps)%:E).
  exact: measurable_fun_cst.
have dE : (delta m eps)%:E = (\int[normal_space n]_b (delta m eps)%:E)%E.
  by rewrite integral_cst // N1 mule1.
rewrite [X in (_ <= _ + X)%E]dE -(int_scale _ (expR_ge0 eps) (mi m) (i0 m)).
rewrite -(int_add _ me e0 mc c0).
apply: int_le => // [|b]; first exact: emeasurable_funD.
by apply: (normal_gdp m eps); split.
Qed.

End Law.
