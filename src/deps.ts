import type { Logger } from 'pino'
import type { KindDeps } from './actions/kind-deps.ts'
import { type Kinds, kindsOf } from './actions/account-kinds.ts'
import type { PerformerOf } from './actions/declared/performers.ts'
import type { ActionKind } from './actions/registry.ts'
import { type BackgroundTasks, backgroundTasks } from './waiting/background-tasks.ts'
import { type Issuers, issuers } from './company/issuers.ts'
import { type Config, executorAllow, isSandbox, publicUrl } from './config.ts'
import { connect } from './db/connect.ts'
import { type ActionEndListener, actionEndListener } from './db/action-end-listener.ts'
import { type KeptAuthentication, keptAuthentication } from './db/kept-authentication.ts'
import { type KeyShares, keyShares } from './db/key-shares.ts'
import { type Documents, documents } from './executors/documents.ts'
import { executors } from './executors/executors.ts'
import type { Network } from './executors/guarded-request.ts'
import { ownCurrency } from './gate/money.ts'
import { credentialCache } from './integrations/credential-cache.ts'
import { environmentMoney } from './integrations/environment-money.ts'
import { openKindSecrets } from './integrations/kind-secrets.ts'
import { type CheckRecorder, checkRecorder } from './ledger/check-recorder.ts'
import { type PassedCallRecorder, passedCallRecorder } from './ledger/passed-call-recorder.ts'
import { type ProposalRecorder, proposalRecorder } from './ledger/proposal-recorder.ts'
import { type ToolCallRecorder, toolCallRecorder } from './ledger/tool-call-recorder.ts'
import { readMoney } from './db/queries/accounts/policies.ts'
import { type Kept, kept } from './waiting/kept.ts'
import { limits } from './limits.ts'
import { finishesWithin } from './waiting/finishes-within.ts'
import { makeLog } from './log.ts'
import { type LongPolls, longPolls } from './waiting/long-polls.ts'
import type { BillingAccess } from './providers/billing.ts'
import type { ChannelUse, DeliveryChannel } from './providers/ports.ts'
import { environmentBilling, environmentChannels } from './providers/environment-providers.ts'
import { type ProviderFactory, providerFactory } from './providers/provider-factory.ts'
import { publicAddress } from './network/public-address.ts'
import { type Pushes, type PushesOptions, pushes } from './push/pushes.ts'
import { type Receipts, receipts } from './receipts/receipts.ts'
import { type RecipientSets, recipientSets } from './ledger/recipient-sets.ts'
import type { Cosigners } from './seals/cosigning/cosigners.ts'
import { witnessesOf } from './seals/cosigning/witness-policy.ts'
import type { KeyProvider } from './secrets/key-provider.ts'
import { parseKeyRing } from './secrets/key-ring.ts'
import { type Telemetry, noTelemetry } from './telemetry/telemetry.ts'
import { makeUpstreams } from './upstreams/upstream-deps.ts'
import { type WorkflowStarter, workflowStarter } from './temporal/start-action.ts'
import { type Workflows, connectWorkflows } from './temporal/client.ts'
import { localWorkspaces } from './workspaces/local-workspaces.ts'
import type { Workspaces } from './workspaces/store.ts'

/** The time for background tasks: as long as a statement that is sent twice. */
const shutdownTasksMs = 45_000

const awaits = { perKey: limits.awaitsPerKeyMax, perAccount: 100, inAll: 500 }

/** The dependencies of the service, created once per process. Functions take them as their first argument. */
export interface Deps extends KindDeps {
  /** The page of the sandbox with its messages; undefined where providers are real. */
  inboxUrl: string | undefined
  config: Config
  log: Logger
  telemetry: Telemetry
  workflows: Workflows
  starter: WorkflowStarter
  checks: CheckRecorder
  toolCalls: ToolCallRecorder
  proposals: ProposalRecorder
  passedCalls: PassedCallRecorder
  kept: KeptAuthentication
  /** Signed requests, by key and nonce: each is answered once. */
  keptNonces: Kept<true>
  /** Counts the requests of keys together with the other API processes. */
  keyShares: KeyShares
  actionEnds: ActionEndListener
  recipients: RecipientSets
  receipts: Receipts
  /** How executors and endpoints of accounts are reached. */
  network: Network
  /** Messages to the devices of members. */
  pushes: Pushes
  /** The governed kinds, of the gate and of accounts. */
  kinds: Kinds
  /** Opens providers with a credential. */
  providers: ProviderFactory
  /** Encrypts credentials of accounts; undefined if SECRETS_KEYS is not set: then nothing can be connected. */
  secretsKeys: KeyProvider | undefined
  /**
   * The service's own e-mail. Sign-in links and consent requests use only this one, never a connection of the account: the
   * person who connected it could read them.
   */
  ownEmail: DeliveryChannel | undefined
  /** The Slack app of the environment. */
  ownSlack: DeliveryChannel | undefined
  /** The environment's payment provider, for the one account whose money is there. */
  environmentBilling(account: string): Promise<BillingAccess | undefined>
  /** Sets the address where the API of this process listens. It decides `publicUrl` if PORT is 0. */
  listensAt(url: string): void
  /** What apps that want to be connected say of themselves. */
  appDocuments: Documents
  /** The OpenID providers of accounts. */
  issuers: Issuers
  workspaces: Workspaces
  /** Witnesses of the seals; undefined: there are none. */
  cosigners: Cosigners | undefined
  /** Tasks that run after answers. */
  background: BackgroundTasks
  longPolls: LongPolls
  stopping: Stopping
  /** The clock of seals, and of previews that nobody views or watches. */
  now: () => Date
  close(): Promise<void>
}

/** The progress of a process towards its end. */
export interface Stopping {
  /** It still serves, but says that it is not ready, and every answer ends its connection. */
  isDraining: boolean
  /** Nothing waits any more: a request is answered with what there is. */
  isEnding: boolean
}

export interface DepsOptions {
  /** The address of the sandbox, if it is used. */
  sandboxUrl?: string | undefined
  /** Replaces the kinds of the gate. */
  kinds?: ActionKind[]
  /** Executes declared kinds instead of their executors. */
  performers?: PerformerOf
  channels?: Partial<Record<ChannelUse, DeliveryChannel>>
  billing?: BillingAccess
  cosigners?: Cosigners
  /** How addresses that accounts name are reached, other than by the configuration. */
  network?: Partial<Network>
  log?: Logger
  applicationName?: string
  telemetry?: Telemetry
  now?: () => Date
}

/**
 * Creates all dependencies. Opens no connection, so that the service starts while its database or Temporal is down.
 * @throws Error if DATABASE_URL is missing
 */
export function makeDeps(config: Config, options: DepsOptions = {}): Deps {
  if (!config.DATABASE_URL)
    throw new Error('DATABASE_URL must be set. To start everything at once, run `npm start`.')
  const log = options.log ?? makeLog(config)
  const { applicationName = 'gate', telemetry = noTelemetry } = options
  const db = telemetry.db(connect(config.DATABASE_URL, { applicationName }))
  const workflows = telemetry.workflows(connectWorkflows(config, telemetry.tracing?.plugin))
  const outward = outwardParts(config, options, telemetry)
  const { providers } = outward
  const channels = options.channels ?? environmentChannels(config, providers)
  const money = environmentMoney(db, config, options.billing ?? environmentBilling(config, providers))
  const secretsKeys = config.SECRETS_KEYS === undefined ? undefined : parseKeyRing(config.SECRETS_KEYS)
  const integrations = credentialCache({ db, keys: secretsKeys, providers, log })
  const ofStarter = { db, workflows, log, underWayMax: limits.inlineStartsMax }
  const starter = telemetry.starter(workflowStarter(ofStarter))
  const background = backgroundTasks(log)
  const address = publicAddress(publicUrl(config))
  const upstreams = makeUpstreams(config, { db, keys: secretsKeys })
  return {
    config,
    log,
    telemetry,
    ...telemetry.observers,
    db,
    workflows,
    starter,
    checks: checkRecorder(db),
    toolCalls: toolCallRecorder(db),
    proposals: proposalRecorder(db),
    passedCalls: passedCallRecorder(db),
    kept: keptAuthentication(),
    keptNonces: kept({ ms: limits.hookNonceMs, max: limits.hookNoncesKeptMax }),
    keyShares: keyShares(db, config.RATE_LIMIT_PER_MINUTE),
    actionEnds: actionEndListener(db),
    recipients: recipientSets(db),
    receipts: receipts({ db, keys: secretsKeys, publicUrl: address.publicUrl, log }),
    kinds: kindsOf(db, { own: options.kinds, performers: options.performers }),
    ...outward,
    ...strangerParts(options, { db, keys: secretsKeys, publicUrl: address.publicUrl, log }),
    issuers: issuers(executorAllow(config)),
    openKindSecrets: openKindSecrets({ keys: secretsKeys, log }),
    secretsKeys,
    channelsOf: async (account, version) => ({
      ...channels,
      ...(await integrations.channels(account, version)),
    }),
    ...ownChannels(channels),
    upstreams,
    billing: async (account) => (await integrations.billing(account)) ?? money(account),
    environmentBilling: money,
    currencyOf: async (account) => ownCurrency(await readMoney(db, account)),
    ...address,
    workspaces: localWorkspaces(config.WORKSPACE_ROOT),
    cosigners: options.cosigners ?? witnessesOf(config),
    background,
    longPolls: longPolls(awaits),
    stopping: { isDraining: false, isEnding: false },
    now: options.now ?? (() => new Date()),
    ...sandboxParts(config, options),
    async close() {
      await finishesWithin(shutdownTasksMs, background.idle())
      await outward.executors.close()
      await starter.idle()
      await upstreams.connections.close()
      await workflows.close()
      await db.close()
    },
  }
}

const ownChannels = ({
  email,
  slack,
}: NonNullable<DepsOptions['channels']>): Pick<Deps, 'ownEmail' | 'ownSlack'> => ({
  ownEmail: email,
  ownSlack: slack,
})

/** What calls addresses that accounts name. */
function outwardParts(
  config: Config,
  options: DepsOptions,
  telemetry: Telemetry,
): Pick<Deps, 'executors' | 'network' | 'providers'> {
  const network = { allowed: executorAllow(config), ...options.network }
  return {
    network,
    executors: telemetry.executors(executors(network)),
    providers: telemetry.providers(providerFactory(config, options.sandboxUrl, network)),
  }
}

/** What calls addresses that anyone can name: not what EXECUTOR_ALLOW lists. */
function strangerParts(
  options: DepsOptions,
  ofPushes: Omit<PushesOptions, 'network'>,
): Pick<Deps, 'appDocuments' | 'pushes'> {
  const network = { allowed: [], ...options.network }
  return {
    appDocuments: documents(network, limits.appDocumentBytesMax),
    pushes: pushes({ ...ofPushes, network }),
  }
}

const sandboxParts = (config: Config, { sandboxUrl }: DepsOptions): Pick<Deps, 'isSandbox' | 'inboxUrl'> => ({
  isSandbox: isSandbox(config),
  inboxUrl: isSandbox(config) ? (sandboxUrl ?? `http://127.0.0.1:${config.SANDBOX_PORT}`) : undefined,
})
