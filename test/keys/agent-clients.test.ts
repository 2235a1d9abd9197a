import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import { expect, test } from '@jest/globals'
import { parse as parseToml } from 'smol-toml'
import { mintKey } from '../../src/keys/api-key.ts'
import {
  type AgentClientId,
  type GatePlace,
  agentClientIds,
  agentClients,
} from '../../src/keys/agent-clients.ts'
import { testRows } from '../support/rows.ts'

const key = mintKey()
const authorization = `Bearer ${key}`
const headers = { Authorization: authorization }

/** The words of the one command, as a shell hands them to the program. */
function wordsOf(text: string): string[] {
  const [program] = text.split(' ')
  const script = `${program}() { printf '%s\\0' "$@"; }; GATE_KEY=${key}; ${text}`
  return execFileSync('bash', ['-c', script]).toString().split('\0').slice(0, -1)
}

/** The last lines that a client is given, or those at `at`. */
const textOf = (id: AgentClientId, place: GatePlace, at = -1): string =>
  agentClients[id].lines(place).at(at)!.text

const python = (text: string): string =>
  execFileSync('python3', ['-c', `${fakeOpener}\n${text}`], {
    env: { PATH: process.env['PATH'], GATE_KEY: key },
  }).toString()

/** Prints what it is to open, and opens nothing. */
const fakeOpener = `
import io, json, urllib.request
def urlopen(r):
    print(json.dumps([r.full_url, r.get_header("Authorization")]))
    return io.StringIO("0")
urllib.request.urlopen = urlopen`

/** What a client makes of its lines: the address it calls and the header it sends. */
const read: Record<AgentClientId, (place: GatePlace) => unknown> = {
  'claude-code': (place) => wordsOf(textOf('claude-code', place)),
  codex: (place) => parseToml(textOf('codex', place)),
  gemini: (place) => wordsOf(textOf('gemini', place)),
  cursor: (place) => JSON.parse(textOf('cursor', place)),
  vscode: (place) => [JSON.parse(textOf('vscode', place, 0)), textOf('vscode', place, 1)],
  opencode: (place) => JSON.parse(textOf('opencode', place)),
  chatgpt: (place) => textOf('chatgpt', place),
  'claude-ai': (place) => textOf('claude-ai', place),
  rest: (place) => [wordsOf(textOf('rest', place, 0)), wordsOf(textOf('rest', place, 1))],
  typescript: (place) => {
    const fetched: unknown[] = []
    const fetch = (...given: unknown[]) => {
      fetched.push(...given)
      return { json: () => 0 }
    }
    const process = { env: { GATE_KEY: key } }
    const text = `(async () => {${textOf('typescript', place)}})()`
    runInNewContext(text, { fetch, process, console: { log: () => undefined } })
    return fetched
  },
  python: (place) => JSON.parse(python(textOf('python', place)).split('\n')[0]!),
}

const added = ['mcp', 'add', '--scope', 'user', '--transport', 'http']

const want: Record<AgentClientId, (mcp: string, capability: string) => unknown> = {
  'claude-code': (mcp) => [...added, 'gate', mcp, '--header', `Authorization: ${authorization}`],
  codex: (mcp) => ({ mcp_servers: { gate: { url: mcp, http_headers: headers } } }),
  gemini: (mcp) => [...added, '--header', `Authorization: ${authorization}`, 'gate', mcp],
  cursor: (mcp) => ({ mcpServers: { gate: { url: mcp, headers } } }),
  vscode: (mcp) => [
    {
      inputs: [{ type: 'promptString', id: 'gate-key', description: 'API key of the gate', password: true }],
      servers: { gate: { type: 'http', url: mcp, headers: { Authorization: 'Bearer ${input:gate-key}' } } },
    },
    key,
  ],
  opencode: (mcp) => ({
    $schema: 'https://opencode.ai/config.json',
    mcp: { gate: { type: 'remote', url: mcp, oauth: false, headers, enabled: true } },
  }),
  chatgpt: () => 'https://gate.example/mcp',
  'claude-ai': () => 'https://gate.example/mcp',
  rest: (_mcp, capability) => [
    [`GATE_KEY=${key}`],
    ['-sS', capability, '-H', `Authorization: ${authorization}`],
  ],
  typescript: (_mcp, capability) => [capability, { headers }],
  python: (_mcp, capability) => [capability, authorization],
}

testRows(
  [
    'https://gate.example.com',
    'http://127.0.0.1:8787',
    'http://[::1]:8787',
    'https://gate.example.com/behind/a/proxy',
    'https://gate.example.com/$(touch%20x)/`id`/$HOME/a;b&c(d)|e*?f',
  ].flatMap((url) => agentClientIds.map((id): [string, AgentClientId] => [url, id])),
)('a client reads the address and the key from its lines as they are', (url, id) => {
  const place = { url, key, hostedUrl: 'https://gate.example/mcp' }
  expect(read[id](place)).toEqual(want[id](`${url}/api/mcp`, `${url}/api/v1/capability`))
})

test('an address with quotes breaks out of no line', () => {
  const place = { url: `https://gate.example/'"\\`, key }
  for (const id of agentClientIds.filter((one) => agentClients[one].is === 'program'))
    expect(read[id](place)).toEqual(want[id](`${place.url}/api/mcp`, ''))
  for (const id of ['rest', 'typescript', 'python'] as const)
    expect(read[id](place)).toEqual(want[id]('', `${place.url}/api/v1/capability`))
})

test('a hosted agent has no lines where the gate has no address for it, and never the key', () => {
  for (const { is, lines } of Object.values(agentClients).filter((one) => one.is === 'hosted')) {
    expect([is, lines({ url: 'https://gate.example', key })]).toEqual(['hosted', []])
    const text = JSON.stringify(
      lines({ url: 'https://gate.example', key, hostedUrl: 'https://gate.example/mcp' }),
    )
    expect(text).not.toContain(key)
  }
})
