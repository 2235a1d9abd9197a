import { z } from 'zod'
import {
  accountId,
  flag,
  folder,
  host,
  httpUrl,
  keyRing,
  logKeys,
  origin,
  postgresUrl,
  previewHost,
  says,
  text,
  whole,
} from './forms.ts'
import { outward, telemetry, temporal } from './outward-variables.ts'
import { mail, sandbox, slack, stripe } from './provider-variables.ts'
import { limits } from '../limits.ts'

/** Groups of tools that an MCP client is offered. */
export const toolGroups = [
  'gate',
  'executor',
  'billing',
  'integration',
  'workspace',
  'preview',
  'kinds',
] as const
export type ToolGroup = (typeof toolGroups)[number]

const toolList = z
  .string()
  .transform((list) => list.split(',').map((part) => part.trim()))
  .pipe(z.array(z.enum(toolGroups, `must be a comma-separated list of ${toolGroups.join(', ')}`)))
  .meta({ form: 'comma list' })

const address = {
  HOST: host.default('127.0.0.1').meta(says('Where the API listens.')),
  PORT: whole(0, 65_535).default(8787).meta(says('Port of the API. 0 takes any free port.')),
  WORKER_PORT: whole(0, 65_535)
    .default(8788)
    .meta(says('Where the worker answers `/healthz` and `/readyz`.')),
  PUBLIC_URL: httpUrl
    .optional()
    .meta(
      says(
        'Base of the links that people get, the same for every process; required for workers if `PORT` is 0. Only its origin may reach `/api/mcp` from a browser. The console needs https without a path, or loopback.',
        '`http://HOST:PORT`',
      ),
    ),
  OAUTH_URL: origin
    .optional()
    .meta(
      says(
        'The address at which hosted agents sign in and reach `/mcp`: https without a path, or loopback. Its host alone serves `/mcp`, `/oauth` and their metadata. [Connect an app](connected-apps.md)',
        'nobody connects an app: all of it is 404',
      ),
    ),
  TRUST_PROXY: text
    .meta({ form: 'number, addresses or networks, `true`' })
    .optional()
    .meta(
      says(
        'The proxies in front of the service: how many (`1`), or their addresses or networks (`10.0.0.0/8,127.0.0.1`). `true` believes any address that a caller sends: use it only if nothing but the proxy reaches the port.',
        'none: `X-Forwarded-For` is ignored',
      ),
    ),
}

const storage = {
  DATABASE_URL: postgresUrl
    .optional()
    .meta(says("PostgreSQL 15 or newer, with the service's own role.", '`npm start` brings its own')),
  DATABASE_OWNER_URL: postgresUrl
    .optional()
    .meta(
      says(
        'The role that migrates: it owns the database and may create roles. Another one than that of `DATABASE_URL`.',
        'none',
      ),
    ),
  DATA_DIR: folder
    .default('.data')
    .meta(
      says(
        'Where the embedded services keep everything, and a worker what its previews need. A relative path counts from the folder of the program.',
      ),
    ),
  WORKSPACE_ROOT: folder
    .optional()
    .meta(
      says(
        'Files of conversations, the same folder for every API process and worker.',
        '`DATA_DIR/workspaces`',
      ),
    ),
  SECRETS_KEYS: keyRing
    .optional()
    .meta(
      says(
        'Encrypts what accounts connect, the keys that sign receipts, and what runner keys sign with. The first key writes, the others are read until `gate secrets rewrap`. Make one with `openssl rand -base64 32`.',
        'nothing can be connected, and there are no receipts. With the embedded database, `npm start` makes a key in `DATA_DIR/secrets.json`',
      ),
    ),
  LEDGER_KEY: logKeys
    .optional()
    .meta(
      says(
        'Signs the seals of the ledgers, where processes share no `DATA_DIR`. [Rotate it](sealing.md#keys-of-the-log)',
        'the first process that seals makes a key below `DATA_DIR/ledger`',
      ),
    ),
  LEDGER_STATE: folder
    .optional()
    .meta(
      says(
        'Where a process records the last seal that it signed. Keep it on a volume that is never restored with the database: [Rollback](sealing.md#rollback)',
        '`DATA_DIR/ledger`',
      ),
    ),
  SEAL_LEDGERS: flag
    .default(true)
    .meta(
      says(
        '0: a worker seals no ledgers, because `npm run sealer` does. [Run the sealer apart](sealing.md#run-it-apart)',
      ),
    ),
  WITNESS_POLICY: text
    .meta({ form: 'policy text or file' })
    .optional()
    .meta(
      says(
        'Who [witnesses](sealing.md#run-a-witness) the seals: a trust policy (C2SP tlog-policy), or the path of a file with one. Each witness with a URL, https or loopback, is asked to cosign every epoch.',
        'no witness is asked',
      ),
    ),
}

const previews = {
  PREVIEW_HOST: previewHost.default('localhost').meta(says('The name below which a worker shows previews.')),
  PREVIEW_PORT: whole(0, 65_535)
    .optional()
    .meta(says('Port of the previews of a worker.', '8789, or any free port if it is taken')),
  PREVIEW_URL: httpUrl
    .optional()
    .meta(
      says(
        "The base that viewers use behind a proxy, `https://preview.example`, on another domain than the service's, one for each worker: [Set up a reverse proxy](operating.md#set-up-a-reverse-proxy)",
        '`http://PREVIEW_HOST:PREVIEW_PORT`',
      ),
    ),
  PREVIEWS_PER_ACCOUNT: whole(1, limits.previewsPerAccountMax)
    .default(limits.previewsPerAccount)
    .meta(says('Previews of one account at the same time.')),
  PREVIEWS_PER_HOST: whole(1, limits.previewsPerHostMax)
    .default(limits.previewsPerHost)
    .meta(says('Previews of one worker at the same time.')),
  PREVIEW_BOOT_MS: whole(1, limits.previewBootMsMax)
    .default(limits.previewBootMs)
    .meta(says('Time limit for a preview to start.')),
  PREVIEW_IDLE_MS: whole(1, limits.previewTotalMs)
    .default(limits.previewIdleMs)
    .meta(says('A preview ends after this time without a request from a viewer.')),
  PREVIEW_HARD_MS: whole(1, limits.previewTotalMs)
    .default(limits.previewHardMs)
    .meta(
      says(
        'A preview ends after this time. Another `start_preview` restarts the time, up to 8 hours in all.',
      ),
    ),
  PREVIEW_COMMAND_ENABLED: flag
    .default(false)
    .meta(
      says('1: previews may run what was built, isolated by bubblewrap. Linux only, not in the containers.'),
    ),
  PREVIEW_MEMORY_MB: whole(limits.previewMemoryMiBMin, limits.previewMemoryMiBMax)
    .default(512)
    .meta(says('Memory of all that runs in such a preview, including what it writes.')),
  PREVIEW_CPU_SECONDS: whole(1, limits.previewCpuSecondsMax)
    .default(600)
    .meta(says('Processor time of each of its processes.')),
}

const behaviour = {
  TOOLS: toolList.default([...toolGroups]).meta(says('Tool groups that are served over MCP.')),
  CONFIRM_WAIT_MS: whole(0, limits.confirmWaitMsMax)
    .default(25_000)
    .meta(says('How long a confirm waits for the execution before it answers 202.')),
  CONFIRM_SIGNAL_MS: whole(1, limits.confirmSignalMsMax)
    .default(limits.temporalSignalMs)
    .meta(
      says(
        'How long a confirm waits for Temporal to take its signal, before it answers 202. Set more for a distant Temporal.',
      ),
    ),
  DRAIN_SECONDS: whole(0, limits.drainSecondsMax)
    .default(limits.drainSecondsDefault)
    .meta(
      says('How long the API goes on serving after SIGTERM: longer than a load balancer takes to notice.'),
    ),
  RATE_LIMIT_PER_MINUTE: whole(0, 10_000_000)
    .default(1_200)
    .meta(
      says(
        'Requests of an API key, the same in all processes. 0: off. [Shared limits](performance.md#limit-the-requests-of-a-key)',
      ),
    ),
  ...outward,
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .meta(says('What is logged.')),
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('development')
    .meta(says('`production` leaves the sandbox and checks that nothing is missing. The image sets it.')),
}

const commandLine = {
  GATE_ACCOUNT: accountId
    .optional()
    .meta(says('The account of a command without `--account`. Only `gate` uses it.', 'the only account')),
  GATE_KEY: text.optional().meta(says('The API key of a command with `--url`. Only `gate` uses it.', 'none')),
}

/** The variables by subject, as `docs/configuration.md` lists them. */
export const environmentSubjects = {
  Address: address,
  'Database, files and secrets': storage,
  Temporal: temporal,
  Sandbox: sandbox,
  Slack: slack,
  'E-mail': mail,
  Stripe: stripe,
  Previews: previews,
  Telemetry: telemetry,
  Behaviour: behaviour,
  'Command line': commandLine,
}

/** Every environment variable that the service reads. `npm run docs:tables` makes their page from this. */
export const environment = z.object({
  ...address,
  ...storage,
  ...temporal,
  ...sandbox,
  ...slack,
  ...mail,
  ...stripe,
  ...previews,
  ...telemetry,
  ...behaviour,
  ...commandLine,
})
