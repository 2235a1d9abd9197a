import type { CallContext, Operation } from '../../operations/operation.ts'
import { maySee } from '../../operations/key-powers.ts'
import { namesActor } from '../../operations/members/actor.ts'

/**
 * How an agent uses the tools that its key has: it names no other. Pure.
 * @param served  the operations that are served as tools
 */
export function instructionsFor(
  context: Pick<CallContext, 'powers' | 'kinds' | 'actors'>,
  served: Operation[],
): string {
  const names = new Set(served.filter((operation) => maySee(context, operation)).map(({ name }) => name))
  const wait = names.has('await_action') ? ' Then wait with await_action.' : ''
  const isProposer = context.powers.includes('propose')
  return [
    namesActor(context)
      ? 'You act for one member: name the same actor in every call.'
      : 'You act for one member, whom this key is bound to: leave actor out.',
    ...(names.has('check_capability')
      ? [`Check their capability${isProposer ? ', then propose' : ''}.`]
      : []),
    ...(isProposer ? ['A denied proposal is final: tell the member why, do not retry.'] : []),
    ...(names.has('confirm_action') ? [withConfirm + wait] : isProposer ? [withoutConfirm + wait] : []),
    ...(isProposer || names.has('confirm_action')
      ? ['To repeat a call safely, send the same idempotency_key.']
      : []),
  ].join(' ')
}

const withConfirm =
  'consent_required says who must agree. agent_attested: show the member the card of money, the payload of anything ' +
  'else, of a broadcast also its blast_radius (amounts are in cents), and call confirm_action only after an explicit ' +
  'yes. Anything else: do not ask yourself; call confirm_action, and the gate asks the member, unless consent_request ' +
  'says that it already does.'

const withoutConfirm =
  'You cannot confirm: the gate asks the member about each proposal at once, and executes it after their approval. Tell ' +
  'the member what you proposed, and where they are asked (consent_request), or why nobody was asked ' +
  '(consent_request_problem). Amounts are in cents.'
