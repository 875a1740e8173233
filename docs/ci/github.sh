#!/usr/bin/env bash
# What the action runs. Set by it: TCLINT_PATHS, TCLINT_ARGS, TCLINT_DIFF_BASE, TCLINT_SARIF, TCLINT_PYTHON;
# set by GitHub: GITHUB_ACTION_PATH, GITHUB_BASE_REF, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY, RUNNER_TEMP.
set -euo pipefail

venv=$RUNNER_TEMP/tclint
"$TCLINT_PYTHON" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH/../.."
tclint=$venv/bin/torch-compile-lint

# Paths and options are lists of words.
read -r -a paths <<< "$TCLINT_PATHS"
read -r -a args <<< "$TCLINT_ARGS"
if [ "$TCLINT_DIFF_BASE" = auto ]; then
    if [ -n "${GITHUB_BASE_REF:-}" ]; then
        git fetch --quiet --no-tags --depth=1 origin "$GITHUB_BASE_REF"
        args+=(--diff-base FETCH_HEAD)
    fi
elif [ -n "$TCLINT_DIFF_BASE" ]; then
    args+=(--diff-base "$TCLINT_DIFF_BASE")
fi

# The first run does the work; the others read its cache.
status=0
"$tclint" check "${paths[@]}" ${args[@]+"${args[@]}"} --format github || status=$?
if [ "$status" -gt 1 ]; then
    exit "$status"
fi
if [ -n "$TCLINT_SARIF" ]; then
    "$tclint" check "${paths[@]}" ${args[@]+"${args[@]}"} --format sarif --output "$TCLINT_SARIF" --exit-zero
    echo "sarif=$TCLINT_SARIF" >> "$GITHUB_OUTPUT"
fi
{
    echo '### tclint'
    echo '```'
    "$tclint" check "${paths[@]}" ${args[@]+"${args[@]}"} --statistics --exit-zero | tail -n 25
    echo '```'
} >> "$GITHUB_STEP_SUMMARY"
exit "$status"
