import { join, resolve } from 'node:path'
import { z } from 'zod'
import { limits } from './limits.ts'
import { projectRoot } from './root.ts'
import { keyRingFault } from './secrets/key-ring.ts'

const whole = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max))
const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be a number, 0 or more')
  .transform(Number)
  .pipe(z.number().max(10_000))
const flag = z.enum(['0', '1', 'true', 'false'], 'must be 0 or 1').transform((v) => v === '1' || v === 'true')
const url = (protocols: RegExp) => z.url({ protocol: protocols, error: 'must be an absolute URL' })
const httpUrl = url(/^https?$/)
const postgresUrl = url(/^postgres(ql)?$/)

/** The groups of MCP tools. */
export const toolGroups = ['gate', 'billing', 'integration', 'workspace', 'preview'] as const
export type ToolGroup = (typeof toolGroups)[number]

const toolList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(z.enum(toolGroups, `must be a comma-separated list of ${toolGroups.join(', ')}`)))

const keyRing = z.string().superRefine((text, context) => {
  const fault = keyRingFault(text)
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
})

/** Every environment variable that the service reads. */
export const environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: whole(0, 65_535).default(8787),
  WORKER_PORT: whole(0, 65_535).default(8788),
  SANDBOX_PORT: whole(0, 65_535).default(8799),
  SANDBOX_URL: httpUrl.optional(),
  SANDBOX_GATE_URL: httpUrl.optional(),
  PUBLIC_URL: httpUrl.optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_OWNER_URL: postgresUrl.optional(),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s:/]+:\d+$/, 'must be host:port')
    .optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_UI_URL: httpUrl.optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  WORKSPACE_ROOT: z.string().min(1).optional(),
  SLACK_BOT_TOKEN: z.string().min(1).optional(),
  SLACK_API_URL: httpUrl.optional(),
  SLACK_RATE_PER_SECOND: decimal.default(3),
  SLACK_SIGNING_SECRET: z.string().min(16, 'must be the signing secret of the Slack app').optional(),
  SLACK_CLIENT_ID: z.string().min(1).optional(),
  SLACK_CLIENT_SECRET: z.string().min(1).optional(),
  RESEND_API_KEY: z.string().min(1).optional(),
  RESEND_BASE_URL: httpUrl.optional(),
  RESEND_RATE_PER_SECOND: decimal.default(2),
  MAIL_FROM: z.string().min(3).max(320).optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_\w+$/, 'must be a secret or restricted key (sk_… or rk_…)')
    .optional(),
  STRIPE_API_BASE: httpUrl.optional(),
  SECRETS_KEYS: keyRing.optional(),
  PREVIEW_COMMAND_ENABLED: flag.default(false),
  PREVIEW_MEMORY_MB: whole(limits.previewMemoryMiBMin, limits.previewMemoryMiBMax).default(512),
  PREVIEW_CPU_SECONDS: whole(1, limits.previewCpuSecondsMax).default(600),
  TOOLS: toolList.default([...toolGroups]),
  PREVIEW_HOST: z
    .string()
    .max(limits.previewHostCharsMax)
    .regex(/^(?!-)[a-z0-9-]+(\.(?!-)[a-z0-9-]+)*$/, 'must be a host name in lower case')
    .regex(/[a-z]/, 'must be a host name, not an IP address: each preview gets a subdomain')
    .default('localhost'),
  PREVIEW_PORT: whole(0, 65_535).optional(),
  PREVIEW_URL: httpUrl.optional(),
  PREVIEWS_PER_ACCOUNT: whole(1, limits.previewsPerAccountMax).default(limits.previewsPerAccount),
  PREVIEWS_PER_HOST: whole(1, limits.previewsPerHostMax).default(limits.previewsPerHost),
  PREVIEW_BOOT_MS: whole(1, limits.previewBootMsMax).default(limits.previewBootMs),
  PREVIEW_IDLE_MS: whole(1, limits.previewTotalMs).default(limits.previewIdleMs),
  PREVIEW_HARD_MS: whole(1, limits.previewTotalMs).default(limits.previewHardMs),
  CONFIRM_SIGNAL_MS: whole(1, limits.confirmSignalMsMax).default(limits.temporalSignalMs),
  CONFIRM_WAIT_MS: whole(0, limits.confirmWaitMsMax).default(25_000),
  RATE_LIMIT_PER_MINUTE: whole(0, 10_000_000).default(1_200),
  TRUST_PROXY: z.string().min(1).optional(),
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  SANDBOX: flag.default(false),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

/** The parsed environment, with absolute folder paths. */
export type Config = z.infer<typeof environment> & { WORKSPACE_ROOT: string }

/**
 * Reads the environment, once, when a process starts. Empty values count as unset, because compose files produce them.
 * @throws Error that names each invalid variable and never repeats a value
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = environment.safeParse(given)
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
    throw new Error(`The environment is not valid: ${faults.join('; ')}.`)
  }
  const config = parsed.data
  if (config.RESEND_API_KEY && !config.MAIL_FROM) {
    throw new Error(
      'The environment is not valid: MAIL_FROM must be set together with RESEND_API_KEY: it is the sender.',
    )
  }
  if ((config.SLACK_CLIENT_ID === undefined) !== (config.SLACK_CLIENT_SECRET === undefined)) {
    throw new Error(
      'The environment is not valid: SLACK_CLIENT_ID and SLACK_CLIENT_SECRET must be set together: both belong to one app.',
    )
  }
  if (config.DATABASE_URL && config.DATABASE_URL === config.DATABASE_OWNER_URL) {
    throw new Error(
      'The environment is not valid: DATABASE_OWNER_URL must name another role than DATABASE_URL.',
    )
  }
  const dataDir = resolve(projectRoot, config.DATA_DIR)
  return {
    ...config,
    DATA_DIR: dataDir,
    WORKSPACE_ROOT: resolve(projectRoot, config.WORKSPACE_ROOT ?? join(dataDir, 'workspaces')),
  }
}

/** Whether the sandbox is used: if configured, or outside of production if no provider is configured. */
export function isSandbox(config: Config): boolean {
  const isReal = hasCredentials(config) || config.SLACK_CLIENT_SECRET !== undefined
  return config.SANDBOX || (config.NODE_ENV !== 'production' && !isReal)
}

/** Whether the environment has a credential of a provider. */
function hasCredentials(config: Config): boolean {
  const credentials = [config.SLACK_BOT_TOKEN, config.RESEND_API_KEY, config.STRIPE_SECRET_KEY]
  return credentials.some((credential) => credential !== undefined)
}

/** The base of links for people. With PORT 0 only a running API knows it. */
export const publicUrl = ({ PUBLIC_URL, HOST, PORT }: Config): string => PUBLIC_URL ?? addressOf(HOST, PORT)

/** The URL of a listening host on its own machine. */
export function addressOf(host: string, port: number): string {
  const reached = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** The path of a file of the embedded services. */
export const dataFile = (config: Config, name: string): string => join(config.DATA_DIR, name)
