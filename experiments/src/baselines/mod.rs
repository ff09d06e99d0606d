//! What is compared with the library and is not part of it: not δ = 0, or proved in real arithmetic
//! only, or with open constants.
//! spec: `own:experiments`

pub mod accountant;
pub mod clipped;
pub mod exponential;
pub mod mala;
pub mod output;
pub mod posterior;
pub mod random;
pub mod sgd;

/// Takes a point to the nearest one of the ball of this radius around 0.
fn project(theta: &mut [f64], radius: f64) {
    let norm = theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > radius {
        for x in theta {
            *x *= radius / norm;
        }
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
