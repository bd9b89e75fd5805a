//! Logarithms of counts, correctly rounded, identical on every machine.
//!
//! Paths are compared by sums of such logarithms, and of paths that are equal mathematically the last bit decides. The
//! libraries that training is compared with have logarithms that are correctly rounded but for one in twenty thousand;
//! those of `libm` are off in one of ten. So they are computed here in double-double arithmetic.

use crate::util::{f64_count, u64_of, us64};

/// Logarithms, of small counts by table.
pub struct Logs {
    known: Vec<f64>,
    /// One over each odd number.
    odd: Vec<Pair>,
}

/// A double-double: a number and its rounding error.
type Pair = (f64, f64);

const KNOWN: u64 = 1 << 13;
/// The series has gained six digits of two with each term.
const TERMS: usize = 22;
const LN_2: Pair = (std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);

impl Logs {
    pub fn new() -> Self {
        let odd = (0..TERMS).map(|term| over((1.0, 0.0), (f64_count(u64_of(2 * term + 1)), 0.0))).collect();
        let mut logs = Self { known: Vec::new(), odd };
        logs.known = (0..KNOWN).map(|count| logs.compute(f64_count(count))).collect();
        logs
    }

    /// The natural logarithm of a count, which is rounded to a double first.
    pub fn of(&self, count: u64) -> f64 {
        if count < KNOWN {
            self.known[us64(count)]
        } else {
            self.compute(f64_count(count))
        }
    }

    /// With `x = m * 2^k` and `m` close to 1, `ln m` is twice the area tangent of `(m - 1) / (m + 1)`.
    fn compute(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let exponent = (x.to_bits() >> 52) & 0x7FF;
        let mut power = f64_count(exponent) - 1023.0;
        let mut m = f64::from_bits(x.to_bits() & !(0x7FF << 52) | 1023 << 52);
        if m > std::f64::consts::SQRT_2 {
            m /= 2.0;
            power += 1.0;
        }
        let z = over((m - 1.0, 0.0), sum(m, 1.0));
        let square = times(z, z);
        let series = self.odd.iter().rev().fold((0.0, 0.0), |series, &odd| plus(odd, times(square, series)));
        let area = times(z, series);
        let whole = plus(times((power, 0.0), LN_2), (2.0 * area.0, 2.0 * area.1));
        whole.0 + whole.1
    }
}

/// The exact sum of two numbers.
fn sum(a: f64, b: f64) -> Pair {
    let total = a + b;
    let part = total - a;
    (total, (a - (total - part)) + (b - part))
}

/// The exact product of two numbers.
fn product(a: f64, b: f64) -> Pair {
    let total = a * b;
    (total, a.mul_add(b, -total))
}

fn plus(a: Pair, b: Pair) -> Pair {
    let (total, lost) = sum(a.0, b.0);
    sum(total, lost + a.1 + b.1)
}

fn times(a: Pair, b: Pair) -> Pair {
    let (total, lost) = product(a.0, b.0);
    sum(total, lost + a.0 * b.1 + a.1 * b.0)
}

fn over(a: Pair, b: Pair) -> Pair {
    let first = a.0 / b.0;
    let rest = plus(a, times((-first, 0.0), b));
    let second = rest.0 / b.0;
    let rest = plus(rest, times((-second, 0.0), b));
    plus(sum(first, second), (rest.0 / b.0, 0.0))
}

#[cfg(test)]
mod tests {
    use crate::training::logs::Logs;

    #[test]
    fn logarithms_are_the_nearest() {
        let logs = Logs::new();
        // Expected values computed with 50 digits.
        let cases = [
            (1, 0.0),
            (2, std::f64::consts::LN_2),
            (3, 1.098_612_288_668_109_8),
            (9170, 9.123_692_565_250_51),
            (19_143, 9.859_692_392_536_457),
            (1_000_003, 13.815_513_557_959_774),
            (u64::MAX, 44.361_419_555_836_5),
        ];
        for (count, wanted) in cases {
            assert_eq!(logs.of(count), wanted, "{count}");
        }
        assert_eq!(logs.of(0), f64::NEG_INFINITY);
    }
}
