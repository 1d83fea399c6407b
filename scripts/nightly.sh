#!/usr/bin/env bash
# What a day can wait for: `npm run test:nightly`, or `npm run test:nightly -- nodes chaos` for some parts. All of them run, whatever
# fails, and the last line has the cost. It simulates for an hour, and with `-- --minutes 1` for a minute.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/cost.sh

# Lost namespaces, jumping clocks, refused connections, memory, disasters: all that the gate has nothing of.
tests() {
  EVERY_VARIANT=1 SCHEMATHESIS_SECONDS=25 FLOOD_EVENTS=1500 NETWORK_CUT_SECONDS=60 BATCH_ROWS=300 LARGE_RESPONSES=50 vitest run --project nightly
}
# The gate has small sizes of these.
sizes() {
  EVERY_VARIANT=1 BATCH_ROWS=300 vitest run --project e2e \
    test/e2e/{demo,apps/command/batch-killed,apps/console/{answering,screens,sign-in,together}}.test.ts \
    test/e2e/{browser/{console-start,link},platform/privacy/leaks}.test.ts
}
# The packed package on the oldest and the newest Node that it supports, and on the one between.
nodes() {
  local version failed=0
  for version in 22 24 26; do
    local folder=.cache/node-$version
    [ -x "$folder/node_modules/.bin/node" ] || npm install --silent --no-save --prefix "$folder" "node@$version" || return
    echo "== the package on Node $("$folder/node_modules/.bin/node" --version)"
    PATH="$PWD/$folder/node_modules/.bin:$PATH" node node_modules/vitest/vitest.mjs run \
      test/e2e/package.test.ts test/nightly/package/package.test.ts || failed=1
  done
  return "$failed"
}
# The workflow tests on a server, which the gate runs on the simulated service.
server() { WORKFLOWS_ON=server vitest run --project workflows; }
# Another seed each day.
chaos() { npm run chaos -- --seed "$(date -u +%Y%m%d)" --count 60; }
# The simulated service and a server, with the same plans: others each day.
compare() { npm run compare -- --seed "$(date -u +%y%j)00" --count 50; }
minutes=60
simulation() { npm run simulate -- --minutes "$minutes" --continue; }

failed=()
part() {
  echo "== $1"
  "$1" || failed+=("$1")
}
parts() {
  local each
  for each in "$@"; do part "$each"; done
  [ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; return 1; }
}

[ "${1:-}" != --minutes ] || { minutes=${2:?--minutes needs a number}; shift 2; }
chosen=("$@")
[ $# -gt 0 ] || chosen=(tests sizes nodes server chaos compare simulation)
counted=()
simulates=
for each in "${chosen[@]}"; do
  case $each in
    tests | sizes | nodes | server | chaos | compare) counted+=("$each") ;;
    simulation) simulates=yes ;;
    *) echo "there is no part $each: tests, sizes, nodes, server, chaos, compare, simulation" >&2; exit 2 ;;
  esac
done
status=0
# Schedules that no night before it has run. Its length is a choice, so it does not count.
[ -z "$simulates" ] || { echo '== simulation'; simulation || status=1; }
[ ${#counted[@]} -eq 0 ] || cost_of 'npm run test:nightly' 10000 parts "${counted[@]}" || status=$?
exit "$status"
