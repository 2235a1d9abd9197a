import { z } from 'zod'
import { standing } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { memberId } from '../../operations/ids.ts'
import type { MemberRow } from '../../operations/members/read-member.ts'
import { readMembersByName } from '../../operations/members/find-members.ts'
import { text } from '../../operations/schemas.ts'
import { html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { accountOf, definePage } from '../page.ts'
import { progressPart } from './progress.ts'
import { address, empty, nextPage, table, tierBadge } from '../parts.ts'
import { shownAddress } from '../../text/mail-address.ts'

export const membersPath = '/console/members'

/** The members by name, a page at a time, with a search by name or e-mail. */
export const membersPage = definePage({
  path: membersPath,
  role: 'admin',
  query: z.strictObject({
    search: optionally(text(limits.nameCharsMax)),
    after: optionally(memberId),
  }),
  async show(context, { search, after }) {
    const found = await readMembersByName(accountOf(context), {
      text: search ?? null,
      after: after ?? null,
      limitRows: limits.consoleRowsPerPage + 1,
    })
    const members = found.slice(0, limits.consoleRowsPerPage)
    const next = found.length > members.length ? members.at(-1)!.memberId : undefined
    return {
      title: 'Members',
      body: html`<p>The people that agents act for and that broadcasts reach.</p>
        <form class="search" role="search" method="get" action="${membersPath}">
          <label for="search">Name or e-mail</label>
          <input
            id="search"
            name="search"
            type="search"
            value="${search ?? ''}"
            maxlength="${limits.nameCharsMax}"
          />
          <button class="quiet" type="submit">Search</button>
        </form>
        <p>
          <a class="button primary" href="${membersPath}/new">Add member</a>
          <a class="button" href="${membersPath}/import">Import members</a>
          <a class="button" href="${membersPath}.csv" download>Export active members</a>
        </p>
        ${members.length === 0 ? noMembers(search, after) : table('Members', columns, members.map(rowOf))}
        ${nextPage(next && `${membersPath}?${new URLSearchParams({ ...(search ? { search } : {}), after: next })}`)}`,
    }
  },
})

const columns = ['Name', 'E-mail', 'Slack', 'Teams', 'Tier', 'Modules passed']

const rowOf = (member: MemberRow) => {
  const { tier, tierSource } = standing(member)
  return [
    html`<a href="${membersPath}/${member.memberId}">${member.name}</a> ${
        member.isActive ? '' : html`<span class="badge over">not active</span>`
      }`,
    member.email === null ? html`<span class="none">none</span>` : address(shownAddress(member.email)),
    member.slack === null
      ? html`<span class="none">none</span>`
      : html`<code class="nowrap">${member.slack}</code>`,
    member.teams === null
      ? html`<span class="none">none</span>`
      : html`<code class="nowrap" title="${member.teams}">${member.teams.slice(0, 8)}…</code>`,
    html`${tierBadge(tier)} <span class="hint">${sourceOf[tierSource]}</span>`,
    progressPart(member),
  ]
}

/** How a member got their tier, in words. */
export const sourceOf = {
  admin: 'set by an administrator',
  certification: 'earned by certification',
  default: 'default',
} as const

function noMembers(search: string | undefined, after: string | undefined) {
  if (after !== undefined)
    return empty(html`No more members. <a href="${membersPath}">Back to the first page</a>.`)
  return search === undefined
    ? empty(
        html`No members yet. Agents act for members, and broadcasts reach members.
          <a href="${membersPath}/new">Add the first member</a> or
          <a href="${membersPath}/import">import them from a file</a>.`,
      )
    : empty(
        html`No member’s name or e-mail contains “${search}”. <a href="${membersPath}">Show all members</a>.`,
      )
}
