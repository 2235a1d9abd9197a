import { randomUUID } from 'node:crypto'
import { type ActionRow } from '../db/queries/actions.ts'
import { noteRefusal } from '../db/queries/decide.ts'
import { GateError } from '../errors.ts'
import { entryTail } from '../ledger/entry.ts'
import { type CallContext } from './operation.ts'

export type RefusalReason = 'not_proposer' | 'not_open' | 'expired' | 'digest' | 'suspended' | 'by_link'

/** Writes down that a confirm or cancel was refused, and gives the error to throw. The row does not change. */
export async function refuseDecision(
  context: CallContext,
  row: ActionRow,
  decision: 'confirm' | 'cancel',
  reason: RefusalReason,
  actor: string,
): Promise<GateError> {
  await noteRefusal(context.deps.db, {
    account: context.account,
    id: row.id,
    eventId: randomUUID(),
    entryTail: entryTail({
      kind: 'decision_refused',
      actor,
      key: context.keyId,
      data: { decision, reason, source: context.source },
    }),
  })
  return new GateError(
    reason === 'not_proposer' ? 'not_proposer' : 'conflict',
    sentence(row, decision, reason),
  )
}

function sentence(row: ActionRow, decision: 'confirm' | 'cancel', reason: RefusalReason): string {
  switch (reason) {
    case 'not_proposer':
      return `Only the member who proposed action ${row.id} can ${decision} it.`
    case 'expired':
      return `Action ${row.id} expired before this ${decision}. Propose it again.`
    case 'digest':
      return `Action ${row.id} is not what was shown: the digest differs. Read it again before consenting.`
    case 'suspended':
      return 'This account is suspended: nothing is executed until an admin resumes it.'
    case 'by_link':
      return `Action ${row.id} is decided by a person: give the member the connect_url that connect_integration answered, to open in a browser.`
    case 'not_open': {
      const state = row.status === 'proposed' ? 'being executed' : row.status
      return `Action ${row.id} is already ${state}. Read it with GET /api/v1/actions/${row.id} or get_action.`
    }
  }
}
