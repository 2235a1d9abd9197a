import { z } from 'zod'
import { pageMembers } from '../../db/queries/members/members.ts'
import { GateError } from '../../errors.ts'
import { type ConsentChannel, consentChannels } from '../../gate/consent.ts'
import { limits } from '../../limits.ts'
import { addMember as add } from '../members/add-member.ts'
import { exportMembers as exported, importMembers as store, planImport } from '../members/import-members.ts'
import { eraseMember as erase } from '../members/erase-member.ts'
import { viewMember } from '../members/member-view.ts'
import { setMemberActive } from '../members/set-member-active.ts'
import { setMemberTier as setTier } from '../members/set-member-tier.ts'
import { updateMember as update } from '../members/update-member.ts'
import { email, line, slackId, teamsId, tier } from '../entered-fields.ts'
import { requireAccount } from '../require-account.ts'
import { defineAdmin } from './admin-operation.ts'
import { AdminMember, isDryRun, member, memberOf, page, reason } from './parts.ts'

const path = '/api/v1/admin/members'
const name = line(limits.nameCharsMax)
const grace = {
  member_id: 'mem_0a1B2c3D4e5F6g7H',
  name: 'Grace Hopper',
  email: 'grace@example.com',
  slack: 'U0GRACE',
  teams: null,
  tier: 'guarded_write',
  tier_source: 'certification',
  active: true,
} as const
const named = { member: 'grace@example.com' }

const listMembers = defineAdmin({
  name: 'list_members',
  title: 'List members',
  summary: 'Lists the members of the account, active or not, by their id.',
  http: { method: 'GET', path, integers: ['limit'] },
  power: 'admin:members.read',
  input: z.strictObject(page),
  output: z.object({
    members: z.array(AdminMember),
    next_after: z.string().optional().meta({ description: 'Absent on the last page.' }),
  }),
  errors: ['forbidden', 'invalid'],
  example: { input: { limit: 50 }, output: { members: [grace] } },
  async run({ db, account }, { limit, after }) {
    const rows = await pageMembers(db, account, { after, limitRows: limit })
    if (rows.length === 0) await requireAccount(db, account)
    return {
      members: rows.map(viewMember),
      ...(rows.length < limit ? {} : { next_after: rows.at(-1)!.memberId }),
    }
  },
})

const exportMembers = defineAdmin({
  name: 'export_members',
  title: 'Export members',
  summary: 'Streams the active members as CSV, which can be imported again.',
  http: { method: 'GET', path: `${path}/export` },
  power: 'admin:members.read',
  streams: 'text/csv; charset=utf-8',
  input: z.strictObject({}),
  output: z.string(),
  errors: ['forbidden'],
  example: { input: {}, output: 'name,email,slack,teams\nGrace Hopper,grace@example.com,U0GRACE,\n' },
  run: (context) => exported(context),
})

const getMember = defineAdmin({
  name: 'get_member',
  title: 'Read a member',
  summary: 'Reads one member, active or not.',
  http: { method: 'GET', path: `${path}/{member}` },
  power: 'admin:members.read',
  input: z.strictObject({ member }),
  output: AdminMember,
  errors: ['forbidden', 'not_found', 'invalid'],
  example: { input: named, output: grace },
  run: async (context, given) => viewMember(await memberOf(context, given.member)),
})

const identities = { email: email.optional(), slack: slackId.optional(), teams: teamsId.optional() }

const addMember = defineAdmin({
  name: 'add_member',
  title: 'Add a member',
  summary: 'Adds a member. One without an identity cannot act or receive messages.',
  http: { method: 'POST', path },
  power: 'admin:members.write',
  input: z.strictObject({ name, ...identities }),
  output: z.object({ member_id: z.string() }),
  errors: ['forbidden', 'conflict', 'invalid'],
  example: {
    input: { name: 'Grace Hopper', email: 'grace@example.com', slack: 'U0GRACE' },
    output: { member_id: grace.member_id },
  },
  run: async (context, given) => ({
    member_id: await add(context, { ...given, email: given.email ?? null, slack: given.slack ?? null }),
  }),
})

const importMembers = defineAdmin({
  name: 'import_members',
  title: 'Import members',
  summary:
    'Adds the members of a CSV file, all or none; members who exist stay as they are. Each line counts as a call of the key.',
  http: { method: 'POST', path: `${path}/import` },
  power: 'admin:members.write',
  input: z.strictObject({
    csv: z
      .string()
      .max(limits.membersImportBytesMax)
      .meta({ description: 'With the header name,email,slack,teams: at least name and one other.' }),
    dry_run: isDryRun,
  }),
  output: z.object({
    added: z.int(),
    to_add: z.int(),
    unchanged: z.array(z.object({ line: z.int(), member_id: z.string(), differences: z.array(z.string()) })),
    problems: z.array(z.object({ line: z.int().nullable(), problem: z.string() })),
  }),
  errors: ['forbidden', 'conflict', 'invalid'],
  example: {
    input: { csv: 'name,email,slack\nGrace Hopper,grace@example.com,U0GRACE\n' },
    output: { added: 1, to_add: 1, unchanged: [], problems: [] },
  },
  count: ({ csv, dry_run: isDry }) => (isDry ? 1 : Math.max(1, csv.trim().split(/\r\n|\r|\n/).length - 1)),
  async run(context, { csv, dry_run: isDry }) {
    const plan = isDry ? await planImport(context, csv) : await store(context, csv)
    return {
      added: isDry ? 0 : plan.adds.length,
      to_add: plan.adds.length,
      unchanged: plan.existing.map(({ line: at, memberId, differences }) => ({
        line: at,
        member_id: memberId,
        differences,
      })),
      problems: plan.problems,
    }
  },
})

const updateMember = defineAdmin({
  name: 'update_member',
  title: 'Change a member',
  summary:
    "Changes a member's name or identities. Decisions through a changed identity count for less until a second administrator, a person, confirms it.",
  http: { method: 'POST', path: `${path}/{member}` },
  power: 'admin:members.write',
  input: z.strictObject({
    member,
    name: name.optional(),
    ...identities,
    remove: z
      .array(z.enum(consentChannels))
      .max(3)
      .default([])
      .meta({ description: 'Identities to remove.' }),
  }),
  output: AdminMember,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { ...named, name: 'Grace B. Hopper' }, output: { ...grace, name: 'Grace B. Hopper' } },
  async run(context, { remove, ...given }) {
    const twice = remove.find((one) => given[one] !== undefined)
    if (twice !== undefined)
      throw new GateError('invalid', `Give ${twice}, or remove it, not both.`, { param: 'remove' })
    const changed = (one: ConsentChannel) => (remove.includes(one) ? '' : (given[one] ?? null))
    const [email, slack, teams] = [changed('email'), changed('slack'), changed('teams')]
    const change = { name: given.name ?? null, email, slack, teams }
    if (Object.values(change).every((one) => one === null))
      throw new GateError('invalid', 'Give at least one of name, email, slack, teams and remove.')
    const { memberId } = await memberOf(context, given.member)
    return viewMember(await update(context, memberId, change))
  },
})

const setMemberTier = defineAdmin({
  name: 'set_member_tier',
  title: 'Set a tier',
  summary: "Sets a member's tier, which overrides certifications, or removes the setting (`clear`).",
  http: { method: 'POST', path: `${path}/{member}/tier` },
  power: 'admin:members.write',
  input: z.strictObject({
    member,
    tier: tier.optional(),
    clear: z
      .boolean('must be true or false')
      .default(false)
      .meta({ description: 'Certifications decide again.' }),
  }),
  output: AdminMember,
  errors: ['forbidden', 'not_found', 'invalid'],
  example: {
    input: { ...named, tier: 'write' },
    output: { ...grace, tier: 'write', tier_source: 'admin' },
  },
  async run(context, given) {
    if ((given.tier === undefined) !== given.clear)
      throw new GateError('invalid', 'Give tier, or clear: true, not both.', { param: 'tier' })
    const { memberId } = await memberOf(context, given.member)
    return viewMember(await setTier(context, memberId, given.tier ?? null))
  },
})

const setActive = (isActive: boolean) =>
  defineAdmin({
    name: isActive ? 'activate_member' : 'deactivate_member',
    title: isActive ? 'Activate a member' : 'Deactivate a member',
    summary: isActive
      ? 'Reactivates a member.'
      : 'Deactivates a member: no longer accepted as an actor, no longer a recipient.',
    http: { method: 'POST', path: `${path}/{member}/${isActive ? 'activate' : 'deactivate'}` },
    power: 'admin:members.write',
    input: z.strictObject({ member }),
    output: AdminMember,
    errors: ['forbidden', 'not_found', 'invalid'],
    example: { input: named, output: { ...grace, active: isActive } },
    async run(context, given) {
      const { memberId } = await memberOf(context, given.member)
      return viewMember(await setMemberActive(context, memberId, isActive))
    },
  })

const eraseMember = defineAdmin({
  name: 'erase_member',
  title: 'Erase a member',
  summary:
    'Erases name, identities, and the words and inputs of a member. Rows and ledger entries stay, and say `erased`. A repeat changes nothing.',
  http: { method: 'POST', path: `${path}/{member}/erase` },
  power: 'admin:members.erase',
  input: z.strictObject({ member, reason }),
  output: z.object({ member_id: z.string(), erased: z.literal(true) }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: {
    input: { ...named, reason: 'requested by the member' },
    output: { member_id: grace.member_id, erased: true },
  },
  async run(context, given) {
    const { memberId } = await memberOf(context, given.member)
    await erase(context, memberId, given.reason)
    return { member_id: memberId, erased: true }
  },
})

export const memberOperations = {
  listMembers,
  exportMembers,
  getMember,
  addMember,
  importMembers,
  updateMember,
  setMemberTier,
  activateMember: setActive(true),
  deactivateMember: setActive(false),
  eraseMember,
}
