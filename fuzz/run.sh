#!/bin/sh
# Runs every target for so many seconds (60 if nothing else is said), one after the other, at the lowest priority. Needs clang
# for libFuzzer, and no toolchain but the stable one: coverage is asked of LLVM itself. Findings lie in fuzz/artifacts.
set -e
cd "$(dirname "$0")"
seconds=${1:-60}
host=$(rustc -vV | sed -n 's/^host: //p')
target=${CARGO_TARGET_DIR:-target}
coverage="-C passes=sancov-module -C llvm-args=-sanitizer-coverage-level=4 -C llvm-args=-sanitizer-coverage-inline-8bit-counters \
-C llvm-args=-sanitizer-coverage-pc-table -C llvm-args=-sanitizer-coverage-trace-compares -C debug-assertions -C overflow-checks"
# With a target named, build scripts and macros are not instrumented.
RUSTFLAGS="$coverage" CXX=${CXX:-clang++} cargo build --release --quiet --target "$host" --target-dir "$target"
for source in targets/*.rs; do
	name=$(basename "$source" .rs)
	new="$target/corpus/$name"
	mkdir -p "$new" "artifacts/$name"
	echo "$name, $seconds s:"
	nice -n 19 "$target/$host/release/$name" "$new" "corpus/$name" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 \
		-max_len=65536 -artifact_prefix="artifacts/$name/" -print_final_stats=1 2>&1 |
		grep -E "SUMMARY|panicked|Test unit|ERROR|stat::number_of_executed_units|stat::peak_rss_mb|DONE" || true
done
if [ -n "$(find artifacts -type f 2>/dev/null)" ]; then
	echo "found:"
	find artifacts -type f
	exit 1
fi
