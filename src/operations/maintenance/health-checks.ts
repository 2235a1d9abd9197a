import { type Config, isSandbox } from '../../config.ts'
import type { FailingCalls, OpenSummary } from '../../db/queries/actions/open-actions.ts'
import type { SealStatus } from '../../db/queries/ledger/seals.ts'
import type { FailingEndpoint } from '../../db/queries/events/endpoints.ts'
import type { HostModes } from '../../db/queries/previews/preview-hosts.ts'
import type { AnchorReport } from '../../ledger/anchors-file.ts'
import { failingWords } from '../../gate/result-words.ts'
import { limits } from '../../limits.ts'
import { smtpServerOf } from '../../network/smtp-server.ts'
import type { CredentialCheck } from '../../providers/channel-provider.ts'
import type { TemporalState } from '../../temporal/temporal-state.ts'
import type { Witnessed } from '../../seals/cosigning/witnessed.ts'
import { type UpstreamsSeen, troubleWords } from '../upstreams/troubles.ts'
import { type Check, attention, failingNamedMax, ok } from './check.ts'
import { type BotSeen, teamsCheck } from './teams-bots.ts'

const sealOverdueMs = 300_000

/** After which doctor names an action that is still being executed. */
const executionLongMs = 3_600_000

/** Servers with troubles that `gate doctor` names. */
const upstreamTroublesNamedMax = 10

/** The input of the checks. */
export interface Seen {
  config: Config
  /** Whether the service that runs on DATA_DIR is in the sandbox; undefined where none is known to run there. */
  isRunningSandbox?: boolean | undefined
  /** What the service's own mail server said as it was signed in to; undefined: there is none, or nobody asked. */
  mailServer?: CredentialCheck | undefined
  /** Why the service cannot use its database; null if it can. */
  databaseObstacle: string | null
  temporal: { state: TemporalState; address: string }
  open: OpenSummary
  /** Executors and providers whose calls fail. */
  failing: FailingCalls[]
  /** Endpoints that fail, or were turned off for it. */
  endpoints: FailingEndpoint[]
  /** The ids of all accounts. */
  accounts: string[]
  /** `faults`: what the sealer refuses, in sentences. */
  seals: SealStatus & { faults: string[] }
  /** Who cosigned the last epoch; null without witnesses, or before the first epoch. */
  witnessed: Witnessed | null
  previewHosts: HostModes[]
  /** The bots in Teams that accounts connected. */
  bots: BotSeen[]
  upstreams: UpstreamsSeen
  anchors: AnchorReport | undefined
  now: Date
}

/** Tells for each part whether it needs attention, and what to do. Pure. */
export function checksOf(seen: Seen): Check[] {
  const slack = slackCheck(seen.config)
  const isOther = seen.isRunningSandbox !== undefined && seen.isRunningSandbox !== isSandbox(seen.config)
  const asGiven = (check: Check): Check => (isOther ? attention(check.item, otherSettings) : check)
  return [
    databaseCheck(seen),
    temporalCheck(seen),
    outboxCheck(seen),
    executionsCheck(seen),
    executorsCheck(seen),
    eventsCheck(seen),
    sealerCheck(seen),
    witnessesCheck(seen),
    asGiven(mailCheck(seen, slack)),
    asGiven(slack),
    teamsCheck(seen.bots),
    asGiven(stripeCheck(seen)),
    previewsCheck(seen),
    upstreamsCheck(seen),
    ...(seen.anchors ? [anchorsCheck(seen.anchors)] : []),
  ]
}

function databaseCheck({ databaseObstacle: obstacle }: Seen): Check {
  return obstacle === null ? ok('database', 'Up.') : attention('database', `${obstacle}.`)
}

function temporalCheck({ temporal: { state, address } }: Seen): Check {
  if (state === 'up') return ok('temporal', `Up at ${address}.`)
  return attention(
    'temporal',
    state === 'down'
      ? `Temporal at ${address} does not answer. Confirmed actions wait until it does.`
      : `Temporal at ${address} answers \`interrupted (9)\`: its development server is stuck. Restart that server with the ` +
          'same data. Confirmed actions wait until then.',
  )
}

function outboxCheck({ open: { oldest_due: due }, now }: Seen): Check {
  return due !== null && now.getTime() - due.getTime() > limits.outboxOverdueMs
    ? attention(
        'outbox',
        `Work has been overdue since ${due.toISOString()}. Check that a worker runs, then run \`gate repair\`.`,
      )
    : ok('outbox', 'Nothing is overdue.')
}

function executionsCheck({ open, now }: Seen): Check {
  const { claims_without_end: running, oldest_claim: oldest } = open
  return oldest !== null && now.getTime() - oldest.getTime() > executionLongMs
    ? attention(
        'executions',
        `An action has been executing since ${oldest.toISOString()}. Look at its workflow in Temporal.`,
      )
    : ok('executions', `${running} running.`)
}

function executorsCheck({ failing }: Seen): Check {
  if (failing.length === 0) return ok('executors', 'No call of a running action fails.')
  const named = failing
    .slice(0, failingNamedMax)
    .map((one) => `${failingWords({ ...one, target: `${one.target} of ${one.account_id}` })}`)
  const rest = failing.length - named.length
  return attention(
    'executors',
    `${[...named, ...(rest > 0 ? [`${rest} more`] : [])].join('; ')}. See \`gate action show\` of an action that waits.`,
  )
}

function eventsCheck({ endpoints }: Seen): Check {
  if (endpoints.length === 0) return ok('events', 'No endpoint fails.')
  const named = endpoints
    .slice(0, failingNamedMax)
    .map(({ account_id: account, endpoint_id: id, failing_since: since }) =>
      since === null
        ? `${id} of ${account} was turned off`
        : `${id} of ${account} fails since ${since.toISOString()}`,
    )
  const rest = endpoints.length - named.length
  return attention(
    'events',
    `${[...named, ...(rest > 0 ? [`${rest} more`] : [])].join('; ')}. See \`gate endpoint deliveries\`.`,
  )
}

function sealerCheck({ seals: { epoch, sealed_at: at, waiting_since: since, faults }, now }: Seen): Check {
  if (faults.length > 0) return attention('sealer', `${faults.join('; ')}. See docs/sealing.md#attention.`)
  if (since !== null && now.getTime() - since.getTime() > sealOverdueMs)
    return attention(
      'sealer',
      `Entries have waited for their seal since ${since.toISOString()}. Check that a worker runs, and read its log.`,
    )
  return ok('sealer', epoch === null ? 'Nothing is sealed yet.' : `Epoch ${epoch}, at ${at!.toISOString()}.`)
}

function witnessesCheck({ witnessed, seals: { epoch } }: Seen): Check {
  if (witnessed === null)
    return {
      item: 'witnesses',
      verdict: 'off',
      detail: 'Not configured. Set WITNESS_POLICY to have epochs cosigned.',
    }
  const { cosigned, missing, isQuorum } = witnessed
  const by = cosigned.length === 0 ? 'by nobody' : `by ${cosigned.map(({ witness }) => witness).join(', ')}`
  const detail = `Epoch ${epoch} is cosigned ${by}${missing.length === 0 ? '' : `, not by ${missing.join(', ')}`}.`
  return isQuorum
    ? ok('witnesses', detail)
    : attention('witnesses', `${detail} The quorum is not met. Run \`gate ledger seal\` to ask again.`)
}

function mailCheck({ config, mailServer }: Seen, slack: Check): Check {
  if (isSandbox(config)) return ok('mail', sandboxed)
  const mail = mailServerOf(config)
  if (mail !== undefined && mailServer !== undefined && mailServer !== 'ok')
    return attention(
      'mail',
      `No mail goes by ${mail}: ${wordsOf(mailServer)}. See docs/mail.md#use-a-mail-server.`,
    )
  if (mail !== undefined) return ok('mail', `Sent as ${config.MAIL_FROM} by ${mail}.`)
  const missing =
    'Set RESEND_API_KEY or SMTP_URL, and MAIL_FROM, to send sign-in links and consent requests by e-mail.'
  return slack.verdict === 'ok'
    ? { item: 'mail', verdict: 'off', detail: `Not configured. ${missing}` }
    : attention('mail', `Members can be reached neither by e-mail nor in Slack. ${missing}`)
}

/** The code, and what the server itself said. */
function wordsOf(check: Exclude<CredentialCheck, 'ok'>): string {
  const code = 'refused' in check ? check.refused : check.unavailable
  return check.says === undefined ? code : `${code}, it says “${check.says}”`
}

/** By what the service's own mail is sent, in words; undefined where it has none. */
function mailServerOf({ RESEND_API_KEY: key, SMTP_URL: url, SMTP_TLS: tls }: Config): string | undefined {
  if (key !== undefined) return 'Resend'
  if (url === undefined) return undefined
  const server = smtpServerOf(url, tls === 'off')
  return `the mail server ${server.host}:${server.port}${server.tls === 'off' ? ', without TLS' : ''}`
}

function slackCheck(config: Config): Check {
  if (isSandbox(config)) return ok('slack', sandboxed)
  const isReachable = config.SLACK_BOT_TOKEN !== undefined || config.SLACK_CLIENT_ID !== undefined
  if (!isReachable)
    return {
      item: 'slack',
      verdict: 'off',
      detail:
        'Not configured. Set SLACK_BOT_TOKEN, or SLACK_CLIENT_ID and SLACK_CLIENT_SECRET, to reach members in Slack.',
    }
  return config.SLACK_SIGNING_SECRET === undefined
    ? attention(
        'slack',
        'SLACK_SIGNING_SECRET is not set, so no consent requests are sent in Slack. Set the signing secret of your Slack app.',
      )
    : ok('slack', 'Consent requests can be sent in Slack.')
}

/** Whose money the environment's Stripe moves. Pure. */
export function stripeCheck({ config, accounts }: Pick<Seen, 'config' | 'accounts'>): Check {
  if (isSandbox(config)) return ok('stripe', 'Sandbox: no money moves.')
  const { STRIPE_SECRET_KEY: key, ENVIRONMENT_PROVIDERS_ACCOUNT: named } = config
  if (key === undefined)
    return {
      item: 'stripe',
      verdict: 'off',
      detail: 'No STRIPE_SECRET_KEY. Accounts connect their own Stripe.',
    }
  if (named !== undefined)
    return accounts.includes(named)
      ? ok('stripe', `STRIPE_SECRET_KEY moves money of ${named}.`)
      : attention('stripe', `ENVIRONMENT_PROVIDERS_ACCOUNT names ${named}, which is not an account.`)
  return accounts.length > 1
    ? attention(
        'stripe',
        `STRIPE_SECRET_KEY serves no account, because there are ${accounts.length}. Set ENVIRONMENT_PROVIDERS_ACCOUNT to the one whose money it moves, or unset the key.`,
      )
    : ok('stripe', 'STRIPE_SECRET_KEY moves money of the only account.')
}

function previewsCheck({ config, previewHosts: hosts }: Seen): Check {
  if (!config.TOOLS.includes('preview'))
    return { item: 'previews', verdict: 'off', detail: 'TOOLS does not include preview.' }
  if (hosts.length === 0)
    return attention('previews', 'No worker serves previews. Start a worker, or remove preview from TOOLS.')
  const faults = hosts.flatMap(({ unavailable }) => Object.entries(unavailable))
  if (faults.length > 0)
    return attention(
      'previews',
      [...new Map(faults)].map(([mode, reason]) => `${mode} is unavailable: ${reason}`).join('; '),
    )
  const modes = [...new Set(hosts.flatMap((host) => host.modes))].toSorted()
  return ok(
    'previews',
    `Served by ${hosts.length} ${hosts.length === 1 ? 'worker' : 'workers'}: ${modes.join(', ')}.`,
  )
}

function upstreamsCheck({ upstreams: { servers, troubles } }: Seen): Check {
  if (servers === 0) return { item: 'upstreams', verdict: 'off', detail: 'No MCP server is behind the gate.' }
  if (troubles.length === 0)
    return ok(
      'upstreams',
      `${servers} ${servers === 1 ? 'MCP server' : 'MCP servers'}, no tool in quarantine.`,
    )
  const named = troubles
    .slice(0, upstreamTroublesNamedMax)
    .map((one) => `${one.upstream} of ${one.account} ${troubleWords(one)}`)
  const rest = troubles.length - named.length
  return attention(
    'upstreams',
    `${[...named, ...(rest > 0 ? [`${rest} more`] : [])].join('; ')}. See \`gate upstream list\` and \`gate upstream review\`.`,
  )
}

function anchorsCheck({ file, compared, archived, added, faults }: AnchorReport): Check {
  const apart = archived === undefined ? '' : ` ${archived} are of archived entries.`
  return faults.length === 0
    ? ok('anchors', `${compared} anchors in ${file} match, ${added} added.${apart}`)
    : attention('anchors', `${faults.length} anchors in ${file} do not match.`)
}

const sandboxed = 'Sandbox: nothing is delivered.'
const otherSettings =
  'The running service has other credentials than this command. Run `gate doctor` with the environment of the service.'
