#!/bin/sh
# Asks the gate before a tool call of an agent runner: gate-hook.sh RUNNER < the runner's hook JSON.
# One exact answer allows the call. Everything else blocks it: exit code 2, with the reason on stderr.

block() {
  printf 'gate: %s\n' "$(printf %.600s "$1" | tr '\000-\037\177' ' ')" >&2
  exit 2
}

runner=$1 url='' key='' query='' seconds=''
file="${XDG_CONFIG_HOME:-$HOME/.config}/qualification-gate/$runner.env"
[ -r "$file" ] || block "$file cannot be read. Run npx qualification-gate-hook install again."
while IFS= read -r line; do
  case $line in
    GATE_URL=*) url=${line#*=} ;;
    GATE_KEY=*) key=${line#*=} ;;
    GATE_QUERY=*) query=${line#*=} ;;
    GATE_SECONDS=*) seconds=${line#*=} ;;
  esac
done <"$file"
[ -n "$url" ] && [ -n "$key" ] && [ -n "$query" ] && [ -n "$seconds" ] ||
  block "$file is incomplete. Run npx qualification-gate-hook install again."
# A shorter limit can be set. A longer one, or 0, would outlast the runner's own, after which some runners run the tool.
[ "${GATE_HOOK_SECONDS:-0}" -gt 0 ] 2>/dev/null && [ "$GATE_HOOK_SECONDS" -lt "$seconds" ] && seconds=$GATE_HOOK_SECONDS
command -v curl >/dev/null 2>&1 || block 'curl was not found. Install curl.'

# The key goes through a file descriptor: arguments are visible to every user of the machine.
answer=$(
  curl -q -g -sS -m "$seconds" --proto '=http,https' -K /dev/fd/3 --data-binary @- \
    -H 'Content-Type: application/json' -H 'Expect:' -w '\n%{http_code} %{size_download}' \
    "$url/api/v1/runner/tool-calls?$query" 2>&1 3<<END
header = "Authorization: Bearer $key"
END
)
code=$?

if [ "$code" -eq 0 ] && [ "$answer" = 'allow
200 5' ]; then
  # Cursor blocks on an empty answer. Claude Code would still ask the user.
  case $runner in
    cursor) echo '{"permission":"allow"}' ;;
    claude) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}' ;;
  esac
  exit 0
fi
body=${answer%
*}
case "$code ${answer##*
}" in
  '0 200 '*) block "${body:-The answer was empty.}" ;;
  *) block "No decision. $answer" ;;
esac
