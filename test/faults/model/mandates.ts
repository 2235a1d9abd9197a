import type { Journal } from '../workload/journal.ts'
import type { Debit, Demand, Entry, Row, Stored } from './record.ts'
import { grouped, markerOf } from './writes.ts'

const nameOf = (account: string, id: number | null) => `${account} ${id}`

/** Mandates: asked for, frozen when that was answered, used within their budget, and each use is one consent. */
export function judgeMandates(journal: Journal, stored: Stored, demand: Demand): void {
  const { rows, entries, debits } = stored
  const byId = new Map(rows.map((row) => [nameOf(row.account_id, row.id), row]))
  judgeSigned(journal, rows, demand)
  judgeChanges(journal, entries, demand)
  for (const [account, chain] of grouped(entries, ({ account_id }) => account_id))
    judgeUses(account, chain, byId, stored, demand)
  const ofAction = grouped(debits, (one) => nameOf(one.account_id, one.action_id))
  for (const row of rows.filter(({ kind }) => kind !== 'runner_tool')) {
    const drawn = ofAction.get(nameOf(row.account_id, row.id)) ?? []
    const isOne = row.mandate_id === null ? drawn.length === 0 : drawn.length === 1
    const isOfMandate = drawn.every(({ mandate_id }) => mandate_id === row.mandate_id)
    demand(isOne && isOfMandate, 'a consent by mandate is one debit, and a debit is one consent', () => [
      row,
      drawn,
    ])
  }
}

/** Each mandate is one that a member entered, and signed themselves. */
function judgeSigned({ mandates }: Journal, rows: Row[], demand: Demand): void {
  const made = new Map(mandates.map((one) => [`${one.account} ${one.marker}`, one]))
  const stored = new Map<string, Row>()
  for (const row of rows.filter(({ kind }) => kind === 'mandate')) {
    const name = `${row.account_id} ${markerOf(row)}`
    stored.set(name, row)
    const one = made.get(name)
    const mayBe = one !== undefined && one.proposed.outcome !== 'refused'
    const isSame = one?.agent === row.payload['agent'] && kindsOf(row).join() === one?.kinds.join()
    demand(mayBe && isSame, 'every mandate was entered by a member', () => [row, one])
    const maySign = one?.signed !== undefined && one.signed.outcome !== 'refused'
    demand(row.decision !== 'confirm' || maySign, 'every mandate was signed by its member', () => [row, one])
  }
  for (const [name, one] of made) {
    const row = stored.get(name)
    if (one.proposed.outcome === 'ok')
      demand(row?.id === one.id, 'an acknowledged mandate is stored', () => [one, row])
    if (one.signed?.outcome === 'ok')
      demand(
        row?.decision === 'confirm' || row?.status === 'denied',
        'an acknowledged signature stands',
        () => [one, row],
      )
  }
}

interface Allowed {
  kind: string
  cents_each?: Record<string, number>
}
const allowsOf = (row: Row) => row.payload['allows'] as Allowed[]
const kindsOf = (row: Row): string[] => allowsOf(row).map(({ kind }) => kind)

const entryOf = { freeze: 'mandate_frozen', resume: 'mandate_resumed', end: 'mandate_ended' } as const

/** Each freeze, resumption and end that was answered is in the ledger, and none is that nobody asked for. */
function judgeChanges({ mandateChanges }: Journal, entries: Entry[], demand: Demand): void {
  const noted = grouped(entries, (one) => `${one.account_id} ${one.action_id} ${one.kind}`)
  for (const [name, tried] of grouped(
    mandateChanges,
    ({ account, id, verb }) => `${account} ${id} ${entryOf[verb]}`,
  )) {
    const times = noted.get(name)?.length ?? 0
    const done = tried.filter(({ outcome }) => outcome === 'ok').length
    const perhaps = tried.filter(({ outcome }) => outcome === 'unknown').length
    demand(times >= done, 'an acknowledged change of a mandate is stored', () => [name, times, tried])
    // The gate ends mandates, too: one that a new one replaces, and all with the stop switch.
    const mayBeMore = name.endsWith(entryOf.end)
    demand(mayBeMore || times <= done + perhaps, 'a mandate changes only where somebody asked', () => [
      name,
      times,
      tried,
    ])
  }
}

/** What is used of a mandate, and whether it can be used, by the entries up to one. */
interface Standing {
  isSigned: boolean
  isFrozen: boolean
  isEnded: boolean
  used: { at: string; cents: number | null; currency: string | null }[]
}

/** Replays a ledger: each use was within what its member signed and the policy of that moment allowed. */
function judgeUses(
  account: string,
  chain: Entry[],
  byId: ReadonlyMap<string, Row>,
  { policies, debits }: Stored,
  demand: Demand,
): void {
  const standings = new Map<number, Standing>()
  const drawn = new Map(debits.map((one) => [`${nameOf(one.account_id, one.mandate_id)} ${one.n}`, one]))
  let policyVersion = 1
  for (const entry of chain) {
    const { kind, action_id: id, data } = entry
    if (kind === 'policy_set') policyVersion = data['version']
    if (id === null || byId.get(nameOf(account, id))?.kind !== 'mandate') continue
    const now = standings.get(id) ?? { isSigned: false, isFrozen: false, isEnded: false, used: [] }
    standings.set(id, now)
    if (kind === 'executed') now.isSigned = true
    else if (kind === 'mandate_frozen' || kind === 'mandate_resumed') now.isFrozen = kind === 'mandate_frozen'
    else if (kind === 'mandate_ended') now.isEnded = true
    else if (kind === 'mandate_used') {
      const mandate = byId.get(nameOf(account, id))!
      const row = byId.get(nameOf(account, data['used_for'] ?? null))
      const name = () => [entry, now, mandate, row]
      demand(now.isSigned && !now.isEnded, 'a mandate is used while it is in force', name)
      demand(!now.isFrozen, 'a frozen mandate is not used', name)
      demand(isStoredAs(entry, drawn), 'each use of a mandate is its debit', name)
      now.used.push({ at: entry.at, cents: data['cents'] ?? null, currency: data['currency'] ?? null })
      demand(isCovered(entry, mandate, row), 'a mandate is used for what it allows, by its agent', name)
      const ceiling = row && policies.get(`${account} ${policyVersion}`)?.mandates?.[row.kind]
      demand(
        isWithin(now.used, mandate.payload) && isWithin(now.used, ceiling),
        'the uses of a mandate are within its budget and the policy',
        () => [name(), ceiling],
      )
    }
  }
  const uses = [...standings.values()].reduce((sum, { used }) => sum + used.length, 0)
  const stored = debits.filter((one) => one.account_id === account).length
  demand(uses === stored, 'each debit of a mandate is in the ledger', () => [account, uses, stored])
}

function isStoredAs({ account_id: account, action_id: id, data }: Entry, drawn: Map<string, Debit>): boolean {
  const debit = drawn.get(`${nameOf(account, id)} ${data['n']}`)
  return (
    debit !== undefined &&
    debit.action_id === (data['used_for'] ?? null) &&
    debit.cents === (data['cents'] ?? null) &&
    debit.currency === (data['currency'] ?? null)
  )
}

function isCovered({ key, data, actor }: Entry, mandate: Row, row: Row | undefined): boolean {
  const allowed = allowsOf(mandate).find(({ kind }) => kind === row?.kind)
  const cents = (row?.former?.payload ?? row?.payload)?.['amount_cents'] ?? null
  return (
    allowed !== undefined &&
    row!.member_id === mandate.member_id &&
    actor === mandate.member_id &&
    key === mandate.payload['agent'] &&
    cents === (data['cents'] ?? null) &&
    (cents === null || Number(cents) <= (allowed.cents_each?.[data['currency']] ?? -1))
  )
}

/** Whether the newest of these uses is within a budget. A day is one of UTC. */
function isWithin(used: Standing['used'], budget: any): boolean {
  if (!budget) return false
  const { at, currency } = used.at(-1)!
  const today = used.filter((one) => one.at.slice(0, 10) === at.slice(0, 10))
  const centsOf = (some: Standing['used']) =>
    some.reduce((sum, one) => sum + (one.currency === currency ? one.cents! : 0), 0)
  return (
    used.length <= budget.uses &&
    today.length <= budget.uses_per_day &&
    (currency === null ||
      (centsOf(used) <= (budget.cents?.[currency] ?? -1) &&
        centsOf(today) <= (budget.cents_per_day?.[currency] ?? -1)))
  )
}
