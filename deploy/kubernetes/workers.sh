#!/usr/bin/env bash
# Starts or stops the workers of a build in Kubernetes, for roll-out.sh: workers.sh (start|stop) BUILD
# "workers.sh run BUILD ARGUMENT..." runs gangway in a pod of the build, with its settings.
# "workers.sh show BUILD" prints the manifests instead, to keep them in a repository.
set -euo pipefail
cd "$(dirname "$0")"

build=$2
# Quoted where it is the whole value, because YAML parses some names as numbers.
show() { kubectl kustomize worker | sed -e "s/: this-build$/: '$build'/" -e "s/this-build/$build/g"; }
# Deletes the resources of the build. Settings and access belong to all builds.
delete() { kubectl --namespace gangway delete "$1" --selector "gangway.example.com/build=$build" --ignore-not-found; }

case $1 in
  show) show ;;
  start)
    show | kubectl apply --filename -
    kubectl --namespace gangway rollout status "deployment/worker-$build" --timeout 10m
    ;;
  # The worker in this container needs its memory, too. Garbage is collected before it takes more.
  run)
    kubectl --namespace gangway exec "deployment/worker-$build" -- \
      node --max-old-space-size=256 dist/starter.js "${@:3}"
    ;;
  stop)
    # First, so that it does not scale a deployment that is being deleted.
    if kubectl api-resources --api-group keda.sh --output name | grep -q scaledobjects; then delete scaledobject; fi
    delete deployment,poddisruptionbudget
    ;;
esac
