import { GateError } from '../../errors.ts'
import { standing } from '../../gate/tier.ts'
import { agentClients, keyPlaceholder } from '../../keys/agent-clients.ts'
import { rightsSentence } from '../../keys/rights.ts'
import { keyId } from '../../operations/ids.ts'
import type { KeyRow } from '../../operations/keys/list-keys.ts'
import { readKey } from '../../operations/keys/read-key.ts'
import { rightsOf } from '../../operations/keys/rotate-key.ts'
import { readMember } from '../../operations/members/read-member.ts'
import { isRunnerKey } from '../../operations/runner-calls/runner-keys.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { isInForce, lastFour } from '../keys/list-page.ts'
import { sourceOf } from '../members/list-page.ts'
import { memberPath } from '../members/member-page.ts'
import { type PageContext, accountOf, definePage, idIn } from '../page.ts'
import { ago, facts, moment, tierBadge } from '../parts.ts'
import { proposalsPath } from '../proposals/list-page.ts'
import { clientIn } from './client-page.ts'
import { connectPath } from './connect-path.ts'
import { linesPart, placeOf } from './lines-part.ts'

/** Members of a key whose tiers are shown. */
const membersShownMax = 10

/** Waits for the first call of a key, and shows what the agent may do. It has no form: it loads itself again. */
export const connectWaitingPage = definePage({
  path: `${connectPath}/:client/:key`,
  role: 'admin',
  async show(context) {
    const id = clientIn(context)
    const { name, is } = agentClients[id]
    const key = await readKey(accountOf(context), idIn(context, 'key', keyId))
    if (is === 'hosted' || isRunnerKey(key))
      throw new GateError('not_found', 'Page not found. Check the address.')
    return {
      title: `Connect ${name}`,
      ...(isInForce(key)
        ? { refresh: key.last_used_at === null ? ('soon' as const) : ('later' as const) }
        : {}),
      body: html`<section aria-labelledby="call" class="first">
          <h2 id="call">First call</h2>
          ${callPart(key)}
        </section>
        <section aria-labelledby="may">
          <h2 id="may">What the agent may do</h2>
          ${facts([
            ['Key', html`<bdi>${key.name}</bdi> ${lastFour(key)}`],
            ['Rights', rightsSentence(rightsOf(key))],
            ['Acts for', await membersPart(context, key)],
            ['Decides', decides(key)],
            ['Requests', requestsWords(context)],
            ['Expires', moment(key.expires_at)],
          ])}
          <p><a href="/console/policies/explain">See what the policy says about a proposal</a></p>
        </section>
        <section aria-labelledby="lines">
          <h2 id="lines">Lines to paste</h2>
          <p>
            Put the key in the place of <code>${keyPlaceholder}</code>: it was shown once, when it was minted.
          </p>
          ${linesPart(id, placeOf(context.deps, keyPlaceholder))}
        </section>`,
    }
  },
})

function callPart(key: KeyRow): Html {
  if (!isInForce(key))
    return html`<p class="notice">
      This key is revoked or expired. <a href="${connectPath}">Connect the agent with another key</a>.
    </p>`
  if (key.last_used_at === null)
    return html`<p><span class="badge running">waiting</span> No call has arrived with this key.</p>
      <p class="hint">This page loads itself again. Nothing is lost if you leave it.</p>`
  return html`<p>
      <span class="badge executed">connected</span> The last call arrived ${ago(key.last_used_at)}.
    </p>
    ${key.powers.includes('propose') ? nextStep(key) : ''}
    <p class="hint">The time is accurate to five minutes.</p>`
}

/** What to say to the agent, so that a person decides. A message is the action that needs no provider's data. */
const nextStep = ({ kinds }: KeyRow): Html =>
  html`<p>Now ask your agent:</p>
    <pre class="message paste">
Ask the gate what you may do for me.${kinds === null || kinds.includes('broadcast') ? ' Then propose a message to all members, “Lunch is at noon.”, and have the gate ask me.' : ''}</pre>
    <p>
      The member decides what it proposes, in Slack, by mail or under
      <a href="${proposalsPath}">Proposals</a>.
    </p>`

async function membersPart(context: PageContext, { actors }: KeyRow): Promise<Part> {
  if (actors === null) return 'Any member. Each call names one, whose tier counts.'
  const members = await Promise.all(
    actors.slice(0, membersShownMax).map((id) => readMember(accountOf(context), id)),
  )
  const more = actors.length - members.length
  return html`${members.map((member, at) => {
    const { tier, tierSource } = standing(member)
    return html`${at === 0 ? '' : html`<br />`}<a href="${memberPath(member.memberId)}"
        ><bdi>${member.name}</bdi></a
      >
      ${tierBadge(tier)}
      ${member.isActive ? sourceOf[tierSource] : 'Not active: agents cannot act for this member.'}`
  })}${more > 0 ? ` and ${more} more` : ''}`
}

const decides = ({ powers }: KeyRow): string => {
  if (!powers.includes('propose')) return 'Nobody: the agent cannot propose.'
  return powers.includes('confirm')
    ? 'The agent, where the policy lets its word count. Otherwise the member.'
    : 'The member.'
}

const requestsWords = ({ deps }: PageContext): string => {
  const perMinute = deps.config.RATE_LIMIT_PER_MINUTE
  return perMinute === 0 ? 'No limit' : `At most ${perMinute} a minute`
}
