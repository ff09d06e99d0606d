(* own:euclidean-laplace: the sum of n exponential numbers, a gamma number.

   Convolutions by r = t u; the constant of the density is nowhere needed.

     gamma n           the law of the sum
     gamma_density     density proportional to r^(n-1) e^(-r)                        *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.classical Require Import cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import signed reals ereal topology normedtype.
From mathcomp.analysis Require Import sequences esum measure lebesgue_measure.
From mathcomp.analysis Require Import numfun lebesgue_integral exp nsatz_realtype.
From AsapDP Require Import Kernels PureDP Coupling Gibbs Rejection Line Euclid Space.
From AsapDP Require Import Logistic LineLaw GaussLine Volume Exponential.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports.

Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Gamma.
Variable R : realType.
Implicit Types (r t u : R) (g : R -> \bar R).
Local Notation exponential := (Exponential.exponential R).

Fact plus_spec (P : {measure set R -> \bar R}) : {Q : {measure set R -> \bar R} |
  Q setT = P setT /\ forall g, measurable_fun setT g -> (forall t, 0 <= g t)%E ->
  (\int[Q]_t g t = \int[P]_r \int[exponential]_t g (r + t)%R)%E}.
Proof.
have mp : measurable_fun setT (fun p : R * R => p.1 + p.2).
  by apply: measurable_funD; [exact: measurable_fst|exact: measurable_snd].
pose J := joint P (const_kernel R (exponential_total R)).
exists [the {measure set R -> \bar R} of pushforward J mp]; split=> [|g mg g0].
  exact: (etrans (congr1 J (preimage_setT _)) (bind_total P _)).
apply: (etrans (integral_pushforward mp J mg g0)).
exact: (ge0_integral_joint P (const_kernel R (exponential_total R)) (fun p => g0 _)
  (measurable_fun_comp mg mp)).
Qed.

Fixpoint gamma n : {measure set R -> \bar R} :=
  if n is n'.+1 then sval (plus_spec (gamma n'))
  else [the {measure set R -> \bar R} of dirac (0 : R)].

Lemma gamma_total n : gamma n setT = 1%E.
Proof.
elim: n => [|n IH]; first by rewrite /= diracE in_setT.
exact: (etrans (proj1 (svalP (plus_spec (gamma n)))) IH).
Qed.

Lemma integral_gamma n g : measurable_fun setT g -> (forall t, 0 <= g t)%E ->
  (\int[gamma n.+1]_t g t = \int[gamma n]_r \int[exponential]_t g (r + t)%R)%E.
Proof. exact: (proj2 (svalP (plus_spec (gamma n)))). Qed.

(* r^n e^(-r) for r > 0. *)
Definition gamma_weight n r : R := r ^+ n * decay r.

Lemma gamma_weight_ge0 n r : 0 <= gamma_weight n r.
Proof.
have [r0|r0] := leP r 0; first by rewrite /gamma_weight decay_le0 // mulr0.
by rewrite mulr_ge0 ?decay_ge0 // exprn_ge0 // ltW.
Qed.

Lemma measurable_power d (T : measurableType d) (f : T -> R) n :
  measurable_fun setT f -> measurable_fun setT (fun x => f x ^+ n).
Proof.
move=> mf; elim: n => [|n IH].
  rewrite [X in measurable_fun _ X](_ : _ = cst 1); first exact: measurable_fun_cst.
  by apply/funext => t; rewrite expr0.
rewrite [X in measurable_fun _ X](_ : _ = fun x => f x * f x ^+ n).
  exact: measurable_funM.
by apply/funext => t; rewrite exprS.
Qed.

Lemma measurable_gamma_weight n : measurable_fun setT (gamma_weight n).
Proof.
apply: measurable_funM; last exact: measurable_decay_on.
by apply: measurable_power; exact: measurable_fun_id.
Qed.

Let unit_itv : set R := `]0, 1]%classic.
Let measurable_unit : measurable unit_itv. Proof. exact: measurable_itv. Qed.

Let power_mass n : R := fine (\int[line R]_u ((u ^+ n * (u \in `]0, 1[)%:R)%:E))%E.

Let power_massE n : (\int[line R]_u ((u ^+ n * (u \in `]0%R, 1%R[)%:R)%:E) = (power_mass n)%:E)%E.
Proof.
rewrite fineK // ge0_fin_numE; last first.
  apply: int_ge0 => u; rewrite lee_fin in_itv /=.
  by have [u0|u0] := ltP 0 u; rewrite ?mulr0 // mulr_ge0 // exprn_ge0 // ltW.
apply: (@le_lt_trans _ _ 1%E); last exact: ltry.
rewrite -[leRHS](line_itv ler01) (integral_one _ measurable_unit).
apply: int_le => [|u||u].
- apply: measurable_EFin; apply: measurable_funM; last exact: measurable_itv_indicator.
  by apply: measurable_power; exact: measurable_fun_id.
- rewrite lee_fin in_itv /=.
  by have [u0|u0] := ltP 0 u; rewrite ?mulr0 // mulr_ge0 // exprn_ge0 // ltW.
- by apply: measurable_EFin; exact: measurable_fun_indic.
rewrite lee_fin indicE /unit_itv /= mem_setE !in_itv /=.
have [u0|u0] := ltP 0 u; last by rewrite mulr0.
have [u1|u1] := ltP u 1; last by rewrite mulr0.
by rewrite mulr1 (ltW u1) exprn_ile1 // ltW.
Qed.

Let power_mass_ge0 n : 0 <= power_mass n.
Proof.
apply: fine_ge0; apply: int_ge0 => u; rewrite lee_fin in_itv /=.
by have [u0|u0] := ltP 0 u; rewrite ?mulr0 // mulr_ge0 // exprn_ge0 // ltW.
Qed.

(* The inner integral of the convolution: r = t u. *)
Let convolve n t : (\int[line R]_r (gamma_weight n r * decay (t - r)%R)%:E =
  (power_mass n * gamma_weight n.+1 t)%:E)%E.
Proof.
have [t0|t0] := leP t 0.
  rewrite /gamma_weight [decay t]decay_le0 // !mulr0.
  rewrite (eq_integral (cst 0%E)) ?integral0 // => r _ /=.
  have [r0|r0] := leP r 0; first by rewrite [decay r]decay_le0 // mulr0 mul0r.
  by rewrite [decay (t - r)]decay_le0 ?mulr0 // subr_le0 (le_trans t0) // ltW.
have tn0 : t != 0 by rewrite gt_eqF.
have mf : measurable_fun setT (fun r : R => (gamma_weight n r * decay (t - r))%:E).
  apply: measurable_EFin; apply: measurable_funM; first exact: measurable_gamma_weight.
  apply: measurable_decay; apply: measurable_funB; first exact: measurable_fun_cst.
  exact: measurable_fun_id.
have f0 r : (0 <= (gamma_weight n r * decay (t - r))%:E)%E.
  by rewrite lee_fin mulr_ge0 ?gamma_weight_ge0 ?decay_ge0.
have := line_affine 0 tn0 mf f0; rewrite (gtr0_norm t0) => sub.
have -> : (\int[line R]_r (gamma_weight n r * decay (t - r)%R)%:E =
    t%:E * \int[line R]_u (gamma_weight n (t * u + 0)%R * decay (t - (t * u + 0))%R)%:E)%E.
  by rewrite sub muleA -EFinM mulfV // mul1e.
rewrite (eq_integral (fun u : R => ((t ^+ n * expR (- t))%:E * (u ^+ n * (u \in `]0, 1[)%:R)%:E)%E));
  last first.
  move=> u _; rewrite -EFinM; congr EFin; rewrite addr0 /gamma_weight in_itv /=.
  have [u0|u0] := ltP 0 u; last first.
    by rewrite [decay (t * u)]decay_le0 ?mulr0 ?mul0r // pmulr_rle0.
  have [u1|u1] := ltP u 1; last first.
    rewrite [decay (t - _)]decay_le0 ?mulr0 // subr_le0.
    by rewrite ler_pmulr.
  rewrite !decay_gt0 ?pmulr_rgt0 // ?subr_gt0 ?gtr_pmulr // mulr1 exprMn.
  by rewrite -mulrA -expRD -opprD [t * u + _]addrC subrK mulrAC.
have mp : measurable_fun setT (fun u : R => (u ^+ n * (u \in `]0, 1[)%:R)%:E).
  apply: measurable_EFin; apply: measurable_funM; last exact: measurable_itv_indicator.
  by apply: measurable_power; exact: measurable_fun_id.
rewrite int_scale //; last 2 first.
- by rewrite mulr_ge0 ?expR_ge0 // exprn_ge0 // ltW.
- move=> u; rewrite lee_fin in_itv /=.
  by have [u0|u0] := ltP 0 u; rewrite ?mulr0 // mulr_ge0 // exprn_ge0 // ltW.
rewrite power_massE -!EFinM /gamma_weight decay_gt0 //; congr EFin.
by rewrite exprS; nsatz.
Qed.

Let measurable_plus g : measurable_fun setT g -> (forall t, 0 <= g t)%E ->
  measurable_fun setT (fun r : R => \int[exponential]_t g (r + t)%R)%E.
Proof.
move=> mg g0; have sE : sigma_finite setT exponential.
  by apply: mass1_sigma_finite; rewrite exponential_total ltry.
have mp : measurable_fun setT (fun p : R * R => g (p.1 + p.2)).
  apply: (measurable_fun_comp mg).
  by apply: measurable_funD; [exact: measurable_fst|exact: measurable_snd].
exact: (measurable_inner sE mp (fun p => g0 _)).
Qed.

(* The sum of n + 1 exponential numbers has density proportional to r^n e^(-r). *)
Theorem gamma_density n : exists2 k, 0 <= k & forall g, measurable_fun setT g ->
  (forall t, 0 <= g t)%E ->
  (\int[gamma n.+1]_t g t = \int[line R]_r ((k * gamma_weight n r)%:E * g r))%E.
Proof.
elim: n => [|n [k k0 IH]].
  exists 1 => // g mg g0; rewrite integral_gamma // integral_dirac //; last first.
    exact: measurable_plus.
  rewrite indicE in_setT mul1e integral_exponential //.
    by apply: eq_integral => t _; rewrite add0r /gamma_weight expr0 !mul1r.
  by rewrite [X in measurable_fun _ X](_ : _ = g) //; apply/funext => t; rewrite add0r.
have sl := @line_sigma_finite R.
exists (k * power_mass n); first by rewrite mulr_ge0.
move=> g mg g0.
have me (r : R) : measurable_fun setT (fun t => g (r + t)).
  apply: (measurable_fun_comp mg); apply: measurable_funD; first exact: measurable_fun_cst.
  exact: measurable_fun_id.
have mE : measurable_fun setT (fun r : R => \int[exponential]_t g (r + t)%R)%E.
  exact: measurable_plus.
rewrite integral_gamma // IH //; last by move=> r; apply: int_ge0.
pose F (p : R * R) : \bar R := ((k * (gamma_weight n p.1 * decay (p.2 - p.1)))%:E * g p.2)%E.
have mF : measurable_fun setT F.
  apply: emeasurable_funM; last exact: (measurable_fun_comp mg (@measurable_snd _ _ _ _)).
  apply: measurable_EFin; apply: measurable_funrM; apply: measurable_funM.
    exact: (measurable_fun_comp (measurable_gamma_weight n) (@measurable_fst _ _ _ _)).
  by apply: measurable_decay; apply: measurable_funB; [exact: measurable_snd|exact: measurable_fst].
have F0 p : (0 <= F p)%E.
  by rewrite /F mule_ge0 // lee_fin mulr_ge0 // mulr_ge0 ?gamma_weight_ge0 ?decay_ge0.
transitivity (\int[line R]_r \int[line R]_t F (r, t))%E.
  apply: eq_integral => r _; rewrite integral_exponential //.
  have md : measurable_fun setT (fun t : R => (decay t)%:E * g (r + t)%R)%E.
    by apply: emeasurable_funM => //; apply: measurable_EFin; exact: measurable_decay_on.
  have md0 t : (0 <= (decay t)%:E * g (r + t)%R)%E by rewrite mule_ge0 // lee_fin decay_ge0.
  rewrite -(int_scale _ _ md md0); last by rewrite mulr_ge0 ?gamma_weight_ge0.
  have mk : measurable_fun setT (fun t : R => (k * gamma_weight n r)%:E * ((decay t)%:E * g (r + t)%R))%E.
    exact: measurable_funeM.
  rewrite -(line_shift (- r) mk) => [|t]; last first.
    by rewrite mule_ge0 // lee_fin mulr_ge0 ?gamma_weight_ge0.
  apply: eq_integral => t _; rewrite /F /= muleA -EFinM -mulrA.
  by rewrite addrCA subrr addr0.
rewrite (swap sl sl mF F0); apply: eq_integral => t _.
rewrite /F /=.
have mr : measurable_fun setT (fun r : R => (gamma_weight n r * decay (t - r))%:E).
  apply: measurable_EFin; apply: measurable_funM; first exact: measurable_gamma_weight.
  apply: measurable_decay; apply: measurable_funB; first exact: measurable_fun_cst.
  exact: measurable_fun_id.
have r0 (r : R) : (0 <= (gamma_weight n r * decay (t - r))%:E)%E.
  by rewrite lee_fin mulr_ge0 ?gamma_weight_ge0 ?decay_ge0.
under eq_integral => r _ do rewrite EFinM -muleA [((_ * _)%:E * g t)%E]muleC muleA.
rewrite ge0_integralM //; last by rewrite mule_ge0.
by rewrite convolve [(k%:E * g t)%E]muleC -muleA -EFinM muleC mulrA.
Qed.

End Gamma.
