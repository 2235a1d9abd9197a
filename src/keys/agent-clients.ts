// The programs that people connect to the gate, and what each is given: the one table that the console, the command line,
// `npm start` and docs/connect-an-agent.md read.

/** Where the gate is, and the key: it goes into a line as it is, so `$KEY` stands for it in a shell. */
export interface GatePlace {
  /** The public address of the gate, without a slash at the end. */
  url: string
  key: string
  /** Where a hosted agent signs in. Absent: the gate has no such address. */
  hostedUrl?: string | undefined
}

/** Lines to paste. */
export interface Lines {
  /** Where they go. Text in backticks is a command or a file. */
  says: string
  format: 'sh' | 'json' | 'toml' | 'js' | 'python' | 'text'
  text: string
}

interface AgentClient {
  name: string
  /** `program`: it sends the key in a header. `hosted`: it takes an address and signs in there. `code`: your own. */
  is: 'program' | 'hosted' | 'code'
  lines(place: GatePlace): Lines[]
  /** How its user sees that it is connected. */
  check: string
}

export const agentClientIds = [
  'claude-code',
  'codex',
  'gemini',
  'cursor',
  'vscode',
  'opencode',
  'chatgpt',
  'claude-ai',
  'rest',
  'typescript',
  'python',
] as const
export type AgentClientId = (typeof agentClientIds)[number]

export const agentClients: Record<AgentClientId, AgentClient> = {
  'claude-code': {
    name: 'Claude Code',
    is: 'program',
    lines: (place) => [
      {
        says: 'Run this in a terminal. Without `--scope user`, it is for the project of this folder only.',
        format: 'sh',
        text: `claude mcp add --scope user --transport http gate ${word(mcpOf(place))} --header "${headerOf(place)}"`,
      },
    ],
    check: '`claude mcp list` says “Connected”.',
  },
  codex: {
    name: 'Codex',
    is: 'program',
    lines: (place) => [
      {
        says: 'Add this to `~/.codex/config.toml`, for the command line, the app and the editor.',
        format: 'toml',
        text: [
          '[mcp_servers.gate]',
          `url = ${quoted(mcpOf(place))}`,
          `http_headers = { Authorization = ${quoted(`Bearer ${place.key}`)} }`,
        ].join('\n'),
      },
    ],
    check: '`/mcp` in Codex lists the tools of the gate.',
  },
  gemini: {
    name: 'Gemini CLI',
    is: 'program',
    lines: (place) => [
      {
        says: 'Run this in a terminal. Without `--scope user`, it is for the project of this folder only.',
        format: 'sh',
        text: `gemini mcp add --scope user --transport http --header "${headerOf(place)}" gate ${word(mcpOf(place))}`,
      },
    ],
    check: '`gemini mcp list` says “Connected”, in a folder that you trust.',
  },
  cursor: {
    name: 'Cursor',
    is: 'program',
    lines: (place) => [
      {
        says: 'Add this to `~/.cursor/mcp.json`, or to `.cursor/mcp.json` of one project.',
        format: 'json',
        text: json({ mcpServers: { gate: { url: mcpOf(place), headers: headersOf(place) } } }),
      },
    ],
    check: 'The settings of Cursor list the tools of the gate under MCP.',
  },
  vscode: {
    name: 'VS Code',
    is: 'program',
    lines: (place) => [
      {
        says: 'Add this to `.vscode/mcp.json` of a project, or to the file that “MCP: Open User Configuration” opens.',
        format: 'json',
        text: json({
          inputs: [
            { type: 'promptString', id: 'gate-key', description: 'API key of the gate', password: true },
          ],
          servers: {
            gate: {
              type: 'http',
              url: mcpOf(place),
              headers: { Authorization: `Bearer ${vscodeInput}` },
            },
          },
        }),
      },
      {
        says: 'Start the server from that file. VS Code asks for the key once and stores it encrypted:',
        format: 'text',
        text: place.key,
      },
    ],
    check: '“MCP: List Servers” says “Running”.',
  },
  opencode: {
    name: 'OpenCode',
    is: 'program',
    lines: (place) => [
      {
        says: 'Add this to `~/.config/opencode/opencode.json`, or to `opencode.json` of one project.',
        format: 'json',
        text: json({
          $schema: 'https://opencode.ai/config.json',
          mcp: {
            gate: {
              type: 'remote',
              url: mcpOf(place),
              oauth: false,
              headers: headersOf(place),
              enabled: true,
            },
          },
        }),
      },
    ],
    check: '`opencode mcp list` says “connected”.',
  },
  chatgpt: {
    name: 'ChatGPT',
    is: 'hosted',
    lines: ({ hostedUrl }) =>
      hosted(
        hostedUrl,
        'In the settings, under connectors, turn on the developer mode and create a connector with this address.',
      ),
    check: 'ChatGPT opens a page of the gate: sign in, and allow it to act for you.',
  },
  'claude-ai': {
    name: 'claude.ai',
    is: 'hosted',
    lines: ({ hostedUrl }) =>
      hosted(hostedUrl, 'In the settings, under connectors, add a custom connector with this address.'),
    check: 'claude.ai opens a page of the gate: sign in, and allow it to act for you.',
  },
  rest: {
    name: 'REST',
    is: 'code',
    lines: (place) => [
      keyInShell(place),
      {
        says: 'Ask what the agent may do. A key of several members also names one: `?email=ada@example.com`.',
        format: 'sh',
        text: `curl -sS ${word(capabilityOf(place))} -H "Authorization: Bearer $GATE_KEY"`,
      },
    ],
    check: 'The answer is the tier of the member.',
  },
  typescript: {
    name: 'TypeScript',
    is: 'code',
    lines: (place) => [
      keyInShell(place),
      {
        says: 'Ask what the agent may do. No package is needed.',
        format: 'js',
        text: [
          `const answer = await fetch(${singleQuoted(capabilityOf(place))}, {`,
          '  headers: { Authorization: `Bearer ${process.env.GATE_KEY}` },',
          '})',
          'console.log(answer.status, await answer.json())',
        ].join('\n'),
      },
    ],
    check: 'It prints 200 and the tier of the member.',
  },
  python: {
    name: 'Python',
    is: 'code',
    lines: (place) => [
      keyInShell(place),
      {
        says: 'Ask what the agent may do. No package is needed.',
        format: 'python',
        text: [
          'import json, os, urllib.request',
          '',
          'request = urllib.request.Request(',
          `    ${quoted(capabilityOf(place))},`,
          '    headers={"Authorization": f"Bearer {os.environ[\'GATE_KEY\']}"},',
          ')',
          'print(json.load(urllib.request.urlopen(request)))',
        ].join('\n'),
      },
    ],
    check: 'It prints the tier of the member.',
  },
}

/** What stands for the key where none is known. */
export const keyPlaceholder = 'YOUR_KEY'

/** What VS Code fills in itself. */
const vscodeInput = '${input:gate-key}'

const mcpOf = ({ url }: GatePlace): string => `${url}/api/mcp`
const capabilityOf = ({ url }: GatePlace): string => `${url}/api/v1/capability`
const headerOf = ({ key }: GatePlace): string => `Authorization: Bearer ${key}`
const headersOf = ({ key }: GatePlace) => ({ Authorization: `Bearer ${key}` })

const keyInShell = ({ key }: GatePlace): Lines => ({
  says: 'Give the key to your program as an environment variable, so that it is in no file of yours.',
  format: 'sh',
  text: `export GATE_KEY=${key}`,
})

const hosted = (url: string | undefined, says: string): Lines[] =>
  url === undefined ? [] : [{ says, format: 'text', text: url }]

const json = (value: object): string => JSON.stringify(value, null, 2)

// A basic string of TOML and a string of Python escape as JSON does.
const quoted = (text: string): string => JSON.stringify(text)

const singleQuoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`

/** One word of a POSIX shell. */
const word = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
