#!/bin/sh
# Asks the gate before a tool call of an agent runner, or reports one:
#   gate-hook.sh RUNNER tool-calls|outcomes [ENTRYPOINT] < the runner's hook JSON
# Exit code 10 lets the call run, nothing else does. Its entry starts it with an empty environment, and makes 2 of every other code.
# A repository may have set the environment of the runner: nothing here comes from it.

PATH=/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin LC_ALL=C IFS=' 	
'
export PATH LC_ALL
umask 077
set -f
newline='
'

block() {
  printf 'gate: %s\n' "$(printf %.600s "$1" | tr '\000-\037\177' ' ')" >&2
  exit 2
}
again='Run npx --no qualification-gate-hook install again.'

runner=$1 path=$2 entrypoint=
case ${3-} in *[!a-z0-9_-]*) ;; *) entrypoint=${3-} ;; esac
folder=${0%/*}

# Beside this file: where the gate is. An administrator's file leaves only the key to the member, in the home folder of the
# password database.
settings=$folder/$runner.env url='' query='' seconds='' authorities='' keys=$folder
[ -r "$settings" ] || block "$settings cannot be read. $again"
while IFS= read -r line; do
  case $line in
    GATE_URL=*) url=${line#*=} ;;
    GATE_QUERY=*) query=${line#*=} ;;
    GATE_SECONDS=*) seconds=${line#*=} ;;
    GATE_CA=*) authorities=${line#*=} ;;
    GATE_KEYS=member) keys= ;;
  esac
done <"$settings"
[ -n "$url" ] && [ -n "$query" ] && [ -n "$seconds" ] || block "$settings is incomplete. $again"
if [ -z "$keys" ]; then
  eval "keys=~$(id -un)/.config/qualification-gate"
  open=$(find -L "$folder" "$settings" -prune ! -user 0 2>&1)
  [ -z "$open" ] || block "$open does not belong to root. $again"
fi
key=$keys/$runner.key name='' inner='' outer=''
[ -r "$key" ] && [ -O "$key" ] || block "$key is missing or is not yours. $again"
while IFS= read -r line; do
  case $line in
    GATE_KEY_NAME=*) name=${line#*=} ;;
    GATE_INNER=*) inner=${line#*=} ;;
    GATE_OUTER=*) outer=${line#*=} ;;
  esac
done <"$key"
case $name$inner$outer in '' | *[!0-9a-f\\]*) block "$key is incomplete. $again" ;; esac
open=$(find -L "$folder" "$settings" "$keys" "$key" -prune \( -perm -020 -o -perm -002 \) 2>&1)
[ -z "$open" ] || block "Others can change $open. $again"
# Without encryption only on this machine.
case $url in
  https://*) scheme=https ;;
  http://localhost | http://localhost[:/]* | http://127.[0-9]* | http://\[::1\]*) scheme=http ;;
  *) block "$settings has an address that is not encrypted. $again" ;;
esac
command -v curl >/dev/null 2>&1 || block 'curl was not found. Install curl.'

if command -v sha256sum >/dev/null 2>&1; then
  sha256=sha256sum
elif command -v openssl >/dev/null 2>&1; then
  sha256='openssl dgst -sha256 -r'
else
  sha256='shasum -a 256'
fi

# $mac: the HMAC-SHA-256 (RFC 2104) of a text, from the two pads of the key. No program gets them as an argument: they go through
# a file without a name, which each program reads on from where the one before it ended. A process takes longer than all else here.
authenticate() {
  printf "$inner" >&7
  printf %s "$1" >&7
  hex=$($sha256 <&8)
  hex=${hex%% *} bytes=
  while [ -n "$hex" ]; do
    rest=${hex#??}
    byte=$((0x${hex%"$rest"}))
    bytes=$bytes\\$((byte >> 6))$((byte >> 3 & 7))$((byte & 7))
    hex=$rest
  done
  printf "$outer$bytes" >&7
  mac=$($sha256 <&8)
  mac=${mac%% *}
  [ ${#mac} -eq 64 ] || block 'No program could make a SHA-256: sha256sum, openssl or shasum.'
}

set -- $(od -An -N16 -tx1 /dev/urandom)
IFS=
nonce=$*
IFS=' '
[ ${#nonce} -eq 32 ] || block '/dev/urandom gave no random bytes.'
# What the runner said, byte by byte, in a file without a name, too.
body=/tmp/gate-hook.$nonce
set -C
exec 4>"$body" 5<"$body" 6<"$body" 7>"$body.mac" 8<"$body.mac"
rm -f "$body" "$body.mac"
cat >&4
exec 4>&-

[ "$path" = tool-calls ] || query="runner=$runner&as=text" seconds=5
target="/api/v1/runner/$path?$query${entrypoint:+&entrypoint=$entrypoint}"
time=$(date +%s)
digest=$($sha256 <&5)
digest=${digest%% *}
authenticate "gate-request-1${newline}POST$newline$target$newline$time$newline$nonce$newline$digest$newline"
request=$mac

answer=$(
  curl -q -g -sS -m "$seconds" --noproxy '*' --proto "=$scheme" --max-filesize 100000 \
    -K /dev/fd/3 --data-binary @- -H 'Content-Type: application/json' -H 'Expect:' \
    -w '\n%{http_code}' "$url$target" <&6 2>/dev/null 3<<END
${authorities:+cacert = \"$authorities\"}
header = "Authorization: Gate-Hook-1 key=$name, time=$time, nonce=$nonce, digest=$digest, mac=$request"
END
)
code=$?
[ "$path" = tool-calls ] || exit 10
case $code in
  0) ;;
  6 | 7) block "No decision: no connection to $url. Is the gate running?" ;;
  28) block "No decision: no answer from $url within $seconds seconds." ;;
  35 | 51 | 58 | 60 | 77 | 83) block "No decision: $url has no certificate that this machine trusts." ;;
  *) block "No decision: curl ended with exit code $code, asking $url." ;;
esac

# The text, the gate's MAC over it and over this request, and the status.
status=${answer##*"$newline"}
answer=${answer%"$newline"*}
signature=${answer##*"$newline"}
text=${answer%"$newline"*}
authenticate "gate-answer-1$newline$request$newline$status$newline$text"
if [ "$signature" != "$mac" ]; then
  [ "$status" != 401 ] ||
    block 'No decision: the gate does not know this runner key, or something answers in its place. Mint a new runner key, and install again.'
  block "No decision: the answer with status $status is not signed by the gate."
fi
case $status$newline$text in
  "200${newline}allow") ;;
  "200${newline}defer "*[!0-9]*) block "$text" ;;
  "200${newline}defer "[0-9]*)
    # At a terminal, Claude Code takes this for no opinion.
    case $runner:$entrypoint in claude:sdk*) ;; *) block "$text" ;; esac
    printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer","permissionDecisionReason":"Waiting for consent, action %s: call again unchanged."}}\n' "${text#defer }"
    exit 10
    ;;
  "200$newline"*) block "${text:-The answer was empty.}" ;;
  *) block "No decision. $text" ;;
esac
# Cursor blocks on an empty answer. Claude Code would still ask the user.
case $runner in
  cursor) echo '{"permission":"allow"}' ;;
  claude) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}' ;;
esac
exit 10
