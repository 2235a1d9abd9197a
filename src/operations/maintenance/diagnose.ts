import { kindsOf } from '../../actions/account-kinds.ts'
import { type Config, isSandbox } from '../../config.ts'
import type { Db } from '../../db/connect.ts'
import { type AccountRow, listAccounts } from '../../db/queries/accounts/accounts.ts'
import { listFailing, openSummary } from '../../db/queries/actions/open-actions.ts'
import { listSealFaults, readEpochNote, readSealStatus } from '../../db/queries/ledger/seals.ts'
import { listFailingEndpoints } from '../../db/queries/events/endpoints.ts'
import { listPreviewHosts } from '../../db/queries/previews/preview-hosts.ts'
import { databaseObstacle } from '../../db/readiness.ts'
import { posture } from '../../gate/posture.ts'
import { type AnchorReport, keepAnchors } from '../../ledger/anchors-file.ts'
import type { CredentialCheck } from '../../providers/channel-provider.ts'
import { logProblem } from '../../seals/verify-seals.ts'
import { type Witnessed, witnessedBy } from '../../seals/cosigning/witnessed.ts'
import { readWitnessPolicy } from '../../seals/cosigning/witness-policy.ts'
import { workflowsUrl } from '../../temporal/names.ts'
import type { TemporalState } from '../../temporal/temporal-state.ts'
import { limits } from '../../limits.ts'
import { policyInForce } from '../policy/policy-in-force.ts'
import { seeUpstreams } from '../upstreams/troubles.ts'
import type { Check } from './check.ts'
import { checksOf } from './health-checks.ts'
import { type BotCredentials, seeTeamsBots } from './teams-bots.ts'

/** How many accounts `gate doctor` asks since when their entries wait for a seal. */
const sealStatusAccountsMax = 1_000

export interface Findings {
  /** `attention` where one of the checks says so; then the exit code is 1. */
  verdict: 'ok' | 'attention'
  checks: Check[]
  database: 'up'
  /** `interrupted`: a development server whose database is stuck. */
  temporal: TemporalState
  temporal_address: string
  /** The Temporal UI with the workflows of proposals and previews; only with TEMPORAL_UI_URL. */
  temporal_workflows?: string
  oldest_outbox_due_at: Date | null
  claims_without_end: number
  oldest_claim_at: Date | null
  open_proposals: number
  /** Present if a file of anchors was given. */
  anchors?: AnchorReport
  accounts: {
    account_id: string
    name: string
    suspended: boolean
    seq: number
    hash: string
    /** What the agent's word alone may do now. */
    agents_word: string
  }[]
}

interface Given {
  config: Config
  temporal: { state: TemporalState; address: string }
  anchorsFile: string | undefined
  credentials: BotCredentials
  isRunningSandbox?: boolean | undefined
}

/** Checks the parts of the service, and reads open and overdue work and the ledger heads of all accounts. */
export async function diagnose(db: Db, given: Given): Promise<Findings> {
  const { config, temporal, anchorsFile } = given
  const { accounts, ...seen } = await see(db, given)
  const { open } = seen
  const anchors =
    anchorsFile === undefined ? undefined : await keepAnchors(db, anchorsFile, headsOf(accounts))
  const checks = checksOf({
    ...seen,
    accounts: accounts.map(({ account_id: id }) => id),
    anchors,
    now: new Date(),
  })
  return {
    verdict: checks.some(({ verdict }) => verdict === 'attention') ? 'attention' : 'ok',
    checks,
    database: 'up',
    temporal: temporal.state,
    temporal_address: temporal.address,
    ...(config.TEMPORAL_UI_URL === undefined
      ? {}
      : { temporal_workflows: workflowsUrl(config.TEMPORAL_UI_URL, config.TEMPORAL_NAMESPACE) }),
    oldest_outbox_due_at: open.oldest_due,
    claims_without_end: open.claims_without_end,
    oldest_claim_at: open.oldest_claim,
    open_proposals: open.open_proposals,
    ...(anchors ? { anchors } : {}),
    accounts: await describeAccounts(db, accounts),
  }
}

/** What the checks look at, read at once. */
async function see(db: Db, { config, temporal, credentials, isRunningSandbox }: Given) {
  const [
    open,
    failing,
    endpoints,
    accounts,
    obstacle,
    previewHosts,
    upstreams,
    seals,
    witnessed,
    bots,
    mailServer,
  ] = await Promise.all([
    openSummary(db),
    listFailing(db, null),
    listFailingEndpoints(db, limits.failingNoticeMs),
    listAccounts(db),
    databaseObstacle(db),
    listPreviewHosts(db, limits.previewHostDeadMs),
    seeUpstreams(db),
    sealsOf(db, config),
    witnessedEpoch(db, config),
    seeTeamsBots(db, config, credentials),
    seeMailServer(config),
  ])
  return {
    config,
    isRunningSandbox,
    temporal,
    databaseObstacle: obstacle,
    open,
    failing,
    endpoints,
    accounts,
    previewHosts,
    upstreams,
    seals,
    witnessed,
    bots,
    mailServer,
  }
}

/** Signs in to the service's own mail server, as before it sends something. Sends nothing. */
async function seeMailServer(config: Config): Promise<CredentialCheck | undefined> {
  if (isSandbox(config) || config.SMTP_URL === undefined) return undefined
  const { providerFactory } = await import('../../providers/provider-factory.ts')
  return providerFactory(config, undefined).checkSender('smtp', {
    secret: config.SMTP_URL,
    from: config.MAIL_FROM,
  })
}

/** The state of the seals, with what this process itself sees: the sealer of another one may not run. */
async function sealsOf(db: Db, config: Config) {
  const [status, faults, problem] = await Promise.all([
    readSealStatus(db, sealStatusAccountsMax),
    listSealFaults(db, null),
    logProblem({ db, config }),
  ])
  const ofAccounts = faults.filter(({ account_id: account }) => account !== '')
  const told = ofAccounts.map(({ account_id: account, problem: of }) => `${account}: ${of}`)
  return { ...status, faults: [...(problem === null ? [] : [problem]), ...told] }
}

async function witnessedEpoch(db: Db, { WITNESS_POLICY: setting }: Config): Promise<Witnessed | null> {
  if (setting === undefined) return null
  const epoch = await readEpochNote(db, null)
  return epoch === undefined ? null : witnessedBy(readWitnessPolicy(setting), epoch.note)
}

const headsOf = (accounts: AccountRow[]) =>
  accounts.map(({ account_id: account, seq, hash }) => ({ account, seq, hash: hash.toString('hex') }))

async function describeAccounts(db: Db, accounts: AccountRow[]): Promise<Findings['accounts']> {
  const described: Findings['accounts'] = []
  for (const { account_id, name, suspended_at, seq, hash } of accounts)
    described.push({
      account_id,
      name,
      suspended: suspended_at !== null,
      seq,
      hash: hash.toString('hex'),
      agents_word: posture(await policyInForce({ db, kinds: kindsOf(db) }, account_id)),
    })
  return described
}
