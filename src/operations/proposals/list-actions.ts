import { z } from 'zod'
import { listShown } from '../../db/queries/actions/list-actions.ts'
import { findMember } from '../../db/queries/members/members.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type Status, statuses } from '../../gate/lifecycle.ts'
import { limits } from '../../limits.ts'
import { viewShown } from '../actions/action-view.ts'
import type { Reader as AgentReader } from '../actions/next-step.ts'
import { listRow } from '../actions/list-row.ts'
import { refusedKey } from '../authenticate.ts'
import { type CallContext, defineOperation } from '../operation.ts'
import { type ActionRequest, ActionPage, text } from '../schemas.ts'
import { memberNameOf } from '../actions/member-name.ts'

/** Over MCP: a model reads every row. */
const toolPageRowsDefault = 20

const pageLimit = (rowsDefault: number) =>
  z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(limits.pageRowsMax, `must be at most ${limits.pageRowsMax}`)
    .default(rowsDefault)
    .meta({ description: `1 to ${limits.pageRowsMax}.` })

const kindName = text(limits.kindCharsMax)

const instant = z
  .string()
  .refine(
    (value) => z.iso.datetime({ offset: true }).safeParse(value).success,
    'must be a time with a time zone, such as 2026-01-31T12:00:00Z',
  )
  // PostgreSQL has no year 0, and an offset can lead past the year 9999, which is written in another form.
  .transform((value) => new Date(Math.min(Math.max(0, Date.parse(value)), limits.instantMsMax)))

/** Lists actions by id, a page at a time. Over MCP pages and rows are shorter. */
export const listActions = defineOperation({
  name: 'list_actions',
  title: 'List actions',
  summary:
    'List actions, oldest first unless `order` is desc, to find one or to see what is open. Over MCP rows are short: get_action has all fields.',
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
    arguments: { limit: pageLimit(toolPageRowsDefault) },
  },
  input: z.strictObject({
    limit: pageLimit(limits.pageRowsDefault),
    order: z
      .enum(['asc', 'desc'], 'must be asc or desc')
      .default('asc')
      .meta({ description: 'desc: newest first.' }),
    after: z
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .default(0)
      .meta({ description: '`next_after` of the page before.' }),
    kind: kindName.optional(),
    exclude_kind: text(limits.kindCharsMax * limits.kindsExcludedMax)
      .transform((list) => list.split(','))
      .pipe(
        z.array(kindName).max(limits.kindsExcludedMax, `must have at most ${limits.kindsExcludedMax} kinds`),
      )
      .optional()
      .meta({ description: 'Kinds to leave out, such as `capability_check`, separated by commas.' }),
    status: z.enum(statuses, `must be one of: ${statuses.join(', ')}`).optional(),
    member: text(limits.identityCharsMax).optional().meta({
      description: 'E-mail address, `slack:U…` or member id.',
    }),
    created_after: instant.optional().meta({
      description: 'Created at this time or later, such as 2026-01-31T12:00:00Z.',
      format: 'date-time',
    }),
    created_before: instant
      .optional()
      .meta({ description: 'Created before this time.', format: 'date-time' }),
  }),
  output: ActionPage,
  errors: ['invalid', 'not_found'],
  powers: ['read'],
  checksKey: true,
  isKeyed: false,
  async run(context, filter) {
    const page = await pageOfActions(context, filter, context)
    const actions = context.source === 'mcp' ? page.actions.map(listRow) : page.actions
    return { status: 200, body: { ...page, actions } }
  },
})

/** Without `keyHash` no API key reads. */
type Reader = Pick<CallContext, 'account' | 'actors'> &
  Partial<Pick<CallContext, 'keyHash'>> & { deps: Pick<Deps, 'db'> }

/** What a page must match; a filter that is absent does not filter. */
export interface ActionsFilter {
  limit: number
  order: 'asc' | 'desc'
  after: number
  kind?: string | undefined
  exclude_kind?: string[] | undefined
  status?: Status | undefined
  member?: string | undefined
  created_after?: Date | undefined
  created_before?: Date | undefined
}

/**
 * A page of actions, as the API shows them.
 * @param caller  whose next steps are named
 * @throws GateError `not_found` for a member that is absent, or that the reader may not see; `unauthenticated` where the key
 * is no longer valid
 */
export async function pageOfActions(
  reader: Reader,
  filter: ActionsFilter,
  caller: AgentReader = null,
): Promise<{ actions: ActionRequest[]; next_after?: number }> {
  const { limit, order, after, kind, exclude_kind, status, member, created_after, created_before } = filter
  const { deps, account, actors, keyHash = null } = reader
  const rows = await listShown(
    deps.db,
    { account, keyHash },
    {
      limit: limit + 1,
      order,
      after,
      kinds: kind === undefined ? null : [kind],
      excludedKinds: exclude_kind ?? null,
      status: status ?? null,
      memberIds: member === undefined ? actors : [await memberIdOf(reader, member)],
      createdFrom: created_after ?? null,
      createdBefore: created_before ?? null,
    },
  )
  if (!rows) throw refusedKey()
  const page = rows.slice(0, limit)
  const actions = await viewShown(deps, account, page, caller)
  return { actions, ...(rows.length > limit ? { next_after: page.at(-1)!.id } : {}) }
}

/**
 * The id of a member, active or not, as their actions name them.
 * @throws GateError `not_found`, also for a member that the key is not bound to
 */
async function memberIdOf({ deps, account, actors }: Reader, member: string): Promise<string> {
  const found = await findMember(deps.db, account, memberNameOf(member))
  const isHidden = actors !== null && !actors.includes(found?.memberId ?? '')
  if (!found || isHidden)
    throw new GateError('not_found', 'No member of this account has this identity. Check `member`.', {
      param: 'member',
    })
  return found.memberId
}
