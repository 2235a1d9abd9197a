import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import type { Cosigners } from './cosigners.ts'
import { type LogKeyConfig, ledgerFolder } from './log-keys.ts'

export interface SealerDeps {
  db: Db
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  config: LogKeyConfig & { LEDGER_STATE?: string | undefined }
  /** The address of the service, whose host names the log. */
  publicUrl(): string
  cosigners?: Cosigners | undefined
  now?(): Date
  /** Called after each step of an epoch: for tests that kill between steps. */
  after?(step: 'held' | 'stored' | 'published'): Promise<void> | void
}

/** Where this process records the last epoch that it signed or saw. */
export const stateFolder = (config: SealerDeps['config']): string =>
  config.LEDGER_STATE ?? ledgerFolder(config)
