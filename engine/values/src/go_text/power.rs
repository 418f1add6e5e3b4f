//! Powers of ten as Go's `math.Pow` rounds them.
//!
//! In: a whole exponent. Out: `math.Pow(10, exponent)`, which is not always the nearest double, nor what `math.Pow10` gives.
//!
//! Mirrors: Go's `math/pow.go`.

/// Beyond this exponent, on either side, the power is infinite or zero.
const MOST: i64 = 400;

/// `math.Pow(10, exponent)`: squares of 0.625, with the powers of two apart.
pub fn power_of_ten(exponent: i64) -> f64 {
    let (mut result, mut scale) = (1.0_f64, 0_i32);
    let (mut square, mut square_scale) = (0.625_f64, 4_i32);
    let mut left = exponent.clamp(-MOST, MOST).unsigned_abs();
    while left != 0 {
        if left & 1 == 1 {
            result *= square;
            scale += square_scale;
        }
        square *= square;
        square_scale *= 2;
        if square < 0.5 {
            square += square;
            square_scale -= 1;
        }
        left >>= 1;
    }
    if exponent < 0 {
        (result, scale) = (1.0 / result, -scale);
    }
    // In two steps: the power of two alone may exceed the range where the product does not.
    let half = scale / 2;
    result * 2_f64.powi(half) * 2_f64.powi(scale - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_go() {
        // Printed by Go 1.26's `math.Pow`.
        for (exponent, bits) in GO {
            assert_eq!(power_of_ten(*exponent).to_bits(), *bits, "10^{exponent}");
        }
        assert_eq!([i64::MIN, -401, -324].map(power_of_ten), [0.0; 3]);
        assert_eq!([i64::MAX, 401, 309].map(power_of_ten), [f64::INFINITY; 3]);
    }

    const GO: &[(i64, u64)] = &[
        (-323, 0x0000_0000_0000_0002),
        (-322, 0x0000_0000_0000_0014),
        (-310, 0x0000_1268_8b70_e62b),
        (-308, 0x0007_30d6_7819_e8d1),
        (-307, 0x0031_fa18_2c40_c60b),
        (-300, 0x01a5_6e1f_c2f8_f355),
        (-200, 0x1668_7e92_154e_f7a9),
        (-100, 0x2b2b_ff2e_e48e_052e),
        (-23, 0x3b28_2db3_4012_b252),
        (-22, 0x3b5e_3920_1017_5ee6),
        (-5, 0x3ee4_f8b5_88e3_68f1),
        (-1, 0x3fb9_9999_9999_999a),
        (0, 0x3ff0_0000_0000_0000),
        (1, 0x4024_0000_0000_0000),
        (2, 0x4059_0000_0000_0000),
        (15, 0x430c_6bf5_2634_0000),
        (22, 0x4480_f0cf_064d_d592),
        (23, 0x44b5_2d02_c7e1_4af6),
        (100, 0x54b2_49ad_2594_c37e),
        (200, 0x6974_e718_d7d7_625d),
        (300, 0x7e37_e43c_8800_75a0),
        (301, 0x7e6d_dd4b_aa00_9308),
        (307, 0x7fac_7b1f_3cac_7437),
        (308, 0x7fe1_ccf3_85eb_c8a3),
    ];
}
