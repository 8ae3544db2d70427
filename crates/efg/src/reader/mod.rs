//! Reading a file from its first word to its last: the head here, nodes in `node`.
//!
//! A file lists its nodes in preorder. They are read in one pass, without recursion; all that grows
//! with the depth of the tree is a stack of the nodes whose actions have not all led somewhere yet.
//! Not here: playing the game that was read (see `game`).

mod infosets;
mod node;
mod outcomes;
mod tree;

use deepcfr_core::NUM_PLAYERS;

use crate::fault::{EfgError, Fault};
use crate::game::EfgGame;
use crate::labels::{Interner, Labels};
use crate::lexer::{Kind, Lexer};
use crate::number::{BadNumber, Number};
use crate::report::EfgReport;

use infosets::Infosets;
use outcomes::Outcomes;
use tree::Tree;

pub(crate) fn read(text: &str) -> Result<EfgGame, EfgError> {
    let mut reader = Reader::new(text);
    let head = reader.head()?;
    reader.nodes()?;
    Ok(reader.finish(head))
}

struct Reader<'t> {
    lexer: Lexer<'t>,
    texts: Interner<str>,
    lists: Interner<[u32]>,
    infosets: Infosets,
    outcomes: Outcomes,
    tree: Tree,
}

/// What stands above the tree.
struct Head {
    title: String,
    comment: String,
    players: [String; NUM_PLAYERS],
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            lexer: Lexer::new(text),
            texts: Interner::new(),
            lists: Interner::new(),
            infosets: Infosets::default(),
            outcomes: Outcomes::default(),
            tree: Tree::default(),
        }
    }

    fn head(&mut self) -> Result<Head, EfgError> {
        self.magic()?;
        self.version()?;
        let title = self.lexer.text("the game's title in quotation marks")?.into_owned();
        let players = self.players()?;
        let comment = self.lexer.next_text()?.map_or_else(String::new, |comment| comment.into_owned());
        Ok(Head { title, comment, players })
    }

    fn magic(&mut self) -> Result<(), EfgError> {
        let token = self.lexer.next()?;
        let fault = match token.kind {
            Kind::Word("EFG") => return Ok(()),
            Kind::End => Fault::Empty,
            _ => Fault::NotEfg { found: token.kind.shown() },
        };
        Err(self.lexer.error(token.start, fault))
    }

    fn version(&mut self) -> Result<(), EfgError> {
        let (got, start) = self.lexer.word("the version of the format, 2,")?;
        if got != "2" {
            let got = crate::lexer::shortened(got);
            return Err(self.lexer.error(start, Fault::Version { got }));
        }
        // The letter tells how Gambit stored numbers once; both kinds of number stand under either.
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Word("R" | "D") => Ok(()),
            _ => Err(self.lexer.unexpected(&token, "the letter R or D")),
        }
    }

    fn players(&mut self) -> Result<[String; NUM_PLAYERS], EfgError> {
        const EXPECTED: &str = "the list of the players' names in braces";
        self.lexer.expect(&Kind::Open, EXPECTED)?;
        let mut names = Vec::new();
        let mut wrong = None;
        let end = loop {
            let token = self.lexer.next()?;
            match token.kind {
                Kind::Close => break token.start,
                Kind::Text(name) if names.len() < NUM_PLAYERS => names.push(name.into_owned()),
                Kind::Text(_) => {
                    let (count, start) = wrong.unwrap_or((NUM_PLAYERS, token.start));
                    wrong = Some((count + 1, start));
                }
                _ => return Err(self.lexer.unexpected(&token, "a player's name, or the end of their list,")),
            }
        };
        let count = names.len();
        match (names.try_into(), wrong) {
            (Ok(names), None) => Ok(names),
            (_, wrong) => {
                let (players, start) = wrong.unwrap_or((count, end));
                Err(self.lexer.error(start, Fault::Players { players }))
            }
        }
    }

    /// A number for a payoff or a probability; where it begins, and the word.
    fn number(&mut self, expected: &'static str) -> Result<(Number, &'t str, usize), EfgError> {
        let (word, start) = self.lexer.word(expected)?;
        let bad = |bad| {
            let shown = crate::lexer::shortened(word);
            match bad {
                BadNumber::Malformed => Fault::NotANumber { word: shown },
                BadNumber::ZeroDenominator => Fault::ZeroDenominator { word: shown },
                BadNumber::OutOfRange => Fault::OutOfRange { word: shown },
            }
        };
        let number = Number::parse(word).map_err(|kind| self.lexer.bad_word(word, start, bad(kind)))?;
        Ok((number, word, start))
    }

    /// A whole number from `least`; where it begins.
    fn count(&mut self, least: u64, expected: &'static str) -> Result<(u64, usize), EfgError> {
        let (word, start) = self.lexer.word(expected)?;
        match word.parse::<u64>() {
            Ok(count) if count >= least => Ok((count, start)),
            _ => {
                let fault = Fault::NotACount { word: crate::lexer::shortened(word), expected };
                Err(self.lexer.bad_word(word, start, fault))
            }
        }
    }

    fn finish(self, head: Head) -> EfgGame {
        let labels = Labels { texts: self.texts.into_items(), lists: self.lists.into_items() };
        let report = EfgReport {
            title: head.title,
            comment: head.comment,
            players: head.players,
            nodes: self.tree.nodes.len(),
            chance_nodes: self.tree.chance_nodes,
            decision_nodes: self.tree.decision_nodes,
            terminal_nodes: self.tree.terminal_nodes,
            infosets: self.infosets.counts,
            outcomes: self.outcomes.len(),
            depth: self.tree.depth,
            unreachable_nodes: self.tree.unreachable_nodes,
            shift: self.tree.shift(),
            chance: self.infosets.chance,
        };
        let largest = self.tree.largest_utility;
        EfgGame::new(report, self.tree.into_arrays(), self.infosets.into_tables(), labels, largest)
    }
}
