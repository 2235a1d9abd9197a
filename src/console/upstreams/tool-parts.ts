import { upstreamKind } from '../../gate/declared/upstream-call.ts'
import { amountWords } from '../../operations/kinds/kind-lines.ts'
import type { UpstreamTool } from '../../operations/upstreams/review.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { ruleLinesPart } from '../policies/rule-parts.ts'
import { consentLines, dayLimitLines, tierLines } from '../policies/rule-words.ts'

const states: Record<UpstreamTool['state'], Html> = {
  reviewed: html`<span class="badge good">reviewed</span>`,
  unreviewed: html`<span class="badge">new</span>`,
  quarantined: html`<span class="badge bad">quarantined</span>`,
  gone: html`<span class="badge over">gone</span>`,
}

/** The state of a tool. */
export const stateBadge = ({ state }: Pick<UpstreamTool, 'state'>): Html => states[state]

/** What the state of a tool means for its calls. */
export const stateWords: Record<UpstreamTool['state'], string> = {
  reviewed: 'Calls follow the rule below.',
  unreviewed: 'Nobody has reviewed it. Agents do not see it, and calls of it are denied.',
  quarantined:
    'Its server changed it after the review. Calls of it are denied until an administrator approves the change, also if it changes back.',
  gone: 'Its server no longer lists it. Agents do not see it. If it comes back unchanged, it is served again.',
}

/** Whether a tool waits for a review. */
export const isWaiting = ({ state }: Pick<UpstreamTool, 'state'>): boolean =>
  state === 'unreviewed' || state === 'quarantined'

/** The rule of a tool in a word. */
export const ruleWord = ({ rule, isDefaultRule }: UpstreamTool): Part =>
  isDefaultRule ? html`${rule.rule} <span class="none">(default)</span>` : rule.rule

const ruleSentences = {
  allow: 'Passed on at once, and recorded as an executed action',
  confirm: 'Proposed to the member, and called after their consent',
  deny: 'Denied',
}

/** Everything that a rule says. */
export function ruleFacts({ rule, isDefaultRule }: UpstreamTool): [string, Part][] {
  const { rule: word, requires, amount, subject, is_idempotent: isIdempotent } = rule
  return [
    ['Rule', html`<strong>${word}</strong>${isDefaultRule ? ', the default' : ''}`],
    ['Calls are', ruleSentences[word]],
    ...(requires === undefined
      ? []
      : ([
          ['Required tier', ruleLinesPart(tierLines(requires))],
          ['Minimum consent', ruleLinesPart(consentLines(upstreamKind, requires))],
          ['Limits per 24 hours', dayLimitLines(upstreamKind, requires).join('; ')],
        ] satisfies [string, Part][])),
    ['Amount', amount === undefined ? none : amountWords(amount)],
    ['Subject', subject === undefined ? none : html`<code>${subject}</code>`],
    ['Unknown outcome', isIdempotent === true ? 'The call may be repeated' : 'The call is not repeated'],
  ]
}

const none = html`<span class="none">none</span>`

/** What a server says about its tool. */
export const claimPart = ({ claimsReadOnly }: UpstreamTool): Part =>
  claimsReadOnly === undefined
    ? html`<span class="none">none</span>`
    : claimsReadOnly
      ? 'claims that it only reads'
      : 'claims that it writes'
