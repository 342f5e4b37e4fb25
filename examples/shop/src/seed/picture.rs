//! [`png`]: a generated picture of a product.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Width and height of a picture, in pixels.
const SIDE: i32 = 96;

/// Colours of the shapes, and of the paper below them.
const COLOURS: [(u32, u32); 8] = [
    (0x004f_46e5, 0x00ec_ebfe),
    (0x0014_683a, 0x00e3_f5ea),
    (0x00b3_261e, 0x00fd_ecea),
    (0x007a_4a00, 0x00fd_f0d9),
    (0x0003_6a8f, 0x00e0_f2fa),
    (0x0086_2c8e, 0x00f8_e8fa),
    (0x004a_5568, 0x00ed_f2f7),
    (0x009c_4221, 0x00ff_f1e6),
];

/// A shape: whether it contains a point, given by its distances from the middle, in hundredths of half a side.
type Shape = fn(i32, i32) -> bool;

const SHAPES: [Shape; 6] = [
    // A disc, and a ring.
    |x, y| x * x + y * y < 70 * 70,
    |x, y| (45 * 45..75 * 75).contains(&(x * x + y * y)),
    // A square, and a diamond.
    |x, y| x.abs() < 60 && y.abs() < 60,
    |x, y| x.abs() + y.abs() < 80,
    // A triangle, and a cross.
    |x, y| y < 60 && y > 2 * x.abs() - 70,
    |x, y| (x.abs() < 22 || y.abs() < 22) && x.abs() < 70 && y.abs() < 70,
];

/// A PNG of some 200 bytes, with the shape and the colour of these numbers.
pub(super) fn png(shape: usize, colour: usize) -> Vec<u8> {
    let (ink, paper) = COLOURS[colour % COLOURS.len()];
    let side = SIDE.unsigned_abs().to_be_bytes();
    // One bit a pixel, with a palette of two colours.
    let header = [&side[..], &side, &[1, 3, 0, 0, 0]].concat();
    let palette = [&paper.to_be_bytes()[1..], &ink.to_be_bytes()[1..]].concat();
    let chunks =
        [chunk(*b"IHDR", &header), chunk(*b"PLTE", &palette), chunk(*b"IDAT", &pixels(shape)), chunk(*b"IEND", &[])];
    [b"\x89PNG\r\n\x1a\n".to_vec(), chunks.concat()].concat()
}

/// The compressed lines of pixels. Each begins with its filter, which is 0 for none.
fn pixels(shape: usize) -> Vec<u8> {
    let is_in = SHAPES[shape % SHAPES.len()];
    let at = |pixel: i32| (2 * pixel + 1 - SIDE) * 100 / SIDE;
    let bit = |x: i32, y: i32| u8::from(is_in(at(x), at(y))) << (7 - x % 8);
    let byte = |start: i32, y: i32| (start..start + 8).map(|x| bit(x, y)).sum::<u8>();
    let line = |y: i32| std::iter::once(0).chain((0..SIDE).step_by(8).map(move |start| byte(start, y)));
    let lines: Vec<u8> = (0..SIDE).flat_map(line).collect();
    let mut compressed = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    compressed.write_all(&lines).and_then(|()| compressed.finish()).unwrap_or_default()
}

/// A chunk: its length, name, data and checksum.
fn chunk(name: [u8; 4], data: &[u8]) -> Vec<u8> {
    let named = [&name[..], data].concat();
    let length = u32::try_from(data.len()).unwrap_or_default();
    [&length.to_be_bytes()[..], &named, &crc32fast::hash(&named).to_be_bytes()].concat()
}
