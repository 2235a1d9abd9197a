import type { ConsentStrength } from '../../gate/consent.ts'
import type { KindRule, Policy } from '../../gate/policy.ts'
import { limitLines } from '../../gate/policy-lines.ts'
import { channelChoices } from '../../gate/reach.ts'
import { type LimitScope, limitScopes } from '../../gate/velocity.ts'
import { limits } from '../../limits.ts'
import type { RejectedForm } from '../../web/fields.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { choice, field, table } from '../parts.ts'
import {
  type Choice,
  amountInput,
  consentChoices,
  currencyChoices,
  hiddenFields,
  availableChoices,
  picker,
  tierChoices,
} from './controls.ts'
import { noBand, removedBand } from './form-fields.ts'
import { pathOfPart, policiesPath, settingsPart } from './form-schema.ts'
import { togetherPart } from './form-together.ts'
import { type Fields, countRows } from './form-values.ts'
import { actionsField, limitsBelow, limitsOff } from './form-velocity.ts'

/** The form of a part of the policy, and its values. */
export interface PolicyForm {
  /** A kind of action, or the settings of all. */
  part: string
  /** The consent strengths that each kind can require. */
  floors: (kind: string) => readonly ConsentStrength[]
  /** The default rule of every kind: it decides which fields a kind has. */
  rules: Record<string, KindRule>
  inForce: Policy
  fields: Fields
  rejected?: RejectedForm | undefined
  /** The user requested more empty rows. */
  wantsMore?: boolean
}

/** The form of one part: the rules of a kind, or the settings. It works without scripts, so it has empty rows for new bands. */
export function partForm(form: PolicyForm): Html {
  const { part, fields, rules } = form
  const isBanded = part !== settingsPart && 'bands' in rules[part]!
  return html`<form method="post" action="${pathOfPart(part)}" class="policy">
    ${hiddenFields({ version: fields['version'] ?? '', ...(fields['note'] ? { note: fields['note'] } : {}) })}
    ${part === settingsPart ? settings(form) : kindPart(form)}
    <p class="actions">
      <button type="submit" name="do" value="review">Review changes</button>
      ${isBanded ? html`<button type="submit" class="quiet" name="do" value="more">Add empty rows</button>` : ''}
      <a class="button" href="${policiesPath}">Cancel</a>
    </p>
  </form>`
}

const settings = ({ fields, rejected }: PolicyForm): Html =>
  html`<div class="pair">
      ${number(fields, rejected, {
        name: 'expires_after_hours',
        label: 'Hours until a proposal expires',
        hint: `At most ${limits.expiresAfterHoursMax} (one year).`,
        isRequired: true,
      })}
      ${number(fields, rejected, {
        name: 'open_max_per_member',
        label: 'Open proposals per member',
        hint: 'Further proposals are refused.',
        isRequired: true,
      })}
      ${number(fields, rejected, {
        name: 'mailbox_settles_after_hours',
        label: 'Hours until a changed e-mail or Slack identity counts in full',
        hint: 'Until then, decisions through the identity count as agent_attested. 0: it counts immediately.',
        isRequired: true,
      })}
      ${number(fields, rejected, {
        name: 'passkey_settles_after_hours',
        label: 'Hours until a new passkey counts as one',
        hint: 'Until then, a decision with it counts as page. 0: it counts immediately.',
        isRequired: true,
      })}
      ${choice({
        name: 'passkey_device_bound',
        label: 'Passkeys that count',
        values: [
          ['false', 'all'],
          ['true', 'only those that are bound to their device'],
        ],
        value: fields['passkey_device_bound'] ?? 'false',
        rejected,
      })}
      ${choice({
        name: 'ask_when_proposed',
        label: 'A member whose consent is required is asked',
        values: [
          ['false', 'at the confirm'],
          ['true', 'when the action is proposed'],
        ],
        value: fields['ask_when_proposed'] ?? 'false',
        rejected,
      })}
    </div>
    ${togetherPart(fields, rejected)}`

const number = (
  fields: Fields,
  rejected: RejectedForm | undefined,
  options: { name: string; label: string; hint: string; isRequired?: boolean },
): Html =>
  field({
    isRequired: false,
    ...options,
    inputmode: 'decimal',
    value: fields[options.name] ?? '',
    charsMax: limits.policyFieldCharsMax,
    rejected,
  })

function kindPart(form: PolicyForm): Html {
  const { part: kind, fields, rules, rejected } = form
  const rule = rules[kind]!
  const of = (name: string) => fields[`${kind}.${name}`] ?? ''
  const labelled = (name: string, label: string, choices: Choice[]): Html =>
    choice({
      name: `${kind}.${name}`,
      label,
      values: withPrompt(choices, of(name)),
      value: of(name),
      rejected,
    })
  const oneTier = html`<div class="pair">
    ${labelled('tier', 'Required tier', tierChoices)}
    ${labelled('consent', 'Minimum consent', floors(form, kind, of('consent')))}
    ${'channels' in rule ? labelled('channels', 'Channels', channelWords) : ''}
  </div>`
  if (!('bands' in rule)) return html`${hiddenFields({ [`${kind}.by`]: 'tier' })} ${oneTier}`
  return html`<p>
      Each band requires a tier for amounts up to its limit. USD bands apply to every currency that has no
      rows of its own. A band without an amount covers all higher amounts. Without such a band, higher amounts
      are denied for everyone. Rows without a tier are ignored.
    </p>
    ${labelled('by', 'Ruled by', clearedBy)} ${bandsPart(form, kind)}
    <details ${of('by') === 'tier' ? html`open` : ''}>
      <summary>One tier for any amount</summary>
      ${oneTier}
    </details>`
}

// Without a prompt, a browser would send the first option where nothing was chosen.
const withPrompt = (choices: Choice[], chosen: string): Choice[] =>
  choices.some(([value]) => value === chosen) ? choices : [['', '(choose one)'], ...choices]

const clearedBy: Choice[] = [
  ['amount', 'amount (bands below)'],
  ['tier', 'one tier for any amount'],
]
const channelWords: Choice[] = channelChoices.map((choice) => [
  choice,
  { preferred: 'one channel per member', all: 'every channel' }[choice],
])

const floors = (form: PolicyForm, kind: string, chosen: string): Choice[] =>
  availableChoices(consentChoices, form.floors(kind), chosen)

function bandsPart(form: PolicyForm, kind: string): Part {
  const { fields } = form
  return [
    table(
      `Bands of ${kind}`,
      ['Currency', 'Up to', 'Tier', 'Minimum consent'],
      rowNumbers(form, kind, 'band').map((n) => bandRow(form, kind, n)),
    ),
    html`<details ${hasVelocity(fields, kind) ? html`open` : ''}>
      <summary>Limits per 24 hours</summary>
      <p>
        ${defaultsOf(form, kind)} Each currency is counted separately, because exchange rates are not known.
        The USD limit applies separately to each currency without a limit of its own.
      </p>
      ${choice({
        name: `${kind}.limits`,
        label: 'Member limits',
        values: limitChoices,
        value: fields[`${kind}.limits`] ?? '',
        rejected: form.rejected,
      })}
      <div class="pair">
        ${limitScopes.map((scope) =>
          number(fields, form.rejected, {
            name: `${kind}.${actionsField[scope]}`,
            label: countLabels[scope],
            hint: countHints[scope],
          }),
        )}
      </div>
      ${table(
        `Amount limits of ${kind} per 24 hours`,
        ['Applies to', 'Currency', 'Limit'],
        rowNumbers(form, kind, 'day').map((n) => dayRow(form, kind, n)),
      )}
    </details>`,
  ]
}

const limitChoices: Choice[] = [
  [limitsBelow, 'as below; empty fields use the defaults'],
  [limitsOff, 'no limit'],
]
const countLabels: Record<LimitScope, string> = {
  member: 'Actions per member',
  account: 'Actions of the whole account',
  key: 'Actions per API key',
}
const countHints: Record<LimitScope, string> = {
  member: 'Empty: no limit if an amount limit is set below, otherwise the default.',
  account: 'Empty: no limit.',
  key: 'Empty: no limit.',
}
const whoseChoices: Choice[] = [
  ['member', 'each member'],
  ['account', 'the whole account'],
  ['key', 'each API key'],
]

/** The default limits of a member. */
function defaultsOf({ inForce }: PolicyForm, kind: string): string {
  const rule = inForce.kinds[kind]
  if (!rule || !('bands' in rule)) return ''
  const lines = limitLines(kind, { bands: rule.bands }, inForce)
  return `By default: ${lines.map((line) => line.slice(kind.length + 2)).join('; ')}.`
}

function hasVelocity(fields: Fields, kind: string): boolean {
  const times = Object.values(actionsField).map((name) => fields[`${kind}.${name}`] ?? '')
  const isOff = fields[`${kind}.limits`] === limitsOff
  return isOff || times.some((text) => text !== '') || countRows(fields, kind, 'day', true) > 0
}

// The filled rows plus some empty ones; on request, more empty rows than before.
function rowNumbers({ fields, wantsMore }: PolicyForm, kind: string, what: 'band' | 'day'): number[] {
  const there = countRows(fields, kind, what, wantsMore !== true)
  return Array.from({ length: Math.min(there + limits.emptyBandRows, limits.policyFormRowsMax) }, (_, n) => n)
}

function bandRow(form: PolicyForm, kind: string, n: number): Part[] {
  const named = (name: string, label: string) => ({
    name: `${kind}.band.${n}.${name}`,
    label: `${label} of band ${n + 1} of ${kind}`,
    value: form.fields[`${kind}.band.${n}.${name}`] ?? '',
    rejected: form.rejected,
  })
  const [tier, consent] = [named('tier', 'Tier'), named('consent', 'Consent')]
  const noTier: Choice[] = tier.value === '' ? [[noBand, '(no band)']] : [[removedBand, 'remove this band']]
  return [
    picker({ ...named('currency', 'Currency'), choices: currencyChoices }),
    amountInput({ ...named('up_to', 'Up to'), placeholder: 'no limit' }),
    picker({ ...tier, choices: [...noTier, ...tierChoices] }),
    picker({ ...consent, choices: floors(form, kind, consent.value) }),
  ]
}

function dayRow({ fields, rejected }: PolicyForm, kind: string, n: number): Part[] {
  const named = (name: string, label: string) => ({
    name: `${kind}.day.${n}.${name}`,
    label: `${label}, limit ${n + 1} of ${kind}`,
    value: fields[`${kind}.day.${n}.${name}`] ?? '',
    rejected,
  })
  return [
    picker({ ...named('whose', 'Applies to'), choices: whoseChoices }),
    picker({ ...named('currency', 'Currency'), choices: currencyChoices }),
    amountInput({ ...named('amount', 'Amount'), placeholder: 'no limit' }),
  ]
}
