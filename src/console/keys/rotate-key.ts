import { z } from 'zod'
import { rightsSentence } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { keyId } from '../../operations/ids.ts'
import { readKey } from '../../operations/keys/read-key.ts'
import { rightsOf, rotateKey } from '../../operations/keys/rotate-key.ts'
import { html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { keysPath, lastFour } from './list-page.ts'
import { mintedView } from './key-form.ts'
import { accountOf, asAdmin, definePage, idIn } from '../page.ts'
import { facts, field, moment, formProblem } from '../parts.ts'

/** Replaces a key with a new one with the same rights. Both work for some hours. */
export const rotateKeyPage = definePage({
  path: `${keysPath}/:key/rotate`,
  role: 'admin',
  form: z.strictObject({ overlap: optionally(wholeNumber(0, limits.keyOverlapHoursMax)) }),
  async show(context, _query, rejected) {
    const key = await readKey(accountOf(context), idIn(context, 'key', keyId))
    return {
      title: 'Rotate key?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Key', key.name],
          ['Ends in', lastFour(key)],
          ['Rights', rightsSentence(rightsOf(key))],
          ['Created', moment(key.created_at)],
          ['Last used', moment(key.last_used_at)],
          ['Expires', moment(key.expires_at)],
        ])}
        <p>
          This creates a new key with the same rights. Give the new key to your agent or hook. The old key
          expires after the overlap. Until then both keys work and share their limits.
        </p>
        <form method="post">
          ${field({
            name: 'overlap',
            label: 'Overlap (hours)',
            type: 'number',
            value: String(limits.keyOverlapHoursDefault),
            hint: `0 ends the old key immediately. At most ${limits.keyOverlapHoursMax} (one week).`,
            isRequired: false,
            rejected,
          })}
          <button type="submit">Rotate key</button>
          <a class="button" href="${keysPath}">Go back</a>
        </form>`,
    }
  },
  async send(context, { overlap }) {
    const id = idIn(context, 'key', keyId)
    const { name } = await readKey(accountOf(context), id)
    const { former, ...made } = await rotateKey(asAdmin(context), id, {
      overlapHours: overlap,
      secretsKeys: context.deps.secretsKeys,
    })
    const view = mintedView(context.deps, name, made)
    return {
      ...view,
      body: html`${view.body}
        <p class="hint">The old key expires ${moment(former.expiresAt)}.</p>`,
    }
  },
})
