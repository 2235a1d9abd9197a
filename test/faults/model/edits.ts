import type { Decision, Journal } from '../workload/journal.ts'
import type { Demand, Entry, Row, Stored } from './record.ts'
import { grouped, isOfAgent, isOwn, markerOf, ruledIn } from './writes.ts'

/** What members changed before they approved, and what they asked for when they declined. */
export function judgeEdits(journal: Journal, stored: Stored, demand: Demand): void {
  const { rows, entries } = stored
  const isRuled = ruledIn(stored)
  const decisions = grouped(journal.decisions, (one) => `${one.account} ${one.marker}`)
  const noted = grouped(
    entries.filter(({ kind }) => ['edited', 'approved', 'confirmed'].includes(kind)),
    (one) => `${one.account_id} ${one.action_id}`,
  )
  const digests = digestsAnswered(journal)
  const byId = new Map(rows.map((row) => [`${row.account_id} ${row.id}`, row]))
  for (const row of rows.filter(isOfAgent)) {
    const tried = decisions.get(`${row.account_id} ${markerOf(row)}`) ?? []
    judgeShown(row, tried, digests, demand)
    const kinds = isRuled(row) ? ['edited', 'approved'] : ['edited', 'confirmed']
    const ofRow = noted.get(`${row.account_id} ${row.id}`) ?? []
    judgeVersions(
      row,
      ofRow.filter(({ kind }) => kinds.includes(kind)),
      demand,
    )
    for (const one of tried.filter(({ reply }) => reply.outcome === 'ok')) judgeAcknowledged(row, one, demand)
    judgeAnswer(row, byId.get(`${row.account_id} ${row.replaces}`), demand)
  }
  judgeIntents(journal, byId, demand)
}

/** Every digest of an action that an agent was answered. */
function digestsAnswered({ intents, seen }: Journal): Set<string> {
  const proposed = intents.flatMap(({ account, attempts }) => attempts.map(({ body }) => ({ account, body })))
  return new Set([...proposed, ...seen].map(({ account, body }) => `${account} ${body?.id} ${body?.digest}`))
}

/** Who consented had the digest of exactly what runs before them: on the card, or in an answer to the agent. */
function judgeShown(row: Row, tried: Decision[], digests: ReadonlySet<string>, demand: Demand): void {
  if (row.decision !== 'confirm' || row.mandate_id !== null) return
  const { consent_channel: channel } = row
  const isOnCard = tried.some(
    ({ verb, via, by, shown, reply }) =>
      verb === 'confirm' &&
      isOwn(row, by) &&
      via === channel &&
      reply.outcome !== 'refused' &&
      shown !== undefined &&
      row.digest?.startsWith(shown),
  )
  const isAnswered = row.former === null && digests.has(`${row.account_id} ${row.id} ${row.digest}`)
  const isByMember = channel === 'email' || channel === 'slack'
  demand(isByMember ? isOnCard : isAnswered, 'nothing executes whose bytes nobody was shown', () => [
    row,
    tried,
  ])
}

/** Version 2 exists only with its consent, and the ledger says so directly before it. */
function judgeVersions(row: Row, entries: Entry[], demand: Demand): void {
  const name = () => [row, entries]
  const edited = entries.filter(({ kind }) => kind === 'edited')
  demand(edited.length === (row.former ? 1 : 0), 'version 2 is noted, and nothing else is', name)
  const [entry] = edited
  if (!row.former || !entry) return
  const { former_digest: was, digest } = entry.data
  demand(was === row.former.digest && digest === row.digest, 'the ledger names both versions', name)
  const consent = entries.find(({ kind, seq }) => kind !== 'edited' && seq > entry.seq)
  demand(consent?.seq === entry.seq + 1, 'a change stands directly before its consent', name)
}

function judgeAcknowledged(row: Row, one: Decision, demand: Demand): void {
  const name = () => [row, one]
  if (one.edit && row.status !== 'denied') {
    const isVersion2 = row.former !== null && row.digest?.startsWith(one.shown ?? '-')
    demand(isVersion2 === true, 'what was approved with changes is version 2', name)
  }
  if (one.reason !== undefined)
    demand(row.decline_reason === one.reason, 'the reason of a decline is kept', name)
}

/** An answer is about an action of its kind that its member declined. */
function judgeAnswer(row: Row, declined: Row | undefined, demand: Demand): void {
  if (row.replaces === null) return
  const isAnswer =
    declined?.closed_reason === 'member_declined' &&
    declined.kind === row.kind &&
    declined.member_id === row.member_id
  demand(isAnswer, 'a proposal answers what its member declined', () => [row, declined])
}

function judgeIntents({ intents }: Journal, byId: ReadonlyMap<string, Row>, demand: Demand): void {
  for (const { account, replaces = null, attempts, marker } of intents)
    for (const { body } of attempts.filter(({ outcome }) => outcome === 'ok')) {
      const row = byId.get(`${account} ${body.id}`)
      if (row && markerOf(row) === marker)
        demand(row.replaces === replaces, 'a proposal names what it answers', () => [row, replaces])
    }
}
