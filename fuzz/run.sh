#!/usr/bin/env bash
# Builds the target under AddressSanitizer and UBSan and runs it:
# run.sh SECONDS [FOLDER for what it finds [options of libFuzzer]]
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:?how many seconds}
work=${2:-$(mktemp -d)}
mkdir -p "$work/corpus"
"${CLANG:-clang}" -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
  fuzz_scan.c ../tb_plugin_explain/trace/scan_c/{event,intern,json,nesting,rows,scan}.c -lm -o "$work/fuzz_scan"
"$work/fuzz_scan" -max_total_time="$seconds" -dict=scan.dict -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
  -artifact_prefix="$work/" -print_final_stats=1 "${@:3}" "$work/corpus" corpus
