#!/bin/sh
# Reports to the gate that a tool call ran: gate-outcome.sh RUNNER < the runner's hook JSON. Never blocks anything.

runner=$1 url='' key=''
file="${XDG_CONFIG_HOME:-$HOME/.config}/qualification-gate/$runner.env"
[ -r "$file" ] || exit 0
while IFS= read -r line; do
  case $line in
    GATE_URL=*) url=${line#*=} ;;
    GATE_KEY=*) key=${line#*=} ;;
  esac
done <"$file"
curl -q -g -sS -m 5 --proto '=http,https' -K /dev/fd/3 --data-binary @- \
  -H 'Content-Type: application/json' -H 'Expect:' \
  "$url/api/v1/runner/outcomes?runner=$runner&as=text" >/dev/null 2>&1 3<<END
header = "Authorization: Bearer $key"
END
exit 0
