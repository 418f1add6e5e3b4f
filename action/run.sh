#!/usr/bin/env bash
# The second step of the action: one command, its answer in the log, the summary and files.
#
# In: the inputs of action.yml as PODSIEVE_*, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY; `podsieve` on the path. Out: the outputs of action.yml, and an exit code.
# Inputs are data: each line is one argument, whatever is in it.
set -euo pipefail

fail() {
  echo "error: $1" >&2
  exit 1
}

# The lines of a text that are not empty, into the list `lines`.
lines=()
split() {
  lines=()
  while IFS= read -r line; do
    line=${line%$'\r'}
    if [ -n "$line" ]; then lines+=("$line"); fi
  done <<< "$1"
}

one_line() {
  case $2 in
    *$'\n'* | *$'\r'*) fail "the input $1 is one line" ;;
  esac
}

for name in MODE RANGE FAIL_ON COMMENT SARIF FOLDER; do
  value=PODSIEVE_$name
  one_line "$name" "${!value:-}"
done
mode=${PODSIEVE_MODE:-apply}
sarif=${PODSIEVE_SARIF:-}
comment=${PODSIEVE_COMMENT:-podsieve-comment.md}
cd -- "${PODSIEVE_FOLDER:-.}" || fail "there is no folder ${PODSIEVE_FOLDER:-.}"

split "${PODSIEVE_POLICIES:-}"
[ ${#lines[@]} -gt 0 ] || fail "the input policies is empty"
policies=("${lines[@]}")
split "${PODSIEVE_RESOURCES:-}"
resources=()
for line in ${lines[@]+"${lines[@]}"}; do resources+=("--resource=$line"); done
split "${PODSIEVE_ARGS:-}"
more=(${lines[@]+"${lines[@]}"})

# `--` keeps a path that begins with a hyphen from being an option.
case $mode in
  apply) command=(apply ${resources[@]+"${resources[@]}"} ${more[@]+"${more[@]}"} -- "${policies[@]}") ;;
  test) command=(test ${more[@]+"${more[@]}"} -- "${policies[@]}") ;;
  convert) command=(convert --check ${more[@]+"${more[@]}"} -- "${policies[@]}") ;;
  impact)
    command=(impact ${resources[@]+"${resources[@]}"} "--write=markdown=$comment" ${more[@]+"${more[@]}"})
    if [ -n "$sarif" ]; then command+=("--write=sarif=$sarif"); fi
    if [ -n "${PODSIEVE_FAIL_ON:-}" ]; then command+=("--fail-on=$PODSIEVE_FAIL_ON"); fi
    command+=(--)
    if [ -n "${PODSIEVE_RANGE:-}" ]; then command+=("$PODSIEVE_RANGE"); fi
    command+=("${policies[@]}")
    ;;
  *) fail "the input mode is apply, test, impact or convert, not $mode" ;;
esac

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
code=0
podsieve "${command[@]}" > "$answer" || code=$?
cat "$answer"

if [ "$mode" = apply ] && [ -n "$sarif" ]; then
  # The verdict is that of the first run, which has said what there is to say.
  podsieve apply ${resources[@]+"${resources[@]}"} ${more[@]+"${more[@]}"} --report-format=sarif -- "${policies[@]}" > "$sarif" 2> /dev/null || true
fi

case $mode:$code in
  impact:2) verdict=changed ;;
  *:0) verdict=pass ;;
  impact:*) verdict=error ;;
  *) verdict=fail ;;
esac
{
  echo "exit-code=$code"
  echo "verdict=$verdict"
  if [ "$mode" = impact ] && [ -s "$comment" ]; then echo "comment=$comment"; fi
  if [ -n "$sarif" ] && [ -s "$sarif" ]; then echo "sarif=$sarif"; fi
} >> "${GITHUB_OUTPUT:-/dev/null}"

if [ "${PODSIEVE_SUMMARY:-true}" = true ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  if [ "$mode" = impact ] && [ -s "$comment" ]; then
    cat "$comment" >> "$GITHUB_STEP_SUMMARY"
  else
    # Indented text is shown as it is, whatever is in it.
    {
      printf '### podsieve %s: %s\n\n' "$mode" "$verdict"
      head -c 60000 "$answer" | sed 's/^/    /'
      printf '\n'
    } >> "$GITHUB_STEP_SUMMARY"
  fi
fi

# A change is no failure, but where `fail-on` says so.
if [ "$mode" = impact ] && [ "$code" = 2 ] && [ -z "${PODSIEVE_FAIL_ON:-}" ]; then exit 0; fi
exit "$code"
