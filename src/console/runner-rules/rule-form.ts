import { limits } from '../../limits.ts'
import type { RejectedForm } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { choice, field, textArea } from '../parts.ts'
import { type Choice, hiddenFields, tierChoices } from '../policies/controls.ts'
import { policiesPath, toolCallsPath } from '../policies/form-schema.ts'
import type { Fields } from '../policies/form-values.ts'
import { type RuleFields, anyTier, fieldName, rowsOf } from './rule-fields.ts'

/** The form of the rules about tool calls. It works without scripts: the buttons of a rule show the form again. */
export const rulesForm = (fields: Fields, rejected: RejectedForm | undefined): Html => {
  const rows = rowsOf(fields)
  return html`<form method="post" action="${toolCallsPath}" class="policy">
    ${hiddenFields({ version: fields['version'] ?? '', ...(fields['note'] ? { note: fields['note'] } : {}) })}
    ${defaultButton}
    ${rows.map((row, n) => ruleControls({ row, n, isLast: n === rows.length - 1 }, rejected))}
    <p class="actions">
      <button type="submit" class="quiet" name="do" value="add">Add rule at the end</button>
    </p>
    ${choice({
      name: 'record',
      label: 'Record as actions',
      values: recordChoices,
      value: fields['record'] ?? '',
      hint: 'Calls that were denied and calls that required consent are always recorded as actions. Allowed calls are counted by hour.',
      rejected,
    })}
    <p class="actions">
      <button type="submit" name="do" value="review">Review changes</button>
      <a class="button" href="${policiesPath}">Cancel</a>
    </p>
  </form>`
}

// Enter in a field presses the first button of a form: that must not be one that moves a rule.
const defaultButton = html`<button
  type="submit"
  class="hidden"
  name="do"
  value="review"
  tabindex="-1"
  aria-hidden="true"
>
  Review changes
</button>`

export const recordChoices: Choice[] = [
  ['refused', 'denied calls and calls that required consent'],
  ['all', 'every call'],
]

const decisionChoices: Choice[] = [
  ['allow', 'allow'],
  ['deny', 'deny'],
  ['chat', 'consent in Slack (chat)'],
  ['page', 'consent on a page (page)'],
  ['passkey', 'consent by passkey (passkey)'],
]

function ruleControls(
  { row, n, isLast }: { row: RuleFields; n: number; isLast: boolean },
  rejected: RejectedForm | undefined,
): Html {
  const of = (name: keyof RuleFields, label: string) => ({
    name: fieldName(n, name),
    label,
    value: row[name],
    // The rows have what was entered: a moved row must not show the values of its former place.
    rejected: rejected && { ...rejected, values: {} },
  })
  return html`<fieldset class="rule">
    <legend>Rule ${n + 1}</legend>
    <div class="pair">
      ${field({ ...of('tool', 'Tool'), charsMax: limits.rulePatternCharsMax, isRequired: false, isMarked: false })}
      ${choice({ ...of('tier', 'Required tier'), values: [[anyTier, 'any tier'], ...tierChoices] })}
      ${choice({ ...of('decision', 'Decision'), values: decisionChoices })}
    </div>
    ${textArea({ ...of('match', 'Match'), rows: Math.min(Math.max(row.match.split('\n').length, 1), 6), isRequired: false })}
    ${field({ ...of('note', 'Note'), charsMax: limits.ruleNoteCharsMax, isRequired: false, isMarked: false })}
    <p class="actions">
      ${n === 0 ? '' : moveButton('up', 'Move up', n)} ${isLast ? '' : moveButton('down', 'Move down', n)}
      ${moveButton('insert', 'Insert rule above', n)} ${moveButton('remove', 'Remove', n)}
    </p>
  </fieldset>`
}

const moveButton = (does: string, words: string, n: number): Html =>
  html`<button type="submit" class="quiet" name="do" value="${does}.${n}">
    ${words}<span class="hidden">, rule ${n + 1}</span>
  </button> `
