import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'

/**
 * Signed notes, checkpoints and cosignatures as C2SP defines them (signed-note, tlog-checkpoint, tlog-cosignature), with Ed25519
 * keys alone.
 */

/** 0x01 signs the text; 0x04 signs a time and the text, which is what a witness does. */
export type SignatureType = 0x01 | 0x04

/** A key that may sign notes. `id` are four bytes of a hash: they find a key, they do not prove one. */
export interface NoteKey {
  name: string
  id: Buffer
  type: SignatureType
  publicKey: KeyObject
}

export interface NoteSigner extends NoteKey {
  privateKey: KeyObject
}

/** The line of a signature: the name and id of the key, and the bytes behind the id. */
export interface NoteSignature {
  name: string
  id: Buffer
  bytes: Buffer
}

export interface SignedNote {
  /** Ends in a newline. */
  text: string
  signatures: NoteSignature[]
}

export interface Checkpoint {
  origin: string
  size: number
  root: Buffer
}

const SIGNATURE_LINE = /^— ([^\s+]{1,512}) ([A-Za-z0-9+/]+={0,2})$/u
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const TIME_BYTES = 8
const MOST_SIGNATURES = 32
const LONGEST_NOTE = 64 * 1024

/** Throws for a name that a note cannot hold. */
export function noteKey(name: string, type: SignatureType, publicKey: KeyObject): NoteKey {
  if (!/^[^\s+]{1,512}$/u.test(name)) throw new TypeError('The name of a key has no space and no plus sign.')
  const typed = Buffer.concat([Buffer.of(type), rawKey(publicKey)])
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typed]), 'buffer').subarray(0, 4)
  return { name, id, type, publicKey }
}

export function noteSigner(name: string, type: SignatureType, privateKey: KeyObject): NoteSigner {
  return { ...noteKey(name, type, createPublicKey(privateKey)), privateKey }
}

/** The key as policies write it: `<name>+<id>+<type and key>`. */
export function vkeyOf({ name, id, type, publicKey }: NoteKey): string {
  return `${name}+${id.toString('hex')}+${Buffer.concat([Buffer.of(type), rawKey(publicKey)]).toString('base64')}`
}

/** Undefined for what is no Ed25519 key in that form, and where the id does not belong to the key. */
export function parseVkey(vkey: string): NoteKey | undefined {
  const [, name, id, encoded] = /^([^\s+]{1,512})\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u.exec(vkey) ?? []
  if (name === undefined || id === undefined || encoded === undefined) return undefined
  const typed = Buffer.from(encoded, 'base64')
  const type = typed[0]
  if (typed.toString('base64') !== encoded || typed.length !== 1 + KEY_BYTES) return undefined
  if (type !== 0x01 && type !== 0x04) return undefined
  const x = typed.subarray(1).toString('base64url')
  const key = noteKey(name, type, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }))
  return key.id.toString('hex') === id ? key : undefined
}

function rawKey(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
}

export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`
}

/** Undefined for a text that is no checkpoint. Extension lines are passed over. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin, size, root] = text.split('\n')
  if (!origin || !/^(0|[1-9]\d{0,15})$/.test(size ?? '') || !text.endsWith('\n')) return undefined
  const bytes = Buffer.from(root ?? '', 'base64')
  if (bytes.length !== 32 || bytes.toString('base64') !== root || !Number.isSafeInteger(Number(size)))
    return undefined
  return { origin, size: Number(size), root: bytes }
}

function cosigned(seconds: number, text: string): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`)
}

/** `seconds`: when a cosignature says that it was made, since 1970; a signature of the type 0x01 has no time. */
export function signNote(text: string, signer: NoteSigner, seconds = 0): NoteSignature {
  const { name, id, privateKey } = signer
  if (signer.type === 0x01) return { name, id, bytes: sign(null, Buffer.from(text), privateKey) }
  const time = Buffer.alloc(TIME_BYTES)
  time.writeBigUInt64BE(BigInt(seconds))
  return { name, id, bytes: Buffer.concat([time, sign(null, cosigned(seconds, text), privateKey)]) }
}

export function signatureLine({ name, id, bytes }: NoteSignature): string {
  return `— ${name} ${Buffer.concat([id, bytes]).toString('base64')}\n`
}

export function formatNote({ text, signatures }: SignedNote): string {
  return `${text}\n${signatures.map(signatureLine).join('')}`
}

/** Undefined for lines that are no signatures. */
export function parseSignatureLines(lines: string): NoteSignature[] | undefined {
  if (!lines.endsWith('\n')) return undefined
  const found: NoteSignature[] = []
  for (const line of lines.slice(0, -1).split('\n')) {
    const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? []
    if (name === undefined || encoded === undefined || found.length === MOST_SIGNATURES) return undefined
    const bytes = Buffer.from(encoded, 'base64')
    if (bytes.length < 5 || bytes.toString('base64') !== encoded) return undefined
    found.push({ name, id: bytes.subarray(0, 4), bytes: bytes.subarray(4) })
  }
  return found
}

/** Undefined for what is no note: the text ends at the last empty line, and nothing but signatures follows. */
export function parseNote(note: string): SignedNote | undefined {
  // eslint-disable-next-line no-control-regex
  if (note.length > LONGEST_NOTE || /[\u0000-\u0009\u000b-\u001f\u007f]/u.test(note)) return undefined
  const end = note.lastIndexOf('\n\n')
  if (end < 0) return undefined
  const signatures = parseSignatureLines(note.slice(end + 2))
  return signatures && { text: note.slice(0, end + 1), signatures }
}

/**
 * The time of a signature that holds, in seconds (0 where it has none); undefined where it does not hold, or is of another key.
 */
export function verifiedAt(text: string, signature: NoteSignature, key: NoteKey): number | undefined {
  if (signature.name !== key.name || !signature.id.equals(key.id)) return undefined
  if (key.type === 0x01) {
    const holds =
      signature.bytes.length === SIGNATURE_BYTES &&
      verify(null, Buffer.from(text), key.publicKey, signature.bytes)
    return holds ? 0 : undefined
  }
  if (signature.bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined
  const time = signature.bytes.readBigUInt64BE(0)
  if (time > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  const holds = verify(
    null,
    cosigned(Number(time), text),
    key.publicKey,
    signature.bytes.subarray(TIME_BYTES),
  )
  return holds ? Number(time) : undefined
}

/**
 * The keys of `known` whose signatures the note holds, with the times. Undefined if the signature of a known key does not hold:
 * such a note is refused as a whole.
 */
export function verifiedKeys(
  note: SignedNote,
  known: readonly NoteKey[],
): { key: NoteKey; seconds: number }[] | undefined {
  const found: { key: NoteKey; seconds: number }[] = []
  for (const signature of note.signatures) {
    const key = known.find(({ name, id }) => name === signature.name && id.equals(signature.id))
    if (key === undefined) continue
    const seconds = verifiedAt(note.text, signature, key)
    if (seconds === undefined) return undefined
    if (!found.some((other) => other.key === key)) found.push({ key, seconds })
  }
  return found
}
