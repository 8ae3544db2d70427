//! Where in a text something stands. Not here: what is wrong there (see `fault`).

/// A position in a text, for people: lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The character within the line.
    pub column: usize,
}

impl Place {
    /// The place of the byte at `offset`, or of the end of the text.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        // All bytes of a character but its first are of the form 10xxxxxx.
        let characters = before[start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        Self { line, column: characters + 1 }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_begin_after_line_feeds() {
        let text = "ab\r\n\u{fc}x\n";
        let at = |offset| Place::of(text, offset);
        assert_eq!(at(0), Place { line: 1, column: 1 });
        assert_eq!(at(6), Place { line: 2, column: 2 });
        assert_eq!(at(99), Place { line: 3, column: 1 });
        assert_eq!(at(6).to_string(), "line 2, column 2");
    }
}
