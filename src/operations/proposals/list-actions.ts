import { z } from 'zod'
import { listActions as readPage } from '../../db/queries/actions/actions.ts'
import { statuses } from '../../gate/lifecycle.ts'
import { limits } from '../../limits.ts'
import { viewAction } from './action-view.ts'
import { listRow } from './list-row.ts'
import { defineOperation } from '../operation.ts'
import { ActionPage, text } from '../schemas.ts'

const pageLimit = (rowsDefault: number) =>
  z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(limits.pageRowsMax, `must be at most ${limits.pageRowsMax}`)
    .default(rowsDefault)
    .meta({ description: `1 to ${limits.pageRowsMax}.` })

/** Lists actions, oldest first, a page at a time. Over MCP pages and rows are shorter. */
export const listActions = defineOperation({
  name: 'list_actions',
  title: 'List actions',
  summary:
    'List actions, oldest first, to find one or to see what is open. Over MCP rows are short: get_action has all fields.',
  http: {
    method: 'GET',
    path: '/api/v1/actions',
    integers: ['limit', 'after'],
    success: { 200: 'A page of actions' },
  },
  tool: {
    group: 'gate',
    readOnly: true,
    destructive: false,
    idempotent: true,
    openWorld: false,
    arguments: { limit: pageLimit(limits.toolPageRowsDefault) },
  },
  input: z.strictObject({
    limit: pageLimit(limits.pageRowsDefault),
    kind: text(limits.kindCharsMax).optional(),
    status: z.enum(statuses, `must be one of: ${statuses.join(', ')}`).optional(),
    after: z
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .default(0)
      .meta({ description: '`next_after` of the page before.' }),
  }),
  output: ActionPage,
  errors: ['invalid'],
  powers: ['read'],
  isKeyed: false,
  async run({ deps, account, actors, source }, { limit, kind, status, after }) {
    const rows = await readPage(deps.db, account, {
      limit: limit + 1,
      after,
      kind: kind ?? null,
      status: status ?? null,
      memberIds: actors,
    })
    const page = rows.slice(0, limit)
    const actions = await Promise.all(page.map((row) => viewAction(deps, row)))
    const shown = source === 'mcp' ? actions.map(listRow) : actions
    return {
      status: 200,
      body: { actions: shown, ...(rows.length > limit ? { next_after: page.at(-1)!.id } : {}) },
    }
  },
})
