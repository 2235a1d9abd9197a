import { type EntryKind, type Replayed, entryKinds, isAboutAction, replay } from '../gate/lifecycle.ts'
import { type ApprovalEntries, approvalEntries } from './consents/approvals.ts'
import type { Anchor } from './anchor.ts'
import { type Link, chainStart, linkHash } from './chain.ts'
import { type PasskeyEntries, passkeyEntries } from './consents/entries.ts'
import { type MandateEntries, mandateEntries } from './consents/mandates.ts'
import { rowStates } from './row-states.ts'

/** The first inconsistency in a ledger: the place (`seq 17`, `action 4`, `head`, `header`) and the problem. */
export interface Finding {
  place: string
  problem: string
}

/** Verifies a chain link by link and keeps the state of every action. */
export interface Checker {
  /** Checks the next link. Returns its problem, or null. */
  check(link: Link): Finding | null
  /**
   * Checks that the chain ends here, with the given head. Returns the problem, or null.
   * @param isPart  it goes on elsewhere
   */
  endsAt(head: { seq: number; hash: string }, isPart?: boolean): Finding | null
  readonly seq: number
  readonly at: string
  /** The number of actions in the entries, which is the last id. */
  readonly actionCount: number
  rowState(id: number): Replayed | null
}

/**
 * @param anchors  heads of the chain that were stored elsewhere and must still be in it
 * @param onEntry  called for each valid entry
 */
export function ledgerChecker(
  account: string,
  {
    anchors = [],
    onEntry = () => undefined,
  }: { anchors?: Anchor[]; onEntry?: (link: Link, entry: ParsedEntry) => void } = {},
): Checker {
  const rows = rowStates()
  const evidence = [passkeyEntries(), approvalEntries(), mandateEntries()]
  let seq = 0
  let hash = chainStart
  let at = ''
  // What the last entry made of an action, whose consent is the next one.
  let edited: EditedAction | null = null

  function problemOf(link: Link): string | null {
    if (link.prev !== hash)
      return `its prev is not the hash of ${seq === 0 ? 'the start of the chain' : `seq ${seq}`}`
    if (link.hash !== linkHash(account, link)) return 'its hash does not match its content'
    if (link.at < at) return `its time is earlier than that of seq ${seq}`
    const entry = parseEntry(link.entry)
    const problem =
      columnProblem(link, entry) ?? rowProblem(link, entry!) ?? evidenceProblem(evidence, link, entry!)
    if (problem === null) onEntry(link, entry!)
    return problem
  }

  function rowProblem({ kind, action_id: id }: Link, { data }: ParsedEntry): string | null {
    const unpaired = pairProblem(edited, { kind, id, digest: data?.['digest'] })
    if (unpaired) return unpaired
    edited = kind === 'edited' ? { id: id!, digest: data?.['digest'] } : null
    if (id === null) return null
    if (id > rows.count + 1) return `action ${id} starts before action ${rows.count + 1} exists`
    const next = replay(rows.get(id), kind as EntryKind)
    if (!next) return `${kind} contradicts earlier entries about action ${id}`
    rows.set(id, next)
    return null
  }

  return {
    check(link) {
      const due = seq + 1
      if (link.seq !== due)
        return findingAt(due, link.seq > due ? 'it is missing' : `seq ${link.seq} is in its place`)
      const problem = problemOf(link)
      if (problem) return findingAt(due, problem)
      seq = due
      hash = link.hash
      at = link.at
      return anchorFinding(anchors, { seq, hash })
    },
    endsAt(head, isPart = false) {
      if (seq < head.seq) return findingAt(seq + 1, `it is missing: the chain must end at seq ${head.seq}`)
      if (edited !== null && !isPart) return findingAt(seq, withoutConsent(edited))
      if (hash !== head.hash) return { place: 'head', problem: `its hash does not match seq ${seq}` }
      const beyond = anchors.find((anchor) => anchor.seq > seq)
      if (beyond) return beyondFinding(seq, beyond)
      return seq === 0 ? findingAt(1, `it is missing: a chain begins with ${firstEntryKind}`) : null
    },
    get seq() {
      return seq
    },
    get at() {
      return at
    },
    get actionCount() {
      return rows.count
    },
    rowState: (id) => rows.get(id),
  }
}

function evidenceProblem(
  of: (PasskeyEntries | ApprovalEntries | MandateEntries)[],
  link: Link,
  entry: ParsedEntry,
): string | null {
  for (const one of of) {
    const problem = one.problemOf(link, entry)
    if (problem !== null) return problem
  }
  return null
}

function anchorFinding(anchors: Anchor[], { seq, hash }: Anchor): Finding | null {
  const isOther = anchors.some((anchor) => anchor.seq === seq && anchor.hash !== hash)
  return isOther ? { place: 'anchor', problem: `the hash of seq ${seq} does not match the anchor` } : null
}

const beyondFinding = (seq: number, { seq: kept }: Anchor): Finding => ({
  place: 'anchor',
  problem: `the chain ends at seq ${seq}, but an anchor has seq ${kept}`,
})

const findingAt = (seq: number, problem: string): Finding => ({ place: `seq ${seq}`, problem })

interface EditedAction {
  id: number
  digest: unknown
}

/** Who changes an action agrees to that in one statement: nothing is between the entries of both. */
function pairProblem(
  edited: EditedAction | null,
  { kind, id, digest }: { kind: string; id: number | null; digest: unknown },
): string | null {
  const isConsent = kind === 'confirmed'
  if (edited && kind === 'approved')
    return id === edited.id && digest === edited.digest ? null : withoutConsent(edited)
  if (edited) return isConsent && id === edited.id && digest === edited.digest ? null : withoutConsent(edited)
  return isConsent && digest !== undefined
    ? `it consents to a change of action ${id}, but no entry before it is one`
    : null
}

const withoutConsent = ({ id }: EditedAction): string =>
  `action ${id} was changed, but the consent to that does not follow`

/** Every chain begins with this entry, and has no other of its kind. */
const firstEntryKind: EntryKind = 'account_created'

/** The format of entries that the database composes. */
const entryVersion = 2

// The columns of an entry must match its text, because only the text is hashed.
function columnProblem(link: Link, entry: ParsedEntry | undefined): string | null {
  if (!entry) return 'its text is not a valid entry'
  if (entry.v !== entryVersion)
    return `version ${JSON.stringify(entry.v) ?? 'none'} is not a known entry version`
  if (entry.kind !== link.kind) return `it is stored as ${link.kind}, but its text says ${String(entry.kind)}`
  if (entry.action !== link.action_id) {
    return `it is stored for action ${link.action_id}, but its text says ${String(entry.action)}`
  }
  const kind = entryKinds.find((one) => one === link.kind)
  if (kind === undefined) return `${link.kind} is not a known entry kind`
  return isAboutAction(kind) === (link.action_id !== null)
    ? positionProblem(link)
    : `${kind} ${isAboutAction(kind) ? 'must name an action' : 'must not name an action'}`
}

function positionProblem({ seq, kind }: Link): string | null {
  if ((kind === firstEntryKind) === (seq === 1)) return null
  return seq === 1
    ? `it is ${kind}, but a chain begins with ${firstEntryKind}`
    : `${firstEntryKind} must be the first entry`
}

/** The parsed text of an entry; undefined if it is not valid. */
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
  /** The format version of the entry. */
  v?: unknown
  action?: unknown
  kind?: unknown
  actor?: unknown
  /** The API key that was used, if any. */
  key?: unknown
  data?: { [key: string]: unknown }
  payload_digest?: string | null
}
