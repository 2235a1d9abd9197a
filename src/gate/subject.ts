import { formatAmount } from './money.ts'

/**
 * What was already confirmed for the same subject or customer, for the rule and the decision card: an amount that is split into
 * parts is judged as a whole. Pure.
 * @param sums  0 gives an empty text
 * @param when  which 24 hours
 */
export function spentText(
  kind: string,
  sums: SubjectSums,
  currency: string,
  when = 'in the last 24 hours',
): string {
  const cents = countedCents(sums)
  if (cents === 0) return ''
  return `with ${formatAmount(cents, currency)} already ${doneBy(kind, sums)} ${when}`
}

/** What was confirmed within a time, over all members and keys, in the currency of the action. */
export interface SubjectSums {
  /** The sum of the same subject. */
  subjectCents: number
  /** The sum of the same customer, for a kind that adds up by customer too. */
  customerCents: number
}

/** The sum that counts beside an amount. A payment without a customer at one time may have one later, so neither holds the other. Pure. */
export const countedCents = ({ subjectCents, customerCents }: SubjectSums): number =>
  Math.max(subjectCents, customerCents)

/** The same for what was confirmed after an action was proposed. Pure. */
export const sinceText = (kind: string, sums: SubjectSums, currency: string): string =>
  `${formatAmount(countedCents(sums), currency)} more ${doneBy(kind, sums)}`

const doneBy = (kind: string, sums: SubjectSums): string =>
  countedCents(sums) > sums.subjectCents
    ? 'refunded to this customer'
    : (textByKind.get(kind) ?? 'confirmed for the same subject')

const textByKind = new Map([
  ['refund', 'refunded on this payment'],
  ['payout', 'paid out to this destination'],
  ['checkout', 'in checkouts for this customer'],
  ['subscription_cancellation', 'cancelled on this subscription'],
])

/**
 * Why amounts cannot be added up by a text; undefined: they can. Texts are compared exactly, so two that look the same must not
 * be two subjects, each with a sum of its own. Pure.
 */
export function whyNoSubject(text: string): string | undefined {
  if (text.trim() !== text) return 'must not begin or end with white space'
  if (unseen.test(text))
    return 'must not contain control characters, invisible characters or spaces other than the usual one'
  return text.normalize('NFC') === text ? undefined : 'must be in the Unicode form NFC'
}

const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u
