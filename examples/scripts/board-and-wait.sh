#!/usr/bin/env bash
# Onboards every row of a file, waits until all have ended, and prints their outcomes.
#
#   board-and-wait.sh FILE [OPTION OF gangway batch]...
#   board-and-wait.sh examples/merchants.csv --rate 5
#
# Prints a line for each row as it ends: LINE EXTERNAL_ID OUTCOME MID. A second run starts nothing twice.
# More than 20 rows need --yes, or a person at a terminal who confirms them.
# Exit code: 0 all are onboarded, 1 not all, 2 bad usage or input (nothing was started), 4 Temporal is unavailable.
#
# GANGWAY is the gangway command; default: npx gangway. The script needs the settings of gangway.
set -euo pipefail

case ${1:-} in -h | --help)
  awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
  exit 0
  ;;
esac

if [ $# -eq 0 ]; then
  echo 'usage: board-and-wait.sh FILE [OPTION OF gangway batch]...' >&2
  exit 2
fi
read -ra gangway <<<"${GANGWAY:-npx gangway}"

"${gangway[@]}" batch "$@" --wait --json | node -e '
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", (text) => {
    const { line, externalId, workflowId, outcome, mid = "-", boarding, error } = JSON.parse(text);
    if (!outcome && !error) return; // A row has started.
    if (outcome !== "boarded" && outcome !== "onboarded") process.exitCode = 1;
    console.log([line, externalId, outcome ?? `failed: ${error}`, boarding?.mid ?? mid].join(" "));
  });
'
