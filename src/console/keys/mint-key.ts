import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { type KeyRights, actingPowers } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import {
  actionsPerDay,
  adminCallsPerDay,
  instant,
  line,
  memberName,
  network,
  several,
} from '../../operations/entered-fields.ts'
import { mintKey } from '../../operations/keys/mint-key.ts'
import { type Html, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { adminFieldNames, adminFields, adminPowersIn } from './admin-fields.ts'
import { expiryField, keyChoice, keyLabels, mintedView, networksField } from './key-form.ts'
import { keysPath } from './list-page.ts'
import { amounts, kindFields, kindsIn, kindsOf, limitFields } from './rights-fields.ts'
import { type RejectedForm, asAdmin, definePage } from '../page.ts'
import { checkboxes, field, formProblem, textArea } from '../parts.ts'

const checked = z.literal('on', 'must be checked or not')

const powerWords = {
  read: 'Read tiers, actions, payments and workspace files',
  propose: 'Propose and cancel actions, and start previews',
  confirm:
    'Confirm proposals on behalf of the member. Of kinds that are executed by claim: also claim confirmed actions and report their outcome',
  execute: 'Execute confirmed actions: claim them and report their outcome',
} as const

/** Mints a key. The answer is the only page that ever shows it; it is not stored. */
export const mintKeyPage = definePage({
  path: `${keysPath}/new`,
  role: 'admin',
  form: z
    .object({
      name: line(limits.nameCharsMax),
      members: optionally(several(memberName, limits.keyActorsMax, 'members')),
      power_read: checked.optional(),
      power_propose: checked.optional(),
      power_confirm: checked.optional(),
      power_execute: checked.optional(),
      actions_per_day: optionally(actionsPerDay),
      admin_calls_per_day: optionally(adminCallsPerDay),
      amounts_per_day: optionally(amounts),
      networks: optionally(several(network, limits.keyNetworksMax, 'networks')),
      expires: optionally(instant),
    })
    // `kind_…` for each kind of action.
    .catchall(z.string()),
  fieldOf: (param) => (param === 'powers' || param.startsWith('power_') ? 'powers' : undefined),
  labels: keyLabels,
  async show(context, _query, rejected) {
    return {
      title: 'New API key',
      body: html`${formProblem(rejected)} ${keyChoice('agent')}
        <form method="post">
          ${field({
            name: 'name',
            label: keyLabels.name,
            hint: 'What uses the key, such as “support agent”. The name appears in the list of keys and on proposals.',
            charsMax: limits.nameCharsMax,
            rejected,
          })}
          ${rightsFields(await kindsOf(context), rejected)}
          ${textArea({
            name: 'members',
            label: keyLabels.members,
            hint: 'E-mail addresses or Slack user IDs, one per line. The key acts only for these members and reads only what is theirs: for it, other members’ actions, files and previews do not exist. Payments belong to the account and can be listed. Empty: any member.',
            isRequired: false,
            rejected,
          })}
          ${limitFields(rejected)} ${networksField(rejected)} ${expiryField(rejected)}
          <button type="submit">Mint key</button>
          <a class="button" href="${keysPath}">Go back</a>
        </form>`,
    }
  },
  async send(context, form) {
    const { name, members, expires } = form
    const minted = await mintKey(asAdmin(context), {
      name,
      actors: members ?? [],
      expiresAt: expires ?? null,
      rights: {
        powers: powersIn(form),
        kinds: kindsIn(await kindsOf(context), form, [
          ...Object.keys(mintKeyPage.form!.shape),
          ...adminFieldNames,
        ]),
        networks: form.networks?.length ? form.networks : null,
        actionsPerDay: form.actions_per_day ?? null,
        adminCallsPerDay: form.admin_calls_per_day ?? null,
        centsPerDay: form.amounts_per_day ?? null,
      },
    })
    return mintedView(context.deps, name, minted)
  },
})

/** What the key may do: its powers and kinds of action. */
const rightsFields = (kinds: string[], rejected: RejectedForm | undefined): Html =>
  html`${checkboxes({
    name: 'powers',
    legend: 'Powers',
    hint: 'An agent that can both propose and confirm decides alone. Without “confirm”, the member decides in Slack, by e-mail or in this console.',
    boxes: actingPowers.map((power) => ({
      name: `power_${power}`,
      words: powerWords[power],
      isChecked: power === 'read' || power === 'propose',
    })),
    rejected,
  })}
  ${kindFields(kinds, rejected)} ${adminFields(rejected)}`

function powersIn(form: Record<string, unknown>): KeyRights['powers'] {
  const powers = [...actingPowers.filter((power) => form[`power_${power}`] === 'on'), ...adminPowersIn(form)]
  if (powers.length === 0) throw new GateError('invalid', 'Check at least one power.', { param: 'powers' })
  return powers
}
