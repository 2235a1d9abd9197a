import { join, resolve } from 'node:path'
import type { z } from 'zod'
import { environment } from './environment/environment.ts'
import { projectRoot } from './process/root.ts'
import { issueWords } from './text/issue-words.ts'

export type { ToolGroup } from './environment/environment.ts'

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
  const parsed = environment.safeParse(given, { reportInput: true })
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issueWords(issue)}`)
    throw new Error(`The environment is not valid: ${faults.join('; ')}.`)
  }
  const config = parsed.data
  const mail = (['RESEND_API_KEY', 'SMTP_URL'] as const).filter((name) => config[name] !== undefined)
  if (mail.length > 1) {
    throw new Error(
      'The environment is not valid: RESEND_API_KEY and SMTP_URL are both set. Mail goes by one of them: unset the other.',
    )
  }
  if (mail.length > 0 && !config.MAIL_FROM) {
    throw new Error(
      `The environment is not valid: MAIL_FROM must be set together with ${mail[0]}: it is the sender.`,
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
    ...(config.LEDGER_STATE === undefined ? {} : { LEDGER_STATE: resolve(projectRoot, config.LEDGER_STATE) }),
    WORKSPACE_ROOT: resolve(projectRoot, config.WORKSPACE_ROOT ?? join(dataDir, 'workspaces')),
  }
}

/** Whether the sandbox is used: if configured, or outside of production if no provider is configured. */
export function isSandbox(config: Config): boolean {
  const isReal = hasCredentials(config) || config.SLACK_CLIENT_SECRET !== undefined
  return config.SANDBOX || (config.NODE_ENV !== 'production' && !isReal)
}

/** What calls of executors may reach beyond the internet. The stand-ins come with executors on the same machine. */
export const executorAllow = (config: Config): readonly string[] =>
  config.EXECUTOR_ALLOW ?? (isSandbox(config) ? ['127.0.0.0/8', '::1'] : [])

/** Whether the environment has a credential of a provider. */
function hasCredentials(config: Config): boolean {
  const credentials = [
    config.SLACK_BOT_TOKEN,
    config.RESEND_API_KEY,
    config.SMTP_URL,
    config.STRIPE_SECRET_KEY,
  ]
  return credentials.some((credential) => credential !== undefined)
}

/** The base of links for people; undefined with PORT 0, where only a running API knows it. */
export const publicUrl = ({ PUBLIC_URL, HOST, PORT }: Config): string | undefined =>
  PUBLIC_URL ?? (PORT === 0 ? undefined : addressOf(HOST, PORT))

/** The URL of a listening host on its own machine. */
export function addressOf(host: string, port: number): string {
  const reached = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

/** The path of a file of the embedded services. */
export const dataFile = (config: Config, name: string): string => join(config.DATA_DIR, name)
