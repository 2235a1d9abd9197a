import type { Db } from '../../src/db/connect.ts'
import { type ActionRow, readAction } from '../../src/db/queries/actions/actions.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { readConfig } from '../../src/config.ts'
import type { DeliveryChannel } from '../../src/providers/ports.ts'
import { type Receipts, receipts } from '../../src/receipts/receipts.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { ringOf } from '../support/connect.ts'
import type { TestDatabase } from '../support/database.ts'
import { confirm, openAccount } from '../ledger/lived-account.ts'

export const issuer = 'https://gate.example.com'

/** The dependencies of a process, with a ring of these keys. */
export function processOf(database: TestDatabase, ...kids: string[]): Deps {
  const config = readConfig({
    DATABASE_URL: database.serviceUrl,
    TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
    LOG_LEVEL: 'silent',
    PUBLIC_URL: issuer,
    SECRETS_KEYS: ringOf(...kids),
  })
  const channel = {} as DeliveryChannel
  return makeDeps(config, { channels: { slack: channel, email: channel } })
}

/** What a process that has just started makes of the keys in the database: nothing is kept yet. */
export function freshReceipts(
  db: Db,
  kids: string[],
  log: { error(about: object, words: string): void; warn(about: object, words: string): void } = silent,
): Receipts {
  return receipts({
    db,
    keys: parseKeyRing(ringOf(...kids)),
    publicUrl: () => `${issuer}/`,
    log: log as Deps['log'],
  })
}
const silent = { error: () => {}, warn: () => {} }

export interface Consented {
  account: string
  id: number
  row(): Promise<ActionRow>
}

/** A broadcast that its agent has confirmed, and that runs. */
export async function consented(deps: Deps): Promise<Consented> {
  const { account, keyHash, propose } = await openAccount(deps)
  const id = await propose()
  await confirm(deps.db, account, id, keyHash)
  return { account, id, row: async () => (await readAction(deps.db, account, id))! }
}
