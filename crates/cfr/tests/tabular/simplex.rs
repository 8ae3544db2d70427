//! A small exact-enough linear-program solver for tests: two-phase simplex on a dense tableau.
//!
//! Pivots follow Bland's rule, so degenerate programs end too. Not here: anything fast or large.

/// Pivots and costs smaller than this are rounding.
const EPSILON: f64 = 1e-11;

/// The optimum of a linear program and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Optimum {
    pub(crate) value: f64,
    pub(crate) x: Vec<f64>,
}

/// Maximises `cost·x` over `x ≥ 0` with `rows[i]·x = right[i]`, all `right[i] ≥ 0`.
///
/// # Panics
/// If the program has no solution or no bound.
pub(crate) fn maximise(cost: &[f64], rows: &[Vec<f64>], right: &[f64]) -> Optimum {
    let (m, n) = (rows.len(), cost.len());
    // Columns: x, one artificial variable a row, right-hand side.
    let mut table: Vec<Vec<f64>> = rows
        .iter()
        .zip(right)
        .enumerate()
        .map(|(i, (row, &b))| {
            assert!(row.len() == n && b >= 0.0, "row {i} is in standard form");
            let artificial = (0..m).map(|j| f64::from(u8::from(i == j)));
            row.iter().copied().chain(artificial).chain([b]).collect()
        })
        .collect();
    let mut basis: Vec<usize> = (n..n + m).collect();
    let feasible: Vec<f64> = (0..n + m).map(|j| if j < n { 0.0 } else { -1.0 }).collect();
    let missing = climb(&feasible, &mut table, &mut basis, n + m);
    assert!(missing.abs() < 1e-9, "the program has no solution: {missing}");
    drive_out(&mut table, &mut basis, n);
    let full: Vec<f64> = cost.iter().copied().chain(vec![0.0; m]).collect();
    let value = climb(&full, &mut table, &mut basis, n);
    let mut x = vec![0.0; n];
    basis.iter().zip(&table).filter(|(column, _)| **column < n).for_each(|(&column, row)| {
        x[column] = row[n + m];
    });
    Optimum { value, x }
}

/// Pivots until no column below `columns` improves `cost`; returns the value.
fn climb(cost: &[f64], table: &mut [Vec<f64>], basis: &mut [usize], columns: usize) -> f64 {
    let last = cost.len();
    loop {
        let reduced = |j: usize| {
            let spent: f64 = basis.iter().zip(&*table).map(|(&b, row)| cost[b] * row[j]).sum();
            cost[j] - spent
        };
        let Some(enters) = (0..columns).find(|&j| !basis.contains(&j) && reduced(j) > EPSILON) else {
            return basis.iter().zip(&*table).map(|(&b, row)| cost[b] * row[last]).sum();
        };
        let ratio = |i: usize| table[i][last] / table[i][enters];
        let leaves = (0..table.len())
            .filter(|&i| table[i][enters] > EPSILON)
            .min_by(|&i, &j| ratio(i).total_cmp(&ratio(j)).then(basis[i].cmp(&basis[j])))
            .expect("the program is bounded");
        pivot(table, basis, leaves, enters);
    }
}

/// Artificial variables that are left in the basis, at 0, make way for others where they can; where
/// they cannot, their row says nothing and stays 0.
fn drive_out(table: &mut [Vec<f64>], basis: &mut [usize], n: usize) {
    for row in 0..table.len() {
        if basis[row] >= n
            && let Some(column) = (0..n).find(|&j| table[row][j].abs() > 1e-9)
        {
            pivot(table, basis, row, column);
        }
    }
}

fn pivot(table: &mut [Vec<f64>], basis: &mut [usize], row: usize, column: usize) {
    let scale = 1.0 / table[row][column];
    table[row].iter_mut().for_each(|entry| *entry *= scale);
    let pivot_row = table[row].clone();
    for (_, other) in table.iter_mut().enumerate().filter(|(index, _)| *index != row) {
        let factor = other[column];
        other.iter_mut().zip(&pivot_row).for_each(|(entry, &p)| *entry -= factor * p);
    }
    basis[row] = column;
}

#[test]
fn a_program_of_known_optimum_is_solved() {
    // 3x + 5y over x ≤ 4, 2y ≤ 12, 3x + 2y ≤ 18 is 36 at (2, 6).
    let rows = [vec![1.0, 0.0, 1.0, 0.0, 0.0], vec![0.0, 2.0, 0.0, 1.0, 0.0], vec![3.0, 2.0, 0.0, 0.0, 1.0]];
    let found = maximise(&[3.0, 5.0, 0.0, 0.0, 0.0], &rows, &[4.0, 12.0, 18.0]);
    assert!((found.value - 36.0).abs() < 1e-12, "{found:?}");
    assert!((found.x[0] - 2.0).abs() < 1e-12 && (found.x[1] - 6.0).abs() < 1e-12, "{found:?}");
}
