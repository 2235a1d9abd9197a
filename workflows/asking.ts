import { proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { workflowLimits as limits } from '../src/temporal/workflow-limits.ts'
import type { ProposalInput } from '../src/temporal/names.ts'

/** The consent requests of one proposal. */
export interface Asking {
  isUnderWay: boolean
  /** A request has ended since the workflow last looked. */
  isNews: boolean
  /** Milliseconds since 1970; infinite where no reminder is due. */
  remindAt: number
  /** Sends the requests and reminders that are due. Nobody waits for it: a decision may come first. */
  send(): void
}

// The activity retries while a provider is down, and gives up by its own clock.
const requests = proxyActivities<Pick<Activities, 'askMember'>>({
  startToCloseTimeout: limits.askMs,
  scheduleToCloseTimeout: limits.askScheduledMs,
  heartbeatTimeout: limits.heartbeatMissingMs,
  summary: 'Send the consent requests and reminders that are due',
  retry: { initialInterval: limits.stepAgainMs, maximumInterval: limits.stepAgainMsMax },
})

/** The ledger holds what is to be sent: here is only when to look. */
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
      const { remindAt, awaited } = await requests.askMember(input)
      if (awaited !== undefined) setCurrentDetails(`Waits for ${awaited}`)
      if (remindAt !== null) asking.remindAt = Date.parse(remindAt)
    } catch {
      // It gave up for now. Unsent requests stay in the ledger and are tried again later.
      const leftMs = Date.parse(input.expiresAt) - Date.now()
      asking.remindAt = Date.now() + Math.min(limits.askLookAgainMs, leftMs / 2)
    } finally {
      asking.isUnderWay = false
      asking.isNews = true
    }
  }

  return asking
}
