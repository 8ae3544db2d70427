#!/usr/bin/env python3
"""Rows of the Lost Cities encoder by card, derived from its description in docs/lost-cities.md.

Replays the reference games in testdata/lost_cities/games.jsonl.gz with rules of its own and works out
what a row must say from lists of cards; nothing here asks the program. Writes
testdata/lost_cities/card_rows.jsonl.gz, with which the program's tests compare its rows. Not here: the
365-feature encoding, whose rows are reference data.

    python3 scripts/lost-cities-rows.py
"""

import gzip
import json
from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "testdata" / "lost_cities"
DECK_STEPS = [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 26, 34]
WAGER = 0


class Rules:
    def __init__(self, numbers):
        (self.colours, self.ranks, self.lowest, self.wagers, self.hand, self.penalty,
         self.bonus_from, self.bonus) = numbers
        self.deck = self.colours * (self.ranks + self.wagers)
        self.values = list(range(self.lowest, self.lowest + self.ranks))
        # A point counts as its share of what the colour's numbers add up to, or of the penalty if more.
        self.most_points = max(sum(self.values), -self.penalty, 1)

    def card(self, kind):
        """Colour and printed number (0 for a wager) of a kind."""
        colour, rank = divmod(kind, self.ranks + 1)
        return colour, WAGER if rank == 0 else self.lowest + rank - 1

    def points(self, cards):
        if not cards:
            return 0
        bonus = self.bonus if len(cards) >= self.bonus_from else 0
        return (sum(cards) + self.penalty) * (1 + cards.count(WAGER)) + bonus


class Table:
    """A game in progress. Cards are (colour, number) pairs, hands lists in the order of their slots."""

    def __init__(self, game):
        self.rules = Rules(game["rules"])
        self.deck = [self.rules.card(kind) for kind in game["deal"]]
        self.hands, self.taken = [[], []], [[], []]
        self.laid = [[[] for _ in range(self.rules.colours)] for _ in range(2)]
        self.piles = [[] for _ in range(self.rules.colours)]
        self.player, self.plies, self.closed = 0, 0, None
        for number in range(2 * self.rules.hand):
            self.hands[number % 2].append(self.deck.pop(0))

    def act(self, action):
        hand, taken = self.hands[self.player], self.taken[self.player]
        self.plies += 1
        if self.plies % 2 == 1:
            slot, discards = divmod(action, 2)
            colour, number = card = hand.pop(slot)
            # Wagers of a colour are alike: which one goes is not seen, so that one fewer is known.
            if card in taken:
                taken.remove(card)
            (self.piles if discards else self.laid[self.player])[colour].append(number)
            self.closed = colour if discards else None
            return
        draw = action - 2 * self.rules.hand
        if draw == 0:
            hand.append(self.deck.pop(0))
        else:
            hand.append((draw - 1, self.piles[draw - 1].pop()))
            taken.append(hand[-1])
        self.closed = None
        self.player = 1 - self.player


class Colour:
    """What the player to move sees of one colour, as lists of printed numbers (0 for wagers)."""

    def __init__(self, table, colour):
        me, rules = table.player, table.rules
        of = lambda cards: sorted(number for c, number in cards if c == colour)
        self.rules, self.closed = rules, table.closed == colour
        self.hand, self.mine, self.theirs = of(table.hands[me]), table.laid[me][colour], table.laid[1 - me][colour]
        self.pile, self.known = table.piles[colour], of(table.taken[1 - me])
        self.seen_by_them = of(table.taken[me])
        seen = Counter(self.hand + self.mine + self.theirs + self.pile)
        every = Counter({**{value: 1 for value in rules.values}, WAGER: rules.wagers})
        self.unseen = sorted((every - seen).elements())
        self.live = playable(self.hand, self.mine)
        self.projected = rules.points(self.mine + self.live)

    def promise(self):
        """Larger is shown earlier: see docs/lost-cities.md."""
        ranks = lambda cards: sum(1 << (number - self.rules.lowest) for number in cards if number != WAGER)
        wagers = lambda cards: cards.count(WAGER)
        sets = [self.hand, self.mine, self.theirs, self.known]
        top_first = [0 if number == WAGER else number - self.rules.lowest + 1 for number in self.pile]
        stack = 0
        for rank in top_first:
            stack = stack << 4 | rank + 1
        return ([self.projected] + [ranks(cards) for cards in sets] + [stack]
                + [wagers(cards) for cards in sets] + [len(self.seen_by_them)])

    def features(self):
        rules = self.rules
        sets = [self.hand, self.mine, self.theirs, self.pile, self.known]
        short = max(rules.bonus_from - len(self.mine + self.live), 0)
        gain = self.projected - rules.points(self.mine)
        numbers = [number for number in self.live if number != WAGER]
        per_point, per_held = 1 / rules.most_points, 1 / rules.hand
        per_wager, per_card = 1 / max(rules.wagers, 1), 1 / (rules.wagers + rules.ranks)
        top = self.pile[-1] if self.pile else None
        under = 0 if len(self.pile) < 2 else 1 if self.pile[-2] == WAGER else self.pile[-2] - rules.lowest + 2
        worth = 0 if top is None else 0.5 + 0.5 * top / rules.values[-1]
        use = lambda side: worth if top is not None and playable([top], side) else 0
        return ([flag for cards in sets for flag in held(rules, cards)]
                + [top == number for number in [WAGER] + rules.values]
                + side(rules, self.mine) + side(rules, self.theirs)
                + [len(numbers) * per_held, sum(numbers) * per_point, self.live.count(WAGER) * per_wager,
                   (len(self.hand) - len(self.live)) * per_held]
                + [self.projected * per_point, gain * per_point,
                   (1 + (self.mine + self.live).count(WAGER)) / (rules.wagers + 1), short * per_card]
                + hopes(rules, playable(self.unseen, self.mine))
                + hopes(rules, playable(self.unseen, self.theirs))
                + [self.closed, use(self.mine), use(self.theirs), under * 0.5 / rules.ranks]
                + [len(self.seen_by_them) * per_held])


def playable(cards, laid):
    """Those of the cards that the rule of rising numbers lets a side play."""
    return [number for number in cards if number > max(laid, default=WAGER) or max(laid, default=WAGER) == WAGER]


def held(rules, cards):
    """At least 1, 2, ... wagers, then a flag for each number."""
    wagers = cards.count(WAGER)
    return [count < wagers for count in range(rules.wagers)] + [value in cards for value in rules.values]


def side(rules, laid):
    highest = max(laid, default=WAGER)
    rank = 0 if highest == WAGER else highest - rules.lowest + 1
    return [bool(laid), laid.count(WAGER) / max(rules.wagers, 1), sum(laid) / rules.most_points,
            len(laid) / (rules.wagers + rules.ranks), rank / rules.ranks, rules.points(laid) / rules.most_points]


def hopes(rules, cards):
    numbers = [number for number in cards if number != WAGER]
    return [len(numbers) / rules.ranks, sum(numbers) / rules.most_points,
            (len(cards) - len(numbers)) / max(rules.wagers, 1)]


def table_features(table, colours):
    rules, deck = table.rules, len(table.deck)
    points = lambda side: sum(rules.points(side(colour)) for colour in colours)
    opened = lambda side: sum(1 for colour in colours if side(colour)) / rules.colours
    mine, theirs = (lambda colour: colour.mine), (lambda colour: colour.theirs)
    # Nobody has to start an expedition, or to lay what makes one worth less.
    best = sum(max(colour.projected, rules.points(colour.mine)) for colour in colours)
    half_point, turns = 0.5 / rules.most_points, (deck + 1) // 2
    card_phase = table.plies % 2 == 0
    return ([card_phase, not card_phase, table.closed is None, deck / rules.deck]
            + [min(turns / rules.hand, 2), 1 / (1 + turns), min(table.plies / (4 * rules.deck), 4)]
            + [points(mine) * half_point, points(theirs) * half_point,
               (points(mine) - points(theirs)) * half_point, (best - points(theirs)) * half_point]
            + [opened(mine), opened(theirs)]
            + [deck <= step for step in DECK_STEPS])


def blocks(rules):
    """The names and lengths that the encoder must give for a colour's block, and for the table."""
    cards = rules.wagers + rules.ranks
    return {
        "colour": [
            ["own hand (at least 1, 2, ... wagers, then numbers)", cards],
            ["own expedition (the same)", cards],
            ["their expedition (the same)", cards],
            ["discard pile (the same)", cards],
            ["known in their hand (the same)", cards],
            ["top of the pile: wager, then numbers", rules.ranks + 1],
            ["own expedition: started, wagers, sum, cards, highest number, points", 6],
            ["their expedition: the same", 6],
            ["own hand: playable numbers, their sum, playable wagers, cards without use", 4],
            ["own expedition with the playable hand: points, gain, stake, cards short of the bonus", 4],
            ["unseen and playable by oneself: numbers, their sum, wagers", 3],
            ["unseen and playable by them: the same", 3],
            ["pile: closed, worth to oneself, worth to them, card below the top", 4],
            ["cards that they know in the own hand", 1],
        ],
        "table": [
            ["phase: card, draw; no pile closed; deck's size", 4],
            ["turns left, 1 over them and one more, plies", 3],
            ["points: own, theirs, lead, lead by own projections", 4],
            ["expeditions opened: own, theirs", 2],
            ["deck's size at most 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 26, 34", 12],
        ],
    }


def number(value):
    value = round(float(value), 7)
    return int(value) if value == int(value) else value


def row(game, ply, table):
    colours = [Colour(table, colour) for colour in range(table.rules.colours)]
    features = [feature for colour in colours for feature in colour.features()]
    features += table_features(table, colours)
    named = blocks(table.rules)
    lengths = [sum(length for _, length in named[part]) for part in ("colour", "table")]
    assert len(features) == table.rules.colours * lengths[0] + lengths[1]
    order = sorted(range(len(colours)), key=lambda colour: colours[colour].promise(), reverse=True)
    return {"game": game["game"], "ply": ply, "order": order, "row": [number(value) for value in features]}


def wanted(game):
    """Two decisions of each game: one anywhere, one in its last third."""
    length = len(game["actions"])
    return {(37 * game["game"]) % length, length - 1 - (11 * game["game"]) % max(length // 3, 1)}


def rows(game):
    table, plies = Table(game), wanted(game)
    for ply, action in enumerate(game["actions"]):
        if ply in plies:
            yield row(game, ply, table)
        table.act(action)


def main():
    with gzip.open(FOLDER / "games.jsonl.gz", "rt") as file:
        games = [json.loads(line) for line in file]
    classic = Rules([5, 9, 2, 3, 8, -20, 8, 20])
    lines = [{"made by": "scripts/lost-cities-rows.py", "blocks": blocks(classic)}]
    lines += [line for game in games for line in rows(game)]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    # No time stamp: the same rows are the same file.
    (FOLDER / "card_rows.jsonl.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
