import type { PasskeyRow } from '../../operations/passkeys/remove-passkey.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Part, html } from '../../web/html.ts'
import { empty, moment, nameOf, rowLink, table } from '../parts.ts'

/** The passkeys of a member, each with a link to the page that removes it. */
export const passkeysTable = (passkeys: PasskeyRow[], removePath: (id: string) => string): Part =>
  passkeys.length === 0
    ? empty('No passkeys.')
    : table(
        'Passkeys',
        ['Name', 'Kind', 'Added', 'Last used', 'Actions'],
        passkeys.map(({ passkey_id: id, name, is_device_bound: isBound, created_at: at, used_at: used }) => [
          nameOf(escapeInvisible(name)),
          isBound ? 'bound to its device' : 'synced',
          moment(at),
          used === null ? 'never' : moment(used),
          rowLink(removePath(id), 'Remove', html`${escapeInvisible(name)}`.html),
        ]),
      )
