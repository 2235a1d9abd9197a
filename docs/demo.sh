# The shell variables and functions that the pages of this folder use.
# With `npm start` running, in another terminal of the same folder: . docs/demo.sh

demo() { node -p "JSON.parse(require('fs').readFileSync((process.env.DATA_DIR || '.data') + '/demo.json')).$1"; }

KEY=$(demo api_key)       # reads, proposes, confirms and executes
RUNNER_KEY=$(demo runner_key) # asks about tool calls of an agent runner, for Grace
GATE=$(demo base_url)     # the API
A=$(demo account_id)      # the demo account
INBOX=$(demo sandbox_url) # what the sandbox received: messages, mails, Stripe objects

# gate NOUN VERB …: the command line
gate() { node bin/gate.js "$@"; }

# api PATH [CURL OPTIONS]: a REST call with the key
api() { curl -sS "$GATE$1" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' "${@:2}"; }

# mcp TOOL ARGUMENTS: a call of an MCP tool; prints its structured content (without one, its content), or fails with its error
mcp() {
  api /api/mcp -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}" |
    node -e '
      const { result, error } = JSON.parse(require("fs").readFileSync(0))
      const failure = error ? (error.message ?? error) : result.isError && result.content[0].text
      if (failure) console.error(failure), process.exit(1)
      console.log(JSON.stringify(result.structuredContent ?? result.content, null, 1))'
}

# field NAME: one field of the JSON on standard input
field() { node -p "JSON.parse(require('fs').readFileSync(0)).$1"; }
