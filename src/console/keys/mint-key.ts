import { z } from 'zod'
import { unconfirmedKinds } from '../../gate/policy.ts'
import { currencies, isCurrency, parseAmount } from '../../gate/money.ts'
import { GateError } from '../../errors.ts'
import { type KeyRights, keyPowers, rightsSentence } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { actionsPerDay, instant, line, memberName, network, several } from '../../operations/admin/fields.ts'
import { type MintedKey, mintKey } from '../../operations/admin/keys.ts'
import { html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { keysPath } from './list-page.ts'
import { type View, type Visit, asAdmin, definePage } from '../page.ts'
import { checkboxes, field, problemOf, textArea } from '../parts.ts'

const amountsForm = `must be one amount a line such as 1000.00 USD, with one in USD, in ${currencies.join(', ')}`

/** Amounts with their currencies, one a line, as cents by currency. */
const amounts = z
  .string()
  .transform((text) =>
    text
      .split(/[\n;]/)
      .filter((part) => part.trim() !== '')
      .map((part): [string, number | undefined] => {
        const [, amount = '', currency = ''] = /^(.*?)\s*([A-Za-z]{3})$/.exec(part.trim()) ?? []
        return [currency.toLowerCase(), parseAmount(amount)]
      }),
  )
  .refine(
    (pairs) =>
      pairs.every(
        ([currency, cents = 0]) => isCurrency(currency) && cents > 0 && cents <= limits.amountCentsMax,
      ) &&
      new Set(pairs.map(([currency]) => currency)).size === pairs.length &&
      pairs.some(([currency]) => currency === 'usd'),
    amountsForm,
  )
  .transform((pairs) => Object.fromEntries(pairs) as Record<string, number>)

const checked = z.literal('on', 'must be checked or not')

const powerWords = {
  read: 'Read: tiers, actions, payments, workspace files',
  propose: 'Propose actions, cancel them, and start previews',
  confirm: 'Confirm proposals on behalf of the member',
} as const

/** Mints a key. The answer is the only page that ever shows it, and is kept nowhere. */
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
      actions_per_day: optionally(actionsPerDay),
      amounts_per_day: optionally(amounts),
      networks: optionally(several(network, limits.keyNetworksMax, 'networks')),
      expires: optionally(instant),
    })
    // `kind_…`, for those that there are.
    .catchall(z.string()),
  async show({ deps }, _query, again) {
    return {
      title: 'Mint a key',
      body: html`${problemOf(again)}
        <form method="post">
          ${field({
            name: 'name',
            label: 'Name',
            hint: 'What uses it, such as “support agent”: you will see this name when you look for the key to revoke.',
            charsMax: limits.nameCharsMax,
            again,
          })}
          ${checkboxes({
            legend: 'Powers',
            hint: 'An agent that both proposes and confirms decides alone. Without the power to confirm, the member decides, in Slack, by e-mail or here.',
            boxes: keyPowers.map((power) => ({
              name: `power_${power}`,
              words: powerWords[power],
              isChecked: power !== 'confirm',
            })),
            again,
          })}
          ${checkboxes({
            legend: 'Only these kinds of action',
            hint: 'With none checked, the key is for every kind, also for kinds that are added later.',
            boxes: kindsOf(deps).map((kind) => ({
              name: `kind_${kind}`,
              words: kind.replaceAll('_', ' '),
              isChecked: false,
            })),
            again,
          })}
          ${textArea({
            name: 'members',
            label: 'Only for these members',
            hint: 'E-mail addresses or Slack ids, one a line. The key acts for these members alone and reads only their actions. Left empty, it acts for any member.',
            isRequired: false,
            again,
          })}
          <fieldset class="narrow">
            <legend>Ceilings within 24 hours</legend>
            ${field({
              name: 'actions_per_day',
              label: 'Actions',
              type: 'number',
              hint: 'Left empty, as many as the policy allows.',
              isRequired: false,
              again,
            })}
            ${textArea({
              name: 'amounts_per_day',
              label: 'Amounts',
              hint: 'One currency a line, such as 1000.00 USD. USD is the ceiling of every currency that is not given. Each currency is counted by itself.',
              isRequired: false,
              rows: 2,
              again,
            })}
          </fieldset>
          ${textArea({
            name: 'networks',
            label: 'Only from these networks',
            hint: 'In CIDR form, one a line, such as 10.0.0.0/8 or 2001:db8::/32. Left empty, from anywhere.',
            isRequired: false,
            rows: 2,
            again,
          })}
          ${field({
            name: 'expires',
            label: 'Expires on',
            type: 'date',
            hint: 'At midnight UTC, when that day begins. Left empty, it works until it is revoked.',
            isRequired: false,
            again,
          })}
          <button type="submit">Mint the key</button>
          <a class="button" href="${keysPath}">Go back</a>
        </form>`,
    }
  },
  async send(visit, form) {
    const { name, members, expires } = form
    const minted = await mintKey(asAdmin(visit), {
      name,
      actors: members ?? [],
      expiresAt: expires ?? null,
      rights: {
        powers: powersIn(form),
        kinds: kindsIn(visit, form),
        networks: form.networks?.length ? form.networks : null,
        actionsPerDay: form.actions_per_day ?? null,
        centsPerDay: form.amounts_per_day ?? null,
      },
    })
    return mintedView(name, minted)
  },
})

/** The only page that shows a key. */
export const mintedView = (name: string, { keyId, apiKey, rights }: MintedKey): View => ({
  title: 'Copy this key now',
  body: html`<p>
      This is the key of <strong>${name}</strong> (<code>${keyId}</code>). It is shown this once: of what you
      see here, we keep a hash.
    </p>
    <p><code class="secret">${apiKey}</code></p>
    <p>${rightsSentence(rights)}</p>
    <p class="notice">
      Put it where your agent reads its secrets, and nowhere else. Should it be lost, revoke it and mint
      another.
    </p>
    <p><a class="button" href="${keysPath}">I have copied it</a></p>`,
})

const kindsOf = ({ kinds }: Visit['deps']): string[] => [...kinds.keys(), ...unconfirmedKinds]

function powersIn(form: Record<string, unknown>): KeyRights['powers'] {
  const powers = keyPowers.filter((power) => form[`power_${power}`] === 'on')
  if (powers.length === 0) throw new GateError('invalid', 'Check at least one power.')
  return powers
}

function kindsIn({ deps }: Visit, form: Record<string, unknown>): string[] | null {
  const others = Object.keys(form).filter((name) => !Object.hasOwn(mintKeyPage.form!.shape, name))
  const known = new Set(kindsOf(deps).map((kind) => `kind_${kind}`))
  const unknown = others.find((name) => !known.has(name))
  if (unknown !== undefined) throw new GateError('invalid', `unknown field ${unknown.slice(0, 100)}.`)
  const odd = others.find((name) => form[name] !== 'on')
  if (odd !== undefined) throw new GateError('invalid', `${odd} must be checked or not.`)
  return others.length === 0 ? null : kindsOf(deps).filter((kind) => others.includes(`kind_${kind}`))
}
