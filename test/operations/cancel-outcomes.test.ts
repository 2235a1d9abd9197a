import { expect } from '@jest/globals'
import type { Db } from '../../src/db/connect.ts'
import type { CallContext } from '../../src/operations/operation.ts'
import { hashKey } from '../../src/keys/api-key.ts'
import { cancelAction } from '../../src/operations/decisions/cancel-action.ts'
import { useGate } from '../support/use-gate.ts'
import { testRows } from '../support/rows.ts'

const gate = useGate({ workers: false })

/** The database, but for a claim that ends as no cancellation should. */
function claimsEndAs(outcome: string): Db {
  const { db } = gate.deps
  const run: Db['run'] = async (statement) => {
    const rows = await db.run(statement)
    const ended = (row: unknown) => (row instanceof Object && 'outcome' in row ? { ...row, outcome } : row)
    return rows.map(ended) as typeof rows
  }
  return { ...db, run }
}

testRows(['missing', 'early', 'suspended', 'stale', 'moved'])(
  'a claim is never answered as a cancellation, however it ends',
  async (outcome) => {
    const { account, actor, id } = await gate.openBroadcast({ recipients: 1 })
    const context: CallContext = {
      deps: { ...gate.deps, db: claimsEndAs(outcome) },
      account: account.account,
      keyId: account.keyId,
      keyHash: hashKey(account.key),
      actors: null,
      powers: ['propose'],
      kinds: null,
      ceilings: null,
      source: 'api',
    }
    await expect(cancelAction.run(context, { id, actor })).rejects.toThrow(outcome)
  },
)
