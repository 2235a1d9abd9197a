import { countDeliveries, stepDelivery } from '../../src/db/queries/actions/deliveries.ts'
import { beginExecution } from '../../src/db/queries/actions/execution.ts'
import type { Db } from '../../src/db/connect.ts'
import { type Lived, confirm } from '../ledger/lived-account.ts'

/** Consents to a broadcast of a lived account and begins to execute it. */
export async function beginBroadcast(db: Db, lived: Lived, id: number): Promise<void> {
  await confirm(db, lived.account, id, lived.keyHash)
  await beginExecution(db, { account: lived.account, id, uuid: null }, true)
}

/** Claims the first slice of a channel, as if it were about to be sent. */
export const claimSlice = (db: Db, { account }: Lived, id: number, channel: 'slack' | 'email') =>
  stepDelivery(db, {
    account,
    id,
    channel,
    record: null,
    claim: { slice: 0, sliceMax: 20, message: `{"to":"${channel}"}` },
  })

/** Channel and state of each slice, like `slack sending`. */
export async function sliceStates(db: Db, { account }: Lived, id: number): Promise<string[]> {
  const counts = await countDeliveries(db, account, id)
  return counts.map(({ channel, state }) => `${channel} ${state}`).toSorted()
}
