#!/usr/bin/env bash
# Gives the same answer to every underwriting note of an agent's merchants.
#
#   answer-notes.sh AGENT_PROFILE_ID --text WORDS
#   answer-notes.sh AGENT_PROFILE_ID --document FILE...
#   answer-notes.sh 101 --document examples/voided-check.txt --reason 'sent by the agent'
#
# All options are passed to "gangway resolve".
# Exit code: 0 all notes are answered, or there was none; 1 not all; 2 bad usage.
#
# GANGWAY is the gangway command; default: npx gangway. The script needs the settings of gangway.
set -euo pipefail

case ${1:-} in -h | --help)
  awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
  exit 0
  ;;
esac

if [ $# -lt 3 ]; then
  echo 'usage: answer-notes.sh AGENT_PROFILE_ID (--text WORDS | --document FILE...) [--reason WHY]' >&2
  exit 2
fi
agent=$1
shift
read -ra gangway <<<"${GANGWAY:-npx gangway}"

notes=$("${gangway[@]}" inbox --agent "$agent" --kind underwriting-note --limit 0 --json | node -e '
  const lines = require("node:fs").readFileSync(0, "utf8").split("\n").filter(Boolean);
  for (const { workflowId, id } of lines.map((line) => JSON.parse(line))) if (id) console.log(workflowId, id);
')

failed=0
while read -r workflow note; do
  [ -n "$workflow" ] || continue
  if "${gangway[@]}" resolve "$workflow" "$note" "$@" </dev/null >/dev/null; then
    echo "$workflow: $note answered"
  else
    echo "$workflow: $note is not answered"
    failed=1
  fi
done <<<"$notes"
exit "$failed"
