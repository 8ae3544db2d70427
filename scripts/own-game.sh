#!/usr/bin/env bash
# The commands of the example program on its own game: each must end well, and exploitability must fall.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own() {
  cargo run --quiet --release --locked --manifest-path examples/own-game/Cargo.toml -- "$@"
}

own train --quiet --preset high-card --set run.folder="$work/runs" --set evaluation.every=1 >"$work/train.txt"
run=$(ls -d "$work"/runs/*-high-card)
python3 - "$run/metrics.jsonl" <<'PY'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
exact = [line["evaluation"]["exact"] for line in lines if line["evaluation"]]
average = [{one["policy"]: one["exploitability_ma_per_g"] for one in line}["SD-CFR average"] for line in exact]
print(f"own game: exploitability {average[0]:.1f} mA/g after an iteration, {average[-1]:.1f} at the end")
assert average[-1] * 10 < average[0], average
PY
own arena "$run" honest random --games 200 --quiet >/dev/null
own arena honest random --games 200 --quiet >/dev/null
own games high_card --set game.high_card.ranks=4 | grep -q 'ranks=4'
own exploit "$run" >/dev/null
own export "$run" --format onnx >/dev/null
own solve --iterations 100 --quiet --out "$work/solved" >/dev/null
own profile --preset high-card --quick --out "$work/profile" >/dev/null 2>&1
own advise --profile "$work/profile/profile.json" >/dev/null
own sweep --preset high-card --over training.advantage_steps=10,20 --iterations 6 --out "$work/sweep" >/dev/null 2>&1
own inspect "$run" >/dev/null
if own arena nobody random 2>"$work/nobody.txt"; then exit 1; fi
grep -q '`own-game games`' "$work/nobody.txt"
if own config --check --set game.high_card.ranks=1 2>"$work/refused.txt"; then exit 1; fi
grep -q 'game.high_card.ranks = 1' "$work/refused.txt"
echo 'own game: every command ends well'
