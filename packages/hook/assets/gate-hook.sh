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
  printf "$inner" >&4
  printf %s "$1" >&4
  hex=$($sha256 <&7)
  hex=${hex%% *} bytes=
  while [ -n "$hex" ]; do
    rest=${hex#??}
    byte=$((0x${hex%"$rest"}))
    bytes=$bytes\\$((byte >> 6))$((byte >> 3 & 7))$((byte & 7))
    hex=$rest
  done
  printf "$outer$bytes" >&4
  mac=$($sha256 <&7)
  mac=${mac%% *}
  [ ${#mac} -eq 64 ] || block 'No program could make a SHA-256: sha256sum, openssl or shasum.'
}

# $nonce: also the name of a file that is removed as soon as it is open, so that nobody can change what stands in it.
random() {
  set -- $(od -An -N16 -tx1 /dev/urandom)
  IFS=
  nonce=$*
  IFS=' '
  [ ${#nonce} -eq 32 ] || block '/dev/urandom gave no random bytes.'
  file=/tmp/gate-hook.$nonce
}
random
# What the runner said, byte by byte: 3 to look at it, 5 and 6 to sign and send it, 8 and 9 to send it again.
set -C
{
  exec 3<"$file" 5<"$file" 6<"$file" 8<"$file" 9<"$file"
  rm -f "$file"
  cat
} >"$file" || block '/tmp cannot be written.'
exec 4>"$file.mac" 7<"$file.mac"
rm -f "$file.mac"

[ "$path" = tool-calls ] || query="runner=$runner&as=text" seconds=5
began=

# Signs and sends what stands in 5 and 6. $status and $text: the answer, if the gate has signed it for this very request.
# $1: of the address.
ask() {
  target="/api/v1/runner/$path?$query${entrypoint:+&entrypoint=$entrypoint}$1"
  time=$(date +%s)
  began=${began:-$time}
  left=$((seconds - time + began))
  [ "$left" -le "$seconds" ] || left=$seconds
  [ "$left" -gt 0 ] || block "No decision: no answer from $url within $seconds seconds."
  digest=$($sha256 <&5)
  digest=${digest%% *}
  authenticate "gate-request-1${newline}POST$newline$target$newline$time$newline$nonce$newline$digest$newline"
  request=$mac
  answer=$(
    curl -q -g -sS -m "$left" --noproxy '*' --proto "=$scheme" --max-filesize 100000 \
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
  [ "$signature" = "$mac" ] && return
  [ "$status" != 401 ] ||
    block 'No decision: the gate does not know this runner key, or something answers in its place. Mint a new runner key, and install again.'
  block "No decision: the answer with status $status is not signed by the gate."
}

# Tells of the files in $wanted, a line "KIB MARK PATH" for each, below $within. Prints for each
# "MARK":["SHA-256","THE FIRST KIB AS HEX"], or why it was not read.
describe() {
  root=$(cd -P -- "$within" && pwd -P) || exit 1
  exec 5>"$file.start" 6<"$file.start" 7<"$file.start"
  rm -f "$file.start"
  comma=
  while IFS= read -r line; do
    kib=${line%% *} line=${line#* }
    mark=${line%% *} one=$within/${line#* }
    case $kib:$mark in [0-9]:* | [0-9][0-9]:*) ;; *) exit 1 ;; esac
    case $mark in *[!0-9a-f]*) exit 1 ;; esac
    problem=
    # Found out without opening it: to open a pipe could wait for ever.
    if [ -h "$one" ]; then
      problem=link
    elif [ ! -e "$one" ]; then
      problem=missing
    elif [ ! -f "$one" ]; then
      problem=no_file
    elif [ ! -r "$one" ]; then
      problem=unreadable
    else
      parent=$(cd -P -- "${one%/*}" && pwd -P)
      case $parent/ in "$root"/*) ;; *) problem=outside ;; esac
    fi
    printf '%s"%s":[' "$comma" "$mark"
    comma=,
    if [ -n "$problem" ]; then
      printf '"%s"]' "$problem"
      continue
    fi
    # Read once: what is shown is the start of what has the digest, whatever becomes of the file meanwhile.
    {
      [ "$kib" = 0 ] || dd bs=1024 count="$kib" >&5
      sum=$({ cat <&6 && cat; } | $sha256)
      hex=$(od -An -v -tx1 <&7)
    } <"$one" || exit 1
    IFS=" $newline"
    set -- $hex
    IFS=
    printf '"%s","%s"]' "${sum%% *}" "$*"
  done <<END
$wanted
END
}

# $files: what describe prints. It must not hold the runner, which would make the call: a file may become a pipe, or be on a disk that
# does not answer.
read_files() {
  random
  exec 6>"$file" 5<"$file"
  rm -f "$file"
  # `exec` in place of a redirection: where a shell keeps a copy of the output, a process that hangs would hold the runner.
  (
    exec >&6 2>/dev/null
    describe
  ) &
  reader=$!
  (
    exec >/dev/null 2>&1
    sleep 5 &
    sleeper=$!
    trap 'kill $sleeper; exit' TERM
    wait $sleeper
    kill "$reader"
  ) &
  timer=$!
  wait "$reader" 2>/dev/null || block 'The files that this call runs could not be read, or not within 5 seconds.'
  kill "$timer" 2>/dev/null
  files=$(cat <&5)
}

able= files=
[ "$path" = outcomes ] || able='&files=able'
ask "$able"
# The scripts of a manifest can name more files: so the gate may ask twice.
for copy in 8 9 none; do
  case $status$newline$text in "200${newline}files$newline"*) ;; *) break ;; esac
  [ "$copy" != none ] || block 'No decision: the gate asks about files again and again.'
  wanted=${text#*"$newline"}
  [ "$copy:${wanted%%"$newline"*}" = "9:$within" ] || {
    within=${wanted%%"$newline"*}
    case $within in /*) grep -qF "\"$within\"" <&3 ;; *) false ;; esac ||
      block 'No decision: the gate asks about a folder that the runner did not name.'
  }
  wanted=${wanted#*"$newline"}
  read_files
  random
  {
    exec 5<"$file" 6<"$file"
    rm -f "$file"
    printf '[{%s},' "$files"
    if [ $copy = 8 ]; then cat <&8; else cat <&9; fi
    printf ']'
  } >"$file" || block '/tmp cannot be written.'
  ask '&files=read'
done

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
  "422$newline"*'unknown field files'*)
    block 'No decision: this hook is newer than the gate. Update the gate, or install the hook of its version.'
    ;;
  *) block "No decision. $text" ;;
esac
# The member may have taken a while.
if [ -n "$files" ]; then
  approved=$files
  read_files
  [ "$files" = "$approved" ] || block 'A file that this call runs was changed after the gate was asked. Call again.'
fi
# Cursor blocks on an empty answer. Claude Code would still ask the user.
case $runner in
  cursor) echo '{"permission":"allow"}' ;;
  claude) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}' ;;
esac
exit 10
