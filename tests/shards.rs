//! Rows that are held by others: the same bits as in memory, whoever answers, in whatever order and however often; and
//! nothing at all where an answer is not the answer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may stop")]

use asap_dp::data::{DataError, Place, Unavailable};
use asap_dp::noise::RandomBits;
use asap_dp::objective::{
    Objective, Request, Shard, Shards, ShardsError, Sums, Transport, Unanswerable, shard_starts,
};
use asap_dp::{
    Bounds, Error, Huber, Learner, Logistic, Loss, MechanismKind, OutOfBounds, Problem, Records, ReplayRng,
    SamplerKind, Squared,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The raw rows: some of them outside of the bounds.
#[derive(Clone)]
struct Table {
    columns: usize,
    features: Vec<f64>,
    targets: Vec<f64>,
}

impl Table {
    fn new(rows: usize, columns: usize) -> Self {
        let number = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
        let scale = 2.2 / (columns as f64).sqrt();
        let features = (0..rows * columns).map(|k| number(k) * scale).collect();
        let targets = (0..rows).map(|k| if number(31 * k + 7) > 0.1 { 1.0 } else { -1.0 }).collect();
        Self { columns, features, targets }
    }

    fn records<L: Loss>(&self, loss: L, bounds: Bounds) -> Records<L> {
        let (x, y) = (self.features.clone(), self.targets.clone());
        Records::with_dimension(loss, bounds, OutOfBounds::Clip, self.columns, x, y).unwrap()
    }

    /// The shard of the rows from one on, up to another.
    fn shard<L: Loss>(&self, loss: L, bounds: Bounds, first: usize, end: usize) -> Shard<L> {
        let x = self.features[first * self.columns..end * self.columns].to_vec();
        let y = self.targets[first..end].to_vec();
        Shard::new(loss, bounds, OutOfBounds::Clip, self.columns, first, x, y).unwrap()
    }

    #[allow(clippy::needless_pass_by_value, reason = "made where it is used")]
    fn shards<L: Loss>(&self, loss: L, bounds: Bounds, starts: &[usize]) -> Vec<Shard<L>> {
        let ends = starts.iter().skip(1).copied().chain([self.targets.len()]);
        starts.iter().zip(ends).map(|(first, end)| self.shard(loss, bounds.clone(), *first, end)).collect()
    }
}

/// A thread for each request; the answers arrive in an order of their own, and the shards are sent from one to the
/// other on the way. Every seventh answer is lost: the shard is made again from its rows and asked again.
struct Threads<L> {
    table: Table,
    loss: L,
    bounds: Bounds,
    shards: Vec<Shard<L>>,
    starts: Vec<usize>,
    asked: AtomicUsize,
    rounds: AtomicUsize,
}

impl<L: Loss + Send> Threads<L> {
    fn new(table: &Table, loss: L, bounds: Bounds, starts: &[usize]) -> Self {
        let shards = table.shards(loss, bounds.clone(), starts);
        let (asked, rounds) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { table: table.clone(), loss, bounds, shards, starts: starts.to_vec(), asked, rounds }
    }

    /// Cards in the wrong order: the client sorts them.
    fn cards(&self) -> Vec<Vec<u8>> {
        self.shards.iter().map(Shard::card).rev().collect()
    }

    fn one(&self, request: &Request) -> Vec<u8> {
        let k = self.shards.len() - 1 - request.shard;
        let bytes = self.shards[k].answer(&request.bytes).unwrap();
        if !self.asked.fetch_add(1, Ordering::SeqCst).is_multiple_of(7) {
            return bytes;
        }
        drop(bytes);
        let end = self.starts.get(k + 1).copied().unwrap_or(self.table.targets.len());
        let again = self.table.shard(self.loss, self.bounds.clone(), self.starts[k], end);
        let moved = Shard::from_bytes(self.loss, self.bounds.clone(), &again.to_bytes()).unwrap();
        moved.answer(&request.bytes).unwrap()
    }
}

impl<L: Loss + Send> Transport for &Threads<L> {
    fn exchange(&self, requests: &[Request]) -> Result<Vec<Vec<u8>>, Unavailable> {
        self.rounds.fetch_add(1, Ordering::SeqCst);
        let answers = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for (k, request) in requests.iter().enumerate() {
                let answers = &answers;
                scope.spawn(move || {
                    let answer = self.one(request);
                    let mut answers = answers.lock().unwrap();
                    let place = k * 31 % (answers.len() + 1);
                    answers.insert(place, answer);
                });
            }
        });
        let mut answers = answers.into_inner().unwrap();
        answers.reverse();
        Ok(answers)
    }
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn bounds() -> Bounds {
    Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_intercept(true).unwrap()
}

/// A whole fit from shards and from memory, the same seed.
fn same_release<L: Loss + Send>(learner: &Learner, loss: L, table: &Table, starts: &[usize]) {
    let memory = learner.fit(&table.records(loss, bounds()), &mut ReplayRng::new(5)).unwrap();
    let threads = Threads::new(table, loss, bounds(), starts);
    let shards = Shards::new(loss, bounds(), &threads.cards(), &threads).unwrap();
    let elsewhere = learner.fit(&shards, &mut ReplayRng::new(5)).unwrap();
    assert_eq!(bits(elsewhere.theta()), bits(memory.theta()), "{} {learner:?}", loss.name());
    assert_eq!(elsewhere.to_json(), memory.to_json());
    // Least squares takes its statistics and has no need to come back.
    assert!(threads.rounds.load(Ordering::SeqCst) >= 2);
}

fn same_releases<L: Loss + Send>(loss: L) {
    // Twelve chunks, the last of them short and with a short block.
    let table = Table::new(3_001, 4);
    let starts = shard_starts(3_001, 5);
    assert!(starts.len() == 12 && starts[1] == 256);
    let learner = Learner::new(30.0).epsilon(1.0).unwrap().parameter_bound(2.0).expected_rows(3_000);
    for mechanism in [MechanismKind::Output, MechanismKind::Objective, MechanismKind::NoisyGradient] {
        same_release(&learner.mechanism(mechanism), loss, &table, &starts);
    }
    for sampler in [SamplerKind::Exact, SamplerKind::Proximal] {
        same_release(&learner.mechanism(MechanismKind::Posterior).sampler(sampler), loss, &table, &[0, 1280]);
    }
    // The guarantee of the other kind, and shards that cut every chunk.
    let learner = Learner::new(30.0).mu(1.0).unwrap().parameter_bound(2.0);
    same_release(&learner, loss, &table, &[0, 64, 320, 384, 1472, 2944]);
}

#[test]
fn logistic_fits_are_the_fits_in_memory_bit_for_bit() {
    same_releases(Logistic);
}

#[test]
fn squared_fits_are_the_fits_in_memory_bit_for_bit() {
    same_releases(Squared);
}

#[test]
fn huber_fits_are_the_fits_in_memory_bit_for_bit() {
    same_releases(Huber::new(0.4).unwrap());
}

/// Everything that can be asked for by hand.
fn everything<S: Sums>(objective: &Objective<'_, S>) -> Vec<u64> {
    let d = objective.dimension();
    let theta: Vec<f64> = (0..d).map(|j| ((j * 37) % 11) as f64 / 11.0 - 0.4).collect();
    let moved: Vec<f64> = (0..d).map(|j| ((j * 17) % 7) as f64 / 70.0).collect();
    let mut workspace = objective.workspace();
    let mut all = vec![objective.evaluate(&theta, &mut workspace).unwrap().reveal_breaking_privacy()];
    all.extend(workspace.private_gradient().reveal_breaking_privacy());
    all.push(objective.evaluate_value(&moved, &mut workspace).unwrap().reveal_breaking_privacy());
    all.push(
        objective.evaluate_divergence(&theta, &moved, &mut workspace).unwrap().reveal_breaking_privacy(),
    );
    all.extend(objective.evaluate_hessian(&theta).unwrap().reveal_breaking_privacy().iter());
    bits(&all)
}

/// With 200 columns a chunk of a matrix is two chunks of a gradient: it goes on from shard to shard.
#[test]
fn sums_that_several_shards_share_go_on_where_they_were() {
    let table = Table::new(8_000, 199);
    let problem = Problem::new(Logistic, bounds(), 200, 5.0).unwrap();
    let records = table.records(Logistic, bounds());
    let memory = everything(&problem.bind(&records).unwrap());
    // One for each chunk; large ones; one only; cuts in the middle of chunks.
    let mine = shard_starts(8_000, 200);
    assert_eq!(mine.len(), 32);
    for (starts, rounds) in [(&mine[..], 5), (&[0, 4096], 4), (&[0], 4), (&[0, 64, 128, 1984, 7936], 13)] {
        let threads = Threads::new(&table, Logistic, bounds(), starts);
        let shards = Shards::new(Logistic, bounds(), &threads.cards(), &threads).unwrap();
        assert!(everything(&problem.bind(&shards).unwrap()) == memory, "{starts:?}");
        assert!(
            threads.rounds.load(Ordering::SeqCst) <= rounds,
            "{starts:?}: {threads}",
            threads = threads.rounds.load(Ordering::SeqCst)
        );
    }
}

/// Compensated sums hide the order of a join, unless almost everything cancels: each block has its mirror image
/// somewhere, with its rows the other way round, and blocks are of many sizes. What is left of the gradient at 0 is
/// what was rounded within the blocks, and its last bits are what the carries have rounded.
#[test]
fn sums_that_cancel_are_joined_in_the_same_order() {
    // Chunks of 512 rows; less than 16385 rows would have chunks of 256.
    const BLOCKS: usize = 282;
    let (rows, half) = (64 * BLOCKS, Table::new(32 * BLOCKS, 7));
    let mut table = Table { columns: 7, features: Vec::new(), targets: Vec::new() };
    // 85 and the number of blocks have no factor in common: every block is taken once.
    for block in (0..BLOCKS).map(|block| 85 * block % BLOCKS) {
        let (mirrored, size) = (block % 2 == 1, 0.5_f64.powi(i32::try_from(block / 2 * 29 % 97).unwrap()));
        for k in 0..64 {
            let k = 64 * (block / 2) + if mirrored { 63 - k } else { k };
            let factor = if mirrored { -size } else { size };
            table.features.extend(half.features[7 * k..7 * (k + 1)].iter().map(|x| factor * x));
            table.targets.push(half.targets[k]);
        }
    }
    let problem = Problem::new(Logistic, bounds(), 8, 5.0).unwrap();
    let records = table.records(Logistic, bounds());
    let memory = gradient_at_zero(&problem.bind(&records).unwrap());
    assert!(memory[..7].iter().all(|x| *x != 0.0 && x.abs() < 1e-9), "{memory:?}");
    for starts in [&shard_starts(rows, 8)[..], &[0, 64, 4_096, 9_984], &[0]] {
        let threads = Threads::new(&table, Logistic, bounds(), starts);
        let shards = Shards::new(Logistic, bounds(), &threads.cards(), &threads).unwrap();
        assert_eq!(bits(&gradient_at_zero(&problem.bind(&shards).unwrap())), bits(&memory));
    }
}

fn gradient_at_zero<S: Sums>(objective: &Objective<'_, S>) -> Vec<f64> {
    let mut workspace = objective.workspace();
    let _ = objective.evaluate(&vec![0.0; objective.dimension()], &mut workspace).unwrap();
    workspace.private_gradient().reveal_breaking_privacy()
}

#[test]
fn shards_begin_where_chunks_begin() {
    for (rows, dimension) in
        [(0, 1), (1, 5), (256, 5), (257, 5), (100_000, 11), (10_000_000, 11), (12_345, 900)]
    {
        let starts = shard_starts(rows, dimension);
        assert!(starts.len() <= 64 && starts.is_empty() == (rows == 0));
        assert!(starts.iter().all(|first| first.is_multiple_of(256) && *first < rows));
    }
    assert_eq!(shard_starts(10_000_000, 11)[..3], [0, 156_416, 312_832]);
}

/// What goes wrong on the way to a client and back.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    Error,
    Missing,
    Twice,
    Stale,
    Another,
    Short,
    Long,
    NotANumber,
    Changed,
    Grown,
    Header(usize),
}

/// A transport with a fault in its third round.
fn outcome(fault: Fault) -> Result<Vec<f64>, Error> {
    let mut table = Table::new(1_500, 2);
    let starts = [0, 512, 1024];
    let honest = table.shards(Logistic, bounds(), &starts);
    table.features[1_100] += 0.001;
    let changed = table.shards(Logistic, bounds(), &starts);
    let grown = Table::new(1_501, 2).shard(Logistic, bounds(), 1024, 1_501);
    let (round, last) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let transport = |requests: &[Request]| {
        let mut answers: Vec<Vec<u8>> =
            requests.iter().map(|r| honest[r.shard].answer(&r.bytes).unwrap()).collect();
        let before = std::mem::replace(&mut *last.lock().unwrap(), answers.clone());
        // Only once: a source that was unavailable stays so.
        if round.fetch_add(1, Ordering::SeqCst) != 2 {
            return Ok(answers);
        }
        match fault {
            Fault::None => {}
            Fault::Error => return Err(Unavailable),
            Fault::Missing => drop(answers.pop()),
            Fault::Twice => {
                let copy = answers[1].clone();
                answers[2] = copy;
            }
            Fault::Stale => answers[1].clone_from(&before[1]),
            // The card of one shard, the sums of another.
            Fault::Another => {
                let place = 10 * 8..13 * 8;
                let card = answers[0][place.clone()].to_vec();
                let mut other = answers[1].clone();
                other[place].copy_from_slice(&card);
                answers[0] = other;
            }
            Fault::Short => answers[1].truncate(8 * 20),
            Fault::Long => answers[1].extend([0; 8]),
            Fault::NotANumber => {
                let end = answers[1].len();
                answers[1][end - 8..].copy_from_slice(&f64::NAN.to_le_bytes());
            }
            Fault::Changed => answers[1] = changed[1].answer(&requests[1].bytes).unwrap(),
            Fault::Grown => {
                assert_eq!(grown.answer(&requests[2].bytes), Err(Unanswerable::OtherShard));
                let mut answer = answers[2].clone();
                answer[11 * 8] += 1;
                answers[2] = answer;
            }
            Fault::Header(byte) => answers[1][byte] ^= 1,
        }
        Ok(answers)
    };
    let cards: Vec<_> = honest.iter().map(Shard::card).collect();
    let shards = Shards::new(Logistic, bounds(), &cards, transport).unwrap();
    let learner = Learner::new(10.0).epsilon(1.0)?.mechanism(MechanismKind::Objective).expected_rows(1_500);
    learner.fit(&shards, &mut ReplayRng::new(2)).map(|release| release.theta().to_vec())
}

#[test]
fn an_answer_that_is_not_the_answer_releases_nothing() {
    assert!(outcome(Fault::None).is_ok());
    let faults = [
        Fault::Error,
        Fault::Missing,
        Fault::Twice,
        Fault::Stale,
        Fault::Another,
        Fault::Short,
        Fault::Long,
        Fault::NotANumber,
        Fault::Changed,
        Fault::Grown,
    ];
    // The kind, the request, the card, the number of chunks and the first of them: every byte counts.
    for fault in faults.into_iter().chain((0..15 * 8).map(Fault::Header)) {
        assert!(matches!(outcome(fault), Err(Error::Unavailable(Unavailable))), "{fault:?}");
    }
}

/// Least squares asks for its statistics first, and would do without: who fails then and works
/// later is not asked again.
#[test]
fn once_unavailable_is_always_unavailable() {
    let table = Table::new(1_500, 2);
    let shards = table.shards(Squared, bounds(), &[0, 512, 1024]);
    let cards: Vec<_> = shards.iter().map(Shard::card).collect();
    let learner =
        Learner::new(30.0).epsilon(1.0).unwrap().parameter_bound(2.0).mechanism(MechanismKind::Output);
    for failing in 0..3 {
        let round = AtomicUsize::new(0);
        let transport = |requests: &[Request]| {
            if round.fetch_add(1, Ordering::SeqCst) == failing {
                return Err(Unavailable);
            }
            Ok(requests.iter().map(|r| shards[r.shard].answer(&r.bytes).unwrap()).collect())
        };
        let source = Shards::new(Squared, bounds(), &cards, transport).unwrap();
        let fit = learner.fit(&source, &mut ReplayRng::new(2));
        // Two questions are all that is asked.
        assert_eq!(fit.is_ok(), failing == 2, "{failing}");
        assert!(fit.is_ok() || matches!(fit, Err(Error::Unavailable(Unavailable))));
        assert!(learner.fit(&source, &mut ReplayRng::new(2)).is_err() || failing == 2);
        assert!(round.load(Ordering::SeqCst) <= 5);
    }
}

#[test]
fn cards_of_different_data_sets_are_refused() {
    let table = Table::new(1_500, 2);
    let cards = |starts: &[usize], bounds| -> Vec<_> {
        table.shards(Logistic, bounds, starts).iter().map(Shard::card).collect()
    };
    let refused = |cards: &[Vec<u8>]| {
        let nobody = |_: &[Request]| Err(Unavailable);
        Shards::new(Logistic, bounds(), cards, nobody).err()
    };
    let [a, b, c] = <[_; 3]>::try_from(cards(&[0, 512, 1024], bounds())).unwrap();
    assert_eq!(refused(&[c.clone(), a.clone(), b.clone()]), None);
    assert_eq!(refused(&[]), Some(ShardsError::Malformed));
    assert_eq!(refused(&[a.clone(), b.clone(), vec![0; 13]]), Some(ShardsError::Malformed));
    assert_eq!(refused(&[a.clone(), c.clone()]), Some(ShardsError::Gap));
    assert_eq!(refused(&[b.clone(), c.clone()]), Some(ShardsError::Gap));
    assert_eq!(refused(&[a.clone(), b.clone(), b.clone(), c.clone()]), Some(ShardsError::Gap));
    for other in [
        Bounds::new(2.0).unwrap().with_target(1.0).unwrap().with_intercept(true).unwrap(),
        bounds().with_max_rows(2_000).unwrap(),
    ] {
        let d = cards(&[0, 512, 1024], other);
        assert_eq!(refused(&[a.clone(), b.clone(), d[2].clone()]), Some(ShardsError::OtherTerms));
    }
    let squared = table.shards(Squared, bounds(), &[0, 512, 1024])[2].card();
    assert_eq!(refused(&[a.clone(), b.clone(), squared]), Some(ShardsError::OtherTerms));
    let wide = Table::new(1_500, 3).shards(Logistic, bounds(), &[0, 512, 1024])[2].card();
    assert_eq!(refused(&[a, b, wide]), Some(ShardsError::OtherTerms));
}

/// Every word of the terms counts: bounds and shape of the loss are the guarantee's, and a shard that clipped with
/// others is refused although its numbers would add up.
#[test]
fn every_term_of_a_card_is_compared() {
    let table = Table::new(700, 2);
    let nobody = |_: &[Request]| Err(Unavailable);
    let refused = |cards: &[Vec<u8>]| Shards::new(Huber::new(0.4).unwrap(), bounds(), cards, nobody).err();
    let card =
        |delta: f64, bounds, first, end| table.shard(Huber::new(delta).unwrap(), bounds, first, end).card();
    let (a, b) = (card(0.4, bounds(), 0, 512), card(0.4, bounds(), 512, 700));
    assert_eq!(refused(&[a.clone(), b.clone()]), None);
    let other_target = card(0.4, bounds().with_target(2.0).unwrap(), 512, 700);
    let other_delta = card(0.5, bounds(), 512, 700);
    // Three columns and no intercept have as many parameters as two with one.
    let bare = bounds().with_intercept(false).unwrap();
    let no_intercept = Table::new(700, 3).shard(Huber::new(0.4).unwrap(), bare, 512, 700).card();
    for other in [other_target, other_delta, no_intercept] {
        assert_eq!(refused(&[a.clone(), other]), Some(ShardsError::OtherTerms));
    }
    // Cards that no shard made: the first row is word 10, the number of rows word 11.
    let with = |card: &[u8], word: usize, value: u64| {
        let mut card = card.to_vec();
        card[8 * word..8 * (word + 1)].copy_from_slice(&value.to_le_bytes());
        card
    };
    assert_eq!(refused(&[with(&a, 11, 100), with(&b, 10, 100)]), Some(ShardsError::Gap));
    assert_eq!(refused(&[a, with(&b, 11, 1 << 40)]), Some(ShardsError::Gap), "more than the public maximum");
}

/// An answer to the same question at another point, and one for another number of rows, are other answers.
#[test]
fn answers_at_another_point_are_stale() {
    let table = Table::new(1_500, 2);
    let shards = table.shards(Logistic, bounds(), &[0, 512, 1024]);
    let cards: Vec<_> = shards.iter().map(Shard::card).collect();
    let learner = Learner::new(10.0).epsilon(1.0).unwrap().mechanism(MechanismKind::Objective);
    // The question is word 5 of a request, the number of rows word 2.
    let word = |bytes: &[u8], k: usize| bytes[8 * k..8 * (k + 1)].to_vec();
    let fit = |stale: bool| {
        let first = Mutex::new(std::collections::HashMap::new());
        let replaced = AtomicUsize::new(0);
        let transport = |requests: &[Request]| {
            let one = |r: &Request| {
                let fresh = shards[r.shard].answer(&r.bytes).unwrap();
                let mut first = first.lock().unwrap();
                let known = first.entry((r.shard, word(&r.bytes, 5))).or_insert_with(|| fresh.clone());
                replaced.fetch_add(usize::from(*known != fresh), Ordering::SeqCst);
                if stale { known.clone() } else { fresh }
            };
            Ok(requests.iter().map(one).collect())
        };
        let source = Shards::new(Logistic, bounds(), &cards, transport).unwrap();
        let fit = learner.fit(&source, &mut ReplayRng::new(2)).map(|_| ());
        assert!(replaced.load(Ordering::SeqCst) > 0, "the same question is asked at two points");
        fit
    };
    fit(false).unwrap();
    assert!(matches!(fit(true), Err(Error::Unavailable(Unavailable))));
    // The last shard ends within a block: it cannot be one of more rows than it ends with.
    let seen = Mutex::new(Vec::new());
    let transport = |requests: &[Request]| {
        seen.lock().unwrap().extend(requests.iter().filter(|r| r.shard == 2).map(|r| r.bytes.clone()));
        Err(Unavailable)
    };
    let source = Shards::new(Logistic, bounds(), &cards, transport).unwrap();
    assert!(learner.fit(&source, &mut ReplayRng::new(2)).is_err());
    let mut request = seen.into_inner().unwrap().remove(0);
    shards[2].answer(&request).unwrap();
    assert_eq!(word(&request, 2), 1_500_u64.to_le_bytes());
    request[16..24].copy_from_slice(&1_501_u64.to_le_bytes());
    assert_eq!(shards[2].answer(&request), Err(Unanswerable::OtherShard));
}

#[test]
fn the_gate_is_the_same_and_counts_all_rows() {
    let make = |bounds, policy, first, x: Vec<f64>| {
        let targets = vec![1.0; x.len()];
        Shard::new(Squared, bounds, policy, 1, first, x, targets).err()
    };
    let bounds = Bounds::new(1.0).unwrap().with_target(1.0).unwrap().with_max_rows(130).unwrap();
    assert_eq!(make(bounds.clone(), OutOfBounds::Clip, 128, vec![3.0, 4.0]), None);
    assert_eq!(make(bounds.clone(), OutOfBounds::Clip, 128, vec![0.0; 3]), Some(DataError::TooManyRows));
    assert_eq!(make(bounds.clone(), OutOfBounds::Clip, 100, vec![0.0; 3]), Some(DataError::Shape));
    let at = Place::Record(66);
    assert_eq!(
        make(bounds.clone(), OutOfBounds::Refuse, 64, vec![0.0, 1.5]),
        Some(DataError::FeaturesOutOfBounds { at })
    );
    assert_eq!(make(bounds, OutOfBounds::Clip, 64, vec![0.0, f64::NAN]), Some(DataError::NotFinite { at }));
}

#[test]
fn a_shard_that_moved_is_the_same_or_none() {
    for bounds in [bounds(), Bounds::new(1.0).unwrap()] {
        let shard = Table::new(300, 3).shard(Logistic, bounds.clone(), 256, 300);
        let bytes = shard.to_bytes();
        let again = Shard::from_bytes(Logistic, bounds.clone(), &bytes).unwrap();
        assert_eq!(again.to_bytes(), bytes);
        assert_eq!(again.card(), shard.card());
        let other = Bounds::new(0.5).unwrap().with_intercept(bounds.intercept()).unwrap();
        assert!(Shard::from_bytes(Logistic, other, &bytes).is_err());
        for byte in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[byte] ^= 4;
            assert!(Shard::from_bytes(Logistic, bounds.clone(), &broken).is_err(), "{byte}");
        }
    }
}

/// Any change of any bytes of a request: an answer or a refusal, never a panic, never a long walk.
#[test]
fn a_shard_takes_any_bytes() {
    let shard = Table::new(700, 2).shard(Logistic, bounds(), 256, 700);
    let seen = Mutex::new(Vec::new());
    let whole = Table::new(700, 2).shards(Logistic, bounds(), &[0, 256]);
    let transport = |requests: &[Request]| {
        seen.lock().unwrap().extend(requests.iter().filter(|r| r.shard == 1).map(|r| r.bytes.clone()));
        Ok(requests.iter().map(|r| whole[r.shard].answer(&r.bytes).unwrap()).collect())
    };
    let cards: Vec<_> = whole.iter().map(Shard::card).collect();
    let shards = Shards::new(Logistic, bounds(), &cards, transport).unwrap();
    let learner = Learner::new(30.0).epsilon(1.0).unwrap().mechanism(MechanismKind::Posterior);
    learner.fit(&shards, &mut ReplayRng::new(3)).unwrap();
    let requests = seen.into_inner().unwrap();
    assert!(requests.len() > 4);

    let mut rng = ReplayRng::new(11);
    let mut below = |bound: usize| usize::try_from(rng.next_u64() % bound as u64).unwrap();
    let (mut answered, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = requests[below(requests.len())].clone();
        let (length, kind) = (bytes.len(), below(4));
        match kind {
            // A byte of the head or of any place; a word that is small, large or any; the end.
            0 => bytes[below(14 * 8)] = u8::try_from(below(256)).unwrap(),
            1 => bytes[below(length)] = u8::try_from(below(256)).unwrap(),
            2 => {
                let (place, size) = (8 * below(length / 8), below(64));
                let word = (below(usize::MAX) as u64) >> size;
                bytes[place..place + 8].copy_from_slice(&word.to_le_bytes());
            }
            _ => bytes.truncate(below(length)),
        }
        match shard.answer(&bytes) {
            Ok(answer) => {
                answered += 1;
                assert!(answer.len() > 8 * 12 && answer.len().is_multiple_of(8));
            }
            Err(_) => refused += 1,
        }
    }
    assert!(answered > 3_000 && refused > 3_000, "{answered} {refused}");
    for length in 0..200 {
        let noise: Vec<u8> = (0..length).map(|_| u8::try_from(below(256)).unwrap()).collect();
        assert_eq!(shard.answer(&noise), Err(Unanswerable::Malformed));
    }
}
