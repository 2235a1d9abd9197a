import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { workflowLimits as limits } from '../src/temporal/workflow-limits.ts'
import type { ProposalInput } from '../src/temporal/names.ts'

/** The consent requests of one proposal. */
export interface Asking {
  isUnderWay: boolean
  /** It has ended since this was last set to false. */
  isNews: boolean
  /** Milliseconds since 1970; infinite where no reminder is due. */
  remindAt: number
  /** Sends what is to be sent to the member, a reminder too. Not waited for: a decision may come before it is sent. */
  send(): void
}

// A provider that is down is waited for; how long, the activity counts itself.
const requests = proxyActivities<Pick<Activities, 'askMember'>>({
  startToCloseTimeout: limits.askMs,
  scheduleToCloseTimeout: limits.askScheduledMs,
  heartbeatTimeout: limits.heartbeatMissingMs,
  retry: { initialInterval: limits.stepAgainMs, maximumInterval: limits.stepAgainMsMax },
})

/** Which requests are to be sent, and whether, the ledger says. */
export function askingFor(input: ProposalInput): Asking {
  const asking: Asking = {
    isUnderWay: false,
    isNews: false,
    remindAt: Infinity,
    send() {
      asking.isUnderWay = true
      asking.remindAt = Infinity
      void ask()
    },
  }

  async function ask(): Promise<void> {
    try {
      const { remindAt } = await requests.askMember(input)
      if (remindAt !== null) asking.remindAt = Date.parse(remindAt)
    } catch {
      // Given up for now. What is still to be sent is in the ledger, and is tried again later.
      const leftMs = Date.parse(input.expiresAt) - Date.now()
      asking.remindAt = Date.now() + Math.min(limits.askLookAgainMs, leftMs / 2)
    } finally {
      asking.isUnderWay = false
      asking.isNews = true
    }
  }

  return asking
}
