//! Exact noise from random bits: integer arithmetic only, no floating point decides anything.
//!
//! | what | where | source |
//! |---|---|---|
//! | random bits | [`SecureRng`], [`ReplayRng`] | `ChaCha20` |
//! | uniform integers | [`uniform_below`] | rejection |
//! | true with probability e^(−x) | [`bernoulli_exp`], [`bernoulli_exp_f64`] | Canonne, Kamath, Steinke 2020 |
//! | pure differential privacy, 1-norm | [`discrete_laplace`] | Canonne, Kamath, Steinke 2020 |
//! | pure differential privacy, 2-norm | [`euclidean_laplace`] | von Neumann 1951, Karney 2016 |
//! | pure differential privacy, largest coordinate | [`cube_laplace`] | von Neumann 1951 |
//! | blocks of a table | [`Tilt`] | [`cube_laplace`], [`rounded_laplace`], … |
//! | Gaussian differential privacy | [`rounded_normal`] | Karney 2016 |
//! | numbers for a chain, never released | [`exact_normal_f64`], [`exact_exponential_f64`] | Karney 2016; von Neumann 1951; rounded once |
//! | where released numbers live | [`Lattice`] | powers of two |
//!
//! Each module states its algorithm and proves that its law is exact. Running times depend on the drawn values, as the
//! threat model says.

mod bernoulli;
mod bits;
mod blocks;
mod cube;
mod euclidean;
mod exponential;
mod fraction;
mod health;
mod laplace;
mod lattice;
mod normal;
mod perturb;
mod shift;
mod steps;
#[cfg(test)]
mod tape;
#[cfg(test)]
#[path = "../../proofs/tapes/replay.rs"]
mod tapes;
mod thrifty;
mod uniform;
mod variate;

pub use bernoulli::{bernoulli, bernoulli_exp, bernoulli_exp_f64, bernoulli_exp_of};
#[cfg(any(kani, test))]
pub(crate) use bits::sealed;
pub use bits::{NoRandomness, RandomBits, Randomness, ReplayRng, SecureRng};
pub(crate) use blocks::Group;
pub use blocks::{BlockNoise, Tilt};
pub use cube::{BlockScale, cube_laplace, rounded_laplace};
pub use euclidean::{EuclideanScale, euclidean_laplace};
pub use health::Symptom;
pub use laplace::{LaplaceScale, discrete_laplace};
pub use lattice::Lattice;
pub use normal::{NormalScale, rounded_normal};
pub use perturb::{LatticeNoise, Law};
pub use uniform::{Word, uniform_below, uniform_up_to};
pub use variate::{exact_exponential_f64, exact_normal_f64, fill_normal};
