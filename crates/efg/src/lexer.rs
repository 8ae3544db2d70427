//! The words of a file, one at a time, each with where it begins.
//!
//! White space separates, so line ends of any kind do too. Not here: which word may follow which.

use std::borrow::Cow;

use crate::fault::{EfgError, Fault};
use crate::place::Place;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind<'t> {
    /// Between quotation marks, `\"` already read as `"`.
    Text(Cow<'t, str>),
    /// A number, a keyword, or a mistake.
    Word(&'t str),
    Open,
    Close,
    Comma,
    End,
}

/// How much of a token an error shows.
const SHOWN: usize = 40;

impl Kind<'_> {
    /// The token as errors quote it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Text(text) => format!("the text \"{}\"", shortened(text)),
            Self::Word(word) => format!("`{}`", shortened(word)),
            Self::Open => "`{`".into(),
            Self::Close => "`}`".into(),
            Self::Comma => "`,`".into(),
            Self::End => "the end of the file".into(),
        }
    }
}

/// Cuts what is long, and shows control characters as escapes.
pub(crate) fn shortened(text: &str) -> String {
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN {
            shown.push_str("...");
            break;
        }
        if character.is_control() { shown.extend(character.escape_default()) } else { shown.push(character) }
    }
    shown
}

/// A token and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind<'t>,
    pub(crate) start: usize,
}

/// Reads tokens from a text.
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// Where the last text ended.
    text_end: Option<usize>,
    peeked: Option<Token<'t>>,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, text_end: None, peeked: None }
    }

    pub(crate) fn place(&self, offset: usize) -> Place {
        Place::of(self.text, offset)
    }

    pub(crate) fn error(&self, offset: usize, fault: Fault) -> EfgError {
        EfgError { at: self.place(offset), fault }
    }

    pub(crate) fn next(&mut self) -> Result<Token<'t>, EfgError> {
        match self.peeked.take() {
            Some(token) => Ok(token),
            None => self.read(),
        }
    }

    pub(crate) fn peek(&mut self) -> Result<&Token<'t>, EfgError> {
        let token = self.next()?;
        Ok(self.peeked.insert(token))
    }

    /// The next token's text, if it is one.
    pub(crate) fn next_text(&mut self) -> Result<Option<Cow<'t, str>>, EfgError> {
        let token = self.next()?;
        if let Kind::Text(text) = token.kind {
            return Ok(Some(text));
        }
        self.peeked = Some(token);
        Ok(None)
    }

    /// Whether the next token is `kind`, which is then consumed.
    pub(crate) fn take(&mut self, kind: &Kind<'_>) -> Result<bool, EfgError> {
        let found = self.peek()?.kind == *kind;
        if found {
            self.peeked = None;
        }
        Ok(found)
    }

    /// Consumes `kind`.
    pub(crate) fn expect(&mut self, kind: &Kind<'_>, expected: &'static str) -> Result<(), EfgError> {
        let token = self.next()?;
        if token.kind == *kind { Ok(()) } else { Err(self.unexpected(&token, expected)) }
    }

    /// Consumes a text.
    pub(crate) fn text(&mut self, expected: &'static str) -> Result<Cow<'t, str>, EfgError> {
        let token = self.next()?;
        match token.kind {
            Kind::Text(text) => Ok(text),
            _ => Err(self.unexpected(&token, expected)),
        }
    }

    /// Consumes a word; returns where it begins.
    pub(crate) fn word(&mut self, expected: &'static str) -> Result<(&'t str, usize), EfgError> {
        let token = self.next()?;
        match token.kind {
            Kind::Word(word) => Ok((word, token.start)),
            _ => Err(self.unexpected(&token, expected)),
        }
    }

    /// Why a token cannot stand where it does.
    pub(crate) fn unexpected(&self, token: &Token<'_>, expected: &'static str) -> EfgError {
        if token.kind == Kind::End {
            return self.error(token.start, Fault::Truncated { expected });
        }
        self.bad_token(token, Fault::Unexpected { expected, found: token.kind.shown() })
    }

    /// Why a word says nothing where it stands.
    pub(crate) fn bad_word(&self, word: &str, start: usize, fault: Fault) -> EfgError {
        self.bad_token(&Token { kind: Kind::Word(word), start }, fault)
    }

    /// Whether a token follows the end of a text without white space.
    pub(crate) fn sticks(&self, token: &Token<'_>) -> bool {
        match token.kind {
            Kind::Text(_) => self.text.as_bytes()[..token.start].last() == Some(&b'"'),
            Kind::Word(_) => self.text_end == Some(token.start),
            _ => false,
        }
    }

    /// `fault`, unless the token sticks to the end of a text: then a quotation mark is missing.
    fn bad_token(&self, token: &Token<'_>, fault: Fault) -> EfgError {
        let found = || token.kind.shown();
        let fault = if self.sticks(token) { Fault::StrayQuote { found: found() } } else { fault };
        self.error(token.start, fault)
    }

    fn read(&mut self) -> Result<Token<'t>, EfgError> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&byte| !is_space(byte)).unwrap_or(rest.len());
        let start = self.at;
        let kind = match self.text.as_bytes().get(start) {
            None => Kind::End,
            Some(b'"') => self.read_text(start)?,
            Some(b'{') => self.read_mark(Kind::Open),
            Some(b'}') => self.read_mark(Kind::Close),
            Some(b',') => self.read_mark(Kind::Comma),
            Some(_) => self.read_word(start),
        };
        Ok(Token { kind, start })
    }

    fn read_mark(&mut self, kind: Kind<'t>) -> Kind<'t> {
        self.at += 1;
        kind
    }

    fn read_word(&mut self, start: usize) -> Kind<'t> {
        let rest = &self.text.as_bytes()[start..];
        let ends = |&byte: &u8| is_space(byte) || matches!(byte, b'"' | b'{' | b'}' | b',');
        self.at = start + rest.iter().position(ends).unwrap_or(rest.len());
        Kind::Word(&self.text[start..self.at])
    }

    /// A backslash keeps the quotation mark after it from ending the text; elsewhere it is itself.
    fn read_text(&mut self, start: usize) -> Result<Kind<'t>, EfgError> {
        let bytes = self.text.as_bytes();
        let first = start + 1;
        let (mut at, mut escapes) = (first, false);
        loop {
            match bytes.get(at) {
                None => return Err(self.error(start, Fault::UnclosedText)),
                Some(b'"') => break,
                Some(b'\\') if bytes.get(at + 1) == Some(&b'"') => (at, escapes) = (at + 2, true),
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        self.text_end = Some(self.at);
        let raw = &self.text[first..at];
        Ok(Kind::Text(if escapes { raw.replace("\\\"", "\"").into() } else { raw.into() }))
    }
}

/// What the format calls white space.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        let mut lexer = Lexer::new(text);
        let mut shown = Vec::new();
        loop {
            let token = lexer.next().expect("every text is closed");
            if token.kind == Kind::End {
                return shown;
            }
            shown.push(token.kind.shown());
        }
    }

    #[test]
    fn tokens_need_no_white_space_between_them() {
        assert_eq!(
            kinds("\u{feff}EFG\r\n{1,-1}\"a\"p"),
            ["`EFG`", "`{`", "`1`", "`,`", "`-1`", "`}`", "the text \"a\"", "`p`"]
        );
        assert!(kinds(" \t\r\n\u{b}\u{c}").is_empty());
    }

    #[test]
    fn a_backslash_keeps_a_quotation_mark_and_else_is_itself() {
        assert_eq!(
            kinds(r#""go \"down\"" "a\b\\" "#.replace(r#"\\" "#, r#"\\ ""#).as_str()),
            ["the text \"go \"down\"\"", r#"the text "a\b\\ ""#,]
        );
        assert_eq!(Lexer::new(r#""a\"b"#).next().map_err(|error| error.fault), Err(Fault::UnclosedText));
    }

    #[test]
    fn what_is_shown_of_a_token_is_short_and_has_no_control_characters() {
        let shown = Kind::Word(&"x\u{1b}".repeat(100)).shown();
        assert!(shown.contains("\\u{1b}") && shown.ends_with("...`"), "{shown}");
    }
}
