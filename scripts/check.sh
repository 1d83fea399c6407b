#!/usr/bin/env bash
# Checks what needs no test to run, all parts side by side: `npm run check`. Prints what each part finds, and ends with 1 if one does.
set -uo pipefail
cd "$(dirname "$0")/.."

# Threads of the compiler check the same types again, for twice the processor time. Its collector of garbage costs a fifth, and saves
# little memory.
types() { GOGC=off node node_modules/typescript/bin/tsc -p tsconfig.json --singleThreaded --incremental --tsBuildInfoFile .cache/types.tsbuildinfo; }
browser-types() { node node_modules/typescript/bin/tsc -p tsconfig.browser.json; }
lint() { biome check --error-on-warnings; }
prose() { npm run -s check:prose; }
layers() { depcruise src simulation; }
patterns() { npm run -s check:patterns; }
mutable() { npm run -s check:mutable; }

found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
parts=(types browser-types lint prose layers patterns mutable)
running=()
for part in "${parts[@]}"; do
  "$part" >"$found/$part" 2>&1 &
  running+=($!)
done
failed=()
for index in "${!parts[@]}"; do
  wait "${running[index]}" || failed+=("${parts[index]}")
  cat "$found/${parts[index]}"
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
