const hourMs = 3_600_000

/** Who requests a mail: a network, and whether somebody has signed in to that mailbox from it. */
export interface MailAsker {
  network: string
  isKnown: boolean
}

/** Limits sign-in mails, which anyone can request: they use the same quota as consent requests. */
export interface MailBudget {
  /** Counts a mail. Returns false above a limit per hour, in total or for unknown networks. */
  take(asker: MailAsker): boolean
  /** Returns a mail that was certainly not sent. */
  giveBack(asker: MailAsker): void
}

export interface MailBounds {
  max: number
  /** The share of unknown networks: all together, and each. The rest is reserved for known networks. */
  ofStrangersMax: number
  ofStrangerMax: number
}

/** @param now  in milliseconds */
export function mailsPerHour(
  { max, ofStrangersMax, ofStrangerMax }: MailBounds,
  now: () => number = Date.now,
): MailBudget {
  const taken: (MailAsker & { at: number })[] = []
  const isLeft = ({ network, isKnown }: MailAsker): boolean => {
    if (taken.length >= max) return false
    if (isKnown) return true
    const strangers = taken.filter((one) => !one.isKnown)
    const own = strangers.filter((one) => one.network === network)
    return strangers.length < ofStrangersMax && own.length < ofStrangerMax
  }
  return {
    take({ network, isKnown }) {
      while (taken.length > 0 && taken[0]!.at <= now() - hourMs) taken.shift()
      if (!isLeft({ network, isKnown })) return false
      taken.push({ network, isKnown, at: now() })
      return true
    },
    giveBack({ network, isKnown }) {
      const last = taken.findLastIndex((one) => one.network === network && one.isKnown === isKnown)
      if (last !== -1) taken.splice(last, 1)
    },
  }
}
