import { randomUUID } from 'node:crypto'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { RequestedStrength } from '../../gate/consent.ts'
import { requestConsent } from '../consent/request-consent.ts'
import type { ActingMember } from '../members/actor.ts'
import type { RunnerContext } from './runner-context.ts'

/** Has a member asked about an open proposal of a runner's key, by `requestConsent`. */
export const askMember = (
  context: RunnerContext,
  { facts, member }: ActingMember,
  row: ActionRow,
  rule: string,
): ReturnType<typeof requestConsent> =>
  requestConsent(
    context.deps,
    { row, facts, member },
    {
      consent: {
        strength: 'agent_attested',
        channel: context.source,
        credential: { apiKey: context.keyHash },
      },
      commandId: randomUUID(),
      idempotency: null,
      key: context,
    },
    {
      outcome: 'too_weak',
      isForClient: false,
      floor: row.consent_required as RequestedStrength,
      rule,
      versions: { member: member.version, curricula: facts.curriculaVersion, policy: facts.policyVersion },
    },
  )
