//! The rule set of Lost Cities and the range of each of its settings.
//!
//! Not here: how a position evolves.

/// Every rule that may vary. [`Rules::classic`] is the boxed game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Number of colours.
    pub colours: u32,
    /// Number cards of each colour.
    pub ranks: u32,
    /// The lowest printed number; a colour has `min_rank..min_rank + ranks`.
    pub min_rank: u32,
    /// Wager cards of each colour.
    pub wagers: u32,
    /// Cards in a hand between turns.
    pub hand_size: u32,
    /// Points that a started expedition begins with, zero or negative.
    pub expedition_penalty: i32,
    /// Cards (wagers included) from which an expedition earns the bonus.
    pub bonus_threshold: u32,
    /// The bonus in points, not multiplied by wagers.
    pub bonus_amount: i32,
    /// Decisions after which play stops and the score difference counts as it stands.
    pub ply_cap: u32,
}

/// One setting of a rule set: its value, and the lowest and highest that it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The field of [`Rules`].
    pub name: &'static str,
    /// Its value.
    pub value: i64,
    /// The lowest allowed value.
    pub min: i64,
    /// The highest allowed value.
    pub max: i64,
}

/// A setting outside its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is {}, allowed are {} to {}", .0.name, .0.value, .0.min, .0.max)]
pub struct Violation(pub Setting);

/// A rule set that cannot be played here; lists everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("impossible rules: {}", .violations.iter().map(Violation::to_string).collect::<Vec<_>>().join("; "))]
pub struct RulesError {
    /// At least one, in the order of the fields.
    pub violations: Vec<Violation>,
}

impl Rules {
    /// The boxed game: 5 colours, numbers 2 to 10, 3 wagers a colour, hands of 8.
    pub const fn classic() -> Self {
        Self {
            colours: 5,
            ranks: 9,
            min_rank: 2,
            wagers: 3,
            hand_size: 8,
            expedition_penalty: -20,
            bonus_threshold: 8,
            bonus_amount: 20,
            ply_cap: 5000,
        }
    }

    /// The number of cards in the whole deck.
    pub const fn deck_size(&self) -> u32 {
        self.colours * (self.wagers + self.ranks)
    }

    /// Every setting with its range. Both hands must come out of the deck, so the largest hand
    /// depends on the other settings.
    pub fn settings(&self) -> [Setting; 9] {
        let cards = i64::from(self.colours) * (i64::from(self.wagers) + i64::from(self.ranks));
        let setting = |name, value: i64, min, max| Setting { name, value, min, max };
        [
            setting("colours", self.colours.into(), 1, 6),
            setting("ranks", self.ranks.into(), 1, 9),
            setting("min_rank", self.min_rank.into(), 1, 20),
            setting("wagers", self.wagers.into(), 0, 4),
            setting("hand_size", self.hand_size.into(), 1, (cards / 2).clamp(1, 8)),
            setting("expedition_penalty", self.expedition_penalty.into(), -100, 0),
            setting("bonus_threshold", self.bonus_threshold.into(), 1, 20),
            setting("bonus_amount", self.bonus_amount.into(), 0, 200),
            setting("ply_cap", self.ply_cap.into(), 2, 60_000),
        ]
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Lists all settings outside their ranges.
    pub fn validate(&self) -> Result<(), RulesError> {
        let outside = |setting: &Setting| !(setting.min..=setting.max).contains(&setting.value);
        let mut violations: Vec<_> = self.settings().into_iter().filter(outside).map(Violation).collect();
        if violations.is_empty() && self.deck_size() < 2 * self.hand_size {
            let least = i64::from((2 * self.hand_size).div_ceil(self.wagers + self.ranks));
            violations.push(Violation(Setting {
                name: "colours",
                value: self.colours.into(),
                min: least,
                max: 6,
            }));
        }
        if violations.is_empty() { Ok(()) } else { Err(RulesError { violations }) }
    }

    /// The sum of all printed numbers of a colour.
    pub const fn colour_sum(&self) -> u32 {
        self.ranks * (2 * self.min_rank + self.ranks - 1) / 2
    }

    /// What an expedition with `cards` cards, `wagers` of them wagers, and numbers adding up to
    /// `sum` is worth.
    #[inline]
    pub const fn expedition_score(&self, sum: i32, wagers: i32, cards: u32) -> i32 {
        let (started, long) = ((cards > 0) as i32, (cards >= self.bonus_threshold) as i32);
        started * ((sum + self.expedition_penalty) * (1 + wagers) + long * self.bonus_amount)
    }

    /// An upper bound on the score difference of a game, reached colour by colour when one player
    /// has every number and the other only wagers or the lowest number.
    pub fn largest_difference(&self) -> i32 {
        let (sum, penalty) = (self.colour_sum() as i32, self.expedition_penalty);
        let wagers = self.wagers as i32;
        let colour = (0..=wagers).map(|theirs| {
            let best = ((sum + penalty) * (1 + wagers - theirs)).max(0) + self.bonus_amount;
            let worst =
                if theirs > 0 { penalty * (1 + theirs) } else { (self.min_rank as i32 + penalty).min(0) };
            best - worst
        });
        self.colours as i32 * colour.max().unwrap_or(0)
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::classic()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_violations_are_reported_at_once() {
        let rules = Rules { colours: 0, ranks: 12, hand_size: 9, bonus_amount: -1, ..Rules::classic() };
        let error = rules.validate().unwrap_err();
        let names: Vec<_> = error.violations.iter().map(|violation| violation.0.name).collect();
        assert_eq!(names, ["colours", "ranks", "hand_size", "bonus_amount"]);
        assert!(error.to_string().contains("ranks is 12, allowed are 1 to 9"), "{error}");
    }

    #[test]
    fn both_hands_must_come_out_of_the_deck() {
        let rules = Rules { colours: 1, ranks: 9, wagers: 3, hand_size: 7, ..Rules::classic() };
        let error = rules.validate().unwrap_err();
        assert_eq!((error.violations[0].0.name, error.violations[0].0.max), ("hand_size", 6));
        assert_eq!(Rules { hand_size: 6, ..rules }.validate(), Ok(()));
        let single = Rules { colours: 1, ranks: 1, wagers: 0, hand_size: 1, ..Rules::classic() };
        assert_eq!(single.validate().unwrap_err().violations[0].0.min, 2);
    }

    #[test]
    fn the_classic_scores() {
        let rules = Rules::classic();
        assert_eq!(rules.expedition_score(0, 0, 0), 0);
        assert_eq!(rules.expedition_score(0, 2, 2), -60);
        assert_eq!(rules.expedition_score(54, 3, 12), 156);
        assert_eq!(rules.expedition_score(44, 0, 8), 44);
        assert_eq!(rules.largest_difference(), 5 * (156 + 18));
    }
}
