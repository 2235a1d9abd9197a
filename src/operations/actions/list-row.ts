import type { ActionRequest } from '../schemas.ts'

/** Fields of an action that an agent does not choose or decide by. get_action has them. */
const leftOut: (keyof ActionRequest)[] = [
  'tier_at_request',
  'source',
  'requires_confirmation',
  'digest',
  'recipients_digest',
  'consent',
]

/**
 * A row of a list as a tool answers it. An agent pays for every character of it, so what it does not need is left out, and
 * so is a reach of nobody. Texts are never cut. Pure.
 */
export function listRow(action: ActionRequest): Partial<ActionRequest> {
  const { slack, email, unreachable, teams = 0 } = action.blast_radius
  const reachesNobody = slack + email + unreachable + teams === 0
  return Object.fromEntries(
    Object.entries(action).filter(
      ([name]) =>
        !(leftOut as string[]).includes(name) &&
        !(name === 'blast_radius' && reachesNobody) &&
        !(name === 'expires_at' && action.status !== 'proposed'),
    ),
  )
}
