#!/usr/bin/env bash
# Puts a new build of the workers into service next to the old one, or takes it back.
#
#   roll-out.sh start BUILD             starts its workers, and waits until they poll; they get no tasks yet
#   roll-out.sh ramp BUILD PERCENT[,PERCENT]...
#                                       gives it this part of the onboardings, refuses like promote; 0 ends that. With several
#                                       steps, each is held for RAMP_HOLD seconds (default: 600), and until workflows have had a
#                                       task on the build; the last one also until each kind of onboarding of the last week has
#                                       started on it, for at most RAMP_STARTS seconds (default: 3600; 0 leaves this out). It goes
#                                       "back" by itself, and exits with 1, when a workflow task or a workflow fails, when our own
#                                       code fails in activities more often than on the other builds, or when, of the onboardings
#                                       that started since, RAMP_REJECTED percent (default: 5) more than on the other builds and
#                                       before wait for a person because of rejected input or an uncertain write
#   roll-out.sh replay BUILD [OPTION]...
#                                       replays the running workflows through its code ("gangway replay"), and records the
#                                       result at the build
#   roll-out.sh promote BUILD [--held]  makes it current, with --held also for the workflows that "back" held; the old workers
#                                       stay up. Refuses a build without a passed replay of all workflows by its own code in
#                                       the last 24 hours, unless UNREPLAYED says why
#   roll-out.sh check                   replays each running workflow on the build that it continues on, and lists those
#                                       that fail, and those not asked within ROLL_OUT_TIMEOUT and a second for each; changes
#                                       nothing
#   roll-out.sh back BUILD [NEWER]      makes an earlier build current, and finds the workflows that cannot continue on it: it
#                                       holds them on their build, or resets them to before its first task if nothing is repeated
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
timeout=${ROLL_OUT_TIMEOUT:-300}

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
    const text = require("node:fs").readFileSync(0, "utf8");
    if (!text) process.exit(1);
    const json = JSON.parse(text);
    console.log(path.reduce((value, name) => value?.[name], json) ?? "");
  ' "$1"
}

# Prints the response to a read. Repeats it for half a minute, because a busy server may be late.
asked() {
  local until=$((SECONDS + 30)) output
  until output=$("$@" 2>/dev/null); do
    if [ "$SECONDS" -ge "$until" ]; then
      "$@"
      return
    fi
    sleep 1
  done
  printf '%s\n' "$output"
}
# The build that is current or ramping; nothing if none is. Assign the output to a variable: a failure then ends the script.
routed() { asked "${temporal[@]}" worker deployment describe --name "$deployment" --output json | field "routingConfig.$1VersionBuildID"; }

# Repeats a command until it succeeds: Temporal refuses a version until its workers poll each task queue of the current one.
insist() {
  local until=$((SECONDS + timeout)) output
  until output=$("$@" 2>&1); do
    [ "$SECONDS" -lt "$until" ] || fail "not within $timeout s: ${output##*Error: }"
    sleep 1
  done
}

# A busy server may apply a change and respond too late. The repetition is then refused, so what counts is what the server has.
make_current() { deployed set-current-version --build-id "$1" --yes || [ "$(routed current)" = "$1" ]; }
make_ramping() {
  deployed set-ramping-version --build-id "$1" --percentage "$2" --yes && return
  [ "$(routed ramping)" = "$1" ] && [ "$(asked "${temporal[@]}" worker deployment describe --name "$deployment" --output json | field routingConfig.rampingVersionPercentage)" = "$2" ]
}
end_ramp() { deployed set-ramping-version --delete --yes || [ -z "$(routed ramping)" ]; }

# A query replays the workflow, on the build that gets its next task. Temporal refuses a query while a task of the workflow is under
# way, and a loaded worker may be late with it. Neither is a fault of the build, so the workflow is asked again.
replay() {
  local output
  if [ "$SECONDS" -ge "$deadline" ]; then
    echo "$1: not asked in time"
    return
  fi
  until output=$("${temporal[@]}" workflow stack --workflow-id "$1" --command-timeout 60s 2>&1); do
    if [[ ! $output =~ [Bb]usy|[Dd]eadline\ exceeded|[Tt]imed?\ ?out ]] || [ "$SECONDS" -ge "$deadline" ]; then
      echo "$1: $(tail -n 1 <<<"$output")"
      return
    fi
    sleep 1
  done
}

# Calls a function with each line of standard input, at most eight at once. Says every ten seconds how many it has begun.
each() {
  local line begun=0 next=$((SECONDS + 10))
  while read -r line; do
    [ -n "$line" ] || continue
    begun=$((begun + 1))
    if [ "$SECONDS" -ge "$next" ]; then
      echo "... $begun begun" >&2
      next=$((SECONDS + 10))
    fi
    "$1" "$line" </dev/null &
    while [ "$(jobs -r | wc -l)" -ge 8 ]; do sleep 0.1; done
  done
  wait
}

# Lists the running workflows of a versioning behavior: "workflow run" on each line. Operations stay on their build anyway.
listed() {
  asked "${temporal[@]}" workflow list --output json --query "TemporalWorkflowVersioningBehavior = '$1' AND $2 AND
    WorkflowType != 'partnerOperation' AND ExecutionStatus = 'Running'" | node -e '
    for (const { execution } of JSON.parse(require("node:fs").readFileSync(0, "utf8"))) console.log(execution.workflowId, execution.runId);
  '
}
on_newer() { listed "$1" "TemporalWorkerDeploymentVersion = '$deployment:$newer'"; }
override() {
  local workflow=$1 run=$2
  shift 2
  local output
  output=$("${temporal[@]}" workflow update-options --workflow-id "$workflow" --run-id "$run" --versioning-override-behavior "$@" 2>&1) ||
    # It may have ended since it was listed.
    [[ $output == *'already completed'* ]] || echo "$workflow: its build could not be set: $(tail -n 1 <<<"$output")" >&2
}
hold() { override $1 pinned --versioning-override-deployment-name "$deployment" --versioning-override-build-id "$newer"; }
release() { override $1 unspecified; }

# Says what becomes of a workflow that the build does not replay, from a line of "gangway replay --json". It stays on the newer
# build, or if that has requested nothing, is reset to before its first task there and continues on the build. When a task has
# failed on the build already, Temporal ignores that the workflow is held until it is reset to this task. A reset repeats what is
# under way, so that may only be an activity that waits for a change: "await...".
rescue() {
  local workflow run cause what task
  IFS=$'\t' read -r workflow run cause < <(node -e '
    const { workflowId, runId, cause } = JSON.parse(process.argv[1]);
    console.log([workflowId, runId, cause].join("\t"));
  ' "$1")
  read -r what task < <("${temporal[@]}" workflow show --workflow-id "$workflow" --run-id "$run" --output json | node -e '
    const { events } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const [newer] = process.argv.slice(1);
    const first = events.findIndex((event) => event.workflowTaskCompletedEventAttributes?.deploymentVersion?.buildId === newer);
    const requests = ({ eventType, activityTaskScheduledEventAttributes: activity }) =>
      activity
        ? !activity.activityType.name.startsWith("await")
        : /(CHILD|EXTERNAL)_\w+_INITIATED$|NEXUS_OPERATION_SCHEDULED$/.test(eventType);
    const underWay = (upTo) => {
      const open = new Set(upTo.filter(requests).map(({ eventId }) => eventId));
      for (const event of upTo) {
        if (/_(STARTED|CANCEL_REQUESTED)$/.test(event.eventType)) continue;
        for (const attributes of Object.values(event)) {
          open.delete(attributes?.scheduledEventId);
          open.delete(attributes?.initiatedEventId);
        }
      }
      return open.size > 0;
    };
    const task = events.findLast(({ eventType }) => /WORKFLOW_TASK_(COMPLETED|FAILED|TIMED_OUT)$/.test(eventType));
    if (!events.slice(first).some(requests) && !underWay(events.slice(0, first))) console.log("return", events[first].eventId);
    else if (task.workflowTaskCompletedEventAttributes) console.log("stay");
    else if (underWay(events)) console.log("wait");
    else console.log("free", task.eventId);
  ' "$newer")
  local reset=("${temporal[@]}" workflow reset --workflow-id "$workflow" --run-id "$run" --reason "roll-out.sh back $build")
  case $what in
    return)
      "${reset[@]}" --event-id "$task" with-workflow-update-options --versioning-override-behavior auto_upgrade >/dev/null
      echo "$workflow is reset to before $newer: $cause"
      return
      ;;
    free)
      "${reset[@]}" --event-id "$task" with-workflow-update-options --versioning-override-behavior pinned \
        --versioning-override-deployment-name "$deployment" --versioning-override-build-id "$newer" >/dev/null
      ;;
    wait)
      echo "$workflow is not held yet, because an activity or a child is under way: $cause"
      return
      ;;
  esac
  echo "$workflow stays on $newer: $cause"
}

# Lists the workflows whose last task ran on the newer build, and that the build does not replay, one JSON object a line.
stranded() {
  local output
  output=$("${workers[@]}" run "$build" replay --json --held --ended 0s \
    --query "TemporalWorkerDeploymentVersion = '$deployment:$newer'" 2>&1) || true
  [[ $output == *'"failed":'* ]] || fail "cannot tell what cannot continue on $build: $(tail -n 1 <<<"$output")"
  grep '^{"workflowId"' <<<"$output" || true
}

# Says why a build may not become current; nothing if it may. With --held, its replay must include what is held. The code that was
# replayed must be the code that the build runs, and a day later too many workflows have moved on.
unreplayed() {
  local version code
  version=$(asked deployed describe-version --build-id "$build" --output json) || return
  code=$("${workers[@]}" run "$build" replay --code) || return
  node -e '
    const entry = JSON.parse(require("node:fs").readFileSync(0, "utf8")).metadata?.["gangway-replay"];
    const { at, code, replayed, skipped, failed, left, held } = entry?.data ? JSON.parse(Buffer.from(entry.data, "base64")) : (entry ?? {});
    const hours = Math.floor((Date.now() - Date.parse(at)) / 3_600_000);
    const [release, running] = process.argv.slice(1);
    const why =
      failed === undefined ? "was not replayed"
      : failed > 0 ? `failed its replay (${failed} differ)`
      : code !== running.trim() ? "was replayed with other code than it runs"
      : !(hours < 24) ? `was replayed ${hours} hours ago`
      : left > 0 ? `was replayed in part (${replayed + skipped} of ${replayed + skipped + left})`
      : release && !held ? "was replayed without --held"
      : undefined;
    if (why) console.log(why);
  ' -- "$1" "$code" <<<"$version"
}

count() { asked "${temporal[@]}" workflow count --output json --query "TemporalWorkerDeployment = '$deployment' AND $1" | field count | sed 's,^$,0,'; }

# Prints a workflow if one of its activities keeps failing in our own code. The type of a failure is readable without a key.
broken() {
  "${temporal[@]}" workflow describe --workflow-id "$1" --output json 2>/dev/null | node -e '
    const { pendingActivities = [] } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const isBroken = ({ attempt, lastFailure }) => attempt > 2 && lastFailure?.applicationFailureInfo?.type === "SoftwareError";
    if (pendingActivities.some(isBroken)) console.log(process.argv[1]);
  ' -- "$1" || true
}
# Prints how many of the newest workflows that match are broken, ten of each kind, and how many these are: "3 40".
sample() {
  local kind ids=
  for kind in $KINDS; do
    ids+=$(asked "${temporal[@]}" workflow list --limit 10 --output json --query "TemporalWorkerDeployment = '$deployment' AND $1 AND
      WorkflowType = '$kind' AND ExecutionStatus = 'Running'" | node -e '
      for (const { execution } of JSON.parse(require("node:fs").readFileSync(0, "utf8"))) console.log(execution.workflowId);
      ')$'\n' || return
  done
  echo "$(each broken <<<"$ids" | wc -l) $(wc -w <<<"$ids")"
}
# Says that our own code fails on the build, if it does so in a larger part of the workflows than on the other builds.
bugs() {
  local here many rest others found
  found=$(sample "$1") && read -r here many <<<"$found"
  [ "$here" != 0 ] || return 0
  found=$(sample "$2") && read -r rest others <<<"$found"
  ! awk -v here="$here" -v many="$many" -v rest="$rest" -v others="$others" 'BEGIN { exit !(here / many > 2 * rest / (others + 1)) }' ||
    echo "in $here of $many onboardings an activity fails in our own code, and in $rest of $others on other builds"
}
# Lists the kinds of onboardings that started in the last week, and none of them on the build since the ramp began.
unseen() {
  local kind week of
  week=$(node -p 'new Date(Date.now() - 7 * 86_400_000).toISOString()')
  for kind in $KINDS; do
    of="WorkflowType = '$kind' AND StartTime >="
    [ "$(count "$of '$week'")" = 0 ] ||
      [[ $(count "TemporalWorkerDeploymentVersion = '$deployment:$build' AND $of '$began'") =~ ^[1-9] ]] || echo "$kind"
  done
}
# Whether a step of a ramp lasts. Sets what the build still has to start.
holds() {
  missing=
  [ "$SECONDS" -ge "$until" ] && [[ $(count "TemporalWorkerDeploymentVersion = '$deployment:$build'") =~ ^[1-9] ]] || return 0
  [ "$percent" = "$last" ] && [ "$starts" != 0 ] || return 1
  missing=$(unseen)
  [ -n "$missing" ] && [ "$SECONDS" -lt $((until + starts)) ]
}

# Prints why a ramp ends early; nothing if it may go on. Fails when it cannot tell. Reads what the ramp has counted before it began.
trouble() {
  local on="TemporalWorkerDeploymentVersion = '$deployment:$build'" other="TemporalWorkerDeploymentVersion != '$deployment:$build'"
  local new="$PARTS AND StartTime >= '$began'" tasks ended here rest many others
  tasks=$(count "$FAILING") && ended=$(count "$on AND ExecutionStatus IN ('Failed', 'TimedOut')") &&
    here=$(count "$on AND $new AND $WAITS") && rest=$(count "$other AND $new AND $WAITS") &&
    many=$(count "$on AND $new") && others=$(count "$other AND $new") || return
  [ "$tasks" -le "$failing" ] || echo "$((tasks - failing)) more have a failing workflow task"
  [ "$ended" = 0 ] || echo "$ended failed"
  bugs "$on" "$other" || return
  # Two may be an accident, and so may two standard deviations more than expected.
  ! awk -v here="$here" -v rest="$rest" -v many="$many" -v others="$others" -v waiting="$waiting" -v running="$running" \
    -v more="${RAMP_REJECTED:-5}" 'BEGIN {
    now = rest / (others + 1)
    before = waiting / (running + 1)
    expected = many * (now > before ? now : before)
    exit !(here > 2 && here > many * more / 100 + expected + 2 * sqrt(expected))
  }' || echo "$here wait for a person because of rejected input or an uncertain write"
}
FAILING="TemporalReportedProblems = 'category=WorkflowTaskFailed' AND ExecutionStatus = 'Running'"
KINDS='merchantBoarding businessOnboarding customerOnboarding'
# A customer only repeats what its parts ask.
PARTS="WorkflowType != 'customerOnboarding'"
WAITS="Requirements IN ('rejected-input', 'uncertain-write') AND ExecutionStatus = 'Running'"

# Refuses a build that may not get onboardings. Before the first build there is nothing to continue.
gate() {
  local why current
  current=$(routed current)
  [ -n "$current" ] || return 0
  insist deployed describe-version --build-id "$build"
  why=$(unreplayed "$1") || why='cannot be checked for a replay'
  [ -n "$why" ] || return 0
  [ -n "${UNREPLAYED:-}" ] ||
    fail "$build $why: run roll-out.sh replay $build${1:+ --held}, or set UNREPLAYED to the reason to $command it anyway"
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
    [[ ${1:-} =~ ^(100|[0-9]{1,2})(,(100|[0-9]{1,2}))*$ ]] || usage 'PERCENT is a whole number from 0 to 100'
    if [ "$1" = 0 ]; then
      insist end_ramp
      echo "$build gets 0% of the onboardings"
      exit
    fi
    gate ''
    old=$(routed current)
    began=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    failing=$(count "$FAILING")
    waiting=$(count "$PARTS AND $WAITS")
    running=$(count "$PARTS AND ExecutionStatus = 'Running'")
    for percent in ${1//,/ }; do
      insist make_ramping "$build" "$percent"
      echo "$build gets $percent% of the onboardings"
      [[ $1 == *,* ]] || break
      until=$((SECONDS + ${RAMP_HOLD:-600})) last=${1##*,} starts=${RAMP_STARTS:-3600}
      while holds; do
        sleep 2
        why=$(trouble) || continue
        if [ -n "$why" ]; then
          echo "$build is taken back: $why"
          "$0" back "$old" "$build"
          exit 1
        fi
      done
    done
    [ -z "${missing:-}" ] || fail "$build keeps its $percent%, and none of these has started on it: $(xargs <<<"$missing"); start one, and ramp it again"
    ;;
  promote)
    held=${1:-}
    [ -z "$held" ] || [ "$held" = --held ] || usage "promote takes --held, not $held"
    old=$(routed current)
    [ "$old" != "$build" ] || old=
    [ -z "$old$held" ] || gate "$held"
    insist make_current "$build"
    echo "$build is current${old:+; to go back: roll-out.sh back $old; the workers of $old stay up until roll-out.sh stop $old}"
    [ -z "$held" ] || {
      listed Pinned "TemporalWorkerDeployment = '$deployment'" | each release
      echo "what was held follows the current build"
    }
    ;;
  check)
    running=$(asked "${temporal[@]}" workflow list --output json --query \
      "TemporalWorkerDeployment = '$deployment' AND ExecutionStatus = 'Running'" | node -e '
      for (const { execution } of JSON.parse(require("node:fs").readFileSync(0, "utf8"))) console.log(execution.workflowId);
    ')
    all=$(wc -w <<<"$running" | tr -d ' ')
    deadline=$((SECONDS + timeout + all))
    echo "... asks $all running workflows, in at most $((timeout + all)) s" >&2
    stuck=$(each replay <<<"$running")
    [ -z "$stuck" ] || fail "these cannot go on:
$stuck"
    echo "all $all go on"
    ;;
  back)
    ramping=$(routed ramping)
    current=$(routed current)
    newer=${1:-${ramping:-$current}}
    [ "$newer" != "$build" ] || fail "$build is current; to continue after an interruption: roll-out.sh back $build NEWER"
    # Before the build gets tasks that would fail.
    on_newer AutoUpgrade | each hold
    [ -z "$ramping" ] || insist end_ramp
    insist make_current "$build"
    echo "$build is current again"
    on_newer AutoUpgrade | each hold
    # A task that was begun on the newer build ends within ten seconds.
    sleep 10
    on_newer AutoUpgrade | each hold
    held=$(on_newer Pinned) found=
    [ -z "$held" ] || found=$(stranded)
    while read -r workflow run; do [[ $found == *"$run"* ]] || echo "$workflow $run"; done <<<"$held" | each release
    kept=$(each rescue <<<"$found")
    [ -z "$kept" ] || echo "$kept"
    [[ $kept != *' is not held yet,'* ]] || fail "repeat this in a minute: roll-out.sh back $build $newer"
    ;;
  stop)
    current=$(routed current)
    ramping=$(routed ramping)
    [ "$current" != "$build" ] || fail "$build is current: promote another build first"
    [ "$ramping" != "$build" ] || fail "$build gets a part of the onboardings: ramp it to 0 first"
    version=$(asked deployed describe-version --build-id "$build" --output json)
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
