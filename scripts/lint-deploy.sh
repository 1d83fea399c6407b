#!/usr/bin/env bash
# Lints what is under deploy/ for people who watch over it, with the tools' own linters: promtool (Debian: apt-get install
# prometheus) and Grafana's dashboard-linter. One that is not there is named, and makes this fail.
set -uo pipefail
cd "$(dirname "$0")/../deploy"
failed=0

lint() {
  command -v "$1" >/dev/null || { echo "$1 is not installed: $2" >&2; return 1; }
  shift 2
  echo "$*"
  "$@"
}

lint promtool 'apt-get install prometheus' promtool check rules prometheus/alerts.yml || failed=1
lint promtool 'apt-get install prometheus' promtool test rules prometheus/alerts.test.yml || failed=1
lint dashboard-linter 'go install github.com/grafana/dashboard-linter@latest' \
  dashboard-linter lint --strict grafana/gangway.json || failed=1
exit "$failed"
