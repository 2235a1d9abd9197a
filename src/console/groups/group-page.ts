import { z } from 'zod'
import { limits } from '../../limits.ts'
import { memberName, several } from '../../operations/entered-fields.ts'
import { type GroupMemberRow, changeGroupMembers, readGroupMembers } from '../../operations/groups/groups.ts'
import { memberId } from '../../operations/ids.ts'
import { readMember } from '../../operations/members/read-member.ts'
import { requireMemberIds } from '../../operations/members/require-member.ts'
import { shownAddress } from '../../text/mail-address.ts'
import type { RejectedForm } from '../../web/fields.ts'
import { type Part, html } from '../../web/html.ts'
import { readDirectory } from '../../operations/directory/token.ts'
import { companyDirectoryPath } from '../company/paths.ts'
import { optionally } from '../forms.ts'
import { memberPath } from '../members/member-page.ts'
import { accountOf, asAdmin, definePage, idIn } from '../page.ts'
import {
  address,
  confirmation,
  empty,
  facts,
  formProblem,
  moment,
  nameOf,
  nextPage,
  rowLink,
  table,
  textArea,
} from '../parts.ts'
import { groupIn } from './list-page.ts'
import { groupPath, groupsPath } from './paths.ts'

/** Members that the form takes at once. */
const addedMax = 100

/** One group: its members, a page at a time, and a form that adds some. */
export const groupPage = definePage({
  path: `${groupsPath}/:group`,
  role: 'admin',
  query: z.strictObject({ after: optionally(memberId) }),
  form: z.strictObject({ members: several(memberName, addedMax, 'members') }),
  labels: { members: 'Members' },
  async show(context, { after = '' }, rejected) {
    const group = await groupIn(context)
    const path = groupPath(group.group_id)
    const found = await readGroupMembers(accountOf(context), {
      groupId: group.group_id,
      after,
      limitRows: limits.consoleRowsPerPage + 1,
    })
    const members = found.slice(0, limits.consoleRowsPerPage)
    const next = found.length > members.length ? members.at(-1)!.member_id : undefined
    const isLocked = group.is_of_directory && (await readDirectory(accountOf(context))).tokens.length > 0
    return {
      title: group.name,
      body: html`${formProblem(rejected)}
      ${facts([
        ['Group ID', html`<code>${group.group_id}</code> <span class="hint">for the policy</span>`],
        ['Members', `${group.members}, of whom ${group.active} are active`],
        ...(group.is_of_directory ? [originFact] : []),
      ])}
      ${
        isLocked
          ? html`<p class="notice">
              The <a href="${companyDirectoryPath}">directory of your company</a> keeps this group. Change it
              there.
            </p>`
          : html`<p>
              <a class="button" href="${path}/rename">Rename group</a>
              <a class="button" href="${path}/remove">Remove group</a>
            </p>`
      }
      ${
        members.length === 0
          ? empty('No members in this group.')
          : table(
              'Members',
              ['Name', 'Reached by', ...(isLocked ? [] : ['Actions'])],
              members.map((one) => rowOf(path, one, isLocked)),
            )
      }
      ${nextPage(next && `${path}?after=${next}`)} ${isLocked ? '' : addForm(rejected)}`,
    }
  },
  async send(context, { members }) {
    const { group_id: id } = await groupIn(context)
    const add = await requireMemberIds(context.deps.db, context.session.account, members)
    await changeGroupMembers(asAdmin(context), id, { add })
    return { to: groupPath(id), flash: 'group_members_added' }
  },
})

const originFact: [string, Part] = ['Origin', 'The directory of your company']

const addForm = (rejected: RejectedForm | undefined): Part =>
  html`<h2>Add members</h2>
    <form method="post">
      ${textArea({
        name: 'members',
        label: 'Members',
        hint: `E-mails or Slack user IDs of members, one in each line, at most ${addedMax}.`,
        rows: 4,
        rejected,
      })}
      <button type="submit">Add members</button>
    </form>`

const rowOf = (path: string, one: GroupMemberRow, isLocked: boolean) => [
  html`<a href="${memberPath(one.member_id)}">${nameOf(one.name)}</a> ${
      one.is_active ? '' : html`<span class="badge over">not active</span>`
    }
    ${one.counts_from === null || one.counts_from < new Date() ? '' : html`<span class="hint">approvals count ${moment(one.counts_from)}</span>`}`,
  one.email === null
    ? html`<code class="nowrap">${one.slack ?? 'nothing'}</code>`
    : address(shownAddress(one.email)),
  ...(isLocked ? [] : [rowLink(`${path}/members/${one.member_id}/remove`, 'Remove', one.name)]),
]

/** Confirms before a member is removed from a group. */
export const removeGroupMemberPage = definePage({
  path: `${groupsPath}/:group/members/:member/remove`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const group = await groupIn(context)
    const { name } = await readMember(accountOf(context), idIn(context, 'member', memberId))
    return {
      title: `Remove ${name} from ${group.name}?`,
      body: html`${formProblem(rejected)}
        <p>
          They stay a member of the account. They no longer approve for this group, also of open proposals.
        </p>
        ${confirmation({ button: 'Remove from group', back: groupPath(group.group_id) })}`,
    }
  },
  async send(context) {
    const { group_id: id } = await groupIn(context)
    await changeGroupMembers(asAdmin(context), id, { remove: [idIn(context, 'member', memberId)] })
    return { to: groupPath(id), flash: 'group_member_removed' }
  },
})
