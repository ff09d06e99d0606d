//! [`Private<T>`]: a value that must not leave except through noise.

/// A value computed from the records.
///
/// It cannot be printed, compared, serialised or copied out by accident: the type implements none of
/// `Debug`, `Display`, `Serialize`, `PartialEq`, `Deref`, `Clone`, and there is no method that hands the value to a
/// closure. Every way to the value begins with `reveal`: [`Private::reveal_breaking_privacy`] outside of the crate, and
/// inside a crate-private one for the mechanisms. A reviewer greps for that word.
///
/// A private value cannot be printed:
///
/// ```compile_fail,E0277
/// let secret = asap_dp::private::Private::new(1.0);
/// println!("{secret:?}");
/// ```
///
/// ```compile_fail,E0277
/// let secret = asap_dp::private::Private::new(1.0);
/// println!("{secret}");
/// ```
///
/// nor serialised:
///
/// ```compile_fail,E0277
/// fn send<T: serde::Serialize>(_: T) {}
/// send(asap_dp::private::Private::new(1.0));
/// ```
///
/// nor compared, which would leak it one bit at a time:
///
/// ```compile_fail,E0369
/// let secret = asap_dp::private::Private::new(1.0);
/// let leak = secret == asap_dp::private::Private::new(2.0);
/// ```
///
/// nor looked at by a closure on its way to another private value:
///
/// ```compile_fail,E0599
/// let secret = asap_dp::private::Private::new(1.0);
/// let other = secret.map(|value| println!("{value}"));
/// ```
///
/// The same code with a public value compiles, so the failures above are due to `Private`:
///
/// ```
/// fn send<T: serde::Serialize>(_: T) {}
/// let public = 1.0;
/// println!("{public:?} {public} {}", public == 2.0);
/// send(public);
/// ```
#[must_use]
pub struct Private<T>(T);

impl<T> Private<T> {
    /// Marks a value as private.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Takes the value out. **A caller of this leaves the privacy guarantee**: it is for tests, benchmarks
    /// and diagnostics on public or synthetic records only.
    pub fn reveal_breaking_privacy(self) -> T {
        self.0
    }

    /// The value, for the mechanisms of this crate only.
    pub(crate) const fn reveal_to_mechanism(&self) -> &T {
        &self.0
    }
}
