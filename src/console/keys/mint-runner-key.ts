import { z } from 'zod'
import { limits } from '../../limits.ts'
import { instant, line, memberName, network, several } from '../../operations/entered-fields.ts'
import { mintRunnerKey } from '../../operations/runner-calls/runner-keys.ts'
import { html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { asAdmin, definePage } from '../page.ts'
import { field, formProblem } from '../parts.ts'
import { keysPath } from './list-page.ts'
import { expiryField, keyChoice, keyLabels, mintedView, networksField } from './key-form.ts'

/** Mints the key of an agent runner's hook: it asks about the tool calls of one member. */
export const mintRunnerKeyPage = definePage({
  path: `${keysPath}/new/runner`,
  role: 'admin',
  form: z.strictObject({
    label: line(limits.nameCharsMax),
    member: memberName,
    networks: optionally(several(network, limits.keyNetworksMax, 'networks')),
    expires: optionally(instant),
  }),
  fieldOf: (param) => (param === 'members' ? 'member' : undefined),
  labels: keyLabels,
  async show(_context, _query, rejected) {
    return {
      title: 'New API key',
      body: html`${formProblem(rejected)} ${keyChoice('runner')}
        <p>
          A hook asks with this key before every tool call of an agent runner, such as Claude Code or Codex.
          The key can ask about the tool calls of one member and do nothing else: it cannot read, propose or
          confirm.
        </p>
        <form method="post">
          ${field({
            name: 'label',
            label: keyLabels.label,
            hint: 'The machine or project that uses it, such as “Ada’s laptop”. It appears in the list of keys and on actions.',
            charsMax: limits.nameCharsMax,
            rejected,
          })}
          ${field({
            name: 'member',
            label: keyLabels.member,
            hint: 'E-mail address or Slack user ID. This member’s tier decides, and this member is asked for consent.',
            charsMax: limits.emailCharsMax,
            rejected,
          })}
          ${networksField(rejected)} ${expiryField(rejected)}
          <button type="submit">Mint key</button>
          <a class="button" href="${keysPath}">Go back</a>
        </form>`,
    }
  },
  async send(context, { label, member, networks, expires }) {
    const minted = await mintRunnerKey(asAdmin(context), {
      label,
      member,
      networks: networks ?? [],
      expiresAt: expires ?? null,
      secretsKeys: context.deps.secretsKeys,
    })
    return mintedView(context.deps, label, minted)
  },
})
