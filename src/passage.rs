//! The way out of the library: accepted, entered, drawn, checked, in this order. spec: `own:contracts`

/// Asks whether the plan holds, enters what will be spent, draws, and checks what was drawn. The first step that fails
/// is the last one taken: nothing is entered for a plan that does not hold, nothing drawn that was not entered, and
/// nothing leaves unchecked. Each step is taken at most once.
///
/// Drawing takes what entering gave: without it there is nothing to call it with.
pub(crate) fn in_order<T, N, D, E>(
    with: &mut T,
    accept: impl FnOnce(&mut T) -> Result<(), E>,
    enter: impl FnOnce(&mut T) -> Result<N, E>,
    draw: impl FnOnce(&mut T, &N) -> Result<D, E>,
    check: impl FnOnce(&mut T, &D) -> Result<(), E>,
) -> Result<(D, N), E> {
    accept(with)?;
    let entered = enter(with)?;
    let drawn = draw(with, &entered)?;
    check(with, &drawn)?;
    Ok((drawn, entered))
}

#[cfg(any(kani, test))]
#[path = "../proofs/passage.rs"]
mod proofs;
