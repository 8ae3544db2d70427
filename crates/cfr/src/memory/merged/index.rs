//! Finds rows by their hashes. Rows are numbers here, in the order in which they came.
//!
//! Not here: whether a row that is found is the one that was meant; whoever asks compares them.

/// The fewest places of a table.
const FEWEST: usize = 64;

/// A hash table with linear probing, at most half full.
#[derive(Clone, Debug)]
pub(super) struct RowIndex {
    /// A row's number plus 1; 0 where there is none. A power of two of them.
    places: Vec<u32>,
    /// By row.
    hashes: Vec<u64>,
}

impl RowIndex {
    pub(super) fn new() -> Self {
        Self { places: vec![0; FEWEST], hashes: Vec::new() }
    }

    /// The most bytes that a table of `rows` takes.
    pub(super) fn bytes_at_most(rows: usize) -> u64 {
        // Each doubles when it has to.
        let (places, hashes) = (4 * rows.max(FEWEST / 4), 2 * rows.max(2));
        (places * size_of::<u32>() + hashes * size_of::<u64>()) as u64
    }

    pub(super) fn bytes_allocated(&self) -> usize {
        self.places.capacity() * size_of::<u32>() + self.hashes.capacity() * size_of::<u64>()
    }

    /// Forgets all rows, keeps the storage.
    pub(super) fn clear(&mut self) {
        self.places.fill(0);
        self.hashes.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// The row of this hash that `is_it` says is the one.
    #[inline]
    pub(super) fn find(&self, hash: u64, mut is_it: impl FnMut(usize) -> bool) -> Option<usize> {
        let mask = self.places.len() - 1;
        let mut place = hash as usize & mask;
        while self.places[place] != 0 {
            let row = self.places[place] as usize - 1;
            if self.hashes[row] == hash && is_it(row) {
                return Some(row);
            }
            place = (place + 1) & mask;
        }
        None
    }

    /// Adds the next row.
    ///
    /// # Panics
    /// If there are 2³² − 1 already.
    pub(super) fn push(&mut self, hash: u64) {
        self.hashes.push(hash);
        if 2 * self.hashes.len() <= self.places.len() {
            return self.place(self.hashes.len() - 1);
        }
        self.places = vec![0; 2 * self.places.len()];
        (0..self.hashes.len()).for_each(|row| self.place(row));
    }

    fn place(&mut self, row: usize) {
        let mask = self.places.len() - 1;
        let mut place = self.hashes[row] as usize & mask;
        while self.places[place] != 0 {
            place = (place + 1) & mask;
        }
        self.places[place] = u32::try_from(row + 1).expect("there are fewer than 2^32 rows");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of one hash, or of hashes that begin at one place, are still told apart.
    #[test]
    fn rows_that_collide_are_all_found() {
        for spread in [0, 1 << 40, 1] {
            let mut index = RowIndex::new();
            for row in 0..1000u64 {
                assert_eq!(index.find(row * spread, |found| found == row as usize), None);
                index.push(row * spread);
                assert!(index.bytes_allocated() as u64 <= RowIndex::bytes_at_most(index.len()));
            }
            for row in 0..1000u64 {
                let found = index.find(row * spread, |found| found == row as usize);
                assert_eq!(found, Some(row as usize));
                assert_eq!(index.find(row * spread, |_| false), None);
            }
            index.clear();
            assert_eq!((index.find(0, |_| true), index.len()), (None, 0));
        }
    }
}
