import { type Outlet, outlets, outletsOf } from '../../gate/reach.ts'
import type { ActionKind, Fields } from '../../actions/kind.ts'
import type { ActionRow, FormerVersion } from '../../db/queries/actions/actions.ts'
import { lookAtEdit } from '../../db/queries/actions/decide.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { changesBetween } from '../../gate/edits/changes.ts'
import {
  type EditableField,
  type ShownField,
  factsAfter,
  nameOf,
  shownField,
  withEntered,
} from '../../gate/edits/editable-fields.ts'
import { digestOfRow } from '../../ledger/digest.ts'
import { escapeInvisibleLines, readEscapes } from '../../text/escape-invisible.ts'
import { requireKind } from '../actions/require-kind.ts'
import { parseInput } from '../parse.ts'

/** What a member may change of an open proposal before they approve it. */
export async function editableFields(deps: Deps, row: ActionRow): Promise<ShownField[]> {
  // Once.
  if (row.former !== null) return []
  const payload = row.payload as Fields
  const fields = (await requireKind(deps, row)).editable?.(payload) ?? []
  return [...fields.map((field) => visibleField(shownField(field, payload))), ...recipientsField(row)]
}

/** A text field with its invisible characters written out: one of them could turn the line around that the member edits. */
const visibleField = (field: ShownField): ShownField =>
  field.as === undefined ? { ...field, text: escapeInvisibleLines(unixLines(field.text)) } : field

/** What the member entered, with the characters that `visibleField` wrote out. Pure. */
const readEntered = (
  fields: readonly EditableField[],
  entered: Record<string, string>,
): Record<string, string> => {
  const texts = new Set(fields.filter(({ way }) => way === 'text').map(nameOf))
  return Object.fromEntries(
    Object.entries(entered).map(([name, text]) => [
      name,
      texts.has(name) ? readEscapes(unixLines(text)) : text,
    ]),
  )
}

/** Browsers send line ends of a form as CR LF. */
const unixLines = (text: string): string => text.replaceAll('\r\n', '\n')

/** Whom a message reaches, as a form shows it: everyone, or those of one of its channels. */
const reachChoices: Record<string, Outlet> = {
  'only in Slack': 'slack',
  'only by e-mail': 'email',
  'only in Microsoft Teams': 'teams',
}
const everyone = 'everyone'
const recipientsName = 'recipients'

const recipientsField = (row: ActionRow): ShownField[] =>
  row.recipients === null || outletsOf(row).length < 2
    ? []
    : [
        {
          name: recipientsName,
          label: 'Recipients',
          text: everyone,
          as: [
            everyone,
            ...Object.keys(reachChoices).filter((name) => outletsOf(row).includes(reachChoices[name]!)),
          ],
        },
      ]

/** The only outlet that a member leaves; null: the recipients stay. @throws GateError `invalid` */
function channelOf(row: ActionRow, entered: Record<string, string>): Outlet | null {
  const chosen = recipientsField(row).length === 0 ? undefined : entered[recipientsName]
  if (chosen === undefined || chosen === everyone) return null
  const only = Object.hasOwn(reachChoices, chosen) ? reachChoices[chosen]! : undefined
  if (only !== undefined && outletsOf(row).includes(only)) return only
  throw new GateError('invalid', 'Recipients must be one of its values.', { param: recipientsName })
}

/** The same with what they entered. Pure. */
export const enteredFields = (fields: ShownField[], entered: Record<string, string>): ShownField[] =>
  fields.map((field) => ({ ...field, text: entered[field.name] ?? field.text }))

/**
 * The proposal as its member changes it: version 2 of the action, which is stored where they consent to it. Where nothing differs,
 * the row as it is.
 * @param entered  what the form has, by name of the field
 * @throws GateError `invalid` for what the kind does not let a member change like that
 */
export async function editedRow(
  deps: Deps,
  row: ActionRow,
  entered: Record<string, string>,
): Promise<ActionRow> {
  if (row.former !== null) return row
  const kind = await requireKind(deps, row)
  const was = row.payload as Fields
  const fields = kind.editable?.(was) ?? []
  const made = withEntered(was, fields, readEntered(fields, entered))
  if ('problem' in made) {
    const { name, label, says } = made.problem
    throw new GateError('invalid', `${label} ${says}.`, { param: name })
  }
  const channel = channelOf(row, entered)
  if (channel === null && changesBetween(was, made.payload).length === 0) return row
  // What a kind freezes has other fields than what it takes: of these only amounts are lowered.
  const payload = kind.freeze ? made.payload : (parseInput(kind.payload, made.payload) as Fields)
  const { id, account_id: account } = row
  const edited: ActionRow = {
    ...row,
    payload,
    facts: factsAfter(row.facts, fields, was, payload),
    ...amountColumns(kind, row, payload),
    ...(await lookAtEdit(deps.db, { account, id, payload: canonical(payload as Json), channel })),
    ...(channel === null
      ? {}
      : Object.fromEntries(
          outlets.filter((outlet) => outlet !== channel).map((outlet) => [`reach_${outlet}`, 0]),
        )),
    former: formerOf(row),
  }
  return { ...edited, digest: digestOfRow(edited) }
}

const formerOf = (row: ActionRow): FormerVersion => ({
  payload: row.payload,
  facts: row.facts,
  digest: row.digest!,
  duplicate_of: row.duplicate_of,
  recipients: row.recipients?.toString('hex') ?? null,
  reach_slack: row.reach_slack,
  reach_email: row.reach_email,
  reach_teams: row.reach_teams,
})

/** The amount as the database reads it from the payload of a declared kind. */
const amountColumns = (
  { weigh }: ActionKind,
  { kind_version: version }: ActionRow,
  payload: Fields,
): Partial<Pick<ActionRow, 'amount_cents' | 'amount_currency'>> => {
  const weight = version === null ? undefined : weigh?.(payload)
  return weight ? { amount_cents: weight.amountCents, amount_currency: weight.currency } : {}
}
