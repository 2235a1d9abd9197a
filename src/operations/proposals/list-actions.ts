import { z } from 'zod'
import { listActions as readPage } from '../../db/queries/actions/actions.ts'
import { statuses } from '../../gate/lifecycle.ts'
import { limits } from '../../limits.ts'
import { viewAction } from './action-view.ts'
import { defineOperation } from '../operation.ts'
import { ActionRequest, text } from '../schemas.ts'

/** Lists actions, oldest first, a page at a time. */
export const listActions = defineOperation({
  name: 'list_actions',
  title: 'List actions',
  summary: 'List actions, oldest first. For the next page, send `next_after` of this answer as `after`.',
  http: {
    method: 'GET',
    path: '/api/v1/actions',
    integers: ['limit', 'after'],
    success: { 200: 'A page of actions' },
  },
  tool: { group: 'gate', readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    limit: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(limits.pageRowsMax, `must be at most ${limits.pageRowsMax}`)
      .default(limits.pageRowsDefault),
    kind: text(limits.kindCharsMax).optional(),
    status: z.enum(statuses, `must be one of: ${statuses.join(', ')}`).optional(),
    after: z
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .default(0)
      .meta({ description: 'Continue after this action id.' }),
  }),
  output: z.object({ actions: z.array(ActionRequest), next_after: z.int().optional() }),
  errors: ['invalid'],
  powers: ['read'],
  isKeyed: false,
  async run({ deps, account, actors }, { limit, kind, status, after }) {
    const rows = await readPage(deps.db, account, {
      limit: limit + 1,
      after,
      kind: kind ?? null,
      status: status ?? null,
      memberIds: actors,
    })
    const page = rows.slice(0, limit)
    const actions = await Promise.all(page.map((row) => viewAction(deps, row)))
    return { status: 200, body: { actions, ...(rows.length > limit ? { next_after: page.at(-1)!.id } : {}) } }
  },
})
