import { z } from 'zod'
import { kindsOf } from '../../actions/account-kinds.ts'
import { statuses } from '../../gate/lifecycle.ts'
import { limits } from '../../limits.ts'
import { listGlassBreaks, viewGlassBreak } from '../../operations/break-glass/glass-breaks.ts'
import { type ActionStory, actionStory } from '../../operations/audit/action-story.ts'
import { type ActionTimeline, actionTimeline } from '../../operations/audit/action-timeline.ts'
import { instant, line, several } from '../../operations/entered-fields.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { pageOfActions } from '../../operations/proposals/list-actions.ts'
import { requireAccount } from '../../operations/require-account.ts'
import type { ActionRequest } from '../../operations/schemas.ts'
import { account } from '../account-option.ts'
import { type ActionsPage, actionText, actionsText, storyText } from '../action-text.ts'
import { viewRow } from '../../operations/actions/action-view.ts'
import { cancelAndSignal } from '../../operations/decisions/cancel-as-admin.ts'
import { eraseAsAdmin } from '../../operations/actions/erase-payload.ts'
import { adminContextOf } from '../context.ts'
import { reason } from '../options.ts'
import { defineVerb, optional, required } from '../verb.ts'

const rowId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a positive whole number')
  .transform(Number)
const id = required('ID', rowId, 'Number of the action', '42')

const kindName = line(limits.kindCharsMax)
const excluded = several(kindName, limits.kindsExcludedMax, 'kinds')

const oneOf = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, `must be one of ${values.join(', ')}`)

export const actionVerbs = {
  list: defineVerb({
    summary: 'List actions, newest first unless --order is asc',
    options: {
      account,
      kind: optional('KIND', kindName, 'Only this kind', 'refund'),
      'exclude-kind': optional('KIND,…', excluded, 'Leave out these kinds', 'capability_check'),
      status: optional('STATUS', oneOf(statuses), `One of ${statuses.join(', ')}`, 'denied'),
      member: optional(
        'MEMBER',
        line(limits.identityCharsMax),
        'Only of this member: e-mail, slack:SLACK_ID or member id',
        'ada@my.example',
      ),
      'created-after': optional('ISO', instant, 'Created at this time or later', '2026-01-31T12:00:00Z'),
      'created-before': optional('ISO', instant, 'Created before this time', '2026-02-01'),
      order: optional(
        'ORDER',
        oneOf(['asc', 'desc']),
        'Oldest first (asc) or newest first (desc); if absent: desc',
        'asc',
      ),
      limit: optional(
        'N',
        wholeNumber(1, limits.pageRowsMax),
        `How many; if absent: ${limits.pageRowsDefault}`,
        '20',
      ),
      after: optional('ID', rowId, 'Continue after this action, in the same order', '42'),
    },
    shown: ['status', 'limit'],
    async run(context, given): Promise<ActionsPage> {
      await requireAccount(context.db(), given.account)
      const reader = { deps: { db: context.db() }, account: given.account, actors: null }
      return pageOfActions(reader, {
        limit: given.limit ?? limits.pageRowsDefault,
        order: given.order ?? 'desc',
        after: given.after ?? 0,
        kind: given.kind,
        exclude_kind: given['exclude-kind'],
        status: given.status,
        member: given.member,
        created_after: given['created-after'],
        created_before: given['created-before'],
      })
    },
    text: actionsText,
  }),

  show: defineVerb({
    summary: 'Show an action and its timeline; --json shows it as the API does',
    options: { account, id },
    word: 'id',
    async run(context, given): Promise<ActionTimeline | ActionRequest> {
      const deps = { db: context.db(), kinds: kindsOf(context.db()), config: context.config() }
      const timeline = await actionTimeline(deps, given.account, given.id)
      return context.isJson ? timeline.row : timeline
    },
    text: actionText,
  }),

  story: defineVerb({
    summary: 'Show what the ledger and the outbox record about an action, step by step, and what comes next',
    options: { account, id },
    word: 'id',
    run: (context, given): Promise<ActionStory> =>
      actionStory(
        { db: context.db(), kinds: kindsOf(context.db()), config: context.config() },
        given.account,
        given.id,
      ),
    text: storyText,
  }),

  'break-glass': defineVerb({
    summary: 'List what named members executed in place of those who must approve it',
    options: { account },
    columns: ['action', 'kind', 'by_name', 'for_name', 'at', 'review_due_at', 'is_justified', 'reviewed_by'],
    empty: () => 'Nobody broke the glass. A rule of the policy names who may.',
    async run(context, given) {
      return (await listGlassBreaks(adminContextOf(context, given.account))).map(viewGlassBreak)
    },
  }),

  cancel: defineVerb({
    summary: 'Cancel an open proposal as an administrator',
    options: {
      account,
      id,
      reason,
    },
    async run(context, given) {
      const { action, isSignalled } = await cancelAndSignal(
        adminContextOf(context, given.account),
        given.id,
        {
          reason: given.reason,
          connect: () => context.workflows(),
        },
      )
      if (!isSignalled) context.say('Cancelled. The workflow could not be notified; a worker will notify it.')
      return viewRow(action, null)
    },
  }),

  erase: defineVerb({
    summary: 'Erase the payload of a finished action; the action and its ledger entries stay',
    options: {
      account,
      id,
      reason,
    },
    run: async (context, given) =>
      viewRow(await eraseAsAdmin(adminContextOf(context, given.account), given.id, given.reason), null),
  }),
}
