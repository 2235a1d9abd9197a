import { createHash } from 'node:crypto'
import type { Decision, Journal } from '../workload/journal.ts'
import { replayApprovals } from './approvals-replayed.ts'
import type { Demand, Entry, Row, Stored } from './record.ts'
import { grouped, markerOf, ruledIn } from './writes.ts'

/** Who else must agree: enough people, each once, to what runs, and no approval that was acknowledged is lost. */
export function judgeApprovals(journal: Journal, stored: Stored, demand: Demand): void {
  const rows = new Map(stored.rows.map((row) => [`${row.account_id} ${row.id}`, row]))
  const given = approvalsIn(stored.entries)
  const votes = grouped(journal.decisions, ({ account, marker }) => `${account} ${marker}`)
  for (const [name, entries] of given) {
    const row = rows.get(name)!
    const tried = votes.get(`${row.account_id} ${markerOf(row)}`) ?? []
    for (const entry of entries) judgeGiven(row, entry, tried, demand)
  }
  for (const row of stored.rows.filter(ruledIn(stored)))
    for (const one of votes.get(`${row.account_id} ${markerOf(row)}`) ?? [])
      judgeAcknowledged(row, one, given.get(`${row.account_id} ${row.id}`) ?? [], demand)
  for (const [account, chain] of grouped(stored.entries, ({ account_id }) => account_id))
    replayApprovals(account, chain, stored.policies, demand)
  judgeDelegations(journal, stored.entries, demand)
  judgeGlassBreaks(journal, stored.entries, demand)
}

const approvalsIn = (entries: Entry[]) =>
  grouped(
    entries.filter(({ kind }) => kind === 'approved'),
    (one) => `${one.account_id} ${one.action_id}`,
  )

/** Each approval is one that a client of the load gave, of a card with this digest. */
function judgeGiven(row: Row, { actor, data }: Entry, tried: Decision[], demand: Demand): void {
  const isOwn = actor === row.member_id
  const mayHave = tried.some(
    ({ verb, via, by, shown, reply }) =>
      verb === 'confirm' &&
      reply.outcome !== 'refused' &&
      (via === 'agent'
        ? isOwn && ['api', 'mcp'].includes(data['channel'])
        : (by ?? row.member_id) === actor && via === data['channel'] && isOf(data['digest'], shown)),
  )
  demand(mayHave, 'every approval was given by whom it names, who saw what it is of', () => [
    row,
    actor,
    data,
    tried,
  ])
}

const isOf = (digest: string, shown: string | undefined) => shown !== undefined && digest.startsWith(shown)

/** What a member or an agent was told that they agreed to is noted, unless it was denied at that moment. */
function judgeAcknowledged(row: Row, one: Decision, given: Entry[], demand: Demand): void {
  const { verb, via, by, shown, reply } = one
  if (verb !== 'confirm' || reply.outcome !== 'ok' || row.status === 'denied') return
  // The rest that an agent is told of is judged as of every action.
  if (via === 'agent' && !reply.body.awaiting_approvals) return
  const isNoted = given.some(
    ({ actor, data }) => actor === (by ?? row.member_id) && (via === 'agent' || isOf(data['digest'], shown)),
  )
  demand(isNoted, 'an acknowledged approval stands', () => [row, one, given])
}

/** Each break of the glass is one that was asked for by whom it names, once; what was answered is noted, and is the confirm. */
function judgeGlassBreaks({ glassBreaks }: Journal, entries: Entry[], demand: Demand): void {
  const ofAction = grouped(
    entries.filter(({ kind }) => kind === 'glass_broken' || kind === 'confirmed'),
    ({ account_id, action_id }) => `${account_id} ${action_id}`,
  )
  // It stands in for approvals alone: where its member's tier no longer suffices, the press is answered and the action denied.
  const denied = new Set(
    entries
      .filter(({ kind }) => kind === 'denied')
      .map(({ account_id, action_id }) => `${account_id} ${action_id}`),
  )
  const tried = grouped(glassBreaks, ({ account, id }) => `${account} ${id}`)
  for (const [name, each] of ofAction) {
    const broken = each.filter(({ kind }) => kind === 'glass_broken')
    const confirmed = each.find(({ kind }) => kind === 'confirmed')
    const by = confirmed?.data['glass_broken_by']
    const isWhole = broken.length <= 1 && by === broken[0]?.actor
    demand(isWhole, 'a glass is broken once, by whom the confirm names', () => each)
    for (const { actor, data } of broken) {
      const mayHave = (tried.get(name) ?? []).some(
        (one) => one.outcome !== 'refused' && one.by === actor && isOf(data['digest'], one.shown),
      )
      demand(mayHave, 'every glass was broken by whom it names, who saw what they executed', () => each)
    }
  }
  for (const one of glassBreaks.filter(({ outcome }) => outcome === 'ok')) {
    const name = `${one.account} ${one.id}`
    const stands = denied.has(name) || ofAction.get(name)?.some(({ kind }) => kind === 'glass_broken')
    demand(stands === true, 'a glass that was acknowledged as broken is stored', () => one)
  }
}

/** Each delegation is one that its member started, once; what was answered is noted. */
function judgeDelegations({ delegations, delegationEnds }: Journal, entries: Entry[], demand: Demand): void {
  const started = entries.filter(({ kind }) => kind === 'delegation_started')
  const isOfEntry = (
    { account, from, to, reason }: (typeof delegations)[number],
    { account_id, actor, data }: Entry,
  ) =>
    account === account_id &&
    actor === from &&
    data['from'] === from &&
    data['to'] === to &&
    data['reason_digest'] === sha256(`${data['delegation']} ${reason}`)
  for (const entry of started) {
    const mayHave = delegations.some((one) => one.outcome !== 'refused' && isOfEntry(one, entry))
    demand(mayHave, 'every deputy was named by the one they approve for', () => entry)
  }
  for (const one of delegations) {
    const times = started.filter((entry) => isOfEntry(one, entry)).length
    const isRight = times === 1 || (times === 0 && one.outcome !== 'ok')
    demand(isRight, 'a deputy is named once, and one who was acknowledged is stored', () => [one, times])
  }
  const over = grouped(
    entries.filter(({ kind }) => kind === 'delegation_ended'),
    ({ account_id, data }) => `${account_id} ${data['delegation']}`,
  )
  for (const [name, tried] of grouped(delegationEnds, ({ account, id }) => `${account} ${id}`)) {
    const times = over.get(name)?.length ?? 0
    const isRight = times === 1 || (times === 0 && tried.every(({ outcome }) => outcome !== 'ok'))
    demand(isRight, 'a delegation ends once, and an end that was acknowledged is stored', () => [
      name,
      times,
      tried,
    ])
  }
  for (const [name, each] of over) {
    const mayHave = delegationEnds.some(
      ({ account, id, outcome }) => outcome !== 'refused' && name === `${account} ${id}`,
    )
    demand(mayHave, 'every end of a delegation was asked for', () => each)
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
