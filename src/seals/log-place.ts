import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface LogConfig {
  DATA_DIR: string
  LEDGER_KEY?: string | undefined
  LEDGER_STATE?: string | undefined
}

/** Where a process keeps what belongs to a log, outside of the database. */
export interface LogPlace {
  /** Where the keys are, unless LEDGER_KEY has them. */
  keyFolder: string
  /** Where the record of the last epoch is. */
  stateFolder: string
  givenKeys: string | undefined
  /** The database has another log than the one that this DATA_DIR knows. */
  isOfOther: boolean
  /** There are records of another log, and none of this one. */
  isRecordOfOther: boolean
}

/** @param log  the id of the log, which the database has */
export function logPlace({ DATA_DIR, LEDGER_KEY, LEDGER_STATE }: LogConfig, log: string): LogPlace {
  const root = join(DATA_DIR, 'ledger')
  const keyFolder = join(root, log)
  const stateRoot = LEDGER_STATE ?? root
  return {
    keyFolder,
    stateFolder: join(stateRoot, log),
    givenKeys: LEDGER_KEY,
    isOfOther: existsSync(root) && !existsSync(keyFolder),
    isRecordOfOther: hasLogs(stateRoot) && !existsSync(join(stateRoot, log)),
  }
}

const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const hasLogs = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => idForm.test(name))
