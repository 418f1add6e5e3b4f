#!/usr/bin/env bash
# The first step of the action: the program of a release into a folder of this job.
#
# In: PODSIEVE_VERSION (empty: the newest), RUNNER_TEMP, GITHUB_PATH. Out: the program, and its folder on the path of the steps that follow.
set -euo pipefail

to=${RUNNER_TEMP:?"RUNNER_TEMP is set by the runner"}/podsieve
if [ -n "${PODSIEVE_VERSION:-}" ]; then
  sh "$(dirname "$0")/install.sh" --version "$PODSIEVE_VERSION" --to "$to"
else
  sh "$(dirname "$0")/install.sh" --to "$to"
fi
echo "$to" >> "$GITHUB_PATH"
