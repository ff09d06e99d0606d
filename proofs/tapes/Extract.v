(* The samplers of proofs/coq/Tapes.v as an OCaml program; see `proofs/run tapes`. *)
From mathcomp Require Import all_ssreflect.
From AsapDP Require Import Tapes.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.

Extraction "samplers.ml" uniform_up_to bernoulli bernoulli_exp discrete_laplace exponential rounded_normal
  rounded_laplace cube_laplace.
