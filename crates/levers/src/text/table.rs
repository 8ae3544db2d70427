//! A table that prints as aligned text and as Markdown. Not here: what stands in it.

/// Lines of cells under a heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    heading: Vec<String>,
    lines: Vec<Vec<String>>,
}

impl Table {
    /// A table without lines.
    pub fn new(heading: &[&str]) -> Self {
        Self { heading: heading.iter().map(ToString::to_string).collect(), lines: Vec::new() }
    }

    /// Adds a line.
    ///
    /// # Panics
    /// If it has another number of cells than the heading.
    pub fn push<const N: usize>(&mut self, cells: [String; N]) {
        assert_eq!(N, self.heading.len(), "a line has a cell for every column");
        self.lines.push(cells.into());
    }

    /// Whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Columns aligned with spaces, the heading underlined. Columns of figures stand to the right.
    pub fn text(&self) -> String {
        let widths = self.widths();
        let rule: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
        let mut text = self.line(&self.heading, &widths) + &self.line(&rule, &widths);
        self.lines.iter().for_each(|row| text += &self.line(row, &widths));
        text
    }

    /// A Markdown table.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let right = |column: usize| if self.figures(column) { "---:" } else { "---" }.to_owned();
        let rule: Vec<String> = (0..self.heading.len()).map(right).collect();
        let mut text = line(&self.heading) + &line(&rule);
        self.lines.iter().for_each(|row| text += &line(row));
        text
    }

    fn widths(&self) -> Vec<usize> {
        let lines = || std::iter::once(&self.heading).chain(&self.lines);
        let width = |column: usize| lines().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
        (0..self.heading.len()).map(width).collect()
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let pad = |(column, cell): (usize, &String)| {
            let space = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            if self.figures(column) { space + cell } else { cell.clone() + &space }
        };
        let padded: Vec<String> = cells.iter().enumerate().map(pad).collect();
        padded.join("  ").trim_end().to_owned() + "\n"
    }

    /// Whether every cell of a column is a figure (or nothing).
    fn figures(&self, column: usize) -> bool {
        let figure =
            |cell: &String| cell.starts_with(|first: char| first.is_ascii_digit() || "×∞−~-".contains(first));
        self.lines.iter().all(|row| row[column].is_empty() || figure(&row[column]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["phase", "time"]);
        table.push(["traversal".to_owned(), "9.5 s".to_owned()]);
        table.push(["a|b".to_owned(), "12 µs".to_owned()]);
        table
    }

    #[test]
    fn words_stand_left_and_figures_right() {
        let expected = "phase       time\n─────────  ─────\ntraversal  9.5 s\na|b        12 µs\n";
        assert_eq!(table().text(), expected);
    }

    #[test]
    fn markdown_escapes_bars() {
        let expected = "| phase | time |\n| --- | ---: |\n| traversal | 9.5 s |\n| a\\|b | 12 µs |\n";
        assert_eq!(table().markdown(), expected);
    }
}
