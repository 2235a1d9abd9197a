import { emptyFrontier, provesConsistency, rootOf } from '../merkle.ts'
import {
  type Checkpoint,
  type NoteKey,
  type NoteSignature,
  type NoteSigner,
  parseCheckpoint,
  parseNote,
  type SignedNote,
  signatureLine,
  signNote,
  verifiedKeys,
} from '../note.ts'
import { hashOfOrigin, type WitnessStore } from './store.ts'

const witnessProofLinesMax = 63

/** The text of a checkpoint, and the signatures of a log that are kept with it. */
const witnessTextCharsMax = 16_384
const witnessSignaturesKeptMax = 16

export interface Witness {
  signer: NoteSigner
  /** The keys of the logs. A log is known by its origin, which is the name of its keys. */
  logs: readonly NoteKey[]
  store: WitnessStore
  now: () => number
  /** Tells the operator. */
  say(line: string): void
}

export interface WitnessReply {
  status: number
  body: string
  type?: string
}

interface Request {
  old: number
  proof: Buffer[]
  note: SignedNote
  checkpoint: Checkpoint
}

const EMPTY = rootOf(emptyFrontier)
const refused = (status: number, why: string): WitnessReply => ({ status, body: `${why}\n` })

/**
 * Answers a request to cosign a checkpoint. There is no pause between reading what is held and writing what is to be held, so
 * that two requests never extend the same one.
 * @source https://c2sp.org/tlog-witness
 */
export function addCheckpoint(witness: Witness, body: string): WitnessReply {
  const request = parseRequest(body)
  if (request === undefined) return refused(400, 'The request is malformed.')
  const { old, note, checkpoint } = request
  const { origin, size } = checkpoint
  const known = witness.logs.filter(({ name }) => name === origin)
  if (known.length === 0) return refused(404, 'This witness does not know the log.')
  const trusted = verifiedKeys(note, known) ?? []
  if (trusted.length === 0) return refused(403, 'No key of the log that this witness trusts has signed it.')
  if (old > size) return refused(400, 'The old size is larger than the size of the checkpoint.')
  return extend(
    witness,
    request,
    trusted.map(({ key }) => key),
  )
}

function extend(witness: Witness, { old, proof, note, checkpoint }: Request, logs: NoteKey[]): WitnessReply {
  const { store, signer, now, say } = witness
  const { origin, size, root } = checkpoint
  const originHash = hashOfOrigin(origin)
  const held = store.latest(originHash)
  if (old !== (held?.checkpoint.size ?? 0)) return conflict(held?.checkpoint.size ?? 0)
  if (!isExtension(held?.checkpoint, checkpoint, proof)) {
    if (held?.checkpoint.size === size && !held.checkpoint.root.equals(root)) store.keepFork(originHash, note)
    say(`refused: ${origin} ${size} does not extend the size ${old} that was cosigned`)
    return refused(422, 'The proof does not lead from what this witness cosigned to the checkpoint.')
  }
  const cosignature = signNote(note.text, signer, Math.floor(now() / 1_000))
  const kept = { text: note.text, signatures: [...signaturesOf(note, logs), cosignature] }
  const isKnown = held !== undefined && held.note.text === note.text
  if (!isKnown && !store.keep(originHash, checkpoint, { note: kept, turn: (held?.turn ?? 0) + 1 }))
    return conflict(store.latest(originHash)?.checkpoint.size ?? 0)
  if (!isKnown) say(`cosigned: ${origin} ${size}`)
  return { status: 200, body: signatureLine(cosignature) }
}

/** One of each key, and no more than a note that is read again may have. */
function signaturesOf({ signatures }: SignedNote, keys: readonly NoteKey[]): NoteSignature[] {
  return keys
    .slice(0, witnessSignaturesKeptMax)
    .flatMap((key) => signatures.find(({ name, id }) => name === key.name && id.equals(key.id)) ?? [])
}

function conflict(size: number): WitnessReply {
  return { status: 409, body: `${size}\n`, type: 'text/x.tlog.size' }
}

function isExtension(held: Checkpoint | undefined, next: Checkpoint, proof: readonly Buffer[]): boolean {
  if (held !== undefined && held.size > 0) return provesConsistency(held, next, proof)
  return proof.length === 0 && (next.size > 0 || next.root.equals(EMPTY))
}

function parseRequest(body: string): Request | undefined {
  const end = body.indexOf('\n\n')
  if (end < 0) return undefined
  const [first, ...lines] = body.slice(0, end).split('\n')
  const [, digits] = /^old (0|[1-9]\d{0,15})$/.exec(first!) ?? []
  const note = parseNote(body.slice(end + 2))
  const checkpoint = note && parseCheckpoint(note.text)
  if (digits === undefined || note === undefined || checkpoint === undefined) return undefined
  if (lines.length > witnessProofLinesMax || note.text.length > witnessTextCharsMax) return undefined
  const proof = lines.map((line) => Buffer.from(line, 'base64'))
  const areHashes = proof.every((hash, at) => hash.length === 32 && hash.toString('base64') === lines[at])
  const old = Number(digits)
  return areHashes && Number.isSafeInteger(old) ? { old, proof, note, checkpoint } : undefined
}
