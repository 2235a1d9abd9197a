import { type EntryKind, type Replayed, entryKinds, replay } from '../gate/lifecycle.ts'
import type { Anchor } from './anchor.ts'
import { type Link, chainStart, linkHash } from './chain.ts'
import { rowStates } from './row-states.ts'

/** Where a ledger first contradicts itself: `seq 17`, `action 4`, `head`, `header`, and how. */
export interface Fault {
  place: string
  problem: string
}

/** Follows a chain link by link and keeps what the entries say of every row. */
export interface Checker {
  /** Takes the next link. Returns what is wrong with it, or null. */
  take(link: Link): Fault | null
  /** What is wrong if the chain ends here, under a head of that seq and hash; or null. */
  endsAt(head: { seq: number; hash: string }): Fault | null
  readonly seq: number
  readonly at: string
  /** How many rows the entries tell of: the last one's id. */
  readonly born: number
  rowState(id: number): Replayed | null
}

/**
 * @param anchors  what was kept elsewhere of the chain, which must still be in it
 * @param onEntry  hears of each entry that is in order
 */
export function ledgerChecker(
  account: string,
  {
    anchors = [],
    onEntry = () => undefined,
  }: { anchors?: Anchor[]; onEntry?: (link: Link, entry: ParsedEntry) => void } = {},
): Checker {
  const rows = rowStates()
  let seq = 0
  let hash = chainStart
  let at = ''

  function problemOf(link: Link): string | null {
    if (link.prev !== hash) return `its prev is not the hash of ${seq === 0 ? 'the beginning' : `seq ${seq}`}`
    if (link.hash !== linkHash(account, link)) return 'its hash is not that of its content'
    if (link.at < at) return `its time is before that of seq ${seq}`
    const entry = parseEntry(link.entry)
    const problem = disagreement(link, entry) ?? rowProblem(link)
    if (problem === null) onEntry(link, entry!)
    return problem
  }

  function rowProblem({ kind, action_id: id }: Link): string | null {
    if (id === null) return null
    if (id > rows.count + 1) return `action ${id} begins before action ${rows.count + 1} was made`
    const next = replay(rows.get(id), kind as EntryKind)
    if (!next) return `${kind} contradicts what was written of action ${id} before`
    rows.set(id, next)
    return null
  }

  return {
    take(link) {
      const due = seq + 1
      if (link.seq !== due)
        return fault(due, link.seq > due ? 'it is missing' : `seq ${link.seq} stands in its place`)
      const problem = problemOf(link)
      if (problem) return fault(due, problem)
      seq = due
      hash = link.hash
      at = link.at
      return anchorFault(anchors, { seq, hash })
    },
    endsAt(head) {
      if (seq < head.seq) return fault(seq + 1, `it is missing: the chain should end at seq ${head.seq}`)
      if (hash !== head.hash) return { place: 'head', problem: `its hash is not that of seq ${seq}` }
      const beyond = anchors.find((anchor) => anchor.seq > seq)
      return beyond
        ? { place: 'anchor', problem: `the chain ends at seq ${seq}, and had a seq ${beyond.seq}` }
        : null
    },
    get seq() {
      return seq
    },
    get at() {
      return at
    },
    get born() {
      return rows.count
    },
    rowState: (id) => rows.get(id),
  }
}

function anchorFault(anchors: Anchor[], { seq, hash }: Anchor): Fault | null {
  const isOther = anchors.some((anchor) => anchor.seq === seq && anchor.hash !== hash)
  return isOther ? { place: 'anchor', problem: `the hash of seq ${seq} is not the one that was kept` } : null
}

const fault = (seq: number, problem: string): Fault => ({ place: `seq ${seq}`, problem })

const aboutAccounts: readonly EntryKind[] = [
  'tier_set',
  'pass_recorded',
  'member_changed',
  'curriculum_changed',
  'conversation_changed',
  'policy_set',
  'key_minted',
  'key_revoked',
  'key_rotated',
  'account_suspended',
  'integration_disconnected',
  'admin_changed',
  'write_refused',
]

// The columns beside an entry are not hashed by themselves: the text is, and they must say the same.
function disagreement(link: Link, entry: ParsedEntry | undefined): string | null {
  if (!entry) return 'its text is not an entry'
  if (entry.kind !== link.kind) return `it is kept as ${link.kind}, and its text says ${String(entry.kind)}`
  if (entry.action !== link.action_id) {
    return `it is kept for action ${link.action_id}, and its text says ${String(entry.action)}`
  }
  if (!(entryKinds as readonly string[]).includes(link.kind)) return `${link.kind} is not a kind of entry`
  const isOfAccount = (aboutAccounts as readonly string[]).includes(link.kind)
  return isOfAccount === (link.action_id === null)
    ? null
    : `${link.kind} ${isOfAccount ? 'names an' : 'names no'} action`
}

/** The parts of an entry that everything else is held to; undefined where the text is none. */
export function parseEntry(text: string): ParsedEntry | undefined {
  try {
    const entry: unknown = JSON.parse(text)
    return typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? (entry as ParsedEntry)
      : undefined
  } catch {
    return undefined
  }
}

export interface ParsedEntry {
  /** The version of the entry's form. From 2 on it tells everything that is stored with it. */
  v?: unknown
  action?: unknown
  kind?: unknown
  actor?: unknown
  /** The API key that was used, if one was. */
  key?: unknown
  data?: { [key: string]: unknown }
  payload_digest?: string | null
}
