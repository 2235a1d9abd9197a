import type { ActionRow } from '../../db/queries/actions/actions.ts'
import {
  type ApproverAsk,
  askApprovers as record,
  readApprovals,
} from '../../db/queries/actions/approvals.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import { readDeputiesOf } from '../../db/queries/members/delegations.ts'
import { type MemberRow, findMember } from '../../db/queries/members/members.ts'
import type { Deps } from '../../deps.ts'
import { type ApprovalRule, escalatesAt, isBarred, opensAt, sourcesNow } from '../../gate/approvals/rule.ts'
import { type ConsentChannel, consentRoute, requestedFor } from '../../gate/consent.ts'
import { consentTokenHash, newToken } from '../../keys/link-token.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import { type RuledRow, isRuled, situationOf, tallyOf } from '../approvers/tally.ts'
import { approversAmong } from '../approvers/among.ts'
import { waysToAsk } from './ways-to-ask.ts'

/** What an action waits for: when to look again (null: no more), and whom, for operators. */
export interface Awaited {
  lookAt: Date | null
  who: string | undefined
}

/**
 * Records requests to those whose approval counts now and who were not asked yet, and their reminders. Safe to repeat: each is asked
 * once about the action as it is. Those who cannot be reached find it where they sign in.
 */
export async function askApprovers(deps: Deps, row: ActionRow): Promise<Awaited> {
  if (!isRuled(row) || row.status !== 'proposed' || row.decision !== null) return nobody
  const facts = await readFacts(deps.db, row.account_id, { memberId: row.member_id })
  if (!facts) return nobody
  const { now, integrationsVersion } = facts
  const all = await readApprovals(deps.db, row.account_id, row.id)
  if (row.consented_at === null) {
    // Somebody else changed it: its member consents to that first.
    const [member] = facts.members
    if (all.length === 0 || !member) return nobody
    await ask(deps, row, [member], { integrationsVersion, isReminder: false })
    return { lookAt: null, who: `the consent of ${row.member_id} to version 2` }
  }
  const { approval_rule: rule } = row
  const opens = opensAt(rule, row.created_at)
  if (opens > now) return { lookAt: opens, who: `${rule.needed} approvals, from ${opens.toISOString()}` }
  const approvers = await approversNow(deps, row, now)
  const tally = await tallyOf(deps, row, now)
  const given = new Set(
    tally.given.flatMap(({ member_id: id, for_member: of }) => (of === null ? [id] : [id, of])),
  )
  const open = approvers.filter(({ memberId }) => !given.has(memberId))
  await ask(deps, row, open, { integrationsVersion, isReminder: false })
  const remindAt = remindsAt(rule, row.consented_at)
  if (remindAt && remindAt <= now) await ask(deps, row, open, { integrationsVersion, isReminder: true })
  return {
    lookAt: firstAfter(now, [remindAt, escalatesAt(rule, row.consented_at)]),
    who: `${Math.max(rule.needed - tally.counted.length, 1)} of ${open.map(({ memberId }) => memberId).join(', ')}`,
  }
}

const nobody: Awaited = { lookAt: null, who: undefined }

/** The members whose approval counts now, as many as are asked at once. */
export async function approversNow(deps: Pick<Deps, 'db'>, row: RuledRow, now: Date): Promise<MemberRow[]> {
  const { approval_rule: rule } = row
  const situation = await situationOf(deps, row, now)
  const barred = {
    proposerId: row.member_id,
    ownerIds: situation.ownerIds.filter((id) => isBarred(rule, id, situation)),
  }
  const found = new Map<string, MemberRow>()
  for (const source of sourcesNow(rule, situation)) {
    const limit = limits.approversAskedMax
    for (const member of await approversAmong(deps.db, row, source, { ...barred, limit }))
      if (found.size < limit) found.set(member.memberId, member)
    if ('tier' in source) continue
    for (const member of await deputiesAmong(deps.db, row, [...found.keys()]))
      if (found.size < limit && !isBarred(rule, member.memberId, situation))
        found.set(member.memberId, member)
  }
  return [...found.values()]
}

/** The active deputies of approvers who are away. */
async function deputiesAmong(
  db: Deps['db'],
  { account_id: account, kind }: RuledRow,
  memberIds: string[],
): Promise<MemberRow[]> {
  const ids = await readDeputiesOf(db, account, { memberIds, kind })
  const found = await Promise.all(ids.map((memberId) => findMember(db, account, { memberId })))
  return found.filter((member) => member !== undefined).filter(({ isActive }) => isActive)
}

const remindsAt = ({ remind_after_minutes: after }: ApprovalRule, consentedAt: Date): Date | null =>
  after === undefined ? null : new Date(consentedAt.getTime() + after * 60_000)

const firstAfter = (now: Date, times: (Date | null)[]): Date | null =>
  times
    .filter((at) => at !== null)
    .filter((at) => at > now)
    .toSorted((a, b) => Number(a) - Number(b))[0] ?? null

type Asked = Pick<MemberRow, 'memberId' | ConsentChannel>

async function ask(
  deps: Deps,
  row: RuledRow,
  members: Asked[],
  { integrationsVersion, isReminder }: { integrationsVersion: number; isReminder: boolean },
): Promise<void> {
  const ways = await waysToAsk(deps, row.account_id, integrationsVersion)
  const required = requestedFor(row.approval_rule.min_strength)
  const asks = members.flatMap((member): ApproverAsk[] => {
    const route = consentRoute(required, member, ways)
    if (!route) return []
    const token = newToken()
    return [
      {
        eventId: eventId(
          row.uuid,
          isReminder ? 'approver reminded' : 'approver asked',
          row.digest!,
          member.memberId,
        ),
        memberId: member.memberId,
        ...route,
        required,
        token,
        tokenHash: consentTokenHash(route.via, token),
        isReminder,
      },
    ]
  })
  if (asks.length === 0) return
  const { account_id: account, id } = row
  await record(deps.db, { account, id, asks, hourMax: limits.consentAsksPerHourMax })
}
