#!/usr/bin/env bash
# Starts a sandbox in the background of a workflow's job, waits until it is ready, and exports its variables to the following steps.
# SANDBOX_COMMAND: the command that runs payments-sandbox. SANDBOX_ARGUMENTS: options of `start`, separated by spaces.
set -euo pipefail

fail() {
  echo "::error title=payments-sandbox::$1"
  exit 1
}

[ -n "${GITHUB_ENV:-}" ] || fail 'GITHUB_ENV is not set: run this script as a step of a workflow'
read -r -a program <<<"${SANDBOX_COMMAND:-npx --no-install payments-sandbox}"
read -r -a options <<<"${SANDBOX_ARGUMENTS:-}"

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

# `start --detach` returns when the sandbox is ready.
ready=$("${program[@]}" start --detach --json ${options[@]+"${options[@]}"} 2>"$errors") || {
  cat "$errors" >&2
  fail "the sandbox did not start: $(tail -n 1 "$errors")"
}
cat "$errors" >&2

field() {
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$ready"
}
url=$(field base_url)
PAYMENTS_SANDBOX_ADMIN_TOKEN=$(field admin_token)
export PAYMENTS_SANDBOX_ADMIN_TOKEN

# $GITHUB_ENV takes values without the quotes of dotenv.
"${program[@]}" env --url "$url" --format dotenv | sed 's/^\([A-Z_]*\)="\(.*\)"$/\1=\2/' | while IFS= read -r line; do
  case "${line%%=*}" in *SECRET | *KEY | *TOKEN) echo "::add-mask::${line#*=}" ;; esac
  echo "$line" >>"$GITHUB_ENV"
done
[ -z "${GITHUB_OUTPUT:-}" ] || echo "url=$url" >>"$GITHUB_OUTPUT"
echo "payments-sandbox is ready at $url"
