import type { Deps } from '../../deps.ts'
import { adminWarning, isAdminPower } from '../../keys/admin-powers.ts'
import { rightsSentence } from '../../keys/rights.ts'
import type { MintedKey } from '../../operations/keys/new-key.ts'
import { isRunnerKey } from '../../operations/runner-calls/runner-keys.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { connectPath } from '../connect/connect-path.ts'
import type { RejectedForm, View } from '../page.ts'
import { field, textArea } from '../parts.ts'
import { keysPath } from './list-page.ts'

// Parts that the pages share that mint a key.

const uses = [
  { use: 'agent', words: 'For an agent', to: `${keysPath}/new` },
  { use: 'runner', words: 'For an agent runner (hook)', to: `${keysPath}/new/runner` },
] as const

/** The choice between the kinds of keys, each with a form of its own. */
export const keyChoice = (chosen: (typeof uses)[number]['use']): Html =>
  html`<p>
    ${uses.map(
      ({ use, words, to }, at) =>
        html`${at === 0 ? '' : ' · '}${use === chosen ? html`<strong>${words}</strong>` : html`<a href="${to}">${words}</a>`}`,
    )}
  </p>`

/** What the forms that mint a key call their fields. */
export const keyLabels = {
  name: 'Name',
  label: 'Label',
  member: 'Member',
  members: 'Members',
  actions_per_day: 'Actions',
  amounts_per_day: 'Amounts',
  admin_calls_per_day: 'Administration calls',
  networks: 'Networks',
  expires: 'Expires on',
} as const

export const networksField = (rejected: RejectedForm | undefined): Html =>
  textArea({
    name: 'networks',
    label: keyLabels.networks,
    hint: 'CIDR notation, one per line, such as 10.0.0.0/8 or 2001:db8::/32. Empty: any network.',
    isRequired: false,
    rows: 2,
    rejected,
  })

export const expiryField = (rejected: RejectedForm | undefined): Html =>
  field({
    name: 'expires',
    label: keyLabels.expires,
    type: 'date',
    hint: 'The key expires when this day starts (midnight UTC). Empty: no expiry.',
    isRequired: false,
    rejected,
  })

/** The page that shows a new key, once. */
export const mintedView = (deps: Pick<Deps, 'publicUrl'>, name: string, minted: MintedKey): View => ({
  title: 'Copy your key',
  once: { to: keysPath, flash: 'key_shown_once' },
  body: html`<p>
      This is the key <strong>${name}</strong> (<code>${minted.keyId}</code>). It is shown only once. We store
      only its hash.
    </p>
    <p><code class="secret">${minted.apiKey}</code></p>
    <p>${rightsSentence(minted.rights)}</p>
    ${
      minted.rights.powers.some(isAdminPower)
        ? html`<p class="notice warning">${adminWarning}</p>`
        : isRunnerKey(minted.rights)
          ? installPart(deps, minted)
          : agentNotice
    }
    <p><a class="button" href="${keysPath}">I have copied it</a></p>`,
})

const agentNotice: Part = html`<p class="notice">
    Store it where your agent reads its secrets, and nowhere else. If you lose it, revoke it and mint a new
    key.
  </p>
  <p><a href="${connectPath}">Connect an agent</a> has the lines to paste for each program.</p>`

const installPart = (deps: Pick<Deps, 'publicUrl'>, { apiKey }: MintedKey): Part =>
  html`<p>
      Install the hook on the machine of the runner, inside a checkout of the gate (its npm package is not
      published, and one that is found there under this name is not ours):
    </p>
    <pre class="message code">
npx --no qualification-gate-hook install --runner claude --url ${baseUrl(deps)} --key ${apiKey}</pre>
    <p class="notice">
      For other runners, replace <code>claude</code>. If you lose the key, revoke it and mint a new one.
    </p>`

const baseUrl = (deps: Pick<Deps, 'publicUrl'>): string => deps.publicUrl().replace(/(?<!\/)\/+$/, '')
