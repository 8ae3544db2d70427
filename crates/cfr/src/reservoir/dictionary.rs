//! One-byte codes for the numbers that feature rows are made of.
//!
//! Encoders write few different numbers: multiples of a handful of units. The first 255 that are met
//! get a code; whoever meets another one writes it out. Not here: where codes and numbers lie.

/// Stands for a number without a code.
pub(super) const WRITTEN_OUT: u8 = u8::MAX;

/// Places of the hash table, a power of two; at most a quarter is ever taken.
const PLACES: usize = 1024;
const PLACE_BITS: u32 = PLACES.trailing_zeros();

/// Numbers by code and codes by number. A number is told by its bits, so that every NaN and both
/// zeros are themselves; `0.0` is not a number here, its bits mark an empty place.
#[derive(Clone, Debug)]
pub(super) struct Dictionary {
    numbers: [f32; 256],
    known: usize,
    /// The bits of a number, linearly probed from its hash.
    bits: [u32; PLACES],
    codes: [u8; PLACES],
}

impl Dictionary {
    pub(super) fn new() -> Self {
        Self { numbers: [0.0; 256], known: 0, bits: [0; PLACES], codes: [0; PLACES] }
    }

    /// The number of `code`, which [`Dictionary::code`] returned and which is not [`WRITTEN_OUT`].
    #[inline]
    pub(super) fn number(&self, code: u8) -> f32 {
        self.numbers[usize::from(code)]
    }

    /// The code of `number`, a new one if there is one left, otherwise [`WRITTEN_OUT`]. Not for `0.0`.
    #[inline]
    pub(super) fn code(&mut self, number: f32) -> u8 {
        let bits = number.to_bits();
        let mut place = (bits.wrapping_mul(0x9E37_79B1) >> (u32::BITS - PLACE_BITS)) as usize;
        loop {
            match self.bits[place] {
                found if found == bits => return self.codes[place],
                0 => return self.add(place, number),
                _ => place = (place + 1) % PLACES,
            }
        }
    }

    fn add(&mut self, place: usize, number: f32) -> u8 {
        if self.known == usize::from(WRITTEN_OUT) {
            return WRITTEN_OUT;
        }
        let code = self.known as u8;
        self.known += 1;
        (self.numbers[usize::from(code)], self.bits[place], self.codes[place]) =
            (number, number.to_bits(), code);
        code
    }
}
