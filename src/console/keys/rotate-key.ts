import { z } from 'zod'
import { rightsSentence } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { keyId, whole } from '../../operations/admin/fields.ts'
import { readKey, rightsOf, rotateKey } from '../../operations/admin/keys.ts'
import { html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { keysPath, lastFour } from './list-page.ts'
import { mintedView } from './mint-key.ts'
import { accountOf, asAdmin, definePage, idIn } from '../page.ts'
import { facts, field, moment, formProblem } from '../parts.ts'

/** Replaces a key by another with the same rights, while both work for some hours. */
export const rotateKeyPage = definePage({
  path: `${keysPath}/:key/rotate`,
  role: 'admin',
  form: z.strictObject({ overlap: optionally(whole(0, limits.keyOverlapHoursMax)) }),
  async show(context, _query, rejected) {
    const key = await readKey(accountOf(context), idIn(context, 'key', keyId))
    return {
      title: 'Rotate this key?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Key', key.name],
          ['Ends with', lastFour(key)],
          ['Can do', rightsSentence(rightsOf(key))],
          ['Made', moment(key.created_at)],
          ['Last used', moment(key.last_used_at)],
          ['Expires', moment(key.expires_at)],
        ])}
        <p>
          A new key with the same rights is made. Give it to your agent: this one expires after the overlap.
          Until then both work, and count together towards their ceilings.
        </p>
        <form method="post">
          ${field({
            name: 'overlap',
            label: 'Overlap in hours',
            type: 'number',
            value: String(limits.keyOverlapHoursDefault),
            hint: `From 0, which ends this key at once, to ${limits.keyOverlapHoursMax}, which is a week.`,
            isRequired: false,
            rejected,
          })}
          <button type="submit">Rotate the key</button>
          <a class="button" href="${keysPath}">Go back</a>
        </form>`,
    }
  },
  async send(context, { overlap }) {
    const id = idIn(context, 'key', keyId)
    const { name } = await readKey(accountOf(context), id)
    const { former, ...made } = await rotateKey(asAdmin(context), id, overlap)
    const { title, body } = mintedView(name, made)
    return {
      title,
      body: html`${body}
        <p class="hint">The key that it replaces expires ${moment(former.expiresAt)}.</p>`,
    }
  },
})
