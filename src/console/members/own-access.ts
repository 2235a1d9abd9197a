import { type Standing, standing } from '../../gate/tier.ts'
import { rightsSentence } from '../../keys/rights.ts'
import type { MemberRow } from '../../operations/members/read-member.ts'
import { type OwnAccess, type OwnKey, readOwnAccess } from '../../operations/members/own-access.ts'
import { type Part, html } from '../../web/html.ts'
import { prose } from '../../web/prose.ts'
import { appsPath } from '../apps/path.ts'
import { newDevicePath } from '../devices/paths.ts'
import { mandatesPath } from '../mandates/mandate-parts.ts'
import { definePage, readsAccount } from '../page.ts'
import { empty, facts, moment, table, tierBadge } from '../parts.ts'
import { amountPart, proposalsPath } from '../proposals/list-page.ts'
import { agentOf, stateLabel } from '../proposals/proposal-facts.ts'
import { sourceOf } from './list-page.ts'
import { certifiedPart, modulesBar } from './progress.ts'
import { shownAddress } from '../../text/mail-address.ts'

/** What a signed-in person may do through agents, and why: their tier, certifications, decisions, and keys. */
export const ownAccessPage = definePage({
  path: '/console/me',
  async show({ deps, session }) {
    if (session.memberId === null)
      return {
        title: 'My access',
        body: html`<p>
            You are an administrator of this account, not a member: agents cannot act for you, and you have no
            tier.
          </p>
          <p><a href="/console/members/new">Add yourself as a member</a></p>`,
      }
    const access = await readOwnAccess(deps, session)
    const { member } = access
    const now = standing(member)
    return {
      title: 'My access',
      body: html`<section aria-labelledby="tier">
          <h2 id="tier">Your tier</h2>
          <p>${tierBadge(now.tier)} ${sourceOf[now.tierSource]}</p>
          <p>${prose(reasonOf(member, now))}</p>
          ${facts([
            ['E-mail', member.email === null ? 'none' : shownAddress(member.email)],
            ['Slack', member.slack === null ? 'none' : html`<code>${member.slack}</code>`],
            ['Teams', member.teams === null ? 'none' : html`<code>${member.teams}</code>`],
          ])}
          ${readsAccount(session) ? html`<p><a href="/console/members/${member.memberId}">Open your member page</a></p>` : ''}
        </section>
        <section aria-labelledby="certifications">
          <h2 id="certifications">Your certifications</h2>
          ${certificationsPart(member)}
        </section>
        <section aria-labelledby="passkeys">
          <h2 id="passkeys">Your passkeys</h2>
          <p><a href="/console/passkeys">See, add and remove your passkeys</a></p>
        </section>
        <section aria-labelledby="notifications">
          <h2 id="notifications">Notifications</h2>
          <p><a href="${newDevicePath}">Get notified on this device</a></p>
          <p><a href="/console/sessions">Your devices and sessions</a></p>
        </section>
        <section aria-labelledby="decided">
          <h2 id="decided">Recently decided</h2>
          ${decidedPart(access)}
        </section>
        <section aria-labelledby="keys">
          <h2 id="keys">API keys that act for you</h2>
          ${keysPart(access)}
          <p><a href="${appsPath}">Apps that you connected</a></p>
          <p><a href="${mandatesPath}">What you allowed agent runners in advance</a></p>
        </section>`,
    }
  },
})

/** Why the member has this tier, and how to get a higher one. */
function reasonOf(member: MemberRow, { tier, tierSource }: Standing): string {
  const earned = standing({ ...member, adminTier: null })
  if (tierSource === 'admin')
    return earned.tier === tier
      ? 'An administrator set it. Your certifications earn the same tier.'
      : `An administrator set it. Your certifications alone would earn \`${earned.tier}\`.`
  if (tierSource === 'default')
    return member.curricula.length === 0
      ? 'Every member starts with it. Ask an administrator for a higher tier.'
      : 'Every member starts with it. Pass every module of a curriculum to get the tier that it grants, or ask an administrator.'
  const titles = earned.certifications
    .filter(({ certified, curriculum }) => certified && grants(member, curriculum) === tier)
    .map(({ title }) => `“${title}”`)
  return `You passed every module of ${titles.join(' and ')}.`
}

const grants = ({ curricula }: MemberRow, slug: string) => curricula.find((one) => one.slug === slug)?.grants

function certificationsPart(member: MemberRow): Part {
  const { curricula, now } = member
  if (curricula.length === 0) return empty('This account has no curricula.')
  const { certifications } = standing(member)
  return table(
    'Your certifications',
    ['Curriculum', 'Grants', 'Modules passed', 'Status'],
    certifications.map((entry) => {
      const curriculum = curricula.find(({ slug }) => slug === entry.curriculum)!
      return [entry.title, tierBadge(curriculum.grants), modulesBar(entry), certifiedPart(curriculum, now)]
    }),
  )
}

function decidedPart({ decided }: OwnAccess): Part {
  if (decided.length === 0)
    return empty('No decisions yet. When an agent proposes something for you, it appears under Proposals.')
  return table(
    'Recently decided',
    ['Proposal', 'Decided', 'Amount', 'Outcome', 'Requested by'],
    decided.map(({ row, title, weight, decidedAt }) => [
      html`<a href="${proposalsPath}/${row.id}">${title} #${row.id}</a>`,
      moment(decidedAt),
      amountPart(weight),
      html`<span class="badge ${stateLabel(row)}">${stateLabel(row)}</span>`,
      agentOf(row) ?? html`<span class="none">unknown</span>`,
    ]),
  )
}

function keysPart({ keys }: OwnAccess): Part {
  if (keys.length === 0) return empty('No active API key acts for you: no agent can act in your name.')
  return html`${table(
      'API keys that act for you',
      ['Key', 'What it may do', 'Last used', 'Expires'],
      keys.map((key) => [
        html`<bdi>${key.name}</bdi>`,
        rightsOf(key),
        moment(key.lastUsedAt),
        moment(key.expiresAt),
      ]),
    )}
    <p class="hint">
      “Last used” counts every request of the key, also for other members, and is accurate to five minutes.
    </p>`
}

// Networks, limits and other members of the key are the administrators' concern.
const rightsOf = ({ powers, kinds, isBound }: OwnKey): string =>
  rightsSentence(
    { powers, kinds, actors: null, networks: null, actionsPerDay: null, centsPerDay: null },
    isBound ? 'you' : 'you, as for any member',
  )
