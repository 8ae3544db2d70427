//! One node after the other: the words of chance, player and terminal nodes.
//!
//! Not here: numbers and the head of a file (see `reader`).

use deepcfr_core::{Action, NUM_PLAYERS};

use super::Reader;
use super::infosets::{Listed, Misfit, Named};
use super::outcomes::Payoffs;
use super::tree::{Awaited, Mover, Path};
use crate::chance::weights;
use crate::fault::{EfgError, Fault, Owner};
use crate::lexer::{Kind, shortened};
use crate::number::Number;

/// A list of actions, with probabilities where chance has it.
struct List {
    labels: Vec<u32>,
    probabilities: Vec<Number>,
    at: usize,
}

impl Reader<'_> {
    /// The whole tree and the end of the file.
    pub(super) fn nodes(&mut self) -> Result<(), EfgError> {
        self.node(&Path::ROOT, None)?;
        while let Some((path, awaited)) = self.tree.next_child(&self.infosets) {
            self.node(&path, Some(awaited))?;
        }
        let token = self.lexer.next()?;
        if token.kind == Kind::End {
            return Ok(());
        }
        Err(self.lexer.error(token.start, Fault::Trailing { found: token.kind.shown() }))
    }

    fn node(&mut self, path: &Path, awaited: Option<Awaited>) -> Result<(), EfgError> {
        const EXPECTED: &str = "a node, which begins with c, p or t,";
        let token = self.lexer.next()?;
        let at = token.start;
        if self.tree.nodes.len() >= u32::MAX as usize {
            return Err(self.lexer.error(at, Fault::TooManyNodes { limit: u32::MAX }));
        }
        match (&token.kind, awaited) {
            (Kind::Word("c"), _) => self.chance_node(*path, at),
            (Kind::Word("p"), _) => self.player_node(*path, at),
            (Kind::Word("t"), _) => self.terminal_node(*path, at),
            (Kind::End, Some(Awaited { action, parent })) => {
                let of = self.lexer.place(parent);
                Err(self.lexer.error(at, Fault::MissingNode { action: action as Action, of }))
            }
            _ => Err(self.lexer.unexpected(&token, EXPECTED)),
        }
    }

    fn terminal_node(&mut self, mut path: Path, at: usize) -> Result<(), EfgError> {
        self.node_name()?;
        self.outcome(&mut path)?;
        self.tree.end(&path, at).map_err(|other| {
            let (sum, first_sum, first) = (other.sum, other.first_sum, self.lexer.place(other.first_at));
            self.lexer.error(at, Fault::NotConstantSum { sum, first_sum, first })
        })
    }

    fn chance_node(&mut self, mut path: Path, at: usize) -> Result<(), EfgError> {
        self.node_name()?;
        let (number, _) = self.count(1, "the number of chance's infoset")?;
        self.lexer.next_text()?;
        let owner = Owner::Chance;
        let listed = match self.actions(owner, number)? {
            None => None,
            Some(list) => {
                let weights = weights(&list.probabilities);
                let weights = weights.map_err(|sum| self.lexer.error(list.at, Fault::ChanceSum { sum }))?;
                Some((self.listed(&list), weights))
            }
        };
        let found = self.infosets.chance(number, listed, at);
        let (draw, count) = found.map_err(|misfit| self.misfit(misfit, owner, number, at))?;
        self.outcome(&mut path)?;
        self.tree.branch(Mover::Chance { draw }, count, &path, at);
        Ok(())
    }

    fn player_node(&mut self, mut path: Path, at: usize) -> Result<(), EfgError> {
        self.node_name()?;
        let player = self.player_number()?;
        let owner = Owner::Player(player + 1);
        let (number, _) = self.count(1, "the number of the player's infoset")?;
        let label = self.lexer.next_text()?.unwrap_or_default();
        let label = self.texts.intern(&label);
        let listed = self.actions(owner, number)?.map(|list| self.listed(&list));
        let named = Named { player, number, label, listed, past: path.pasts[player], at };
        let found = self.infosets.player(&named);
        let (infoset, count) = found.map_err(|misfit| self.misfit(misfit, owner, number, at))?;
        self.outcome(&mut path)?;
        self.tree.branch(Mover::Player { player, infoset }, count, &path, at);
        Ok(())
    }

    /// Names of nodes tell what nobody sees at the table: they are not kept.
    fn node_name(&mut self) -> Result<(), EfgError> {
        self.lexer.text("the node's name in quotation marks, which may be empty,").map(|_| ())
    }

    fn player_number(&mut self) -> Result<usize, EfgError> {
        let (player, start) = self.count(0, "the number of the player to move")?;
        match usize::try_from(player) {
            Ok(number @ 1..=NUM_PLAYERS) => Ok(number - 1),
            _ => Err(self.lexer.error(start, Fault::PlayerRange { player, players: NUM_PLAYERS })),
        }
    }

    fn misfit(&self, misfit: Misfit, owner: Owner, infoset: u64, at: usize) -> EfgError {
        let fault = match (misfit, owner) {
            (Misfit::Changes(first), _) => {
                Fault::InfosetChanges { owner, infoset, first: self.lexer.place(first) }
            }
            (Misfit::Forgets(first), Owner::Player(player)) => {
                Fault::ImperfectRecall { player, infoset, first: self.lexer.place(first) }
            }
            _ => Fault::UndefinedInfoset { owner, infoset },
        };
        self.lexer.error(at, fault)
    }

    fn listed(&mut self, list: &List) -> Listed {
        Listed { list: self.lists.intern(&list.labels), count: list.labels.len() }
    }

    /// The actions in braces, if there are any.
    fn actions(&mut self, owner: Owner, infoset: u64) -> Result<Option<List>, EfgError> {
        let at = self.lexer.peek()?.start;
        if !self.lexer.take(&Kind::Open)? {
            return Ok(None);
        }
        let mut list = List { labels: Vec::new(), probabilities: Vec::new(), at };
        while !self.lexer.take(&Kind::Close)? {
            let label = self.lexer.text("an action's name, or the end of the list of actions,")?;
            list.labels.push(self.texts.intern(&label));
            if owner == Owner::Chance {
                list.probabilities.push(self.probability()?);
            }
        }
        let (actions, max) = (list.labels.len(), owner.max_actions());
        match actions {
            0 => Err(self.lexer.error(at, Fault::NoActions)),
            _ if actions > max => {
                Err(self.lexer.error(at, Fault::TooManyActions { owner, infoset, actions, max }))
            }
            _ => Ok(Some(list)),
        }
    }

    fn probability(&mut self) -> Result<Number, EfgError> {
        let (number, word, start) = self.number("the probability of the action before it")?;
        if number.value < 0.0 {
            let fault = Fault::NegativeProbability { word: shortened(word) };
            return Err(self.lexer.error(start, fault));
        }
        Ok(number)
    }

    /// The outcome of a node, added to what was paid on the way.
    fn outcome(&mut self, path: &mut Path) -> Result<(), EfgError> {
        let (outcome, start) = self.count(0, "the number of the node's outcome, 0 for none,")?;
        let named = self.lexer.next_text()?.is_some();
        let at = self.lexer.peek()?.start;
        let given = self.lexer.take(&Kind::Open)?;
        if outcome == 0 {
            let fault = Fault::OutcomeZero;
            return if named || given { Err(self.lexer.error(start, fault)) } else { Ok(()) };
        }
        if given {
            let payoffs = self.payoffs()?;
            let defined = self.outcomes.define(outcome, payoffs, start);
            defined.map_err(|first| {
                self.lexer.error(at, Fault::OutcomeChanges { outcome, first: self.lexer.place(first) })
            })?;
        }
        let payoffs = self.outcomes.get(outcome);
        match payoffs {
            Some(payoffs) => self.pay(payoffs, path, start),
            None => Err(self.no_payoffs(outcome, named, start)?),
        }
    }

    /// After a name, what follows may tell more: a missing quotation mark, or the end of the file.
    fn no_payoffs(&mut self, outcome: u64, named: bool, start: usize) -> Result<EfgError, EfgError> {
        let token = self.lexer.next()?;
        if named && (token.kind == Kind::End || self.lexer.sticks(&token)) {
            return Ok(self.lexer.unexpected(&token, "the payoffs of an outcome in braces"));
        }
        Ok(self.lexer.error(start, Fault::UndefinedOutcome { outcome }))
    }

    fn pay(&mut self, payoffs: Payoffs, path: &mut Path, start: usize) -> Result<(), EfgError> {
        for (paid, payoff) in path.paid.iter_mut().zip(payoffs) {
            *paid += payoff;
            self.tree.largest_payoff = self.tree.largest_payoff.max(paid.abs());
        }
        let sum: f64 = path.paid.iter().sum();
        let finite = sum.is_finite() && path.paid.iter().all(|paid| paid.is_finite());
        if finite { Ok(()) } else { Err(self.lexer.error(start, Fault::PayoffOverflow)) }
    }

    /// One number for each player, then the closing brace; commas may stand between.
    fn payoffs(&mut self) -> Result<Payoffs, EfgError> {
        let mut payoffs = [0.0; NUM_PLAYERS];
        for (got, payoff) in payoffs.iter_mut().enumerate() {
            let at = self.lexer.peek()?.start;
            if self.lexer.take(&Kind::Close)? {
                return Err(self.lexer.error(at, Fault::PayoffCount { got, expected: NUM_PLAYERS }));
            }
            *payoff = self.number("a payoff")?.0.value;
            self.lexer.take(&Kind::Comma)?;
        }
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Close => Ok(payoffs),
            Kind::Word(_) => {
                let fault = Fault::PayoffCount { got: NUM_PLAYERS + 1, expected: NUM_PLAYERS };
                Err(self.lexer.error(token.start, fault))
            }
            _ => Err(self.lexer.unexpected(&token, "the end of the list of payoffs")),
        }
    }
}
