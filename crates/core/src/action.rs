//! Actions and sets of actions.
//!
//! Not here: what an action means (each game says so) and how one is chosen.

use crate::select::choose_bit;
use crate::select_bit;

/// An action of a game, or an outcome of one of its chance nodes: a small number.
///
/// Player actions are in `0..GameSpec::num_actions` (at most [`MAX_ACTIONS`]); chance outcomes may
/// use the whole range.
pub type Action = u16;

/// The most player actions that a game may have: sets of them are one 128-bit word.
pub const MAX_ACTIONS: usize = 128;

/// A set of player actions, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ActionSet(u128);

impl ActionSet {
    /// The set without members.
    pub const EMPTY: Self = Self(0);

    /// The set whose bit `a` says that action `a` is a member.
    #[inline]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// All actions below `count`.
    ///
    /// # Panics
    /// If `count` exceeds [`MAX_ACTIONS`].
    #[inline]
    pub const fn first(count: usize) -> Self {
        assert!(count <= MAX_ACTIONS, "an action set holds at most 128 actions");
        if count == MAX_ACTIONS { Self(u128::MAX) } else { Self((1 << count) - 1) }
    }

    /// The members as a word, bit `a` for action `a`.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Adds `action`.
    #[inline]
    pub const fn insert(&mut self, action: Action) {
        self.0 |= 1 << action;
    }

    /// Whether `action` is a member.
    #[inline]
    pub const fn contains(self, action: Action) -> bool {
        (action as usize) < MAX_ACTIONS && self.0 >> action & 1 == 1
    }

    /// The number of members.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no member.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The `rank`-th member in ascending order, counting from 0.
    #[inline]
    pub fn nth(self, rank: usize) -> Option<Action> {
        select_bit(self.0, rank.min(MAX_ACTIONS) as u32).map(|bit| bit as Action)
    }

    /// The member of the rank (from 0, ascending) that `rank` gives, told the number of members: with
    /// `|count| stream.below(count)` a uniformly drawn one. One look at the set instead of two. `None` if
    /// the rank is not below the number of members; of an empty set, `rank` is told 0.
    #[inline]
    pub fn choose(self, rank: impl FnOnce(u32) -> u32) -> Option<Action> {
        choose_bit(self.0, rank).map(|bit| bit as Action)
    }

    /// The member of a set that has just one.
    #[inline]
    pub fn only(self) -> Option<Action> {
        let one = self.0 != 0 && self.0 & (self.0 - 1) == 0;
        one.then_some(self.0.trailing_zeros() as Action)
    }

    /// The members in ascending order.
    #[inline]
    pub const fn iter(self) -> Actions {
        Actions(self.0)
    }
}

impl FromIterator<Action> for ActionSet {
    fn from_iter<I: IntoIterator<Item = Action>>(actions: I) -> Self {
        let mut set = Self::EMPTY;
        actions.into_iter().for_each(|action| set.insert(action));
        set
    }
}

impl IntoIterator for ActionSet {
    type Item = Action;
    type IntoIter = Actions;

    #[inline]
    fn into_iter(self) -> Actions {
        self.iter()
    }
}

impl std::fmt::Debug for ActionSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Iterator over the members of an [`ActionSet`], ascending.
#[derive(Clone, Debug)]
pub struct Actions(u128);

impl Iterator for Actions {
    type Item = Action;

    #[inline]
    fn next(&mut self) -> Option<Action> {
        if self.0 == 0 {
            return None;
        }
        let action = self.0.trailing_zeros() as Action;
        self.0 &= self.0 - 1;
        Some(action)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }

    /// Works on one 64-bit half after the other: about half the instructions of [`Iterator::next`]
    /// per member, for `for_each`, `sum` and whatever else goes through here.
    #[inline]
    fn fold<B, F: FnMut(B, Action) -> B>(self, init: B, mut f: F) -> B {
        let mut folded = init;
        for (offset, half) in [(0, self.0 as u64), (64, (self.0 >> 64) as u64)] {
            let mut left = half;
            while left != 0 {
                folded = f(folded, offset + left.trailing_zeros() as Action);
                left &= left - 1;
            }
        }
        folded
    }
}

impl ExactSizeIterator for Actions {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_its_members_in_ascending_order() {
        let set: ActionSet = [7, 0, 127, 64].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 7, 64, 127]);
        let mut folded = Vec::new();
        set.iter().for_each(|action| folded.push(action));
        assert_eq!(folded, [0, 7, 64, 127]);
        assert_eq!((set.len(), set.nth(2), set.nth(4)), (4, Some(64), None));
        assert_eq!((set.choose(|count| count - 1), set.choose(|count| count)), (Some(127), None));
        assert_eq!(
            (ActionSet::first(5).choose(|count| count - 2), ActionSet::EMPTY.choose(|n| n)),
            (Some(3), None)
        );
        assert_eq!([set, ActionSet::EMPTY].map(ActionSet::only), [None; 2]);
        assert_eq!(ActionSet::from_bits(1 << 100).only(), Some(100));
        assert!(set.contains(127) && !set.contains(1) && !set.contains(200));
    }

    #[test]
    fn first_covers_both_ends() {
        assert!(ActionSet::first(0).is_empty());
        assert_eq!(ActionSet::first(3).bits(), 0b111);
        assert_eq!(ActionSet::first(MAX_ACTIONS).len(), MAX_ACTIONS);
    }
}
