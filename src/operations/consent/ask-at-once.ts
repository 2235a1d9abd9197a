import { randomUUID } from 'node:crypto'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import { GateError } from '../../errors.ts'
import { type ConsentStrength, requestedFor, requestedStrengths } from '../../gate/consent.ts'
import type { Policy } from '../../gate/policy.ts'
import type { ActingMember } from '../members/actor.ts'
import type { CallContext } from '../operation.ts'
import { isOpen } from '../actions/action-view.ts'
import { wayTo } from '../actions/next-step.ts'
import { requireKind } from '../actions/require-kind.ts'
import { type Stale, keepsChanging, retryStale } from '../retry-stale.ts'
import { workflowInput } from '../../temporal/names.ts'
import { confirmByMandate } from './by-mandate.ts'
import { chooseWay, recordRequest, sentenceOfBound } from './request-consent.ts'

/** A proposal after its member was asked, or with the reason why nobody was. */
export interface AskedProposal {
  row: ActionRow
  /** The reason for the agent, with what to do. */
  problem?: string
  /** Why no mandate of the member covers it, where they signed one for the agent. */
  outside?: string | undefined
}

/**
 * Asks the member about an open proposal, unless a mandate that they signed for the agent covers it: then the mandate executes it.
 * An agent that wants the member asked (`isWished`) gets no less. The proposal is stored before: what hinders the question since
 * then, such as a key that was revoked, is no refusal of it.
 */
export const askOrUseMandate = (
  context: CallContext,
  acting: ActingMember,
  row: ActionRow,
  isWished: boolean,
): Promise<AskedProposal> =>
  askOrUse(context, acting, row, isWished).catch((error: unknown) => {
    const code = error instanceof GateError ? error.publishedCode : undefined
    if (code === 'unauthenticated' || code === 'forbidden') return { row, problem: keyLost }
    // Nothing was written after the proposal. An agent that reads this code takes it that nothing was proposed.
    if (code === 'unavailable') return { row, problem: `${hindered} ${later(context)}` }
    throw error
  })

async function askOrUse(
  context: CallContext,
  acting: ActingMember,
  row: ActionRow,
  isWished: boolean,
): Promise<AskedProposal> {
  if (!isOpen(row) || row.asked_at !== null || isWished) return askAtOnce(context, acting, row)
  const commandId = randomUUID()
  let known: ActingMember | undefined = acting
  const byMandate = await retryStale(
    async () => {
      const now = known ?? (await actingNow(context, row))
      known = undefined
      const floor = requestedFor(row.consent_required as ConsentStrength)
      return now
        ? confirmByMandate(context, { ...now, row }, { commandId, idempotency: null }, floor)
        : ({ outcome: 'outside', why: undefined } as const)
    },
    () => keepsChanging('Nobody was asked.'),
  )
  switch (byMandate.outcome) {
    case 'claimed':
      context.deps.starter.confirmInBackground(workflowInput(byMandate.row))
      return { row: byMandate.row }
    case 'denied':
      return { row: byMandate.row }
    case 'refused':
      return askAtOnce(context, acting, row)
    case 'outside':
      return { ...(await askAtOnce(context, acting, row, byMandate.why)), outside: byMandate.why }
  }
}

/**
 * Whether the member is asked when an action is proposed: always for a key that cannot confirm, because nobody else would ask;
 * for others if the call says so, or if the policy does and the action requires the member's own consent. Pure.
 */
export function asksAtOnce(
  { powers }: Pick<CallContext, 'powers'>,
  policy: Pick<Policy, 'ask_when_proposed'>,
  proposal: { ask?: boolean | undefined; required: string | null },
): boolean {
  if (!powers.includes('confirm') || proposal.ask === true) return true
  return (
    policy.ask_when_proposed && (requestedStrengths as readonly (string | null)[]).includes(proposal.required)
  )
}

/**
 * Asks the member about an open proposal. The proposal stands whatever becomes of the request: a member who cannot be asked
 * can still decide in the console.
 */
export async function askAtOnce(
  context: CallContext,
  acting: ActingMember,
  row: ActionRow,
  outsideMandate?: string,
): Promise<AskedProposal> {
  const kind = await requireKind(context.deps, row)
  // A connection has a link of its own.
  if (!isOpen(row) || row.asked_at !== null || kind.isDecidedByLink) return { row }
  let known: ActingMember | undefined = acting
  return retryStale(
    async () => {
      const now = known ?? (await actingNow(context, row))
      known = undefined
      return now ? ask(context, now, row, outsideMandate) : { row, problem: `${gone} ${later(context)}` }
    },
    () => keepsChanging('Nobody was asked.'),
  )
}

async function ask(
  context: CallContext,
  { facts, member }: ActingMember,
  row: ActionRow,
  outsideMandate: string | undefined,
): Promise<AskedProposal | Stale> {
  const { deps } = context
  const required = row.consent_required as ConsentStrength
  const floor = requestedFor(required)
  const rule = 'The member was not asked'
  const way = await chooseWay(deps, { row, facts, member }, { floor, rule })
  const unasked = (why: string): AskedProposal => ({ row, problem: `${why} ${later(context)}` })
  if ('deny' in way) return unasked(unreachable)
  if ('settlesAt' in way) return unasked(unsettled(way.settlesAt))
  const { outcome, action } = await recordRequest(deps, row, {
    way,
    lacking: {
      floor,
      versions: { member: member.version, curricula: facts.curriculaVersion, policy: facts.policyVersion },
    },
    commandId: randomUUID(),
    source: context.source,
    apiKey: context.keyHash,
    idempotency: null,
    isOfProposal: true,
    outsideMandate,
  })
  switch (outcome) {
    case 'asked':
    case 'standing':
      return { row: action }
    case 'duplicate':
      return { row, problem: duplicate(context, action.id) }
    case 'suspended':
      return unasked('The account is suspended: nobody is asked until an administrator resumes it.')
    case 'too_many':
    case 'too_many_of_day':
    case 'too_many_of_key':
      return unasked(sentenceOfBound[outcome])
    case 'stale':
      return outcome
    // Decided meanwhile, in the console.
    case 'lost':
    case 'expired':
      return { row: action }
    case 'missing':
    case 'replayed':
    case 'reused':
      throw new Error(`the request of a proposal ended as ${outcome}`)
  }
}

async function actingNow({ deps, account }: CallContext, row: ActionRow): Promise<ActingMember | undefined> {
  const facts = await readFacts(deps.db, account, { memberId: row.member_id! })
  const member = facts?.members[0]
  return facts && member && { facts, member }
}

const keyLost =
  'The API key was revoked or limited meanwhile, so nobody was asked. The proposal stays open: the member can decide it in the console.'
const hindered =
  'Nobody was asked: the member, the curricula or the policy changed several times meanwhile, or a service did not answer.'
const gone = 'The member is no longer active, so nobody was asked.'
const unreachable =
  'Nobody was asked: this service cannot reach the member for this consent, in Slack or by e-mail.'

const unsettled = (at: Date): string =>
  `Nobody was asked: the address of the member changed recently, and counts in full from ${at.toISOString()}.`

function duplicate(context: CallContext, id: number): string {
  const read = wayTo('wait', context, id)
  return `The member is already being asked about action ${id}, which is identical, and was not asked again. ${read ? `Wait for that one with ${read}.` : 'Wait for their decision on that one.'}`
}

/** The advice how the member comes to decide after all. */
function later({ source, idempotencyKey }: CallContext): string {
  const key = source === 'mcp' ? 'idempotency_key' : 'Idempotency-Key'
  const again =
    idempotencyKey === undefined ? 'propose it again later' : `repeat this request with the same ${key} later`
  return `The proposal stays open: the member can decide it in the console. To have them asked, ${again}.`
}
