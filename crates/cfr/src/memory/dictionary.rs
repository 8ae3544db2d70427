//! One-byte codes for the numbers that feature rows are made of.
//!
//! Encoders write few different numbers: multiples of a handful of units. The first 256 that are met
//! get a code; whoever meets another one writes it out. Not here: where codes and numbers lie.

const CODES: usize = 1 << u8::BITS;

/// Places of the hash table, a power of two; half are taken at most.
const PLACES: usize = 512;
const PLACE_BITS: u32 = PLACES.trailing_zeros();

/// Numbers by code and codes by number. A number is told by its bits, so that every NaN and both
/// zeros are themselves; `0.0` is not a number here, its bits mark an empty place.
#[derive(Clone, Debug)]
pub(super) struct Dictionary {
    numbers: [f32; CODES],
    known: usize,
    /// The bits of a number, linearly probed from its hash.
    bits: [u32; PLACES],
    codes: [u8; PLACES],
}

impl Dictionary {
    pub(super) fn new() -> Self {
        Self { numbers: [0.0; CODES], known: 0, bits: [0; PLACES], codes: [0; PLACES] }
    }

    /// The number of a `code` that [`Dictionary::code`] returned.
    #[inline]
    pub(super) fn number(&self, code: u8) -> f32 {
        self.numbers[usize::from(code)]
    }

    /// The code of `number`, a new one if one is left. Not for `0.0`.
    #[inline]
    pub(super) fn code(&mut self, number: f32) -> Option<u8> {
        let bits = number.to_bits();
        let mut place = (bits.wrapping_mul(0x9E37_79B1) >> (u32::BITS - PLACE_BITS)) as usize;
        loop {
            match self.bits[place] {
                found if found == bits => return Some(self.codes[place]),
                0 => return self.add(place, number),
                _ => place = (place + 1) % PLACES,
            }
        }
    }

    /// The numbers that have codes, by code.
    pub(super) fn numbers(&self) -> &[f32] {
        &self.numbers[..self.known]
    }

    fn add(&mut self, place: usize, number: f32) -> Option<u8> {
        let code = u8::try_from(self.known).ok()?;
        self.known += 1;
        self.numbers[usize::from(code)] = number;
        (self.bits[place], self.codes[place]) = (number.to_bits(), code);
        Some(code)
    }
}
