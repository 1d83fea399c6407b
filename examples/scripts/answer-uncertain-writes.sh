#!/usr/bin/env bash
# Resolves every uncertain write from the sandbox's ledger: confirms a write that took effect, and retries any other.
#
#   answer-uncertain-writes.sh SANDBOX_URL
#   answer-uncertain-writes.sh http://127.0.0.1:4010
#
# A real partner has no ledger: a person looks in its portal. This script shows what to look for.
# Prints a line for each: WORKFLOW REQUIREMENT confirm ID, or retry. Exit code: 0 all are answered, or there was none; 1 not
# all (several effects fit, or an answer was refused); 2 bad usage.
#
# GANGWAY is the gangway command; default: npx gangway. The script needs the settings of gangway.
set -euo pipefail

case ${1:-} in -h | --help)
  awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
  exit 0
  ;;
esac

if [ $# -ne 1 ]; then
  echo 'usage: answer-uncertain-writes.sh SANDBOX_URL' >&2
  exit 2
fi
read -ra gangway <<<"${GANGWAY:-npx gangway}"

answers=$("${gangway[@]}" inbox --kind uncertain-write --details --limit 0 --json | node -e '
  const { execFileSync } = require("node:child_process");
  const [sandbox, command, ...args] = process.argv.slice(1);

  // By the title of the requirement: the entry of its effect in the ledger, and the ID to confirm.
  const WRITES = [
    [/create the merchant$/, ({ externalId }) => ({ guid: externalId, operation: /^create-merchant/ }), ({ id }) => id],
    [/submit to underwriting$/, ({ ids }) => ({ operation: "submit-merchant", id: ids[0] }), ({ id }) => id, "submitted"],
    [/review of the answers$/, ({ ids }) => ({ operation: "request-underwriting-review", id: ids[0] }), ({ id }) => id, "answers-delivered"],
    [/upload (.+)$/, ({ ids, named }) => ({ operation: "upload-attachment", id: ids[0], name: named[1] }), ({ id }) => id],
    [/account holder$/, ({ quoted }) => ({ operation: "submit-business-account-holder", name: quoted }), ({ id }) => id],
    [/open the financial account$/, ({ ids }) => ({ operation: "submit-business-customer", id: ids[0] }), ({ name }) => name],
    [/reply to ticket (\d+)$/, ({ named }) => ({ operation: "create-ticket", of: named[1] }), ({ of }) => of],
  ];

  const fits = (entry, wanted) => Object.entries(wanted).every(([field, value]) =>
    value instanceof RegExp ? value.test(entry[field]) : value !== undefined && String(entry[field]) === String(value));

  /** How often the timeline records the write as done. Only further effects are uncertain. */
  function known(workflowId, event) {
    if (!event) return 0;
    const state = JSON.parse(execFileSync(command, [...args, "status", workflowId, "--json"], { encoding: "utf8" }));
    return state.timeline.filter((entry) => entry.event === event).length;
  }

  async function main() {
    const ledger = await (await fetch(`${sandbox}/sandbox/ledger`)).json();
    const lines = require("node:fs").readFileSync(0, "utf8").split("\n").filter(Boolean);
    for (const { workflowId, id, title, detail } of lines.map((line) => JSON.parse(line))) {
      if (title === undefined) continue;
      const [pattern, sought, confirmed, event] = WRITES.find(([pattern]) => pattern.test(title)) ?? [];
      const facts = {
        externalId: workflowId.replace(/^[a-z]+-[a-z]+-|@.*$/g, ""),
        named: pattern?.exec(title),
        ids: detail.match(/(?<=(?:confirm|profile|[Mm]erchant) )\d+/g) ?? [],
        quoted: /“(.+)”/.exec(detail)?.[1],
      };
      const effects = pattern ? ledger.filter((entry) => fits(entry, sought(facts))).slice(known(workflowId, event)) : [];
      if (!pattern || effects.length > 1) console.log(workflowId, id, "unclear");
      else console.log(workflowId, id, ...(effects[0] ? ["confirm", confirmed(effects[0])] : ["retry"]));
    }
  }
  main();
' -- "${1%/}" "${gangway[@]}")

failed=0
while read -r workflow requirement answer id; do
  [ -n "$workflow" ] || continue
  case $answer in
    confirm) given=(--confirm "$id" --reason 'it is in the ledger') ;;
    retry) given=(--retry --reason 'it is not in the ledger') ;;
    *) given=() ;;
  esac
  if [ ${#given[@]} -gt 0 ] && "${gangway[@]}" resolve "$workflow" "$requirement" "${given[@]}" </dev/null >/dev/null; then
    echo "$workflow $requirement $answer${id:+ $id}"
  else
    echo "$workflow $requirement is not answered"
    failed=1
  fi
done <<<"$answers"
exit "$failed"
