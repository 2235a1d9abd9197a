import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import type { Cosigners } from './cosigning/cosigners.ts'
import type { LogConfig } from './log-place.ts'

export interface SealerDeps {
  db: Db
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  config: LogConfig
  /** The address of the service, whose host names the log. */
  publicUrl(): string
  cosigners?: Cosigners | undefined
  /** The folder with entries that were archived before they were sealed. */
  archive?: string | undefined
  /** Looks at accounts with new entries alone: what others lost is noticed later. */
  onlyNew?: boolean
  now?(): Date
  /** Called after each step of an epoch: for tests that kill between steps. */
  after?(step: 'held' | 'stored' | 'published'): Promise<void> | void
}
