use glam::Quat;

use super::*;
use crate::testing::Random;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().map(|it| it.to_digit(16).unwrap()).collect();
    digits
        .chunks(2)
        .map(|it| (it[0] * 16 + it[1]) as u8)
        .collect()
}

fn view(mode: Mode, filter: Filter, count: usize, stride: usize) -> PackedView {
    PackedView {
        mode,
        filter,
        count,
        stride,
    }
}

/// Packed by meshoptimizer's own encoder (npm `meshoptimizer` 1.1.1), here and below.
#[test]
fn attributes_of_the_reference_encoder_are_read_and_ours_are_the_same() {
    let packed = bytes(concat!(
        "a02a0eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee000000001f0002060a0e12161a1e22262a2e32363a",
        "3e42464a4e52565a5e62666a6e72767affff00007e82868a8e92969a15000080008000800080000000001f",
        "00d7cdd7cdd7cdcdd7cdd7cdcdd7cdd7cdcdd7cdd7cdd7cdcdd7cdd7cdcdd7cdffff0000d7cdcdd7cdd7cd",
        "d71f008d83838d8383838d8383838d8383838d8383838d83838d8383838d8383838dffff00008383838d83",
        "83838d1f0043393939393939394339393939393939394339393939393939433939393939ffff0000393939",
        "43393939391f0010101010101010101010101010101010101010101010101010101010101010ffff00001a",
        "101010101010100000000000000000000000000000000000000000000000000000000900000000",
    ));
    let lane = |i: usize, lane: usize| match lane {
        0 => i * 7,
        1 => i * i,
        2 => i >> 3,
        3 => 9,
        _ => i * (lane * 37) % 251,
    };
    let expected: Vec<u8> = (0..40 * 8).map(|at| lane(at / 8, at % 8) as u8).collect();
    assert_eq!(decode_attributes(&packed, 40, 8).unwrap(), expected);
    let own = encode_attributes(&expected, 8);
    assert_eq!(decode_attributes(&own, 40, 8).unwrap(), expected);
    assert_eq!(own.len(), packed.len());
}

#[test]
fn attributes_of_any_size_come_back() {
    let mut random = Random::new(3);
    for stride in [4, 8, 12, 16, 48, 256] {
        for count in [0, 1, 15, 16, 17, 255, 257, 1000] {
            // Some bytes hardly change, some jump.
            let mut value = vec![0u8; stride];
            let mut all = Vec::with_capacity(count * stride);
            for _ in 0..count {
                for (lane, byte) in value.iter_mut().enumerate() {
                    let reach = [0.0, 1.0, 6.0, 128.0][lane % 4];
                    *byte = byte.wrapping_add((random.signed() * reach) as i8 as u8);
                }
                all.extend_from_slice(&value);
            }
            let packed = encode_attributes(&all, stride);
            let back = decode_attributes(&packed, count, stride).unwrap();
            assert_eq!(back, all, "{count} of {stride} bytes");
        }
    }
}

#[test]
fn triangles_and_other_indices_of_the_reference_encoder_are_read() {
    let packed = bytes("e1f010f0f060102bff2efe76c8010e007687566778a9866589689801690000");
    let corners = decode_triangles(&packed, 30).unwrap();
    let expected = [
        0, 1, 2, 2, 1, 3, 4, 5, 6, 7, 8, 9, 2, 3, 10, 10, 3, 11, 2, 10, 0, 100, 5, 6, 5, 100, 101,
        12, 13, 0,
    ];
    assert_eq!(corners, expected);
    let packed = bytes("d100040491030405040504a988110400000000");
    let indices = decode_indices(&packed, 11).unwrap();
    assert_eq!(indices, [0, 1, 2, 100, 3, 101, 4, 102, 5, 70000, 6]);
    let view = view(Mode::Indices, Filter::None, 11, 4);
    assert_eq!(
        view.unpack(&packed).unwrap()[36..40],
        70000u32.to_le_bytes()
    );
}

#[test]
fn filters_of_the_reference_encoder_are_undone() {
    let shorts = |bytes: &[u8]| -> Vec<i16> {
        let pairs = bytes.as_chunks::<2>().0.iter();
        pairs.map(|&it| i16::from_le_bytes(it)).collect()
    };
    let packed = bytes(concat!(
        "a0013c0000008342013c0000000504013c000000c742013c0000000704013c000000f32c013c000000080d",
        "013c000000050600000000000000000000000000000000000000000000000000210143026403ff07",
    ));
    let view = |filter, count, stride| view(Mode::Attributes, filter, count, stride);
    let found = view(Filter::Quaternion, 3, 8).unpack(&packed).unwrap();
    let expected = [
        3271, 6554, 9825, 30389, 22943, -3271, -3271, 22932, 0, 0, 0, 32767,
    ];
    for (found, expected) in shorts(&found).iter().zip(expected) {
        assert!((found - expected).abs() <= 1, "{found} is not {expected}");
    }
    let packed = bytes(concat!(
        "a0013c000000e04d013c000000224a000130000000fd000000000000000000000000000000000000000000",
        "0000000000000036497f7f",
    ));
    let found = view(Filter::Octahedral, 3, 4).unpack(&packed).unwrap();
    let found: Vec<i8> = found.iter().map(|&it| it as i8).collect();
    assert_eq!(found, [76, 102, 0, 127, -63, 63, -90, 0, 0, 0, -127, 0]);
    let packed = bytes(concat!(
        "a0013c00000027b3013c000000111a013c0000002ab0012c00000004000001200000000130000000fd0000",
        "000000000000000000000000000000000000000000006d039204ff07ff7f",
    ));
    let found = view(Filter::Octahedral, 3, 8).unpack(&packed).unwrap();
    let expected = [
        19653, 26219, 0, 32767, -16398, 16398, -23149, 0, 0, 0, -32767, 0,
    ];
    for (found, expected) in shorts(&found).iter().zip(expected) {
        assert!((found - expected).abs() <= 1, "{found} is not {expected}");
    }
    let packed = bytes(concat!(
        "a0010f000000fbfc013f0000009fbc7b0118000000013f0000000316130000000000000000000000000000",
        "0000000000000000000000000000003000f3",
    ));
    let found = view(Filter::Exponential, 4, 4).unpack(&packed).unwrap();
    let floats = found.as_chunks::<4>().0.iter();
    let floats: Vec<f32> = floats.map(|&it| f32::from_le_bytes(it)).collect();
    assert_eq!(floats, [1.5, -0.25, 1000.125, 0.0]);
}

#[test]
fn rotations_and_floats_are_off_by_half_a_step_at_most() {
    let mut random = Random::new(8);
    for bits in 4..=16 {
        // Numbers are spread over ±1/√2.
        let step = std::f32::consts::SQRT_2 / 2.0 / ((1 << (bits - 1)) - 1) as f32;
        for _ in 0..200 {
            let four = std::array::from_fn(|_| random.signed());
            let rotation = Quat::from_array(four).normalize();
            let found = decode_quaternion(encode_quaternion(rotation, bits));
            let found = Quat::from_array(found.map(|it| f32::from(it) / 32767.0));
            // Three numbers half a step off each, and 16 bits of the outcome.
            let most = 3f32.sqrt() * step + 6e-5;
            let angle = rotation.angle_between(found.normalize());
            // The fourth number makes up for the three: less than twice as much.
            assert!(angle < 2.0 * most + 1e-3, "{bits} bits: {angle} of {most}");
        }
    }
    for value in [0.0, 1.0, -3.25, 0.1, 1234.5, -1e-4] {
        let found = from_exponential(exponential(value, -12));
        assert_close!(found, value, 0.5 / 4096.0 + 1e-9);
    }
}

#[test]
fn damaged_bytes_are_refused_and_never_more_is_made_than_they_hold() {
    let all: Vec<u8> = (0..4000u32).map(|i| (i * i / 7) as u8).collect();
    let packed = encode_attributes(&all, 8);
    for end in 0..packed.len() {
        assert!(decode_attributes(&packed[..end], 500, 8).is_err(), "{end}");
    }
    let header = decode_attributes(&[0xa1; 64], 1, 4).unwrap_err();
    assert!(matches!(header, UnpackError::Header { found: 0xa1, .. }));
    // Billions of elements in a hundred bytes: nothing is allocated for them.
    assert!(decode_attributes(&packed, 1 << 40, 8).is_err());
    assert!(decode_indices(&[0xd1, 0, 0, 0, 0, 0], 1 << 40).is_err());
    assert!(decode_triangles(&[0xe1; 40], 3 << 40).is_err());
    let mut random = Random::new(4);
    for _ in 0..20_000 {
        let length = (random.between(1.0, 60.0)) as usize;
        let mut wild: Vec<u8> = (0..length)
            .map(|_| random.between(0.0, 256.0) as u8)
            .collect();
        for header in [0xa0, 0xe1, 0xd1] {
            wild[0] = header;
            // Whatever comes of it: no panic.
            let _ = decode_attributes(&wild, 20, 4);
            let _ = decode_triangles(&wild, 9);
            let _ = decode_indices(&wild, 7);
        }
    }
    for (wrong, told) in [
        (view(Mode::Attributes, Filter::None, 1, 6), "multiple of 4"),
        (view(Mode::Attributes, Filter::Quaternion, 1, 12), "8 bytes"),
        (view(Mode::Triangles, Filter::None, 4, 4), "threes"),
        (view(Mode::Indices, Filter::None, 4, 8), "2 or 4"),
        (view(Mode::Indices, Filter::Exponential, 4, 4), "no filter"),
    ] {
        let error = wrong.unpack(&packed).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}
