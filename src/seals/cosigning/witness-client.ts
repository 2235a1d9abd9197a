import { limits } from '../../limits.ts'
import {
  type Checkpoint,
  type NoteSignature,
  type SignedNote,
  type NoteKey,
  formatNote,
  parseCheckpoint,
  parseSignatureLines,
  verifiedAt,
} from '../note.ts'
import { type TrustPolicy, type PolicyWitness, isQuorum } from '../trust-policy.ts'
import { type Reply, post } from './witness-http.ts'

/** A witness that could not be reached within the first time is asked again after the second. */
const witnessSlowMs = 1_000
const witnessAgainMs = 30_000

/** How far the time of a cosignature may be from ours. */
const witnessClockSkewMs = 600_000

/**
 * What a witness said about a checkpoint.
 * - `ahead`: it holds a longer history of this log, which this log has lost: a restored backup, or a second signer.
 * - `forked`: it holds a history that this checkpoint does not extend.
 * - `refused`, `unreachable`: it did not cosign, which says nothing about the history.
 */
export type WitnessAnswer = { witness: string } & (
  | { state: 'cosigned'; signature: NoteSignature; seconds: number }
  | { state: 'ahead'; size: number }
  | { state: 'forked'; size: number }
  /** `isUnknown`: it does not know this log. */
  | { state: 'refused' | 'unreachable'; why: string; isUnknown?: boolean }
)

export interface WitnessReport {
  answers: WitnessAnswer[]
  /** Verified cosignatures, to be kept with the checkpoint. */
  cosignatures: NoteSignature[]
  /** Witnesses whose cosignature is missing. */
  missing: string[]
  isQuorum: boolean
  /** Whether a quorum cosigned, or knows nothing of this log. */
  isHeard: boolean
  /** Nothing more may be signed while this is so: a witness that holds another history. Of several, one that forked counts first. */
  conflict: Extract<WitnessAnswer, { state: 'ahead' | 'forked' }> | null
}

/** The proof between two sizes of the log, `from` ≥ 1. */
export type Consistency = (from: number, to: number) => Promise<readonly Buffer[]> | readonly Buffer[]

export interface Witnesses {
  policy: TrustPolicy
  /**
   * Asks every witness to cosign a checkpoint of the log, all at once. Answers that are known already are not asked for again,
   * so it costs nothing to ask for the last checkpoint before signing the next.
   * @throws what `consistency` throws; a witness never makes it throw
   */
  ask(note: SignedNote, consistency: Consistency): Promise<WitnessReport>
}

/** The witnesses of a policy. Remembers what each holds, so that most checkpoints take one request. */
export function openWitnesses(policy: TrustPolicy, now: () => number = Date.now): Witnesses {
  const asked = policy.witnesses.map((witness) => rememberedWitness(witness, now))
  return {
    policy,
    async ask(note, consistency) {
      const checkpoint = parseCheckpoint(note.text)
      if (checkpoint === undefined) throw new TypeError('Witnesses are asked about checkpoints alone.')
      const answers = await Promise.all(asked.map((ask) => ask({ note, checkpoint, consistency })))
      return reportOf(policy, answers)
    },
  }
}

function reportOf(policy: TrustPolicy, answers: WitnessAnswer[]): WitnessReport {
  const cosigned = answers.filter((answer) => answer.state === 'cosigned')
  const unknown = answers.filter((answer) => 'isUnknown' in answer)
  const names = (some: WitnessAnswer[]) => new Set(some.map(({ witness }) => witness))
  return {
    answers,
    cosignatures: cosigned.map(({ signature }) => signature),
    missing: answers.filter(({ state }) => state !== 'cosigned').map(({ witness }) => witness),
    isQuorum: isQuorum(policy, names(cosigned)),
    isHeard: isQuorum(policy, names([...cosigned, ...unknown])),
    conflict: answers.find(({ state }) => state === 'forked') ?? furthestAhead(answers) ?? null,
  } as WitnessReport
}

/** Picks the conflict with the longest history: what is published meanwhile may explain the others. */
const furthestAhead = (answers: WitnessAnswer[]): WitnessAnswer | undefined =>
  answers.filter((answer) => answer.state === 'ahead').toSorted((a, b) => b.size - a.size)[0]

interface Question {
  note: SignedNote
  checkpoint: Checkpoint
  consistency: Consistency
}

function rememberedWitness(witness: PolicyWitness, now: () => number) {
  let last: { text: string; answer: WitnessAnswer } | undefined
  let held = 0
  let notBefore = 0
  return async (question: Question): Promise<WitnessAnswer> => {
    const { text } = question.note
    if (last?.answer.state === 'cosigned' && last.text === text) return last.answer
    const begin = performance.now()
    if (last && begin < notBefore) return last.answer
    // The size that it holds may only be a guess: it tells when it is wrong.
    const answer = await askOne(witness, question, { held: Math.min(held, question.checkpoint.size), now })
    if (answer.state === 'cosigned') held = question.checkpoint.size
    // One that lets everybody wait is left alone for a while, so that it does not slow down every seal.
    const isSlow = answer.state === 'unreachable' && performance.now() - begin > witnessSlowMs
    notBefore = isSlow ? performance.now() + witnessAgainMs : 0
    last = { text, answer }
    return answer
  }
}

async function askOne(
  witness: PolicyWitness,
  { note, checkpoint, consistency }: Question,
  { held, now }: { held: number; now: () => number },
): Promise<WitnessAnswer> {
  const { name, url } = witness
  if (url === undefined) return { witness: name, state: 'unreachable', why: 'the policy has no URL for it' }
  const deadline = AbortSignal.timeout(limits.witnessAskMs)
  let old = held
  for (let tries = 0; tries < limits.witnessTriesMax; tries++) {
    const proof = old === 0 || old === checkpoint.size ? [] : await consistency(old, checkpoint.size)
    const reply = await post(
      `${url.replace(/(?<!\/)\/+$/, '')}/add-checkpoint`,
      bodyOf(old, proof, note),
      deadline,
    )
    const next = answerOf(reply, { note, checkpoint, old, witness, now })
    if (typeof next !== 'number') return { witness: name, ...next } as WitnessAnswer
    old = next
  }
  return { witness: name, state: 'refused', why: 'it holds another size at every question' }
}

function bodyOf(old: number, proof: readonly Buffer[], note: SignedNote): string {
  return `old ${old}\n${proof.map((hash) => `${hash.toString('base64')}\n`).join('')}\n${formatNote(note)}`
}

type Answer = WitnessAnswer extends infer A ? (A extends WitnessAnswer ? Omit<A, 'witness'> : never) : never

interface Asked {
  note: SignedNote
  checkpoint: Checkpoint
  old: number
  witness: PolicyWitness
  now: () => number
}

/** @returns the size to ask from next, where the witness holds another one */
function answerOf(reply: Reply, asked: Asked): Answer | number {
  if ('failure' in reply) return { state: 'unreachable', why: reply.failure }
  const { status, body } = reply
  if (status === 200) return cosignedBy(body, asked)
  const { size } = asked.checkpoint
  const isSameSize = asked.old === size && size > 0
  if (status === 409) {
    const heldSize = heldIn(reply)
    if (heldSize === undefined && !isSameSize)
      return { state: 'refused', why: 'it answers 409 without the size that it holds' }
    if (heldSize === undefined || (isSameSize && heldSize === size)) return { state: 'forked', size }
    if (heldSize === asked.old) return { state: 'refused', why: 'it holds the size that it says it does not' }
    return heldSize > size ? { state: 'ahead', size: heldSize } : heldSize
  }
  // The proof was from the size that it says it holds: it holds another history of that size.
  if (status === 422 && asked.old > 0) return { state: 'forked', size: asked.old }
  return {
    state: 'refused',
    why: refusals[status] ?? `it answers ${status}`,
    ...(status === 404 ? { isUnknown: true } : {}),
  }
}

const refusals: Record<number, string> = {
  400: 'it finds the request malformed (400)',
  403: 'it does not trust the key of this log (403)',
  404: 'it does not know this log (404)',
  422: 'it finds the proof wrong (422)',
  429: 'it has too many requests (429)',
}

/** The size in the answer 409; undefined where it says none. */
function heldIn({ type, body }: { type: string; body: string }): number | undefined {
  const [, digits] = /^(0|[1-9]\d{0,15})\n$/.exec(body) ?? []
  const isSize = type.split(';', 1)[0]!.trim().toLowerCase() === 'text/x.tlog.size'
  return isSize && digits !== undefined && Number.isSafeInteger(Number(digits)) ? Number(digits) : undefined
}

function cosignedBy(lines: string, { note, witness, now }: Asked): Answer {
  const found = cosignatureIn(lines, note.text, witness.key)
  if (found === undefined)
    return { state: 'refused', why: 'its answer holds no valid cosignature of its key' }
  if (Math.abs(found.seconds * 1_000 - now()) > witnessClockSkewMs)
    return { state: 'refused', why: `its cosignature is dated ${dateOf(found.seconds)}` }
  return { state: 'cosigned', ...found }
}

function dateOf(seconds: number): string {
  const date = new Date(seconds * 1_000)
  return Number.isNaN(date.getTime()) ? 'outside of all time' : date.toISOString()
}

/**
 * The cosignature of a key among signature lines, as a witness answers them. Lines of other keys are passed over.
 * @returns undefined where there is none, or one that does not hold
 */
export function cosignatureIn(
  lines: string,
  text: string,
  key: NoteKey,
): { signature: NoteSignature; seconds: number } | undefined {
  const signatures = parseSignatureLines(lines) ?? []
  const signature = signatures.find(({ name, id }) => name === key.name && id.equals(key.id))
  const seconds = signature && verifiedAt(text, signature, key)
  return signature && seconds !== undefined ? { signature, seconds } : undefined
}
