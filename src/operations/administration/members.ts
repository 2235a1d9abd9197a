import { z } from 'zod'
import { pageMembers } from '../../db/queries/members/members.ts'
import { tierSources, tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { viewMember } from '../members/member-view.ts'
import { requireAccount } from '../require-account.ts'
import { defineAdmin } from './admin-operation.ts'

export const AdminMember = z.object({
  member_id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  slack: z.string().nullable(),
  tier: z.enum(tiers),
  tier_source: z.enum(tierSources),
  active: z.boolean(),
})

const grace = {
  member_id: 'mem_0a1B2c3D4e5F6g7H',
  name: 'Grace Hopper',
  email: 'grace@example.com',
  slack: 'U0GRACE',
  tier: 'guarded_write',
  tier_source: 'certification',
  active: true,
} as const

export const listMembers = defineAdmin({
  name: 'list_members',
  title: 'List members',
  summary: 'Lists the members of the account, active or not, by their id.',
  http: { method: 'GET', path: '/api/v1/admin/members', integers: ['limit'] },
  power: 'admin:members.read',
  input: z.strictObject({
    limit: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(limits.rowsPerRead, `must be at most ${limits.rowsPerRead}`)
      .default(limits.pageRowsDefault),
    after: z
      .string()
      .max(limits.identityCharsMax)
      .default('')
      .meta({ description: '`next_after` of the page before.' }),
  }),
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
