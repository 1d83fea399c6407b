#!/usr/bin/env bash
# Lists overdue requirements, the longest overdue first. For a nightly run:
#
#   overdue-report.sh          one line each
#   overdue-report.sh --csv    with a header, for a spreadsheet
#
#   15 6 * * 1-5  cd /srv/gangway && examples/scripts/overdue-report.sh --csv >o.csv || mail -s overdue ops@example.com <o.csv
#
# The report contains IDs, kinds and times in UTC, and no words of partners or merchants, so you can mail it.
# Exit code: 0 nothing is overdue, 3 something is, 1 failed, 2 bad usage, 4 Temporal is unavailable. Standard error lists workflows that could not be queried.
#
# GANGWAY is the gangway command; default: npx gangway. The script needs the settings of gangway.
set -euo pipefail

case ${1:-} in -h | --help)
  awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
  exit 0
  ;;
esac

format=${1:-}
if [ $# -gt 1 ] || { [ -n "$format" ] && [ "$format" != --csv ]; }; then
  echo 'usage: overdue-report.sh [--csv]' >&2
  exit 2
fi
read -ra gangway <<<"${GANGWAY:-npx gangway}"

"${gangway[@]}" inbox --overdue --limit 0 --json | node -e '
  const lines = require("node:fs").readFileSync(0, "utf8").split("\n").filter(Boolean);
  const items = lines.map((line) => JSON.parse(line));
  const separator = process.argv[1] === "--csv" ? "," : "  ";
  if (process.argv[1] === "--csv") console.log("due (UTC),hours overdue,workflow,requirement,kind");
  for (const { dueAt, workflowId, id, kind } of items) {
    const hours = Math.floor((Date.now() - Date.parse(dueAt)) / 3_600_000);
    const due = dueAt.slice(0, 16).replace("T", " ");
    const [at, overdue] = separator === "," ? [due, hours] : [`${due} UTC`, `${hours} h`];
    console.log([at, overdue, workflowId, id, kind].join(separator));
  }
  if (items.length > 0) process.exitCode = 3;
' -- "$format"
