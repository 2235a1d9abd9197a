import type { KindDocument } from '../../gate/declared/declared-kind.ts'
import type { KindRule } from '../../gate/policy.ts'
import { amountWords } from '../../operations/kinds/kind-lines.ts'
import { type PayloadField, payloadFields } from '../../operations/kinds/payload-words.ts'
import { escapeInvisible, escapeInvisibleLines } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { empty, facts, table } from '../parts.ts'
import { listPart, ruleLinesPart } from '../policies/rule-parts.ts'
import { consentLines, dayLimitLines, hoursWords, tierLines } from '../policies/rule-words.ts'

/** The document of a kind, to read. */
export const documentParts = (document: KindDocument): Html =>
  html`<h2 id="payload">Payload</h2>
    ${payloadPart(payloadFields(document))} ${facts(pointerFacts(document))}
    <h2 id="card">Decision card</h2>
    ${cardPart(document)}
    <h2 id="executor">Executor</h2>
    ${facts(executorFacts(document))}
    <details>
      <summary>Document (JSON)</summary>
      <pre class="message code">${escapeInvisibleLines(JSON.stringify(document, null, 2))}</pre>
    </details>`

const payloadPart = (fields: PayloadField[]): Part =>
  fields.length === 0
    ? empty('No fields: the payload is always empty.')
    : table(
        'Fields of the payload',
        ['Field', 'Holds', 'Required', 'Description'],
        fields.map(({ pointer, isRequired, holds, description }) => [
          html`<code>${pointer}</code>`,
          escapeInvisible(holds),
          isRequired ? 'yes' : 'no',
          description === undefined ? html`<span class="none">none</span>` : escapeInvisible(description),
        ]),
      )

const pointerFacts = ({ amount, subject }: KindDocument): [string, Part][] => [
  ['Amount', amount === undefined ? none : amountWords(amount)],
  ['Subject', subject === undefined ? none : html`<code>${subject}</code>`],
]

const none = html`<span class="none">none</span>`

const cardPart = ({ card }: KindDocument): Part =>
  html`${
      card.length === 0
        ? ''
        : table(
            'Lines of the decision card',
            ['Label', 'Field', 'Shown as'],
            card.map(({ label, value, format }) => [label, html`<code>${value}</code>`, formatWords[format]]),
          )
    }
    <p class="hint">
      Fields that no line names follow under “Other fields”. What agents write is quoted, so it does not pass
      for text of the gate.
    </p>`

const formatWords: Record<KindDocument['card'][number]['format'], string> = {
  text: 'text of the agent',
  url: 'text of the agent, never a link',
  money: 'amount',
  time: 'time in UTC',
}

function executorFacts({ executor }: KindDocument): [string, Part][] {
  if (executor.type === 'claim')
    return [
      ['Executor', 'claim: nobody is called. An agent of the member, or a service, claims the action'],
      ['Time to report', `${executor.lease_minutes} ${executor.lease_minutes === 1 ? 'minute' : 'minutes'}`],
    ]
  const { url, status_url: statusUrl } = executor
  return [
    ['Executor', 'webhook: the gate calls an address'],
    ['Address', html`<code>${url}</code>`],
    ['Asked about lost answers', statusUrl === undefined ? none : html`<code>${statusUrl}</code>`],
  ]
}

/** What a rule requires, and when proposals expire. */
export const ruleFacts = (kind: string, rule: KindRule, hours: number | undefined): [string, Part][] => [
  ['Required tier', ruleLinesPart(tierLines(rule))],
  ['Minimum consent', ruleLinesPart(consentLines(kind, rule))],
  ['Limits per 24 hours', listPart(dayLimitLines(kind, rule))],
  ['Proposals expire after', hours === undefined ? 'as the policy says for all kinds' : hoursWords(hours)],
]
