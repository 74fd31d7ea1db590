//! Indices: corners of triangles by what is new about each, other lists by their
//! differences. Read alone: our files hold their corners as they are.

use super::UnpackError;

const TRIANGLES: u8 = 0xe1;
const INDICES: u8 = 0xd1;
/// Bytes of the table at the end of triangles; of the end of indices.
const TABLE: usize = 16;
const TAIL: usize = 4;

/// Bytes in order, and the index that differences count from.
struct Data<'a> {
    bytes: &'a [u8],
    last: u32,
}

impl Data<'_> {
    fn byte(&mut self) -> Result<u8, UnpackError> {
        let Some((&byte, rest)) = self.bytes.split_first() else {
            return Err(UnpackError::Truncated("indices"));
        };
        self.bytes = rest;
        Ok(byte)
    }

    /// Seven bits a byte, the lowest first (LEB128).
    fn number(&mut self) -> Result<u32, UnpackError> {
        let mut number = 0u32;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(UnpackError::Shape("an index of more than five bytes"))
    }

    /// An index by its difference from the last one that was stored.
    fn index(&mut self) -> Result<u32, UnpackError> {
        self.last = self.last.wrapping_add(signed(self.number()?));
        Ok(self.last)
    }
}

fn signed(code: u32) -> u32 {
    match code & 1 {
        0 => code >> 1,
        _ => !(code >> 1),
    }
}

/// The last sixteen of something, the youngest first.
#[derive(Default)]
struct Recent<T: Copy + Default> {
    ring: [T; 16],
    next: usize,
}

impl<T: Copy + Default> Recent<T> {
    fn push(&mut self, it: T) {
        self.ring[self.next % 16] = it;
        self.next += 1;
    }

    fn get(&self, ago: usize) -> T {
        self.ring[(self.next + 15 - ago) % 16]
    }
}

/// Indices of any order.
pub fn decode_indices(packed: &[u8], count: usize) -> Result<Vec<u32>, UnpackError> {
    let body = body(packed, INDICES, TAIL)?;
    if count > body.len() {
        return Err(UnpackError::Truncated("indices"));
    }
    let mut data = Data {
        bytes: body,
        last: 0,
    };
    // Two runs that take turns, as strips have.
    let mut last = [0u32; 2];
    let mut indices = Vec::with_capacity(count);
    for _ in 0..count {
        let code = data.number()?;
        let run = &mut last[(code & 1) as usize];
        *run = run.wrapping_add(signed(code >> 1));
        indices.push(*run);
    }
    match data.bytes.len() {
        0 => Ok(indices),
        left => Err(UnpackError::Leftover(left)),
    }
}

/// What is between the header and the tail.
fn body(packed: &[u8], expected: u8, tail: usize) -> Result<&[u8], UnpackError> {
    let Some((&found, rest)) = packed.split_first() else {
        return Err(UnpackError::Truncated("header"));
    };
    if found != expected {
        return Err(UnpackError::Header { found, expected });
    }
    let end = rest.len().checked_sub(tail);
    end.map(|end| &rest[..end])
        .ok_or(UnpackError::Truncated("tail"))
}

/// Corners of triangles, `count` of them.
pub fn decode_triangles(packed: &[u8], count: usize) -> Result<Vec<u32>, UnpackError> {
    let all = body(packed, TRIANGLES, TABLE)?;
    let triangles = count / 3;
    let Some((codes, bytes)) = all.split_at_checked(triangles) else {
        return Err(UnpackError::Truncated("triangles"));
    };
    let mut corners = Corners {
        data: Data { bytes, last: 0 },
        table: &packed[packed.len() - TABLE..],
        next: 0,
        edges: Recent::default(),
        vertices: Recent::default(),
    };
    let mut indices = Vec::with_capacity(count);
    for &code in codes {
        let triangle = match code >> 4 {
            15 => corners.new_triangle(code)?,
            _ => corners.at_an_edge(code)?,
        };
        indices.extend(triangle);
    }
    match corners.data.bytes.len() {
        0 => Ok(indices),
        left => Err(UnpackError::Leftover(left)),
    }
}

struct Corners<'a> {
    data: Data<'a>,
    table: &'a [u8],
    /// The first index that was not seen yet.
    next: u32,
    edges: Recent<[u32; 2]>,
    vertices: Recent<u32>,
}

impl Corners<'_> {
    fn unseen(&mut self) -> u32 {
        let index = self.next;
        self.next = self.next.wrapping_add(1);
        index
    }

    /// A triangle beside one of the last edges.
    fn at_an_edge(&mut self, code: u8) -> Result<[u32; 3], UnpackError> {
        let [a, b] = self.edges.get(usize::from(code >> 4));
        let (c, is_new) = match code & 15 {
            0 => (self.unseen(), true),
            ago @ 1..=12 => (self.vertices.get(usize::from(ago)), false),
            13 => (self.beside(u32::MAX), true),
            14 => (self.beside(1), true),
            _ => (self.data.index()?, true),
        };
        if is_new {
            self.vertices.push(c);
        }
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Ok([a, b, c])
    }

    fn beside(&mut self, by: u32) -> u32 {
        self.data.last = self.data.last.wrapping_add(by);
        self.data.last
    }

    /// A triangle with no edge in common.
    fn new_triangle(&mut self, code: u8) -> Result<[u32; 3], UnpackError> {
        let kind = usize::from(code & 15);
        let stored = kind >= 14;
        let pair = match stored {
            true => self.data.byte()?,
            false => self.table[kind],
        };
        if stored && pair == 0 {
            self.next = 0;
        }
        let a = match kind {
            15 => self.data.index()?,
            _ => self.unseen(),
        };
        let (b, b_is_new) = self.corner(pair >> 4, stored)?;
        let (c, c_is_new) = self.corner(pair & 15, stored)?;
        self.vertices.push(a);
        if b_is_new {
            self.vertices.push(b);
        }
        if c_is_new {
            self.vertices.push(c);
        }
        self.edges.push([b, a]);
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Ok([a, b, c])
    }

    fn corner(&mut self, code: u8, stored: bool) -> Result<(u32, bool), UnpackError> {
        match code {
            0 => Ok((self.unseen(), true)),
            15 if stored => Ok((self.data.index()?, true)),
            // The table of a damaged file may say 15 too: that is 14 ago.
            ago => Ok((self.vertices.get(usize::from(ago) - 1), false)),
        }
    }
}
