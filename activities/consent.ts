import type { Deps } from '../src/deps.ts'
import { sendConsentRequests } from '../src/operations/consent/send-consent-requests.ts'
import type { ProposalInput } from '../src/temporal/names.ts'
import { withHeartbeats } from './execution.ts'

/** Asks a member for their own decision. The request is read by its row's id: no token passes through Temporal. */
export function consentActivities(deps: Deps) {
  return {
    /** Sends what is to be sent about a row, its reminder too where it is due. Answers when that will be. */
    async askMember(input: ProposalInput): Promise<{ remindAt: string | null; awaited?: string }> {
      const { lookAt, who } = await withHeartbeats(({ signal }) => sendConsentRequests(deps, input, signal))
      return { remindAt: lookAt?.toISOString() ?? null, ...(who === undefined ? {} : { awaited: who }) }
    },
  }
}
