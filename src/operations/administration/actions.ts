import { z } from 'zod'
import { viewRow } from '../actions/action-view.ts'
import { eraseAsAdmin } from '../actions/erase-payload.ts'
import { listGlassBreaks as glassBreaks, viewGlassBreak } from '../break-glass/glass-breaks.ts'
import { actionStory } from '../audit/action-story.ts'
import { actionTimeline } from '../audit/action-timeline.ts'
import { cancelAndSignal } from '../decisions/cancel-as-admin.ts'
import { listActions as listing, pageOfActions } from '../proposals/list-actions.ts'
import { ActionId, ActionPage, ActionRequest } from '../schemas.ts'
import { defineAdmin } from './admin-operation.ts'
import { Document, listOf, reason } from './parts.ts'

const path = '/api/v1/admin/actions'
const integers = ['id']
const cancelled = {
  id: 12,
  kind: 'broadcast',
  status: 'cancelled',
  member: 'grace@example.com',
  tier_at_request: 'guarded_write',
  source: 'api',
  payload: { message: 'Lunch is at noon.' },
  created_at: '2026-11-22T10:00:00.000Z',
  requires_confirmation: true,
  blast_radius: { slack: 4, email: 2, unreachable: 1 },
  closed_reason: 'admin',
} as const

const listActions = defineAdmin({
  name: 'list_all_actions',
  title: 'List actions of the account',
  summary: 'Lists the actions of all members, with the filters of `list_actions`.',
  http: { method: 'GET', path, integers: ['limit', 'after'] },
  power: 'admin:actions.read',
  input: listing.input,
  output: ActionPage,
  errors: ['forbidden', 'not_found', 'invalid'],
  example: { input: { status: 'cancelled' }, output: { actions: [cancelled] } },
  run: ({ deps, account }, filter) => pageOfActions({ deps, account, actors: null }, filter),
})

const showAction = defineAdmin({
  name: 'show_action',
  title: 'Read an action of the account',
  summary: 'Reads an action of any member.',
  http: { method: 'GET', path: `${path}/{id}`, integers },
  power: 'admin:actions.read',
  input: z.strictObject({ id: ActionId }),
  output: ActionRequest,
  errors: ['forbidden', 'not_found'],
  example: { input: { id: 12 }, output: cancelled },
  run: async ({ deps, account }, { id }) => (await actionTimeline(deps, account, id)).row,
})

const tellAction = defineAdmin({
  name: 'tell_action',
  title: 'Read the story of an action',
  summary: 'Reads what the ledger and the outbox record about an action, step by step, and what comes next.',
  http: { method: 'GET', path: `${path}/{id}/story`, integers },
  power: 'admin:actions.read',
  input: z.strictObject({ id: ActionId }),
  output: Document,
  errors: ['forbidden', 'not_found'],
  example: {
    input: { id: 12 },
    output: { id: 12, kind: 'broadcast', status: 'cancelled', lines: [], next: [] },
  },
  run: ({ deps, account }, { id }) => actionStory(deps, account, id),
})

const listGlassBreaks = defineAdmin({
  name: 'list_glass_breaks',
  title: 'List break-glasses',
  summary: 'Lists what named members executed in place of those who must approve it. Unreviewed ones first.',
  http: { method: 'GET', path: `${path}/break-glass` },
  power: 'admin:actions.read',
  input: z.strictObject({}),
  output: listOf('break_glass'),
  errors: ['forbidden'],
  example: {
    input: {},
    output: { break_glass: [{ action: 12, by_name: 'Ada', is_overdue: false, is_justified: null }] },
  },
  run: async (context) => ({ break_glass: (await glassBreaks(context)).map(viewGlassBreak) }),
})

const cancelAction = defineAdmin({
  name: 'cancel_as_admin',
  title: 'Cancel an action as an administrator',
  summary: 'Cancels an open proposal of any member.',
  http: { method: 'POST', path: `${path}/{id}/cancel`, integers },
  power: 'admin:actions.write',
  input: z.strictObject({ id: ActionId, reason }),
  output: ActionRequest,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { id: 12, reason: 'wrong list' }, output: cancelled },
  async run(context, given) {
    const connect = () => Promise.resolve(context.deps.workflows)
    const { action } = await cancelAndSignal(context, given.id, { reason: given.reason, connect })
    return viewRow(action, null)
  },
})

const eraseAction = defineAdmin({
  name: 'erase_action',
  title: 'Erase the payload of an action',
  summary: 'Erases the payload of an action that has ended; the action and its entries stay.',
  http: { method: 'POST', path: `${path}/{id}/erase`, integers },
  power: 'admin:actions.erase',
  input: z.strictObject({ id: ActionId, reason }),
  output: ActionRequest,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { id: 12, reason: 'requested by Grace' }, output: { ...cancelled, payload: {} } },
  run: async (context, given) => viewRow(await eraseAsAdmin(context, given.id, given.reason), null),
})

export const actionOperations = {
  listActions,
  showAction,
  tellAction,
  listGlassBreaks,
  cancelAction,
  eraseAction,
}
