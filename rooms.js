// The rooms of the house, bottom up, and what each may import of the others: the one table that the lint walls
// (oxlint.config.js), the test of the walls and docs/architecture.md go by. A room imports only rooms above it in this list,
// so there is no circle.

/** @param {string} text */
const list = (text) => text.split(' ').filter(Boolean)

/**
 * `imports`: rooms and modules of src that the room may import, types included.
 * `packages`: restricted packages that it may use: see `restrictedPackages`.
 * @type {Record<string, { is: string, imports: string[], packages?: string[] }>}
 */
export const rooms = {
  gate: {
    is: 'pure decisions: tier, policy, consent, money, lifecycle; no clock, no input, no output',
    imports: list(''),
  },
  text: {
    is: 'text made safe to show: escaped, quoted, invisible characters written out',
    imports: list('limits'),
  },
  waiting: {
    is: 'deadlines, time limits, loops, and promises in groups',
    imports: list(''),
  },
  network: {
    is: 'hosts and addresses: which are of this machine, public, or in a network; where links to this service lead',
    imports: list(''),
  },
  keys: { is: 'API keys and link tokens: minted, parsed, hashed; what a key may do', imports: list('gate') },
  secrets: { is: 'sealing of stored credentials under the key ring', imports: list('limits') },
  executors: {
    is: 'signed calls to addresses that are not ours: checked, pinned, bounded',
    imports: list('gate waiting limits network'),
  },
  environment: {
    is: 'the environment variables: their form, default and meaning, as docs/configuration.md lists them',
    imports: list('secrets limits'),
  },
  workspaces: {
    is: 'folders of conversations: bounded, read-only, no way out',
    imports: list('errors limits'),
  },
  db: {
    is: 'every SQL text of the service: migrations, functions, one function a statement',
    imports: list('gate waiting keys secrets errors limits root'),
    packages: ['postgres'],
  },
  ledger: {
    is: 'the hash chain: digests, verification, export, anchors',
    imports: list('gate db errors limits'),
  },
  'data-dir': {
    is: 'what DATA_DIR holds: the run file, the key ring',
    imports: list('secrets system-process limits'),
  },
  seals: {
    is: 'signed checkpoints of the ledger: Merkle tree, signed notes, sealer, witnesses',
    imports: list('db ledger data-dir errors limits network root'),
  },
  receipts: {
    is: 'receipts of consent: their claims, signature and keys',
    imports: list('gate secrets db ledger kept errors limits'),
  },
  runners: {
    is: 'the hooks of agent runners: what each reports, and the answer in its form',
    imports: list('gate text issue-words limits'),
  },
  providers: {
    is: 'Slack, Resend and Stripe behind their SDKs: each call ends as done, not done or unknown',
    imports: list('gate text waiting config errors limits network'),
    packages: ['slack', 'resend', 'stripe'],
  },
  integrations: {
    is: 'the credentials that accounts connect: checked, opened, cached',
    imports: list('gate secrets db providers config errors limits'),
  },
  upstreams: {
    is: 'MCP servers behind the gate: connected, listed, pinned, called',
    imports: list('gate waiting secrets executors db config kept limits version'),
    packages: ['mcp'],
  },
  temporal: {
    is: "Temporal's client, names, and the relay of the outbox",
    imports: list('waiting db config limits root'),
    packages: ['temporal client', 'temporal worker'],
  },
  actions: {
    is: 'one folder a governed kind: payload, clearance, steps, result, tool',
    imports: list(
      'gate text waiting db ledger executors providers integrations upstreams temporal config errors limits kept',
    ),
  },
  consent: {
    is: 'what a member is shown and asked before they decide: cards and notices',
    imports: list('gate text db ledger providers actions limits'),
  },
  previews: {
    is: 'runs the preview of a workspace inside walls, and proxies viewers to it',
    imports: list('gate waiting keys workspaces db ledger config errors limits root system-process'),
  },
  operations: {
    is: 'one file a verb, by subject: what REST, MCP, the console and the command line call',
    imports: list(
      'gate text waiting network keys secrets executors workspaces db ledger seals receipts providers integrations upstreams temporal actions consent previews config errors issue-words kept limits deps',
    ),
  },
  web: {
    is: 'what the console and the link pages share: HTML, forms, cookies, rate limits, errors as pages',
    imports: list('keys text consent errors limits deps'),
  },
  transports: {
    is: 'REST, MCP, OpenAPI, llms.txt and Slack interactions: loops over the registry of operations',
    imports: list(
      'gate waiting runners providers upstreams consent operations web config errors limits deps version',
    ),
  },
  'link-pages': {
    is: 'pages behind a link in a message: decide, connect a provider, end of a checkout',
    imports: list('gate consent operations web transports errors limits deps'),
  },
  console: {
    is: 'the pages of administrators and members, by subject',
    imports: list('gate keys text ledger previews operations web transports errors limits network root deps'),
  },
  cli: {
    is: 'gate <noun> <verb>: reads arguments, calls operations, prints',
    imports: list(
      'gate text network secrets workspaces db ledger data-dir seals upstreams temporal actions operations config errors limits version',
    ),
  },
  workers: {
    is: 'starts the Temporal workers, the relay and the preview host of a process',
    imports: list('waiting temporal previews operations activities limits root deps'),
    packages: ['temporal worker'],
  },
}

/**
 * Rooms of dev: what `npm start` needs beside src, and the image does not contain. They import of src what they list.
 * @type {typeof rooms}
 */
export const devRooms = {
  sandbox: {
    is: 'stand-ins of Slack, Resend and Stripe for a start without credentials',
    imports: list('gate keys text providers config deps limits log shutdown'),
  },
  embedded: {
    is: 'PostgreSQL and Temporal started by `npm start`, and the demo account',
    imports: list('gate keys workspaces db temporal operations data-dir root system-process limits'),
    packages: ['postgres', 'temporal client'],
  },
}

/** Modules of src beside the rooms, each a file. */
export const modules = list(
  'api app background-tasks cli config deps errors issue-words kept limits log long-polls root shutdown ' +
    'system-process version worker',
)

/** The one file of src that imports of dev: it loads the stand-ins late, and only where they are asked for. */
export const standInsLoader = 'src/worker.ts'

/** @type {Record<string, { regex: string, at: string }>} */
export const restrictedPackages = {
  postgres: { regex: '^postgres(/|$)', at: 'src/db' },
  slack: { regex: '^@slack/', at: 'src/providers' },
  resend: { regex: '^resend(/|$)', at: 'src/providers' },
  stripe: { regex: '^stripe(/|$)', at: 'src/providers' },
  'temporal client': { regex: '^@temporalio/client(/|$)', at: 'src/temporal' },
  'temporal worker': { regex: '^@temporalio/worker(/|$)', at: 'src/workers and src/temporal' },
  'temporal workflow': { regex: '^@temporalio/workflow(/|$)', at: 'workflows' },
  mcp: {
    regex: '^@modelcontextprotocol/',
    at: 'src/transports/mcp and src/upstreams',
  },
  process: { regex: '^(node:)?process$', at: 'nowhere: src/config.ts reads process.env' },
}
