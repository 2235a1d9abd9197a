import { runnerNames } from '../../gate/runner-calls/tool-call.ts'
import type { ToolCallRow } from '../../operations/runner-calls/runners-overview.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { ledgerPath } from '../ledger/ledger-path.ts'
import { moment, table } from '../parts.ts'
import { policiesPath } from '../policies/form-schema.ts'

/** Tool calls, a line each: what was called, the answer, the rule that decided, and its outcome. */
export const callsTable = (label: string, calls: ToolCallRow[]): Html =>
  html`<div class="lines of-calls">
    ${table(
      label,
      ['Tool', 'Time', 'Runner', 'Member', 'Effect', 'Decision', 'Outcome', 'Row'],
      calls.map((call): Part[] => [
        html`<bdi title="${escapeInvisible(call.tool)}">${escapeInvisible(call.tool)}</bdi>`,
        moment(call.at),
        html`<span title="${runnerNames[call.runner]}, ${call.key_name}">
          ${runnerNames[call.runner]}, <bdi>${call.key_name}</bdi>
        </span>`,
        html`<a href="/console/members/${call.member_id}"
          ><bdi title="${call.member}">${call.member}</bdi></a
        >`,
        html`<span title="${effectOf(call)}">${effectOf(call)}</span>`,
        html`<span class="badge ${badges[call.decision]}">${decisionWords[call.decision]}</span>
          ${rulePart(call)}`,
        outcomePart(call),
        call.action_id === null ? '' : html`<a href="${ledgerPath}/${call.action_id}">#${call.action_id}</a>`,
      ]),
    )}
  </div>`

const effectOf = ({ effect }: ToolCallRow): string => effect.replaceAll('_', ' ')

const decisionWords = { allow: 'allowed', deny: 'denied', consent: 'consent requested' } as const
/** The colours of the ledger's statuses. */
const badges = { allow: 'executed', deny: 'denied', consent: 'proposed' } as const

function rulePart({ rule, decision, action_id: action }: ToolCallRow): Part {
  if (rule !== null) return html`<a href="${policiesPath}#rule-${rule}">by rule ${rule}</a>`
  if (decision === 'allow') return action === null ? '' : 'consent'
  return decision === 'consent' ? html`<a href="${policiesPath}#tool-calls">no rule</a>` : 'by the gate'
}

function outcomePart({ decision, outcome, is_unreported: isUnreported }: ToolCallRow): Part {
  if (decision !== 'allow') return html`<span class="none">–</span>`
  if (outcome === 'failed') return html`<span class="tone warn">failed</span>`
  if (outcome === 'ran') return 'ran'
  return isUnreported ? html`<span class="tone warn">unreported</span>` : html`<span class="none">–</span>`
}
