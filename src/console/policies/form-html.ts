import type { ConsentStrength } from '../../gate/consent.ts'
import type { KindRule } from '../../gate/policy.ts'
import { limitLines } from '../../gate/policy-lines.ts'
import { channelChoices } from '../../gate/reach.ts'
import { type LimitScope, limitScopes } from '../../gate/velocity.ts'
import { limits } from '../../limits.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { table } from '../parts.ts'
import {
  type Choice,
  amountInput,
  consentChoices,
  currencyChoices,
  hiddenFields,
  offered,
  picker,
  tierChoices,
} from './controls.ts'
import { noBand, removedBand } from './form-fields.ts'
import { type Fields, rowsIn } from './form-values.ts'
import { actionsField, limitsBelow, limitsOff } from './form-velocity.ts'

/** A policy to be edited, and what is filled in. */
export interface PolicyForm {
  /** The consent that each kind can ask for. */
  floors: (kind: string) => readonly ConsentStrength[]
  /** The default rule of every kind: it says what a kind's rule may hold. */
  rules: Record<string, KindRule>
  /** The rules in force. */
  inForce: Record<string, KindRule>
  fields: Fields
  /** Somebody asked for more empty rows. */
  wantsMore?: boolean
}

/** The form: settings, then each kind. Works without a script, so there are empty rows for what is added. */
export function policyForm(form: PolicyForm): Html {
  const { rules, fields } = form
  const kinds = Object.keys(rules).toSorted()
  return html`<form method="post" action="/console/policies" class="policy">
    ${hiddenFields({ version: fields['version'] ?? '' })}
    <fieldset>
      <legend>Every proposal</legend>
      <div class="pair">
        ${number(fields, 'expires_after_hours', 'Hours until it expires', 'up to 8760, which is a year')}
        ${number(
          fields,
          'open_max_per_member',
          'Open at once, of one member',
          'fewer means fewer questions at a time',
        )}
        ${number(
          fields,
          'mailbox_settles_after_hours',
          'Hours until a changed e-mail or Slack identity counts in full',
          'until then its decisions count as agent_attested; 0: at once',
        )}
      </div>
    </fieldset>
    <p>
      Money is cleared by bands: up to an amount, a tier. USD holds for every currency that has no rows of its
      own. A band without an amount holds for everything above; where there is none, more is denied for
      everyone. Rows without a tier are no bands. An amount is weighed together with what was confirmed of the
      same payment, customer, subscription or payout destination in the last 24 hours, over all members and
      API keys, each currency by itself.
    </p>
    ${kinds.map((kind) => kindPart(form, kind))}
    <p class="actions">
      <button type="submit" name="do" value="review">Review the changes</button>
      <button type="submit" class="quiet" name="do" value="more">More empty rows</button>
    </p>
    <p class="hint">Nothing is set yet: the next page shows what would change, and sets it.</p>
  </form>`
}

function number(fields: Fields, name: string, label: string, hint: string): Html {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="text"
      inputmode="decimal"
      autocomplete="off"
      value="${fields[name] ?? ''}"
      aria-describedby="${name}-hint"
    />
    <p class="hint" id="${name}-hint">${hint}</p>
  </div>`
}

function kindPart(form: PolicyForm, kind: string): Html {
  const { fields, rules } = form
  const rule = rules[kind]!
  const of = (name: string) => fields[`${kind}.${name}`] ?? ''
  const labelled = (name: string, label: string, choices: Choice[]): Html =>
    html`<div class="field">
      <label for="${kind}.${name}">${label}</label>
      <select id="${kind}.${name}" name="${kind}.${name}">
        ${orNone(choices, of(name)).map(
          ([value, words]) =>
            html`<option value="${value}" ${value === of(name) ? html`selected` : ''}>${words}</option>`,
        )}
      </select>
    </div>`
  const oneTier = html`<div class="pair">
    ${labelled('tier', 'Tier it needs', tierChoices)}
    ${labelled('consent', 'Consent, at least', floors(form, kind, of('consent')))}
    ${'channels' in rule ? labelled('channels', 'Through', channelWords) : ''}
  </div>`
  return html`<fieldset>
    <legend>${kind}</legend>
    ${
      'bands' in rule
        ? html`${labelled('by', 'Cleared by', clearedBy)} ${bandsPart(form, kind)}
            <details ${of('by') === 'tier' ? html`open` : ''}>
              <summary>One tier, whatever the amount</summary>
              ${oneTier}
            </details>`
        : html`${hiddenFields({ [`${kind}.by`]: 'tier' })} ${oneTier}`
    }
  </fieldset>`
}

// A browser sends the first of a list where none is chosen, whoever looked at it.
const orNone = (choices: Choice[], chosen: string): Choice[] =>
  choices.some(([value]) => value === chosen) ? choices : [['', '(choose one)'], ...choices]

const clearedBy: Choice[] = [
  ['amount', 'its amount: the bands below'],
  ['tier', 'one tier, whatever the amount'],
]
const channelWords: Choice[] = channelChoices.map((choice) => [
  choice,
  { preferred: 'one channel each', all: 'every channel' }[choice],
])

const floors = (form: PolicyForm, kind: string, chosen: string): Choice[] =>
  offered(consentChoices, form.floors(kind), chosen)

function bandsPart(form: PolicyForm, kind: string): Part {
  const { fields } = form
  return [
    table(
      `Bands of ${kind}`,
      ['Currency', 'Up to', 'Tier', 'Consent, at least'],
      rowNumbers(form, kind, 'band').map((n) => bandRow(form, kind, n)),
    ),
    html`<details ${hasVelocity(fields, kind) ? html`open` : ''}>
      <summary>What may be confirmed in 24 hours</summary>
      <p>
        ${defaultsOf(form, kind)} Each currency is counted by itself, without exchange rates: the limit of USD
        holds once more for each currency that has none of its own.
      </p>
      <div class="field">
        <label for="${kind}.limits">Limits of a member</label>
        <select id="${kind}.limits" name="${kind}.limits">
          ${limitChoices.map(
            ([value, words]) =>
              html`<option value="${value}" ${value === fields[`${kind}.limits`] ? html`selected` : ''}>
                ${words}
              </option>`,
          )}
        </select>
      </div>
      <div class="pair">
        ${limitScopes.map((scope) =>
          number(fields, `${kind}.${actionsField[scope]}`, timesOf[scope], emptyOf[scope]),
        )}
      </div>
      ${table(
        `Amounts of ${kind} in 24 hours`,
        ['Whose', 'Currency', 'At most'],
        rowNumbers(form, kind, 'day').map((n) => dayRow(form, kind, n)),
      )}
    </details>`,
  ]
}

const limitChoices: Choice[] = [
  [limitsBelow, 'as below; where nothing is filled in, the defaults'],
  [limitsOff, 'no limit'],
]
const timesOf: Record<LimitScope, string> = {
  member: 'Times, of one member',
  account: 'Times, of the whole account',
  key: 'Times, of one API key',
}
const emptyOf: Record<LimitScope, string> = {
  member: 'empty: no limit beside an amount below, else the default',
  account: 'empty: no limit',
  key: 'empty: no limit',
}
const whoseChoices: Choice[] = [
  ['member', 'one member'],
  ['account', 'the whole account'],
  ['key', 'one API key'],
]

/** The limits that hold for a member where nothing is filled in. */
function defaultsOf({ inForce }: PolicyForm, kind: string): string {
  const rule = inForce[kind]
  if (!rule || !('bands' in rule)) return ''
  const lines = limitLines(kind, { bands: rule.bands })
  return `By default: ${lines.map((line) => line.slice(kind.length + 2)).join('; ')}.`
}

function hasVelocity(fields: Fields, kind: string): boolean {
  const times = Object.values(actionsField).map((name) => fields[`${kind}.${name}`] ?? '')
  const isOff = fields[`${kind}.limits`] === limitsOff
  return isOff || times.some((text) => text !== '') || rowsIn(fields, kind, 'day', true) > 0
}

// Those that are filled, and some more; where more are wanted, as many more than there were.
function rowNumbers({ fields, wantsMore }: PolicyForm, kind: string, what: 'band' | 'day'): number[] {
  const there = rowsIn(fields, kind, what, wantsMore !== true)
  return Array.from({ length: Math.min(there + limits.emptyBandRows, limits.policyFormRowsMax) }, (_, n) => n)
}

function bandRow(form: PolicyForm, kind: string, n: number): Part[] {
  const named = (name: string, label: string) => ({
    name: `${kind}.band.${n}.${name}`,
    label: `${label} of band ${n + 1} of ${kind}`,
    value: form.fields[`${kind}.band.${n}.${name}`] ?? '',
  })
  const [tier, consent] = [named('tier', 'Tier'), named('consent', 'Consent')]
  const noTier: Choice[] = tier.value === '' ? [[noBand, '(no band)']] : [[removedBand, 'remove this band']]
  return [
    picker({ ...named('currency', 'Currency'), choices: currencyChoices }),
    amountInput({ ...named('up_to', 'Up to'), placeholder: 'any amount above' }),
    picker({ ...tier, choices: [...noTier, ...tierChoices] }),
    picker({ ...consent, choices: floors(form, kind, consent.value) }),
  ]
}

function dayRow({ fields }: PolicyForm, kind: string, n: number): Part[] {
  const named = (name: string, label: string) => ({
    name: `${kind}.day.${n}.${name}`,
    label: `${label} ${n + 1} of a day of ${kind}`,
    value: fields[`${kind}.day.${n}.${name}`] ?? '',
  })
  return [
    picker({ ...named('whose', 'Whose'), choices: whoseChoices }),
    picker({ ...named('currency', 'Currency'), choices: currencyChoices }),
    amountInput({ ...named('amount', 'Amount'), placeholder: 'no amount' }),
  ]
}
