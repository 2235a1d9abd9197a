import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { type AgentClientId, agentClientIds, agentClients, keyPlaceholder } from '../../keys/agent-clients.ts'
import { rightsSentence } from '../../keys/rights.ts'
import { limits } from '../../limits.ts'
import { line, memberName } from '../../operations/entered-fields.ts'
import { type KeyRow, readKeys } from '../../operations/keys/list-keys.ts'
import { mintKey } from '../../operations/keys/mint-key.ts'
import { rightsOf } from '../../operations/keys/rotate-key.ts'
import { readMember } from '../../operations/members/read-member.ts'
import { isRunnerKey } from '../../operations/runner-calls/runner-keys.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { isInForce, keysPath, lastFour } from '../keys/list-page.ts'
import { type PageContext, type RejectedForm, accountOf, asAdmin, definePage, idIn } from '../page.ts'
import { field, formProblem, moment, rowLink, table } from '../parts.ts'
import { connectPath } from './connect-path.ts'
import { linesPart, placeOf } from './lines-part.ts'

/** Keys that are offered for another agent, newest first. */
const keysOfferedMax = 10

const clientId = z.enum(agentClientIds)
export const clientIn = (context: PageContext): AgentClientId => idIn(context, 'client', clientId)

/** Mints a key for a client, and shows the lines to paste with it, once. */
export const connectClientPage = definePage({
  path: `${connectPath}/:client`,
  role: 'admin',
  form: z.strictObject({ name: line(limits.nameCharsMax), member: memberName }),
  fieldOf: (param) => (param === 'members' ? 'member' : undefined),
  labels: { name: 'Name', member: 'Member' },
  async show(context, _query, rejected) {
    const id = clientIn(context)
    const { name, is } = agentClients[id]
    const place = placeOf(context.deps, keyPlaceholder)
    return {
      title: `Connect ${name}`,
      body:
        is === 'hosted'
          ? place.hostedUrl === undefined
            ? noHostedUrl(name)
            : linesPart(id, place)
          : html`${formProblem(rejected)}
              <section aria-labelledby="mint">
                <h2 id="mint">With a new key</h2>
                ${await mintForm(context, name, rejected)}
              </section>
              ${keysSection(id, await readKeys(accountOf(context)))}`,
    }
  },
  async send(context, { name, member }) {
    const id = clientIn(context)
    if (agentClients[id].is === 'hosted') throw new GateError('not_found', noKeyNeeded)
    const minted = await mintKey(asAdmin(context), {
      name,
      actors: [member],
      expiresAt: null,
      rights: { powers: ['read', 'propose'] },
    })
    const waiting = `${connectPath}/${id}/${minted.keyId}`
    return {
      title: `Connect ${agentClients[id].name}`,
      once: { to: waiting, flash: 'key_shown_once' },
      body: html`<p>
          The lines have the new key <strong>${name}</strong>. It is shown only once. We store only its hash.
        </p>
        ${linesPart(id, placeOf(context.deps, minted.apiKey))}
        <p>The key alone:</p>
        <p><code class="secret">${minted.apiKey}</code></p>
        <p>${rightsSentence(minted.rights)} The member decides what it proposes.</p>
        <p><a class="button primary" href="${waiting}">I have pasted them: wait for the first call</a></p>`,
    }
  },
})

const noKeyNeeded = 'This agent brings no API key: it signs in at the gate.'

const noHostedUrl = (name: string): Html =>
  html`<p class="notice">
      ${name} takes an address and signs in at the gate. This gate has no such address: the operator sets
      <code>OAUTH_URL</code>.
    </p>
    <p>See <code>docs/connect-an-agent.md</code>, “Connect ChatGPT or claude.ai”.</p>
    <p><a class="button" href="${connectPath}">Choose another agent</a></p>`

async function mintForm(
  context: PageContext,
  client: string,
  rejected: RejectedForm | undefined,
): Promise<Html> {
  return html`<p>
      It reads and proposes for one member, who decides. For other rights,
      <a href="${keysPath}/new">mint a key</a> first.
    </p>
    <form method="post">
      ${field({
        name: 'member',
        label: 'Member',
        hint: 'E-mail address or Slack user ID of the person for whom the agent acts.',
        charsMax: limits.emailCharsMax,
        value: await ownAddress(context),
        rejected,
      })}
      ${field({
        name: 'name',
        label: 'Name',
        hint: 'People see it on what the agent proposes.',
        charsMax: limits.nameCharsMax,
        value: client,
        rejected,
      })}
      <button type="submit">Mint key and show lines</button>
      <a class="button" href="${connectPath}">Go back</a>
    </form>`
}

/** Most people connect an agent of their own. */
async function ownAddress(context: PageContext): Promise<string> {
  const { memberId } = context.session
  if (memberId === null) return ''
  const { email, slack } = await readMember(accountOf(context), memberId)
  return email ?? slack ?? ''
}

function keysSection(id: AgentClientId, keys: KeyRow[]): Part {
  const usable = keys.filter((key) => isInForce(key) && !isRunnerKey(key)).toReversed()
  if (usable.length === 0) return ''
  return html`<section aria-labelledby="keys">
    <h2 id="keys">With a key that you have</h2>
    ${table(
      'Active keys of agents',
      ['Key', 'Rights', 'Last used', 'Connect'],
      usable
        .slice(0, keysOfferedMax)
        .map((key) => [
          html`<bdi>${key.name}</bdi> <span class="nowrap">${lastFour(key)}</span>`,
          html`<span class="rights">${rightsSentence(rightsOf(key))}</span>`,
          moment(key.last_used_at),
          rowLink(`${connectPath}/${id}/${key.key_id}`, 'Use this key', key.name),
        ]),
    )}
    ${usable.length > keysOfferedMax ? html`<p class="hint">The newest ${keysOfferedMax} of ${usable.length} keys.</p>` : ''}
  </section>`
}
