import { z } from 'zod'
import { rightsSentence } from '../../keys/rights.ts'
import { keyId } from '../../operations/ids.ts'
import { readKeyLimits } from '../../operations/keys/read-key-limits.ts'
import { readKey } from '../../operations/keys/read-key.ts'
import { type KeyRow, readKeys } from '../../operations/keys/list-keys.ts'
import { revokeKey } from '../../operations/keys/revoke-key.ts'
import { rightsOf } from '../../operations/keys/rotate-key.ts'
import { type Part, html } from '../../web/html.ts'
import { connectPath } from '../connect/connect-path.ts'
import { type PageContext, accountOf, asAdmin, definePage, idIn } from '../page.ts'
import { confirmation, empty, facts, moment, formProblem, rowLink, table } from '../parts.ts'

/** Revoked and expired keys on the keys page. */
const inactiveKeysShownMax = 50

export const keysPath = '/console/keys'

/** The API keys that agents use; revoked and expired keys below. */
export const keysPage = definePage({
  path: keysPath,
  role: 'admin',
  async show(context) {
    const keys = await readKeys(accountOf(context))
    const inForce = keys.filter(isInForce)
    const inactive = keys.filter((key) => !isInForce(key)).toReversed()
    return {
      title: 'API keys',
      body: html`<p>
          Agents authenticate with an API key. A key acts for any member, or only for the members it is bound
          to. An action requires both a key that allows it and a member whose tier allows it. “Last used” is
          accurate to five minutes. “Last 24 h” counts confirmed actions. The key of an agent runner only asks
          about tool calls, for one member.
        </p>
        <p>
          <a class="button primary" href="${keysPath}/new">Mint key</a>
          <a class="button" href="${connectPath}">Connect an agent</a>
        </p>
        ${
          inForce.length === 0
            ? empty(
                html`No active keys. Agents cannot act in this account.
                  <a href="${keysPath}/new">Mint the first key</a>.`,
              )
            : table(
                'Active keys',
                ['Key', 'Rights', 'Last used', 'Last 24 h', 'Expires', 'Actions'],
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
        ${await limitPart(context)}
        ${
          inactive.length === 0
            ? ''
            : html`<h2>Revoked and expired</h2>
                ${table(
                  'Revoked and expired keys',
                  ['Key', 'Ends in', 'Created', 'Last used', 'Ended'],
                  inactive
                    .slice(0, inactiveKeysShownMax)
                    .map((key) => [
                      key.name,
                      lastFour(key),
                      moment(key.created_at),
                      moment(key.last_used_at),
                      moment(key.revoked_at ?? key.expires_at),
                    ]),
                )}
                ${
                  inactive.length > inactiveKeysShownMax
                    ? html`<p class="hint">
                        Showing the newest ${inactiveKeysShownMax} of ${inactive.length}. Run
                        <code>gate key list</code> to see all keys.
                      </p>`
                    : ''
                }`
        }`,
    }
  },
})

/** How many requests a key can make, and where they are counted. */
async function limitPart(context: PageContext): Promise<Part> {
  const perMinute = context.deps.config.RATE_LIMIT_PER_MINUTE
  if (perMinute === 0) return ''
  const counting = await readKeyLimits(accountOf(context))
  return html`<p>
    Each key is limited to ${perMinute} requests per minute,
    ${counting === 'shared' ? 'over all API processes together' : 'in each API process'}.
    <a href="${keysPath}/limits">Change key limits</a>
  </p>`
}

/** Confirms before a key is revoked: agents that use it stop working. */
export const revokeKeyPage = definePage({
  path: `${keysPath}/:key/revoke`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const key = await readKey(accountOf(context), idIn(context, 'key', keyId))
    return {
      title: 'Revoke key?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Key', key.name],
          ['Ends in', lastFour(key)],
          ['Rights', rightsSentence(rightsOf(key))],
          ['Created', moment(key.created_at)],
          ['Last used', moment(key.last_used_at)],
          ['Confirmed in the last 24 hours', usedToday(key)],
        ])}
        <p>Requests of agents that use this key are refused from now on. This cannot be undone.</p>
        ${confirmation({ button: 'Revoke key', back: keysPath })}`,
    }
  },
  async send(context) {
    await revokeKey(asAdmin(context), idIn(context, 'key', keyId))
    return { to: keysPath, flash: 'key_revoked' }
  },
})

export const isInForce = ({ revoked_at, expires_at }: KeyRow): boolean =>
  revoked_at === null && (expires_at === null || expires_at.getTime() > Date.now())

export const lastFour = ({ last4 }: KeyRow) => html`<code>…${last4}</code>`

/** Confirmed actions of the day, with the limit where there is one. A rotated key counts with the key it replaces. */
const usedToday = ({ used_today: used, actions_per_day: most }: KeyRow): string =>
  most === null ? String(used) : `${used} of ${most}`
