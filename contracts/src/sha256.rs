//! SHA-256 (FIPS 180-4), in one piece: a certificate is some kilobytes, so simple is fast enough.

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const ROUND: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
const START: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// The digest of a text as 64 hexadecimal digits.
pub(crate) fn hex_digest(text: &str) -> String {
    // A one, zeros up to 8 bytes before the end of a block, and the length in bits.
    let mut message = text.as_bytes().to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((text.len() as u64 * 8).to_be_bytes());
    let mut state = START;
    for block in message.chunks_exact(64) {
        compress(&mut state, block);
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

/// Works one block of 64 bytes into the state.
fn compress(state: &mut [u32; 8], block: &[u8]) {
    let mut words = [0_u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for t in 16..64 {
        let (x, y) = (words[t - 15], words[t - 2]);
        let small_0 = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
        let small_1 = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
        words[t] = sum(&[words[t - 16], small_0, words[t - 7], small_1]);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (constant, word) in ROUND.into_iter().zip(words) {
        let large_1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let large_0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let chosen = (e & f) ^ (!e & g);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let first = sum(&[h, large_1, chosen, constant, word]);
        let second = sum(&[large_0, majority]);
        (h, g, f, e) = (g, f, e, sum(&[d, first]));
        (d, c, b, a) = (c, b, a, sum(&[first, second]));
    }
    for (word, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(new);
    }
}

/// The sum modulo 2^32.
fn sum(terms: &[u32]) -> u32 {
    terms.iter().fold(0, |sum, term| sum.wrapping_add(*term))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples that are published with the standard.
    #[test]
    fn published_vectors() {
        let two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        let long = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn\
                    hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
        let million = "a".repeat(1_000_000);
        for (text, digest) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (two_blocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
            (long, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
            (&million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ] {
            assert_eq!(hex_digest(text), digest);
        }
    }

    /// The tables from their definition: ⌊2^32·p^(1/k)⌋ modulo 2^32, by bisection in whole numbers.
    #[test]
    fn tables_are_roots_of_primes() {
        let is_prime = |n: &u128| (2..*n).all(|k| !n.is_multiple_of(k));
        let primes: Vec<u128> = (2..).filter(is_prime).take(64).collect();
        let root = |p: u128, k: u32| {
            let (mut low, mut high) = (0_u128, 1 << 40);
            while high - low > 1 {
                let middle = u128::midpoint(low, high);
                let below = middle.checked_pow(k).is_some_and(|power| power <= p << (32 * k));
                (low, high) = if below { (middle, high) } else { (low, middle) };
            }
            u32::try_from(low & 0xffff_ffff).unwrap()
        };
        assert!(primes.iter().zip(ROUND).all(|(p, constant)| root(*p, 3) == constant));
        assert!(primes.iter().zip(START).all(|(p, constant)| root(*p, 2) == constant));
    }
}
