#!/usr/bin/env bash
# Answers every uncertain write from the sandbox's ledger: what took effect is adopted, anything else is tried again.
#
#   answer-uncertain-writes.sh SANDBOX_URL
#   answer-uncertain-writes.sh http://127.0.0.1:4010
#
# At a real partner there is no ledger, and a person looks in the portal: this shows what to look for.
# Prints a line for each: WORKFLOW REQUIREMENT adopt ID, or retry. Exit code: 0 all are answered, or there was none; 1 not
# all (several effects fit, or an answer was not taken); 2 bad usage.
#
# GANGWAY is how to call gangway, "npx gangway" unless set. Needs the settings of gangway.
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

answers=$("${gangway[@]}" inbox --json | node -e '
  const { execFileSync } = require("node:child_process");
  const [sandbox, command, ...args] = process.argv.slice(1);

  // What is asked about, by the title of the requirement; how its effect stands in the ledger; what to adopt.
  const WRITES = [
    [/create the merchant$/, ({ externalId }) => ({ guid: externalId, operation: /^create-merchant/ }), ({ id }) => id],
    [/submit to underwriting$/, ({ ids }) => ({ operation: "submit-merchant", id: ids[0] }), ({ id }) => id, "submitted"],
    [/review of the answers$/, ({ ids }) => ({ operation: "request-underwriting-review", id: ids[0] }), ({ id }) => id, "answers-delivered"],
    [/upload (.+)$/, ({ ids, told }) => ({ operation: "upload-attachment", id: ids[0], name: told[1] }), ({ id }) => id],
    [/account holder$/, ({ quoted }) => ({ operation: "submit-business-account-holder", name: quoted }), ({ id }) => id],
    [/open the financial account$/, ({ ids }) => ({ operation: "submit-business-customer", id: ids[0] }), ({ name }) => name],
    [/reply to ticket (\d+)$/, ({ told }) => ({ operation: "create-ticket", of: told[1] }), ({ of }) => of],
    [/create the payments account$/, ({ mid }) => ({ operation: "create-account", name: mid }), ({ id }) => id],
    [/create the terminal$/, ({ account }) => ({ operation: "create-terminal", of: account }), ({ id }) => id],
  ];

  const fits = (entry, wanted) => Object.entries(wanted).every(([member, value]) =>
    value instanceof RegExp ? value.test(entry[member]) : value !== undefined && String(entry[member]) === String(value));

  /** How often the onboarding itself knows that it happened: only what goes beyond that is in doubt. */
  function known(workflowId, event) {
    if (!event) return 0;
    const state = JSON.parse(execFileSync(command, [...args, "status", workflowId, "--json"], { encoding: "utf8" }));
    return state.timeline.filter((entry) => entry.event === event).length;
  }

  async function main() {
    const ledger = await (await fetch(`${sandbox}/sandbox/ledger`)).json();
    const lines = require("node:fs").readFileSync(0, "utf8").split("\n").filter(Boolean);
    for (const { workflowId, id, kind, title, detail } of lines.map((line) => JSON.parse(line))) {
      if (kind !== "uncertain-write") continue;
      const [pattern, sought, adopted, event] = WRITES.find(([pattern]) => pattern.test(title)) ?? [];
      const facts = {
        externalId: workflowId.replace(/^[a-z]+-[a-z]+-|@.*$/g, ""),
        told: pattern?.exec(title),
        ids: detail.match(/(?<=(?:adopt|profile|[Mm]erchant) )\d+/g) ?? [],
        quoted: /“(.+)”/.exec(detail)?.[1],
        mid: /(mid \d+)/.exec(detail)?.[1] && new RegExp(`(^|, )${/(mid \d+)/.exec(detail)[1]}$`),
        account: /in account (\S+)\./.exec(detail)?.[1],
      };
      const effects = pattern ? ledger.filter((entry) => fits(entry, sought(facts))).slice(known(workflowId, event)) : [];
      if (!pattern || effects.length > 1) console.log(workflowId, id, "unclear");
      else console.log(workflowId, id, ...(effects[0] ? ["adopt", adopted(effects[0])] : ["retry"]));
    }
  }
  main();
' -- "${1%/}" "${gangway[@]}")

failed=0
while read -r workflow requirement answer id; do
  [ -n "$workflow" ] || continue
  case $answer in
    adopt) given=(--adopt "$id" --reason 'it is in the ledger') ;;
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
