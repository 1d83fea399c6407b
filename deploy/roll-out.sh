#!/usr/bin/env bash
# Puts a new build of the workers into service next to the old one, or takes it back.
#
#   roll-out.sh start BUILD             starts its workers, and waits until they poll; they get no tasks yet
#   roll-out.sh ramp BUILD PERCENT      gives it this part of the onboardings, refuses like promote; 0 ends that
#   roll-out.sh replay BUILD [OPTION]...
#                                       replays the running workflows through its code ("gangway replay"), and records the
#                                       result at the build
#   roll-out.sh promote BUILD [PATCH]...
#                                       makes it current, also for workflows that "back" held for these patches; the old
#                                       workers stay up. Refuses a build without a passed replay of all workflows by its own
#                                       code in the last 24 hours, unless UNREPLAYED says why
#   roll-out.sh check                   replays each running workflow on the build that it continues on, and lists those
#                                       that fail; changes nothing
#   roll-out.sh back BUILD [PATCH]...   makes an earlier build current, except for workflows that have passed a patch
#   roll-out.sh stop BUILD              stops its workers, once no workflow can need them
#
# BUILD is the tag of the image and the GANGWAY_BUILD_ID of its workers: lower-case letters, digits, "-" and ".".
# You can repeat each step. Exit code: 0 done, 1 not done, 2 bad usage.
#
# WORKERS is a command that is called with "start BUILD", "stop BUILD" and "run BUILD ARGUMENT...", which runs gangway; default:
# kubernetes/workers.sh next to this script. With Compose, use compose-workers.sh. TEMPORAL is the temporal command; default:
# temporal. GANGWAY_TASK_QUEUE is the deployment; default: gangway. ROLL_OUT_TIMEOUT is how many seconds to wait for workers;
# default: 300.
# Needs bash, Node, temporal and its settings.
set -euo pipefail

case ${1:-} in -h | --help)
  awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
  exit 0
  ;;
esac

usage() {
  echo "roll-out.sh: $1; see roll-out.sh --help" >&2
  exit 2
}
fail() {
  echo "roll-out.sh: $1" >&2
  exit 1
}

here=$(cd "$(dirname "$0")" && pwd)
read -ra temporal <<<"${TEMPORAL:-temporal}"
read -ra workers <<<"${WORKERS:-$here/kubernetes/workers.sh}"
deployment=${GANGWAY_TASK_QUEUE:-gangway}
patience=${ROLL_OUT_TIMEOUT:-300}

command=${1:-} build=${2:-}
if [ "$command" != check ]; then
  [ $# -ge 2 ] || usage 'a command and a build are needed'
  [[ $build =~ ^[a-z0-9]([a-z0-9.-]{0,48}[a-z0-9])?$ ]] || usage 'BUILD takes lower-case letters, digits, "-" and "."'
  shift 2
fi

deployed() {
  local command=$1
  shift
  "${temporal[@]}" worker deployment "$command" --deployment-name "$deployment" "$@"
}

# Prints a field of the JSON on standard input, such as routingConfig.currentVersionBuildID; nothing if it is missing.
field() {
  node -e '
    const path = process.argv[1].split(".");
    const json = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    console.log(path.reduce((value, name) => value?.[name], json) ?? "");
  ' "$1"
}
routed() { "${temporal[@]}" worker deployment describe --name "$deployment" --output json | field "routingConfig.$1VersionBuildID"; }

# Repeats a command until it succeeds: Temporal refuses a version until its workers poll each task queue of the current one.
insist() {
  local until=$((SECONDS + patience)) output
  until output=$("$@" 2>&1); do
    [ "$SECONDS" -lt "$until" ] || fail "not within $patience s: ${output##*Error: }"
    sleep 1
  done
}

# A query replays the workflow, on the build that gets its next task. Temporal refuses a query while a task of the workflow is under
# way, and a loaded worker may be late with it. Neither is a fault of the build, so the workflow is asked again.
replay() {
  local output until=$((SECONDS + patience))
  until output=$("${temporal[@]}" workflow stack --workflow-id "$1" --command-timeout 60s 2>&1); do
    if [[ ! $output =~ [Bb]usy|[Dd]eadline\ exceeded|[Tt]imed?\ ?out ]] || [ "$SECONDS" -ge "$until" ]; then
      echo "$1: $(tail -n 1 <<<"$output")"
      return
    fi
    sleep 1
  done
}

# Sets the build of the workflows that have passed a patch, and waits until Temporal has done so for all of them.
override() {
  local patch=$1 job state until=$((SECONDS + patience))
  shift
  job=$("${temporal[@]}" workflow update-options --reason "roll-out.sh $command $build" --yes --query \
    "TemporalChangeVersion = '$patch' AND ExecutionStatus = 'Running' AND TemporalWorkerDeployment = '$deployment'" \
    "$@" | sed -n 's/^Started batch for job ID: //p')
  while :; do
    state=$("${temporal[@]}" batch describe --job-id "$job" --output json | field state)
    case $state in
      *_COMPLETED) return ;;
      *_FAILED) fail "Temporal failed for what has passed $patch: temporal batch describe --job-id $job" ;;
    esac
    [ "$SECONDS" -lt "$until" ] || fail "not within $patience s: temporal batch describe --job-id $job"
    sleep 1
  done
}
hold() {
  override "$1" --versioning-override-behavior pinned \
    --versioning-override-deployment-name "$deployment" --versioning-override-build-id "$2"
}

# Says why a build may not become current; nothing if it may. With patches, its replay must include what is held. The code that was
# replayed must be the code that the build runs, and a day later too many workflows have moved on.
unreplayed() {
  local version code
  version=$(deployed describe-version --build-id "$build" --output json) || return
  code=$("${workers[@]}" run "$build" replay --code) || return
  node -e '
    const entry = JSON.parse(require("node:fs").readFileSync(0, "utf8")).metadata?.["gangway-replay"];
    const { at, code, replayed, skipped, failed, left, held } = entry?.data ? JSON.parse(Buffer.from(entry.data, "base64")) : (entry ?? {});
    const hours = Math.floor((Date.now() - Date.parse(at)) / 3_600_000);
    const [patches, running] = process.argv.slice(1);
    const why =
      failed === undefined ? "was not replayed"
      : failed > 0 ? `failed its replay (${failed} differ)`
      : code !== running.trim() ? "was replayed with other code than it runs"
      : !(hours < 24) ? `was replayed ${hours} hours ago`
      : left > 0 ? `was replayed in part (${replayed + skipped} of ${replayed + skipped + left})`
      : patches > 0 && !held ? "was replayed without --held, which a PATCH needs"
      : undefined;
    if (why) console.log(why);
  ' "$1" "$code" <<<"$version"
}

# Refuses a build that may not get onboardings. Before the first build there is nothing to continue.
gate() {
  local why
  [ -n "$(routed current)" ] || [ "$1" != 0 ] || return 0
  insist deployed describe-version --build-id "$build"
  why=$(unreplayed "$1") || why='cannot be checked for a replay'
  [ -n "$why" ] || return 0
  [ -n "${UNREPLAYED:-}" ] ||
    fail "$build $why: run roll-out.sh replay $build$([ "$1" = 0 ] || echo ' --held'), or set UNREPLAYED to the reason to $command it anyway"
  echo "$build $why, and gets onboardings anyway: $UNREPLAYED"
}

case $command in
  start)
    "${workers[@]}" start "$build"
    insist deployed describe-version --build-id "$build"
    echo "$build runs, and gets no tasks yet; next: replay, then ramp or promote"
    ;;
  replay) "${workers[@]}" run "$build" replay --build "$build" "$@" ;;
  ramp)
    [[ ${1:-} =~ ^(100|[0-9]{1,2})$ ]] || usage 'PERCENT is a whole number from 0 to 100'
    if [ "$1" = 0 ]; then
      insist deployed set-ramping-version --delete --yes
    else
      gate 0
      insist deployed set-ramping-version --build-id "$build" --percentage "$1" --yes
    fi
    echo "$build gets $1% of the onboardings"
    ;;
  promote)
    old=$(routed current)
    [ "$old" != "$build" ] || old=
    if [ -n "$old" ] || [ $# -gt 0 ]; then gate $#; fi
    insist deployed set-current-version --build-id "$build" --yes
    echo "$build is current${old:+; to go back: roll-out.sh back $old; the workers of $old stay up until roll-out.sh stop $old}"
    for patch in "$@"; do
      override "$patch" --versioning-override-behavior unspecified
      echo "what has passed $patch follows the current build"
    done
    ;;
  check)
    running=$("${temporal[@]}" workflow list --output json --query \
      "TemporalWorkerDeployment = '$deployment' AND ExecutionStatus = 'Running'" | node -e '
      for (const { execution } of JSON.parse(require("node:fs").readFileSync(0, "utf8"))) console.log(execution.workflowId);
    ')
    stuck=$(for id in $running; do
      replay "$id" &
      # At most eight at once.
      while [ "$(jobs -r | wc -l)" -ge 8 ]; do sleep 0.1; done
    done; wait)
    [ -z "$stuck" ] || fail "these cannot go on:
$stuck"
    echo "all $(wc -w <<<"$running" | tr -d ' ') go on"
    ;;
  back)
    ramping=$(routed ramping)
    new=${ramping:-$(routed current)}
    [ "$new" != "$build" ] || fail "$build is current"
    for patch in "$@"; do hold "$patch" "$new"; done
    [ -z "$ramping" ] || insist deployed set-ramping-version --delete --yes
    insist deployed set-current-version --build-id "$build" --yes
    # Again, for workflows that passed it meanwhile.
    for patch in "$@"; do
      hold "$patch" "$new"
      echo "$new keeps what has passed $patch"
    done
    echo "$build is current again"
    ;;
  stop)
    [ "$(routed current)" != "$build" ] || fail "$build is current: promote another build first"
    [ "$(routed ramping)" != "$build" ] || fail "$build gets a part of the onboardings: ramp it to 0 first"
    version=$(deployed describe-version --build-id "$build" --output json)
    status=$(field drainageInfo.drainageStatus <<<"$version")
    # A build that never got a task has nothing to drain.
    case ${status:-unspecified} in
      drained | unspecified) ;;
      *) fail "$build is $status: workflows are pinned to it, or Temporal has not checked yet (it does every three minutes)" ;;
    esac
    "${workers[@]}" stop "$build"
    echo "$build is stopped"
    ;;
  *) usage "there is no command $command" ;;
esac
