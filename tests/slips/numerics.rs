#[test]
fn p2() {}
