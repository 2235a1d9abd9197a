import { z } from 'zod'
import { limits } from '../../limits.ts'
import { line } from '../../operations/entered-fields.ts'
import {
  type GroupRow,
  createGroup,
  listGroups,
  readGroup,
  removeGroup,
  renameGroup,
} from '../../operations/groups/groups.ts'
import { groupId } from '../../operations/ids.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { type PageContext, accountOf, asAdmin, definePage, idIn } from '../page.ts'
import type { RejectedForm } from '../../web/fields.ts'
import { confirmation, empty, field, formProblem, moment, nameOf, rowLink, table } from '../parts.ts'
import { groupPath, groupsPath } from './paths.ts'

const form = z.strictObject({ name: line(limits.nameCharsMax) })

/** The groups of members, and a form that creates one. */
export const groupsPage = definePage({
  path: groupsPath,
  role: 'admin',
  form,
  async show(context, _query, rejected) {
    const groups = await listGroups(accountOf(context))
    return {
      title: 'Groups',
      body: html`${formProblem(rejected)}
        <p>Groups of members, for rules of the policy about who must approve.</p>
        ${
          groups.length === 0
            ? empty('No groups yet.')
            : table('Groups', ['Name', 'Members', 'Created', 'Actions'], groups.map(rowOf))
        }
        <h2>New group</h2>
        <form method="post">
          ${nameInput(rejected)}
          <button type="submit">Create group</button>
        </form>`,
    }
  },
  async send(context, { name }) {
    return { to: groupPath(await createGroup(asAdmin(context), name)), flash: 'group_created' }
  },
})

const rowOf = ({
  group_id: id,
  name,
  members,
  active,
  created_at: at,
  is_of_directory: isOfDirectory,
}: GroupRow): Part[] => [
  html`<a href="${groupPath(id)}">${nameOf(name)}</a>
    ${isOfDirectory ? html`<span class="hint">of the directory</span>` : ''}`,
  html`<span class="number">${members}</span>${
      active === members ? '' : html` <span class="hint">${members - active} not active</span>`
    }`,
  moment(at),
  html`${rowLink(`${groupPath(id)}/rename`, 'Rename', name)}
  ${rowLink(`${groupPath(id)}/remove`, 'Remove', name)}`,
]

const nameInput = (rejected: RejectedForm | undefined, value = ''): Html =>
  field({
    name: 'name',
    label: 'Name',
    hint: 'Approvers see it when they are asked.',
    charsMax: limits.nameCharsMax,
    value,
    rejected,
  })

/** The group in the path. @throws GateError `not_found` */
export const groupIn = (context: PageContext): Promise<GroupRow> =>
  readGroup(accountOf(context), idIn(context, 'group', groupId))

/** Renames a group. */
export const renameGroupPage = definePage({
  path: `${groupsPath}/:group/rename`,
  role: 'admin',
  form,
  async show(context, _query, rejected) {
    const { group_id: id, name } = await groupIn(context)
    return {
      title: `Rename ${name}`,
      body: html`${formProblem(rejected)}
        <form method="post">
          ${nameInput(rejected, name)}
          <button type="submit">Rename group</button>
          <a class="button" href="${groupPath(id)}">Go back</a>
        </form>`,
    }
  },
  async send(context, { name }) {
    const { group_id: id } = await groupIn(context)
    await renameGroup(asAdmin(context), id, name)
    return { to: groupPath(id), flash: 'group_renamed' }
  },
})

/** Confirms before a group is removed. */
export const removeGroupPage = definePage({
  path: `${groupsPath}/:group/remove`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { group_id: id, name } = await groupIn(context)
    return {
      title: `Remove ${name}?`,
      body: html`${formProblem(rejected)}
        <p>
          Its members stay members of the account. A group that the policy in force names cannot be removed.
        </p>
        ${confirmation({ button: 'Remove group', back: groupPath(id) })}`,
    }
  },
  async send(context) {
    const { group_id: id } = await groupIn(context)
    await removeGroup(asAdmin(context), id)
    return { to: groupsPath, flash: 'group_removed' }
  },
})
