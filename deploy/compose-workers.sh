#!/usr/bin/env bash
# Starts or stops the workers of a build with Docker Compose, for roll-out.sh: compose-workers.sh (start|stop) BUILD
# "compose-workers.sh run BUILD ARGUMENT..." runs gangway in a container of the build, with its settings.
set -euo pipefail
cd "$(dirname "$0")"

export GANGWAY_TAG=$2
# A project's name has no dots.
compose() { docker compose --file compose.worker.yaml --project-name "gangway-worker-${GANGWAY_TAG//./-}" "$@"; }

case $1 in
  start)
    docker volume create gangway_data >/dev/null
    compose ${SANDBOX:+--profile sandbox} up --detach
    ;;
  run) compose run --rm worker dist/starter.js "${@:3}" ;;
  stop) compose --profile sandbox down ;;
esac
