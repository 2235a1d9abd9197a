// The rooms of the house, bottom up, and what each may import of the others: the one table that the lint walls
// (oxlint.config.js), the test of the walls and docs/architecture.md go by. A room imports only rooms above it in this list,
// so there is no circle.

/** @param {string} text */
const list = (text) => text.split(' ').filter(Boolean)

/**
 * `imports`: rooms and modules of src that the room may import, types included.
 * `packages`: restricted packages that it may use: see `restrictedPackages`.
 * `floors`: the folders and files of a large room.
 * @type {Record<string, { is: string, imports: string[], packages?: string[], floors?: string[][] }>}
 */
export const rooms = {
  gate: {
    is: 'pure decisions: tier, policy, consent, money, lifecycle; no clock, no input, no output',
    imports: list(''),
  },
  text: {
    is: 'text made safe to show: escaped, quoted, invisible characters written out',
    imports: list(''),
  },
  process: {
    is: 'the program as a process: its folder, version and end; and other processes of the system',
    imports: list(''),
  },
  waiting: {
    is: 'what takes a while: deadlines, loops, promises in groups, tasks after an answer, values kept for a time',
    imports: list('errors limits'),
  },
  network: {
    is: 'hosts and addresses: which are of this machine, public, or in a network; where links to this service lead',
    imports: list(''),
  },
  keys: {
    is: 'API keys and link tokens: minted, parsed, hashed; what a key may do; how each client is given one',
    imports: list('gate'),
  },
  secrets: { is: 'sealing of stored credentials under the key ring', imports: list('') },
  executors: {
    is: 'signed calls to addresses that are not ours: checked, pinned, bounded',
    imports: list('gate waiting network limits'),
  },
  company: {
    is: 'OpenID providers of accounts: found, asked, and their tokens checked',
    imports: list('gate executors network limits'),
    packages: ['openid'],
  },
  environment: {
    is: 'the environment variables: their form, default and meaning, as docs/configuration.md lists them',
    imports: list('network secrets limits'),
  },
  workspaces: {
    is: 'folders of conversations: bounded, read-only, no way out',
    imports: list('errors limits'),
  },
  db: {
    is: 'every SQL text of the service: migrations, functions, one function a statement',
    imports: list('gate process waiting keys secrets errors limits'),
    packages: ['postgres'],
  },
  ledger: {
    is: 'the hash chain: digests, verification, export, anchors',
    imports: list('gate db errors limits'),
  },
  'data-dir': {
    is: 'what DATA_DIR holds: the run file, the key ring',
    imports: list('process secrets limits'),
  },
  seals: {
    is: 'signed checkpoints of the ledger: Merkle tree, signed notes, sealer, witnesses',
    imports: list('process network db ledger data-dir errors limits'),
  },
  receipts: {
    is: 'receipts of consent: their claims, signature and keys',
    imports: list('gate waiting secrets db ledger errors limits'),
  },
  push: {
    is: 'messages to browsers through their push services: encrypted, signed by the key of the service',
    imports: list('waiting secrets executors db limits'),
  },
  'runner-hooks': {
    is: 'the hooks of agent runners: what each reports, and the answer in its form',
    imports: list('gate text limits'),
  },
  providers: {
    is: 'Slack, Resend, mail servers, Microsoft Teams and Stripe: each call ends as done, not done or unknown',
    imports: list('gate text waiting network executors config errors limits'),
    packages: ['slack', 'resend', 'smtp', 'stripe', 'openid'],
  },
  integrations: {
    is: 'the credentials that accounts connect: checked, opened, cached',
    imports: list('gate secrets db providers config errors limits'),
  },
  upstreams: {
    is: 'MCP servers behind the gate: connected, listed, pinned, called',
    imports: list('gate process waiting secrets executors db config limits'),
    packages: ['mcp'],
  },
  temporal: {
    is: "Temporal's client, names, and the relay of the outbox",
    imports: list('process waiting db config limits'),
    packages: ['temporal client', 'temporal worker', 'telemetry'],
  },
  actions: {
    is: 'one folder a governed kind: payload, amount, steps, result, tool; what may be done is judged elsewhere',
    imports: list(
      'gate text waiting executors db ledger providers integrations upstreams temporal config errors limits',
    ),
  },
  telemetry: {
    is: 'what a process tells about itself: metrics for Prometheus, traces for OpenTelemetry',
    imports: list('process waiting network db executors providers temporal actions config limits'),
    packages: ['telemetry', 'temporal client', 'temporal worker'],
  },
  consent: {
    is: 'what a member is shown and asked before they decide: cards and notices',
    imports: list('gate text db ledger providers actions limits'),
  },
  previews: {
    is: 'runs the preview of a workspace inside walls, and proxies viewers to it',
    imports: list('process waiting keys workspaces db ledger config errors limits'),
  },
  operations: {
    is: 'one file a verb, by subject: what REST, MCP, the console and the command line call',
    imports: list(
      'gate text waiting network keys secrets executors company workspaces db ledger seals receipts push providers integrations upstreams temporal actions consent previews config errors limits deps',
    ),
    // Bottom up: each imports only those of the floors below its own, types included.
    floors: [
      'absent-fields',
      'admin-context consent-schema csv diff-lines ids mail-notice names-of-ids operation parse refusal-of-error',
      'approvers require-account retry-stale schemas shown-kinds whole-number',
      'authenticate entered-fields idempotency key-powers sign-in accounts curricula',
      'refused-write actions admins',
      'require-key-kind policy',
      'members kinds apps passkeys devices',
      'clearance company delegations groups keys payments workspaces',
      'consent directory',
      'proposals decisions audit',
      'approval-rules break-glass claims integrations mandates notices previews runner-calls seals upstreams',
      'events',
      'administration',
      'maintenance readiness run-operation registry',
    ].map(list),
  },
  web: {
    is: 'what the console and the link pages share: HTML, forms, cookies, rate limits, errors as pages',
    imports: list('text process keys telemetry consent errors limits deps'),
  },
  transports: {
    is: 'REST, MCP, OpenAPI, llms.txt and presses in chats: loops over the registry of operations',
    imports: list(
      'gate process waiting keys runner-hooks providers upstreams consent operations web config errors limits deps',
    ),
  },
  'link-pages': {
    is: 'pages behind a link in a message: decide, connect a provider, end of a checkout',
    imports: list('gate consent operations web transports errors deps'),
  },
  console: {
    is: 'the pages of administrators and members, by subject',
    imports: list(
      'gate text process network keys ledger previews operations web transports errors limits deps',
    ),
  },
  cli: {
    is: 'gate <noun> <verb>: reads arguments, calls operations, prints',
    imports: list(
      'gate text process network keys secrets company workspaces db ledger data-dir seals upstreams temporal actions operations config errors limits',
    ),
  },
  workers: {
    is: 'starts the Temporal workers, the relay and the preview host of a process',
    imports: list('process waiting network temporal previews operations activities limits deps'),
    packages: ['temporal worker'],
  },
}

/**
 * Rooms of dev: what `npm start` needs beside src, and the image does not contain. They import of src what they list.
 * @type {typeof rooms}
 */
export const devRooms = {
  sandbox: {
    is: 'stand-ins of Slack, Resend, Microsoft Teams and Stripe for a start without credentials',
    imports: list('gate text process keys providers config limits deps log'),
  },
  embedded: {
    is: 'PostgreSQL and Temporal started by `npm start`, and the demo account',
    imports: list('gate process keys workspaces db data-dir temporal operations limits'),
    packages: ['postgres', 'temporal client'],
  },
}

/** Modules of src beside the rooms, each a file. */
export const modules = list('api app cli config deps errors limits log sealer worker')

/** The one file of src that imports of dev: it loads the stand-ins late, and only where they are asked for. */
export const standInsLoader = 'src/worker.ts'

/** @type {Record<string, { regex: string, at: string }>} */
export const restrictedPackages = {
  postgres: { regex: '^postgres(/|$)', at: 'src/db' },
  slack: { regex: '^@slack/', at: 'src/providers' },
  resend: { regex: '^resend(/|$)', at: 'src/providers' },
  smtp: { regex: '^nodemailer(/|$)', at: 'src/providers' },
  stripe: { regex: '^stripe(/|$)', at: 'src/providers' },
  'temporal client': { regex: '^@temporalio/client(/|$)', at: 'src/temporal' },
  'temporal worker': { regex: '^@temporalio/worker(/|$)', at: 'src/workers and src/temporal' },
  'temporal workflow': { regex: '^@temporalio/workflow(/|$)', at: 'workflows' },
  mcp: {
    regex: '^@modelcontextprotocol/',
    at: 'src/transports/mcp and src/upstreams',
  },
  openid: { regex: '^(openid-client|oauth4webapi|jose)(/|$)', at: 'src/company and src/providers' },
  telemetry: {
    regex: '^(prom-client|@opentelemetry/.+|@temporalio/interceptors-opentelemetry)(/|$)',
    at: 'src/telemetry, and the bundle in src/temporal',
  },
  process: { regex: '^(node:)?process$', at: 'nowhere: src/config.ts reads process.env' },
}
