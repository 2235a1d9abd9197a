import { z } from 'zod'
import { limits } from '../limits.ts'
import { instant, line, memberName } from '../operations/admin/fields.ts'
import { mintKey } from '../operations/admin/keys.ts'
import { html } from '../transports/html.ts'
import { optionally } from './forms.ts'
import { keysPath } from './keys.ts'
import { asAdmin, definePage } from './page.ts'
import { field, problemOf, textArea } from './parts.ts'

/** Several members by e-mail or Slack id, divided by commas, spaces or lines. */
const members = z
  .string()
  .transform((text) => text.split(/[\s,;]+/).filter((part) => part !== ''))
  .pipe(z.array(memberName).max(limits.keyActorsMax, `must name at most ${limits.keyActorsMax} members`))

/** Mints a key. The answer is the only page that ever shows it, and is kept nowhere. */
export const mintKeyPage = definePage({
  path: `${keysPath}/new`,
  role: 'admin',
  form: z.strictObject({
    name: line(limits.nameCharsMax),
    members: optionally(members),
    expires: optionally(instant),
  }),
  async show(_visit, _query, again) {
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
          ${textArea({
            name: 'members',
            label: 'Only for these members',
            hint: 'E-mail addresses or Slack ids, one a line. Left empty, the key may act for any member.',
            isRequired: false,
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
  async send(visit, { name, members: actors, expires }) {
    const { apiKey, keyId } = await mintKey(asAdmin(visit), {
      name,
      actors: actors ?? [],
      expiresAt: expires ?? null,
    })
    return {
      title: 'Copy this key now',
      body: html`<p>
          This is the key of <strong>${name}</strong> (<code>${keyId}</code>). It is shown this once: of what
          you see here, we keep a hash.
        </p>
        <p><code class="secret">${apiKey}</code></p>
        <p class="notice">
          Put it where your agent reads its secrets, and nowhere else. Should it be lost, revoke it and mint
          another.
        </p>
        <p><a class="button" href="${keysPath}">I have copied it</a></p>`,
    }
  },
})
