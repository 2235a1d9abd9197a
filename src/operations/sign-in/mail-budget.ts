const hourMs = 3_600_000

/** How many mails may still go to people for whom anybody can ask: they spend the same quota as requests to decide. */
export interface MailBudget {
  /** Counts one. Returns false where it would be one too many within an hour. */
  take(): boolean
  /** Takes back one that was certainly not sent. */
  giveBack(): void
}

/** @param now  in milliseconds */
export function mailsPerHour(max: number, now: () => number = Date.now): MailBudget {
  const taken: number[] = []
  return {
    take() {
      while (taken.length > 0 && taken[0]! <= now() - hourMs) taken.shift()
      if (taken.length >= max) return false
      taken.push(now())
      return true
    },
    giveBack() {
      taken.pop()
    },
  }
}
