import type { KindDocument } from '../../gate/declared/declared-kind.ts'
import { ruleLines } from '../../gate/policy-lines.ts'
import { type DiffLine, diffLines } from '../diff-lines.ts'
import { payloadFields } from './payload-words.ts'

/** A document in words, one statement a line, in an order that does not depend on how it is written. Pure. */
export const kindLines = (document: KindDocument): string[] => [
  `title: ${document.title}`,
  `description: ${document.description}`,
  ...payloadFields(document)
    .map(({ pointer, isRequired, holds, description }) => {
      const about = description === undefined ? '' : `: ${description}`
      return `field ${pointer}: ${isRequired ? 'required' : 'optional'} ${holds}${about}`
    })
    .toSorted(),
  document.amount === undefined ? 'no amount' : `amount: ${amountWords(document.amount)}`,
  document.subject === undefined ? 'no subject' : `subject: ${document.subject}`,
  ...(document.card.length === 0 ? ['no card lines'] : []),
  ...document.card.map(
    ({ label, value, format }, n) => `card line ${n + 1}: ${label}, ${value} as ${format}`,
  ),
  ...(document.editable ?? []).map((at) => `a member may change: ${at}`).toSorted(),
  ...ruleLines('default rule', document.default_rule),
  document.expires_after_hours === undefined
    ? 'expires as the policy says'
    : `expires after ${document.expires_after_hours} hours`,
  ...executorLines(document),
]

/** Where the amount and its currency stand. Pure. */
export const amountWords = ({ cents, currency }: NonNullable<KindDocument['amount']>): string =>
  `whole cents at ${cents}, ${typeof currency === 'string' ? `currency at ${currency}` : `always ${currency.always.toUpperCase()}`}`

function executorLines({ executor }: KindDocument): string[] {
  if (executor.type === 'claim') return [`executor: claim, for ${executor.lease_minutes} minutes`]
  const { url, status_url: statusUrl } = executor
  return [
    `executor: webhook, ${url}`,
    ...(statusUrl === undefined ? [] : [`lost answers are asked for at ${statusUrl}`]),
  ]
}

/** What differs between two documents of a kind. `before` absent: everything is new. Pure. */
export const diffKinds = (before: KindDocument | undefined, after: KindDocument): DiffLine[] =>
  diffLines(before ? kindLines(before) : [], kindLines(after))
