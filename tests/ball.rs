//! Balls, asked hostile questions: subnormal, huge, infinite, NaN, and points on the edge.
#![allow(clippy::unwrap_used, clippy::float_cmp, clippy::needless_pass_by_value)]

use asap_dp::ball::Ball;
use quickcheck::{Arbitrary, Gen, QuickCheck, quickcheck};

const SPECIAL: [f64; 18] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.0 + f64::EPSILON,
    1.0 - f64::EPSILON / 2.0,
    0.1,
    5e-324,
    -5e-324,
    f64::MIN_POSITIVE,
    1e-170,
    1e-154,
    1e154,
    1e170,
    f64::MAX,
    -f64::MAX,
    9_007_199_254_740_993.0,
    3.0,
];

/// Any number a caller can write, the awkward ones most often.
fn number(g: &mut Gen) -> f64 {
    match u8::arbitrary(g) % 4 {
        0 => *g.choose(&SPECIAL).unwrap(),
        1 => f64::from(i8::arbitrary(g)) / 16.0,
        2 => f64::from_bits(u64::arbitrary(g)),
        _ => *g.choose(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300, 1e-300]).unwrap(),
    }
}

fn finite(g: &mut Gen) -> f64 {
    Some(number(g)).filter(|x| x.is_finite()).unwrap_or(1.0)
}

/// A ball of dimension 1 to 5 and a point that is often close to its boundary.
#[derive(Clone, Debug)]
struct Question {
    ball: Ball,
    point: Vec<f64>,
}

impl Arbitrary for Question {
    fn arbitrary(g: &mut Gen) -> Self {
        let d = usize::from(u8::arbitrary(g) % 5 + 1);
        let centre: Vec<f64> = (0..d).map(|_| finite(g)).collect();
        let size = centre.iter().fold(0.0_f64, |size, c| size.max(c.abs()));
        let radius = match u8::arbitrary(g) % 4 {
            0 => 0.0,
            // A ball that is small beside its distance from the origin, down to one unit in the last place.
            1 => size * 2.0_f64.powi(-i32::from(u8::arbitrary(g) % 60)),
            2 => 1.0,
            _ => finite(g).abs(),
        };
        let ball = Ball::new(centre, radius).unwrap();
        let point = match u8::arbitrary(g) % 4 {
            0 => (0..d).map(|_| number(g)).collect(),
            1 => ball.centre().to_vec(),
            _ => near_boundary(&ball, g),
        };
        Self { ball, point }
    }
}

/// A point at the radius from the centre, give or take a few units in the last place.
fn near_boundary(ball: &Ball, g: &mut Gen) -> Vec<f64> {
    let direction: Vec<f64> = (0..ball.dimension()).map(|_| f64::from(i8::arbitrary(g)) + 0.5).collect();
    let length = direction.iter().map(|a| a * a).sum::<f64>().sqrt();
    let nudge = 1.0 + f64::from(i8::arbitrary(g) % 8) * f64::EPSILON;
    let point = |(c, a): (&f64, &f64)| c + a / length * ball.radius() * nudge;
    ball.centre().iter().zip(&direction).map(point).collect()
}

/// The same bits: also tells 0 from −0.
fn same(x: &[f64], y: &[f64]) -> bool {
    x.iter().map(|a| a.to_bits()).eq(y.iter().map(|a| a.to_bits()))
}

#[test]
fn a_projection_is_always_contained() {
    fn property(question: Question) -> bool {
        let projected = question.ball.project(&question.point);
        question.ball.contains(&projected)
    }
    QuickCheck::new().tests(50_000).quickcheck(property as fn(Question) -> bool);
}

#[test]
fn questions_hit_both_sides_of_the_boundary() {
    let mut g = Gen::new(100);
    let inside = |g: &mut Gen| {
        let ball = Ball::new(vec![3.0, 1e5, -0.25], 1.0).unwrap();
        ball.contains(&near_boundary(&ball, g))
    };
    let hits = (0..1000).filter(|_| inside(&mut g)).count();
    assert!((100..900).contains(&hits), "{hits} of 1000 inside");
}

quickcheck! {
    fn a_contained_point_comes_back_unchanged(question: Question) -> bool {
        let Question { ball, point } = question;
        !ball.contains(&point) || same(&ball.project(&point), &point)
    }

    fn projecting_twice_changes_nothing(question: Question) -> bool {
        let once = question.ball.project(&question.point);
        same(&question.ball.project(&once), &once)
    }

    fn in_place_agrees(question: Question) -> bool {
        let Question { ball, point } = question;
        let mut moved = point.clone();
        ball.project_in_place(&mut moved);
        same(&moved, &ball.project(&point))
    }

    // Around the origin nothing is lost to the centre's own rounding.
    fn around_the_origin_a_projection_reaches_the_boundary(x: Vec<i16>, radius: u16) -> bool {
        let x: Vec<f64> = x.into_iter().map(f64::from).collect();
        let Ok(ball) = Ball::new(vec![0.0; x.len()], f64::from(radius) + 0.3) else { return x.is_empty() };
        let projected = ball.project(&x);
        let length = projected.iter().map(|a| a * a).sum::<f64>().sqrt();
        let parallel = projected.iter().zip(&x).all(|(p, a)| p * a >= 0.0 && p.abs() <= a.abs());
        ball.contains(&x) || (parallel && length >= ball.radius() * (1.0 - 1e-14))
    }
}

#[test]
fn constructor_refuses_what_is_not_a_ball() {
    for centre in [vec![], vec![f64::NAN], vec![1.0, f64::INFINITY]] {
        assert_eq!(Ball::new(centre, 1.0).unwrap_err().field, "ball centre");
    }
    for radius in [-1.0, -5e-324, f64::NAN, f64::INFINITY] {
        assert_eq!(Ball::new(vec![0.0], radius).unwrap_err().field, "ball radius");
    }
    assert!(Ball::new(vec![0.0], 0.0).is_ok());
}

#[test]
fn membership_is_closed_and_refuses_what_is_not_a_point() {
    let ball = Ball::new(vec![0.0, 0.0], 5.0).unwrap();
    assert!(ball.contains(&[3.0, 4.0]) && ball.contains(&[0.0, -5.0]));
    assert!(!ball.contains(&[0.0, 5.0_f64.next_up()]));
    for not_a_point in [&[0.0][..], &[], &[0.0, 0.0, 0.0], &[f64::NAN, 0.0], &[0.0, f64::INFINITY]] {
        assert!(!ball.contains(not_a_point));
        assert!(ball.contains(&ball.project(not_a_point)));
    }
    let mut other_space = [9.0];
    ball.project_in_place(&mut other_space);
    assert_eq!(other_space, [9.0]);
}

#[test]
fn points_at_infinity_keep_their_direction() {
    let ball = Ball::new(vec![1.0, 2.0], 3.0).unwrap();
    assert_eq!(ball.project(&[f64::NEG_INFINITY, 7.0]), [-2.0, 2.0]);
    assert_eq!(ball.project(&[f64::NAN, 7.0]), [1.0, 2.0]);
    assert_eq!(ball.project(&[f64::NAN, f64::INFINITY]), [1.0, 2.0]);
    // The difference overflows, its direction does not.
    let far = Ball::new(vec![-f64::MAX, 0.0], 1e300).unwrap();
    assert_eq!(far.project(&[f64::MAX, 0.0]), [-f64::MAX + 1e300, 0.0]);
    let corner = Ball::new(vec![0.0; 2], 2.0_f64.sqrt()).unwrap().project(&[f64::MAX, -f64::MAX]);
    assert!((corner[0] - 1.0).abs() < 1e-15 && (corner[1] + 1.0).abs() < 1e-15);
}

#[test]
fn radius_zero_is_a_point() {
    let ball = Ball::new(vec![0.1, 1e300], 0.0).unwrap();
    assert!(ball.contains(&[0.1, 1e300]) && !ball.contains(&[0.1_f64.next_up(), 1e300]));
    assert_eq!(ball.project(&[4.0, -1.0]), [0.1, 1e300]);
}

#[test]
fn a_radius_below_the_resolution_of_the_centre_leaves_the_centre() {
    let ball = Ball::new(vec![1.0, 1.0], 1e-17).unwrap();
    assert_eq!(ball.project(&[2.0, 2.0]), [1.0, 1.0]);
}
