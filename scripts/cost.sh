# Where Node keeps compiled code: dozens of its processes load the same.
export NODE_COMPILE_CACHE=$PWD/.cache/compiled

# Measures what a command costs, with all processes that it starts and waits for: `cost_of NAME BUDGET COMMAND...`. Ends as the command does.
cost_of() {
  local name=$1 budget=$2 folder first last status
  shift 2
  folder=$(mktemp -d)
  first=$(node scripts/cost.mjs loop)
  times >"$folder/began"
  "$@"
  status=$?
  times >"$folder/ended"
  last=$(node scripts/cost.mjs loop)
  node scripts/cost.mjs report "$name" "$budget" "$first" "$last" "$(<"$folder/began")" "$(<"$folder/ended")" ||
    [ "$status" -ne 0 ] || status=2
  rm -rf "$folder"
  return "$status"
}
