//! Noise with the shape of a table beside noise in a ball: mean excess and AUC of objective perturbation
//! on Adult, or on spambase.
//!
//! `cargo run --release -p asap-benches --example shape ADULT.csv|spambase.data [SEEDS] [REGULARISER]`: logistic
//! loss, ε = 0.3 and 1, every fifth row held out. Without a regulariser Λ = R²/(0.99·ε), from which on the Jacobian
//! is free. *apart* is a textbook f64 version with Euclidean noise and ln(1 + β/Λ) paid beside it, *ball* is ours
//! without a shape, *shape* ours with it. Levels and ranges are those of the files' documentation; the records are
//! public and the seeds known.
//!
//! Beside a textbook version in f64: *paired* is ours divided by what Newton's method in f64 makes of the same b, seed
//! by seed, so that only the search and the last noise differ; *law* compares b itself, by the mean of ½·bᵀ(∇²J)⁻¹b
//! over 20000 draws of either sampler.

use asap_contracts::BlockLaw;
use asap_dp::mechanism::{Mechanism, ObjectivePerturbation};
use asap_dp::noise::{
    BlockNoise, BlockScale, RandomBits, cube_laplace, exact_exponential_f64, fill_normal, rounded_laplace,
};
use asap_dp::{
    Block, Bounds, Learner, Logistic, Loss, MechanismKind, OutOfBounds, Records, ReplayRng, Shape,
};
use nalgebra::{DMatrix, DVector};
use std::error::Error;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Rows without their zeros, classes −1 and 1, and the blocks.
struct Table {
    rows: Vec<Vec<(usize, f64)>>,
    classes: Vec<f64>,
    blocks: Vec<Block>,
    /// The number of parameters, the intercept included.
    dimension: usize,
}

/// Ranges of the numbers of Adult, by the documentation.
const RANGES: [(&str, f64, f64); 6] = [
    ("education-num", 1.0, 16.0),
    ("fnlwgt", 0.0, 1_500_000.0),
    ("capital-gain", 0.0, 100_000.0),
    ("capital-loss", 0.0, 5_000.0),
    ("hours-per-week", 1.0, 99.0),
    ("age", 17.0, 90.0),
];

fn adult(text: &str) -> Outcome<Table> {
    let mut lines = text.lines().map(|line| line.split(',').map(str::trim).collect::<Vec<_>>());
    let header = lines.next().ok_or("no header")?;
    let cells: Vec<Vec<&str>> = lines.filter(|row| row.len() == header.len()).collect();
    let range = |name: &str| RANGES.iter().find(|(other, ..)| *other == name);
    let (mut blocks, mut columns) = (Vec::new(), Vec::new());
    let mut next = 0;
    for (place, name) in header.iter().enumerate().filter(|(_, name)| **name != "income") {
        if range(name).is_some() {
            blocks.push(Block::Cube { columns: 1 });
            columns.push((place, next, Vec::new()));
            next += 1;
        } else {
            let mut levels: Vec<&str> = cells.iter().map(|row| row[place]).collect();
            levels.sort_unstable();
            levels.dedup();
            blocks.push(Block::OneNorm { columns: levels.len() as u64, bound: 1.0 });
            next += levels.len();
            columns.push((place, next - levels.len(), levels));
        }
    }
    let row = |cells: &Vec<&str>| -> Outcome<Vec<(usize, f64)>> {
        let mut row = Vec::new();
        for (place, first, levels) in &columns {
            row.push(if let Some((_, low, high)) = range(header[*place]) {
                (*first, ((cells[*place].parse::<f64>()? - low) / (high - low) * 2.0 - 1.0).clamp(-1.0, 1.0))
            } else {
                (first + levels.binary_search(&cells[*place]).map_err(|_| "level")?, 1.0)
            });
        }
        row.push((next, 1.0));
        Ok(row)
    };
    let rows = cells.iter().map(row).collect::<Outcome<_>>()?;
    let class =
        |cells: &Vec<&str>| if cells.last().is_some_and(|cell| cell.contains('>')) { 1.0 } else { -1.0 };
    Ok(Table { rows, classes: cells.iter().map(class).collect(), blocks, dimension: next + 1 })
}

/// Shares of words and characters in percent, which add up to at most 200; three lengths of
/// runs on a logarithmic scale.
fn spambase(text: &str) -> Outcome<Table> {
    let (mut rows, mut classes) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| !line.is_empty()) {
        let numbers: Vec<f64> =
            line.split(',').map(|cell| Ok(cell.trim().parse()?)).collect::<Outcome<_>>()?;
        let (class, numbers) = numbers.split_last().ok_or("no class")?;
        // Half a percent of a word counts like five of them: square roots, and a 1-norm of at most 4, clipped.
        let mut row: Vec<(usize, f64)> =
            numbers[..54].iter().map(|x| (x / 100.0).sqrt()).enumerate().collect();
        let sum: f64 = row.iter().map(|(_, x)| x).sum();
        for (_, x) in &mut row {
            *x /= (sum / 2.0).max(1.0);
        }
        row.extend(
            numbers[54..57]
                .iter()
                .enumerate()
                .map(|(k, x)| (54 + k, (x.ln_1p() / 5.0 - 1.0).clamp(-1.0, 1.0))),
        );
        row.push((57, 1.0));
        rows.push(row);
        classes.push(if *class > 0.5 { 1.0 } else { -1.0 });
    }
    let blocks = vec![Block::OneNorm { columns: 54, bound: 2.0 }, Block::Cube { columns: 3 }];
    Ok(Table { rows, classes, blocks, dimension: 58 })
}

fn product(row: &[(usize, f64)], theta: &[f64]) -> f64 {
    row.iter().map(|(j, x)| x * theta[*j]).sum()
}

/// What Newton's method needs.
struct Data<'a> {
    rows: Vec<&'a [(usize, f64)]>,
    classes: Vec<f64>,
    regulariser: f64,
    dimension: usize,
}

impl Data<'_> {
    fn value(&self, theta: &[f64]) -> f64 {
        let losses =
            self.rows.iter().zip(&self.classes).map(|(row, y)| Logistic.value(product(row, theta), *y));
        losses.sum::<f64>() + 0.5 * self.regulariser * theta.iter().map(|x| x * x).sum::<f64>()
    }

    /// The gradient, and the lower half of the Hessian.
    fn derivatives(&self, theta: &[f64]) -> (DVector<f64>, DMatrix<f64>) {
        let d = self.dimension;
        let mut gradient = DVector::from_iterator(d, theta.iter().map(|t| self.regulariser * t));
        let mut hessian = DMatrix::from_diagonal_element(d, d, self.regulariser);
        for (row, y) in self.rows.iter().zip(&self.classes) {
            let z = product(row, theta);
            let (slope, bend) = (Logistic.slope(z, *y), Logistic.curvature(z, *y));
            for (j, x) in *row {
                gradient[*j] += slope * x;
                row.iter()
                    .filter(|(k, _)| k >= j)
                    .for_each(|(k, other)| hessian[(*k, *j)] += bend * x * other);
            }
        }
        (gradient, hessian)
    }

    /// The minimiser of the objective tilted by b, with damped steps.
    fn minimiser(&self, b: &[f64]) -> Outcome<Vec<f64>> {
        let d = self.dimension;
        let tilted = |theta: &[f64]| self.value(theta) + theta.iter().zip(b).map(|(t, b)| t * b).sum::<f64>();
        let mut theta = vec![0.0; d];
        for _ in 0..60 {
            let (mut gradient, hessian) = self.derivatives(&theta);
            gradient += DVector::from_column_slice(b);
            if gradient.norm() < 1e-8 {
                break;
            }
            let step = hessian.cholesky().ok_or("no Cholesky factor")?.solve(&gradient);
            let (here, mut length) = (tilted(&theta), 1.0);
            loop {
                let next: Vec<f64> = theta.iter().zip(step.iter()).map(|(t, s)| t - length * s).collect();
                if tilted(&next) <= here || length < 1e-6 {
                    theta = next;
                    break;
                }
                length *= 0.5;
            }
        }
        Ok(theta)
    }
}

/// The area under the curve: how often a positive row is above a negative one.
fn auc(scores: &mut [(f64, f64)]) -> f64 {
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut area, mut positive) = (0.0, 0.0, 0.0);
    for (_, class) in scores.iter() {
        if *class > 0.0 {
            positive += 1.0;
            area += below;
        } else {
            below += 1.0;
        }
    }
    area / (below * positive)
}

fn exponentials(count: usize, rng: &mut ReplayRng) -> f64 {
    (0..count).map(|_| exact_exponential_f64(rng)).sum()
}

fn uniform(rng: &mut ReplayRng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
}

/// Euclidean noise of scale s in f64.
fn ball(d: usize, scale: f64, rng: &mut ReplayRng) -> Vec<f64> {
    let mut direction = vec![0.0; d];
    fill_normal(&mut direction, rng);
    let norm = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    let radius = scale * exponentials(d, rng);
    direction.iter().map(|x| x / norm * radius).collect()
}

/// The shaped law in f64, with the parts of ε by the cube root rule.
fn shaped(blocks: &[Block], epsilon: f64, rng: &mut ReplayRng) -> Vec<f64> {
    let (mut places, mut numbers, mut parts) = (0, Vec::new(), Vec::new());
    for block in blocks {
        let columns = usize::try_from(block.columns()).unwrap_or(0);
        match *block {
            Block::OneNorm { bound, .. } => {
                parts.push((places, columns, bound, (2.0 * columns as f64 * bound * bound).cbrt()));
            }
            _ => numbers.extend(places..places + columns),
        }
        places += columns;
    }
    numbers.push(places);
    let k = numbers.len() as f64;
    let first = (k * (k + 1.0) * (k + 2.0) / 3.0).cbrt();
    let all = first + parts.iter().map(|(.., part)| part).sum::<f64>();
    let mut b = vec![0.0; places + 1];
    let radius = all / (first * epsilon) * exponentials(numbers.len() + 1, rng);
    for place in &numbers {
        b[*place] = radius * uniform(rng);
    }
    for (first, columns, bound, part) in parts {
        for x in &mut b[first..first + columns] {
            *x = exponentials(1, rng) * uniform(rng).signum() * bound * all / (part * epsilon);
        }
    }
    b
}

/// The b of a fit, drawn again: it is the first that a fit draws.
fn replayed(blocks: &[BlockNoise], dimension: usize, rng: &mut ReplayRng) -> Outcome<Vec<f64>> {
    let mut b = vec![0.0; dimension];
    for block in blocks {
        let (scale, places) = (BlockScale::new(block.steps())?, block.places());
        let steps: Vec<i128> = match block.law() {
            BlockLaw::CubeLaplace => cube_laplace(scale, places.len(), rng),
            BlockLaw::Laplace => places.iter().map(|_| rounded_laplace(scale, rng)).collect(),
            _ => return Err("numbers and levels only".into()),
        };
        places.iter().zip(steps).for_each(|(place, z)| b[*place] = z as f64 * block.lattice().step());
    }
    Ok(b)
}

/// Mean and standard error.
fn mean(numbers: &[f64]) -> [f64; 2] {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let spread = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    [mean, (spread / n).sqrt()]
}

/// What is fitted, and what is held out.
struct Run<'a> {
    table: &'a Table,
    data: Data<'a>,
    best: Vec<f64>,
    least: f64,
}

impl Run<'_> {
    fn area(&self, theta: &[f64]) -> f64 {
        let held = self.table.rows.iter().zip(&self.table.classes).skip(4).step_by(5);
        auc(&mut held.map(|(row, class)| (product(row, theta), *class)).collect::<Vec<_>>())
    }

    fn excess(&self, theta: &[f64]) -> f64 {
        self.data.value(theta) - self.least
    }

    fn report(
        &self,
        name: &str,
        seeds: u64,
        one: impl Fn(u64) -> Outcome<Vec<f64>>,
    ) -> Outcome<Vec<Vec<f64>>> {
        let thetas: Vec<Vec<f64>> = (0..seeds).map(one).collect::<Outcome<_>>()?;
        let [excess, error] = mean(&thetas.iter().map(|theta| self.excess(theta)).collect::<Vec<_>>());
        let [area, spread] = mean(&thetas.iter().map(|theta| self.area(theta)).collect::<Vec<_>>());
        println!("  {name:9} mean excess {excess:9.2} ± {error:.2}, AUC {area:.4} ± {spread:.4}");
        Ok(thetas)
    }

    /// Ours beside f64: on the same b, and b itself.
    fn textbook(
        &self,
        plan: &ObjectivePerturbation<Logistic>,
        ours: &[Vec<f64>],
        epsilon: f64,
    ) -> Outcome<()> {
        let (d, blocks) = (self.data.dimension, plan.tilt().blocks());
        let mut excesses = [Vec::new(), Vec::new()];
        for (seed, theta) in (0..).zip(ours) {
            let b = replayed(blocks, d, &mut ReplayRng::new(seed))?;
            excesses[0].push(self.excess(theta));
            excesses[1].push(self.excess(&self.data.minimiser(&b)?));
        }
        let ratios: Vec<f64> =
            excesses[0].iter().zip(&excesses[1]).map(|(ours, other)| ours / other).collect();
        let ([one, _], [other, _], [ratio, error]) = (mean(&excesses[0]), mean(&excesses[1]), mean(&ratios));
        println!("  paired    ratio of means {:.5}, mean of ratios {ratio:.5} ± {error:.5}", one / other);
        let (_, hessian) = self.data.derivatives(&self.best);
        let factor = hessian.cholesky().ok_or("no Cholesky factor")?;
        let half = |b: &[f64]| {
            let b = DVector::from_column_slice(b);
            0.5 * b.dot(&factor.solve(&b))
        };
        let mut rng = ReplayRng::new(1 << 40);
        let exact: Vec<f64> =
            (0..20_000).map(|_| Ok(half(&replayed(blocks, d, &mut rng)?))).collect::<Outcome<_>>()?;
        let floats: Vec<f64> =
            (0..20_000).map(|_| half(&shaped(&self.table.blocks, 0.99 * epsilon, &mut rng))).collect();
        let ([ours, a], [theirs, b]) = (mean(&exact), mean(&floats));
        let error = (ours / theirs) * (a / ours).hypot(b / theirs);
        println!("  law       ours {ours:.3}, f64 {theirs:.3}, ratio {:.4} ± {error:.4}", ours / theirs);
        Ok(())
    }
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("a file: adult.csv or spambase.data")?;
    let seeds: u64 = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let regulariser: Option<f64> = arguments.next().map(|text| text.parse()).transpose()?;
    let text = std::fs::read_to_string(&file)?;
    let table = if std::path::Path::new(&file).extension().is_some_and(|it| it == "csv") {
        adult(&text)
    } else {
        spambase(&text)
    }?;
    let d = table.dimension;
    let shape = Shape::new(table.blocks.clone())?;
    let fitted: Vec<usize> = (0..table.rows.len()).filter(|k| k % 5 != 4).collect();
    let dense: Vec<f64> = fitted
        .iter()
        .flat_map(|k| {
            let mut row = vec![0.0; d - 1];
            table.rows[*k].iter().filter(|(j, _)| *j < d - 1).for_each(|(j, x)| row[*j] = *x);
            row
        })
        .collect();
    let classes: Vec<f64> = fitted.iter().map(|k| table.classes[*k]).collect();
    let records = |bounds: Bounds| -> Outcome<Records<Logistic>> {
        // Neither table has more, and a fit charges for the rounding of as many as there may be.
        let bounds = bounds.with_intercept(true)?.with_max_rows(100_000)?;
        Ok(Records::new(Logistic, bounds, OutOfBounds::Clip, dense.clone(), classes.clone())?)
    };
    let [ball_rows, shaped_rows] = [records(Bounds::new(shape.norm())?)?, records(Bounds::of_shape(shape)?)?];
    let square = ball_rows.bounds().row_norm().powi(2);
    println!("{file}: {} rows fitted, d = {d}, R² = {square:.3}", fitted.len());
    for epsilon in [0.3, 1.0] {
        let regulariser = regulariser.unwrap_or(square / (0.99 * epsilon) * (1.0 + 1e-9));
        let rows = fitted.iter().map(|k| table.rows[*k].as_slice()).collect();
        let data = Data { rows, classes: classes.clone(), regulariser, dimension: d };
        let best = data.minimiser(&vec![0.0; d])?;
        let least = data.value(&best);
        let run = Run { table: &table, data, best, least };
        println!("ε = {epsilon}, Λ = {regulariser:.3}: without noise AUC {:.4}", run.area(&run.best));
        let apart = 0.99 * epsilon - (square / (4.0 * regulariser)).ln_1p();
        if apart > 0.0 {
            run.report("apart", seeds, |seed| {
                run.data.minimiser(&ball(d, square.sqrt() / apart, &mut ReplayRng::new(seed + 1000)))
            })?;
        }
        let learner = Learner::new(regulariser)
            .epsilon(epsilon)?
            .mechanism(MechanismKind::Objective)
            .expected_rows(fitted.len() as u64);
        for (name, records) in [("ball", &ball_rows), ("shape", &shaped_rows)] {
            let plan = learner.objective(&learner.problem(Logistic, records.bounds().clone(), d)?)?;
            let fit = |seed| Ok(plan.release(records, &mut ReplayRng::new(seed))?.0.theta().to_vec());
            let thetas = run.report(name, seeds, fit)?;
            if !plan.tilt().blocks().is_empty() && 0.99 * epsilon >= square / regulariser {
                run.textbook(&plan, &thetas, epsilon)?;
            }
        }
    }
    Ok(())
}
