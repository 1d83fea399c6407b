#!/usr/bin/env bash
# Checks that the commit at hand can be tagged as a release: `npm run release-check`, or `npm run release-check -- licenses gate` for
# some checks. All take more than an hour, so CI runs each as a job of its own (.github/workflows/release.yml). After an interruption or
# a failure, `npm run release-check` runs only what this commit has not passed. The SBOM and the times are in .cache/release/.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(node -p "require('./package.json').version")

# Permits use, change and sale, and demands no more than a notice. unionfs names no license in its manifest: its file has the Unlicense.
PERMISSIVE='MIT;MIT-0;ISC;0BSD;BSD-2-Clause;BSD-3-Clause;Apache-2.0;BlueOak-1.0.0;Unlicense;CC0-1.0;CC-BY-4.0;Python-2.0;Zlib'
ALLOWED=(--production --excludePrivatePackages --excludePackages unionfs@4.6.0 --onlyAllow "$PERMISSIVE")
fetched() { npm exec --yes --ignore-scripts --package "$1" -- "${@:2}"; }

version() {
  # Nothing is between the headings of "Unreleased" and of the version.
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] && [ -z "$(git tag --list "v$version")" ] &&
    grep . CHANGELOG.md | grep -A1 '^## ' | sed -n 2p | grep -E "^## \[${version//./\\.}\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$"
}
written() {
  npm run record-contract -- "$version" && npm run record-histories -- "$version" && npm run docs &&
    git diff && [ -z "$(git status --porcelain)" ]
}
licenses() { fetched license-checker-rseidelsohn@5.0.1 license-checker-rseidelsohn "${ALLOWED[@]}" --summary; }
sbom() {
  mkdir -p .cache/release
  fetched @cyclonedx/cyclonedx-npm@6.0.1 cyclonedx-npm --omit dev --output-reproducible --output-format JSON \
    --output-file ".cache/release/gangway-$version.cdx.json"
}
# Not every registry signs.
signatures() { npm audit signatures --omit dev; }
gate() {
  clone=$(mktemp -d) && trap 'rm -rf "$clone"' EXIT && git clone --quiet . "$clone" && COST_IS_LIMITED=1 "$clone/.ci/run"
}
deployments() { npm run test:deploy; }
# All but its simulation, which is a check of its own.
nightly() { npm run test:nightly -- tests sizes nodes chaos compare; }
on-a-server() { WORKFLOWS_ON=server npx vitest run --project workflows; }
# Measures the tests rather than the release, for longer than all the others, so only CI runs it unasked.
mutants() { npm run mutants -- --at-least 75 --concurrency 2; }
seeded-defects() { npm run seeded-defects; }
# Schedules that no release before it has run. The checks beside it come first.
simulation() { nice -n 5 npm run simulate -- --minutes 60 --seed "$((16#$(git rev-parse HEAD | cut -c 1-6)))"; }

[ -z "$(git status --porcelain)" ] || { echo 'commit your changes first'; exit 1; }
times=.cache/release/$(git rev-parse HEAD)
mkdir -p "$times"
has-passed() { [ -f "$times/$1" ]; }
# Runs a check, prints its time, and keeps that if it passes.
timed() {
  local began=$SECONDS
  rm -f "$times/$1"
  if ("$1"); then echo "$((SECONDS - began)) s" >"$times/$1"; fi
  echo "== $1 took $((SECONDS - began)) s"
}
# Begins the hour of the simulation, in a process group that ends with this script.
simulating=
begin-simulation() {
  set -m
  timed simulation >"$times/simulation.log" 2>&1 &
  simulating=$!
  set +m
  trap 'kill -- "-$simulating" 2>/dev/null || true' EXIT
}

checks=("$@")
[ $# -gt 0 ] || checks=(version written licenses sbom signatures gate deployments nightly on-a-server seeded-defects simulation)
failed=()
for check in "${checks[@]}"; do
  # Until then, checks change files.
  if [ $# -eq 0 ] && [ "$check" = gate ] && ! has-passed simulation; then begin-simulation; fi
  if [ $# -eq 0 ] && has-passed "$check"; then
    echo "== $check has passed in $(cat "$times/$check")"
    continue
  fi
  echo "== $check"
  if [ "$check" = simulation ] && [ -n "$simulating" ]; then
    wait "$simulating"
    tail -n 20 "$times/simulation.log"
  else
    timed "$check"
  fi
  has-passed "$check" || failed+=("$check")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
[ $# -gt 0 ] || echo "ready: git tag -s v$version -m 'Gangway $version'"
