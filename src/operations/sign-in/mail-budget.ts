const hourMs = 3_600_000

/** Who asks for a mail: a network, and whether somebody has signed in to that mailbox from there. */
export interface MailAsker {
  network: string
  isKnown: boolean
}

/** How many mails may still go to people for whom anybody can ask: they spend the same quota as requests to decide. */
export interface MailBudget {
  /** Counts one. Returns false where it would be one too many within an hour, in all or of strangers. */
  take(asker: MailAsker): boolean
  /** Takes back one that was certainly not sent. */
  giveBack(asker: MailAsker): void
}

export interface MailBounds {
  max: number
  /** Of those, what networks may have that are not known: all together, and each. The rest is kept for known ones. */
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
