import { type RunnerRule, type RunnerRules, callFields } from '../../gate/runner-calls/rules.ts'
import { matchTexts, toolText } from '../../gate/runner-calls/rule-words.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { empty, table, tierBadge } from '../parts.ts'
import { consentWords } from '../policies/controls.ts'
import { toolCallsPath } from '../policies/form-schema.ts'

/** The rules about tool calls of agent runners, to read. */
export const rulesPart = ({ rules, record }: RunnerRules): Html =>
  html`<h2 id="tool-calls">Tool calls of agent runners</h2>
    <p>
      The first rule that matches a tool call decides it. A call that no rule matches requires the member’s
      consent. ${recordWords[record]}
    </p>
    ${
      rules.length === 0
        ? empty('No rules: every tool call requires consent.')
        : html`<div class="rules tool-rules">
            ${table(
              'Rules about tool calls',
              ['No.', 'Tool', 'Match', 'Tier', 'Decision', 'Consent', 'Note'],
              rules.map(rowOf),
            )}
          </div>`
    }
    <p><a class="button" href="${toolCallsPath}">Edit rules</a></p>`

const recordWords: Record<RunnerRules['record'], string> = {
  refused: 'Allowed calls are counted, not recorded as actions.',
  all: 'Every call is recorded as an action.',
}

function rowOf(rule: RunnerRule, n: number): Part[] {
  const { tool, tier, decision, consent = 'chat', note } = rule
  return [
    html`<span id="rule-${n + 1}">${n + 1}</span>`,
    tool === '*' ? 'any' : html`<code>${toolText(tool)}</code>`,
    list(matchTexts(rule)),
    tier === undefined ? 'any' : tierBadge(tier),
    decisionBadges[decision],
    decision === 'consent' ? consentWords(consent) : notApplicable,
    html`<bdi>${escapeInvisible(note)}</bdi>`,
  ]
}

const notApplicable = html`<span class="none">none</span>`

const decisionBadges: Record<RunnerRule['decision'], Html> = {
  allow: html`<span class="badge good">allow</span>`,
  deny: html`<span class="badge bad">deny</span>`,
  consent: html`<span class="badge running">consent</span>`,
}

const list = (conditions: string[]): Part =>
  conditions.length === 0
    ? 'every call'
    : html`<ul>
        ${conditions.map((condition) => html`<li>${condition}</li> `)}
      </ul>`

/** What the fields of a condition are, for the form. */
export const matchHint = `One condition a line, and all must match: “command: git *”, “file_path: prefix /work/”, “@effect: one of reads, edits_inside”. A field is one of the tool’s input, or ${callFields.join(', ')}. In a pattern, * stands for any characters and ? for one. In a rule that allows, a pattern or prefix matches one simple command, such as git status, and no line with several commands, a redirection or a variable.`
