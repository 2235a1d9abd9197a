import { wayTo } from './next-step.ts'
import type { CallContext } from '../operation.ts'

/** The advice after a lost decision. A repeat under its Idempotency-Key gets the first answer. */
export function ifDecisionLost(what: string, context: CallContext, id: number) {
  const advice =
    context.idempotencyKey === undefined
      ? `Read action ${id} before you repeat the request.`
      : `Read action ${id}, or repeat the request with the same ${keyName(context)}.`
  return { what, advice }
}

/** The advice after a lost proposal. Nothing was executed, but a second proposal could be confirmed as well. */
export function ifProposalLost(context: CallContext) {
  const list = wayTo('list', context)
  const look = list === undefined ? undefined : `look for the proposal with ${list} before you propose again`
  const advice =
    context.idempotencyKey === undefined
      ? `${look === undefined ? 'Ask the member whether they were asked before you propose again' : capitalised(look)}. With an ${keyName(context)}, repeating is safe.`
      : `Repeat the request with the same ${keyName(context)}${look === undefined ? '' : `, or ${look}`}.`
  return { what: 'this proposal', advice }
}

const keyName = ({ source }: CallContext): string =>
  source === 'mcp' ? 'idempotency_key' : 'Idempotency-Key'

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
