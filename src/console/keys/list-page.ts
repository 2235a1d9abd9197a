import { z } from 'zod'
import { rightsSentence } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { keyId } from '../../operations/admin/fields.ts'
import { type KeyRow, readKey, readKeys, revokeKey, rightsOf } from '../../operations/admin/keys.ts'
import { html } from '../../web/html.ts'
import { accountOf, asAdmin, definePage, idIn } from '../page.ts'
import { confirmation, empty, facts, moment, formProblem, rowLink, table } from '../parts.ts'

export const keysPath = '/console/keys'

/** The keys that agents use, those that are over below. */
export const keysPage = definePage({
  path: keysPath,
  role: 'admin',
  async show(context) {
    const keys = await readKeys(accountOf(context))
    const inForce = keys.filter((key) => !isInactive(key))
    const over = keys.filter(isInactive).toReversed()
    return {
      title: 'API keys',
      body: html`<p>
          An agent shows a key to act in this account, for any member or for those the key is bound to. An
          action needs both: a key that allows it, and the tier of the member. The last 24 hours are counted
          in confirmed actions.
        </p>
        <p><a class="button primary" href="${keysPath}/new">Mint a key</a></p>
        ${
          inForce.length === 0
            ? empty(html`No agent can act here yet. <a href="${keysPath}/new">Mint the first key</a>.`)
            : table(
                'Keys in force',
                ['Key', 'Can do', 'Last used', 'Last 24 h', 'Expires', 'What to do'],
                inForce.map((key) => [
                  html`${key.name} <span class="nowrap">${lastFour(key)}</span>`,
                  html`<span class="rights">${rightsSentence(rightsOf(key))}</span>`,
                  moment(key.last_used_at),
                  usedToday(key),
                  moment(key.expires_at),
                  html`${rowLink(`${keysPath}/${key.key_id}/rotate`, 'Rotate', key.name)}
                  ${rowLink(`${keysPath}/${key.key_id}/revoke`, 'Revoke', key.name)}`,
                ]),
              )
        }
        ${
          over.length === 0
            ? ''
            : html`<h2>Revoked and expired</h2>
                ${table(
                  'Revoked and expired keys',
                  ['Key', 'Ends with', 'Made', 'Last used', 'Over since'],
                  over
                    .slice(0, limits.keysOverShownMax)
                    .map((key) => [
                      key.name,
                      lastFour(key),
                      moment(key.created_at),
                      moment(key.last_used_at),
                      moment(key.revoked_at ?? key.expires_at),
                    ]),
                )}
                ${
                  over.length > limits.keysOverShownMax
                    ? html`<p class="hint">
                        The newest ${limits.keysOverShownMax} of ${over.length}:
                        <code>gate key list</code> has all.
                      </p>`
                    : ''
                }`
        }`,
    }
  },
})

/** Asks before a key is revoked: agents that use it stop. */
export const revokeKeyPage = definePage({
  path: `${keysPath}/:key/revoke`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const key = await readKey(accountOf(context), idIn(context, 'key', keyId))
    return {
      title: 'Revoke this key?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Key', key.name],
          ['Ends with', lastFour(key)],
          ['Can do', rightsSentence(rightsOf(key))],
          ['Made', moment(key.created_at)],
          ['Last used', moment(key.last_used_at)],
          ['Confirmed in 24 hours', usedToday(key)],
        ])}
        <p>Every agent that uses it is refused from its next request on. It cannot be taken back.</p>
        ${confirmation({ button: 'Revoke the key', back: keysPath })}`,
    }
  },
  async send(context) {
    await revokeKey(asAdmin(context), idIn(context, 'key', keyId))
    return { to: keysPath, flash: 'key_revoked' }
  },
})

const isInactive = ({ revoked_at, expires_at }: KeyRow): boolean =>
  revoked_at !== null || (expires_at !== null && expires_at.getTime() <= Date.now())

export const lastFour = ({ last4 }: KeyRow) => html`<code>…${last4}</code>`

/** Beside the ceiling, where there is one. A rotated key counts together with the one it replaces. */
const usedToday = ({ used_today: used, actions_per_day: most }: KeyRow): string =>
  most === null ? String(used) : `${used} of ${most}`
