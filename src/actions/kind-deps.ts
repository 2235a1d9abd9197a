import type { Db } from '../db/connect.ts'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import type { Executors } from '../executors/executors.ts'
import type { AccountChannels } from '../integrations/credential-cache.ts'
import type { OpenKindSecrets } from '../integrations/kind-secrets.ts'
import type { BillingAccess } from '../providers/billing.ts'
import type { UpstreamDeps } from '../upstreams/upstream-deps.ts'
import type { StepLog, StepObserver } from '../temporal/action-log.ts'

/** What a kind of action may work with: the part of `Deps` that knows nothing of operations and transports. */
export interface KindDeps extends UpstreamDeps {
  db: Db
  /** Logs a line for each attempt: see `logStep`. */
  log: StepLog
  /** Counts these steps; undefined: nobody does. */
  onStep?: StepObserver | undefined
  /**
   * The channels that deliver for an account: those it connected, and the environment's for the rest. One whose credential
   * cannot be opened is listed as unreadable.
   * @param integrationsVersion  as facts and executions give it: nothing is read again while it stays the same
   */
  channelsOf(account: string, integrationsVersion: number): Promise<AccountChannels>
  /** What an account reckons in. */
  currencyOf(account: string): Promise<string>
  /** The payment provider of an account, if it has one. Read for each use: it may have been replaced. */
  billing(account: string): Promise<BillingAccess | undefined>
  /**
   * Base of the links that people are given, the same for the whole life of the process.
   * @throws Error where PORT is 0, PUBLIC_URL is not set, and no API listens here
   */
  publicUrl(): string
  /** Calls executors of declared kinds. */
  executors: Executors
  /** Decrypts the secrets that sign the calls of a kind. */
  openKindSecrets: OpenKindSecrets
  /** The receipts of consents. */
  receipts: {
    /** The receipt of an action; undefined where it has none. @throws KeyUnreadable where its key cannot be decrypted now */
    receiptToSend(row: ActionRow): Promise<string | undefined>
  }
  /** Whether deliveries go to stand-ins. */
  isSandbox: boolean
}
