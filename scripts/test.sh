#!/usr/bin/env bash
# `npm test`: the checks, and the tests that need no Temporal server. Ends with its cost.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/cost.sh

tests() { npm run check && vitest run --project unit --project workflows --project components "$@"; }
cost_of 'npm test' 450 tests "$@"
