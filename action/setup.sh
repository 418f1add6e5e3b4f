#!/usr/bin/env bash
# The first step of the action: the program of a release into a folder of this job.
#
# In: PODSIEVE_VERSION (empty: the release of checksums.txt beside this file, else the newest), RUNNER_TEMP, GITHUB_PATH. Out: the program, and its folder on the path of the steps that follow.
set -euo pipefail

here=$(dirname "$0")
to=${RUNNER_TEMP:?"RUNNER_TEMP is set by the runner"}/podsieve
version=${PODSIEVE_VERSION:-}
arguments=(--to "$to")
# Checksums that came with this action are those of one release, which the first line names: `# podsieve 1.2.3`.
pinned=$here/checksums.txt
if [ -f "$pinned" ]; then
  release=$(sed -n '1s/^# podsieve //p' "$pinned")
  version=${version:-$release}
  if [ -n "$release" ] && [ "$version" = "$release" ]; then arguments+=(--sums "$pinned"); fi
fi
if [ -n "$version" ]; then arguments+=(--version "$version"); fi
sh "$here/install.sh" "${arguments[@]}"
echo "$to" >> "$GITHUB_PATH"
