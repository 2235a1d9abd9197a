import { type CertificationEntry, certification, standing } from '../../gate/tier.ts'
import { type ConsentChannel, settlesAt } from '../../gate/consent.ts'
import { memberId } from '../../operations/ids.ts'
import { type IdentityChange, type MemberRow, readMember } from '../../operations/members/read-member.ts'
import { listPasskeys } from '../../operations/passkeys/remove-passkey.ts'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import { type Part, html } from '../../web/html.ts'
import { certifiedPart, modulesBar } from './progress.ts'
import { membersPath, sourceOf } from './list-page.ts'
import { type PageContext, accountOf, definePage, idIn } from '../page.ts'
import { passkeysTable } from '../passkeys/passkeys-table.ts'
import { empty, facts, moment, rowLink, table, tierBadge } from '../parts.ts'
import { shownAddress } from '../../text/mail-address.ts'

/** The member in the path. @throws GateError `not_found` */
export const memberIn = (context: PageContext): Promise<MemberRow> =>
  readMember(accountOf(context), idIn(context, 'member', memberId))

export const memberPath = (id: string): string => `${membersPath}/${id}`

/** One member: identities, tier, certifications, and the changes an administrator can make. */
export const memberPage = definePage({
  path: `${membersPath}/:member`,
  role: 'admin',
  async show(context) {
    const [member, policy, passkeys] = await Promise.all([
      memberIn(context),
      policyInForce(context.deps, context.session.account),
      listPasskeys(context.deps.db, context.session.account, idIn(context, 'member', memberId)),
    ])
    const path = memberPath(member.memberId)
    const { tier, tierSource, certifications } = standing(member)
    return {
      title: member.name,
      body: html`${
          member.isActive
            ? ''
            : html`<p class="notice">
                Not active: agents cannot act for this member, and nothing reaches them.
              </p>`
        }
        ${facts([
          ['Member ID', html`<code>${member.memberId}</code>`],
          ['E-mail', member.email === null ? 'none' : shownAddress(member.email)],
          ['Slack', member.slack === null ? 'none' : html`<code>${member.slack}</code>`],
          ['Teams', member.teams === null ? 'none' : html`<code>${member.teams}</code>`],
          ['Reached by', reachedBy(member)],
        ])}
        ${member.identityChanges.map((change) => changePart(context, member, change, policy.mailbox_settles_after_hours))}
        <p>
          <a class="button" href="${path}/edit">Edit member</a>
          ${
            member.isActive
              ? html`<a class="button" href="${path}/deactivate">Deactivate member</a>`
              : html`<a class="button" href="${path}/activate">Activate member</a>`
          }
          <a class="button" href="${path}/erase">Erase member</a>
          <a class="button" href="/console/ledger?member=${member.memberId}">View actions</a>
        </p>
        <section aria-labelledby="tier">
          <h2 id="tier">Tier</h2>
          <p>${tierBadge(tier)} ${sourceOf[tierSource]}</p>
          <p>
            <a class="button" href="${path}/tier">${tierSource === 'admin' ? 'Change' : 'Set'} tier</a>
          </p>
        </section>
        <section aria-labelledby="passkeys">
          <h2 id="passkeys">Passkeys</h2>
          ${passkeysTable(passkeys, (id) => `${path}/passkeys/${id}/remove`)}
        </section>
        <section aria-labelledby="certifications">
          <h2 id="certifications">Certifications</h2>
          ${
            certifications.length === 0
              ? empty(
                  html`This account has no curricula. <a href="/console/curricula/new">Add curriculum</a>`,
                )
              : table(
                  'Certifications',
                  columns,
                  certifications.map((entry) => rowOf(path, entry, member)),
                )
          }
          ${retiredPart(path, member)}
        </section>`,
    }
  },
})

/** Passes of curricula that are retired: history. */
function retiredPart(path: string, { retired, now }: MemberRow): Part {
  const passed = retired.filter(({ passes }) => passes.length > 0).map((one) => certification(one, now))
  if (passed.length === 0) return ''
  return html`<h3>Retired curricula</h3>
    <p class="hint">Retired curricula earn no tier. Their passes are kept.</p>
    ${table(
      'Retired curricula',
      ['Curriculum', 'Modules passed', 'Last passed', 'Actions'],
      passed.map((entry) => [
        entry.title,
        modulesBar(entry),
        moment(entry.last_passed_at),
        rowLink(`${path}/passes/${entry.curriculum}`, 'View passes', `of ${entry.title}`),
      ]),
    )}`
}

/** The words for a member's identities in sentences. */
export const identityName: Record<ConsentChannel, string> = {
  email: 'address',
  slack: 'Slack identity',
  teams: 'Teams identity',
}

/** Who changed an identity. */
export const changerOf = ({ changedBy, changedByEmail }: IdentityChange): string =>
  changedByEmail ?? (changedBy === 'admin' ? 'the command line' : 'unknown')

/** The notice of a changed identity while decisions through it do not count in full, and who can confirm it. */
function changePart(
  { session }: PageContext,
  member: MemberRow,
  change: IdentityChange,
  hours: number,
): Part {
  const { via, changedAt, changedBy } = change
  const identity = member[via]
  const until = settlesAt({ changedAt, isConfirmed: change.confirmedAt !== null }, hours, member.now)
  if (identity === null || until === null) return ''
  const isOwn = changedBy === `admin:${session.adminId}`
  return html`<p class="notice">
    ${startOf(identityName[via])} changed ${moment(changedAt)} by ${changerOf(change)}. Until ${moment(until)}
    decisions through it count as
    <code>agent_attested</code>${isOwn ? ', unless another administrator confirms the change.' : '.'}
    ${
      isOwn
        ? ''
        : html`<a class="button" href="${memberPath(member.memberId)}/confirm/${via}"
            >Confirm ${identityName[via]}</a
          >`
    }
  </p>`
}

const columns = ['Curriculum', 'Modules passed', 'Status', 'Last passed', 'Actions']

const rowOf = (path: string, entry: CertificationEntry, { curricula, now }: MemberRow) => [
  entry.title,
  modulesBar(entry),
  certifiedPart(
    curricula.find(({ slug }) => slug === entry.curriculum)!,
    now,
  ),
  moment(entry.last_passed_at),
  rowLink(`${path}/passes/${entry.curriculum}`, 'View passes', `of ${entry.title}`),
]

const startOf = (words: string): string => words[0]!.toUpperCase() + words.slice(1)

function reachedBy({ isActive, slack, teams, email }: MemberRow): string {
  if (!isActive) return 'nothing'
  const inTeams = teams === null ? '' : ', and by requests in Teams'
  if (slack !== null)
    return `${email === null ? 'Slack' : 'Slack and e-mail (the policy sets whether both are used)'}${inTeams}`
  if (email !== null) return `e-mail${inTeams}`
  return teams === null ? 'nothing (no identity and no e-mail)' : 'requests in Teams, and no broadcasts'
}
