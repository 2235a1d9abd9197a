import { GateError } from '../../errors.ts'
import { listPasskeys } from '../../operations/passkeys/remove-passkey.ts'
import { siteOrNone } from '../../operations/passkeys/site.ts'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import { html } from '../../web/html.ts'
import { definePage } from '../page.ts'
import { passkeysTable } from './passkeys-table.ts'
import { passkeysPath } from './paths.ts'

/** The signed-in member's passkeys. */
export const passkeysPage = definePage({
  path: passkeysPath,
  async show({ deps, session: { account, memberId } }) {
    if (memberId === null)
      throw new GateError(
        'not_found',
        'Only members have passkeys. You are an administrator of this account.',
      )
    const [passkeys, policy] = await Promise.all([
      listPasskeys(deps.db, account, memberId),
      policyInForce(deps, account),
    ])
    const hours = policy.passkey_settles_after_hours
    return {
      title: 'Your passkeys',
      body: html`<p>
          A passkey is a key in your device. You sign in with it, and approve what requires a passkey.
        </p>
        ${passkeysTable(passkeys, (id) => `${passkeysPath}/${id}/remove`)}
        ${
          siteOrNone(deps)
            ? html`<p><a class="button" href="${passkeysPath}/new">Add passkey</a></p>`
            : html`<p class="notice">
                Browsers have no passkeys at the address of this service. Ask its operator to set
                <code>PUBLIC_URL</code> to an address with a name and TLS.
              </p>`
        }
        <p class="hint">
          ${hours === 0 ? 'A new passkey counts immediately.' : `A new passkey decides after ${hours} ${hours === 1 ? 'hour' : 'hours'}.`}
          ${policy.passkey_device_bound ? 'Only passkeys that are bound to their device decide.' : ''} You are
          told by e-mail and in Slack of each one that is added or removed.
        </p>`,
    }
  },
})
