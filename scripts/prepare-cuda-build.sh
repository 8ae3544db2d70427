#!/usr/bin/env bash
# Prepares a build with the feature `cuda` where only package registries are reachable.
#
# burn's CUDA kernels are compiled by LLVM, which the build script of `cubecl-llvm` would download from
# elsewhere. This puts the LLVM of the PyPI package `mlc-llvm-static` where that script looks first, and
# fetches the crates; from then on the build needs no network. The CUDA toolkit is not needed, and the
# driver only to run. Needs Python 3 with venv, g++, zlib and zstd (Debian: apt-get install -y
# python3-venv g++ zlib1g-dev libzstd-dev).
#
#   scripts/prepare-cuda-build.sh FOLDER
#   XDG_DATA_HOME=FOLDER cargo build --release --locked --offline -p deepcfr-cli --features cuda
set -euo pipefail
folder=$(realpath -m "${1:?usage: $0 FOLDER}")
cd "$(dirname "$0")/.."

# The version that cubecl-llvm 0.11 asks for, and the name that it looks for.
package='mlc-llvm-static[all]==23.1.1.post0'
name=tracel-llvm-23.1.0-4

mkdir -p "$folder/tracel"
[ -x "$folder/venv/bin/python" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "$package"
ln -sfn "$("$folder/venv/bin/python" -m mlc_llvm_static.config --prefix)" "$folder/tracel/$name"
touch "$folder/tracel/$name/.tracel-llvm-installed"
cargo fetch --locked

echo "ready: XDG_DATA_HOME=$folder cargo build --release --locked --offline -p deepcfr-cli --features cuda"
