import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateJson, readPrivateJson, syncFolder, writePrivateJson } from '../data-dir/private-file.ts'
import { GateError } from '../errors.ts'
import type { LogPlace } from './log-place.ts'
import { parseVkey } from './note.ts'

/** How long a key of the log signs beside the one that replaced it. */
const logKeyOverlapMs = 604_800_000

/** A key of the log, which signs checkpoints. */
export interface LogKey {
  publicKey: KeyObject
  /** Null for a key that signs no more: what it signed is known by it. */
  privateKey: KeyObject | null
  /** ISO 8601; null for a key of LEDGER_KEY. */
  since: string | null
  /** Until then it signs beside the key that replaced it; null: it is not replaced. */
  until: string | null
}

export interface LogKeys {
  /** Newest first. */
  all: LogKey[]
  /** Epochs up to this size may be signed by keys that are lost. */
  lostTo: number
  /** Whether they come from a file, which is beside the record of the last epoch. */
  isInFile: boolean
}

/** `DATA_DIR/ledger/<log>/key.json`, mode 0600: the keys of the log if LEDGER_KEY is not set. */
interface KeyFile {
  keys: { seed: string; since: string; until: string | null }[]
  lost_to: number
}

/** The bytes before a key of 32 bytes in PKCS #8. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

function fromSeed(seed: string): Pick<LogKey, 'publicKey' | 'privateKey'> {
  const key = Buffer.concat([pkcs8, Buffer.from(seed, 'base64')])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  return { publicKey: createPublicKey(privateKey), privateKey }
}

const seedForm = /^[A-Za-z0-9+/]{43}=$/

/** A key of LEDGER_KEY: a seed, or the vkey of a key that signs no more. */
function fromGiven(text: string): LogKey {
  const known = { since: null, until: null }
  if (seedForm.test(text)) return { ...fromSeed(text), ...known }
  const key = parseVkey(text)
  if (key) return { publicKey: key.publicKey, privateKey: null, ...known }
  throw new GateError('invalid', 'LEDGER_KEY has a malformed vkey. `gate ledger keys` prints it.')
}

const fileOf = ({ keyFolder }: LogPlace): string => join(keyFolder, 'key.json')

/** The keys of the log; undefined if this process has none. */
export function readLogKeys(place: LogPlace): LogKeys | undefined {
  if (place.givenKeys !== undefined) {
    const all = place.givenKeys.split(',').map((text) => fromGiven(text.trim()))
    return { all, lostTo: 0, isInFile: false }
  }
  const file = readPrivateJson(fileOf(place)) as KeyFile | undefined
  return file && ofFile(file)
}

const ofFile = (file: KeyFile): LogKeys => ({
  all: file.keys.map(({ seed, since, until }) => ({ ...fromSeed(seed), since, until })),
  lostTo: file.lost_to,
  isInFile: true,
})

/** The keys that sign at a time: the newest, and those that it replaced a short while ago. */
export const signingKeys = ({ all }: LogKeys, now: Date): KeyObject[] =>
  all.flatMap(({ privateKey, until }) =>
    privateKey && (until === null || new Date(until) > now) ? [privateKey] : [],
  )

/**
 * Makes the first key of a log. Of several processes that do so at once, all get the same.
 * @param lostTo  the size of the last epoch that was signed by keys which are lost
 */
export function makeLogKey(place: LogPlace, lostTo: number, now: Date): LogKeys {
  mkdirSync(place.keyFolder, { recursive: true, mode: 0o700 })
  createPrivateJson(fileOf(place), { keys: [newKey(now)], lost_to: lostTo } satisfies KeyFile)
  return readLogKeys(place)!
}

const newKey = (now: Date): KeyFile['keys'][number] => ({
  seed: randomBytes(32).toString('base64'),
  since: now.toISOString(),
  until: null,
})

/**
 * Makes a new key. The one before it goes on signing beside it, so that outside verifiers have time to learn the new one.
 * @throws GateError `conflict` where the keys are not in a file, or a rotation is under way
 */
export function rotateLogKey(place: LogPlace, now: Date): LogKeys {
  const file = fileToChange(place)
  const [newest, ...older] = file.keys
  if (older.some(({ until }) => new Date(until ?? now) > now))
    throw new GateError(
      'conflict',
      'A rotation is under way: two keys sign already. Rotate again when one has ended.',
    )
  const until = new Date(now.getTime() + logKeyOverlapMs).toISOString()
  const next: KeyFile = { ...file, keys: [newKey(now), { ...newest!, until }, ...older] }
  writePrivateJson(fileOf(place), next)
  syncFolder(place.keyFolder)
  return ofFile(next)
}

function fileToChange(place: LogPlace): KeyFile {
  refuseGivenKey(place)
  const file = readPrivateJson(fileOf(place)) as KeyFile | undefined
  if (file) return file
  throw new GateError(
    'not_found',
    `There is no key in ${fileOf(place)} yet. Run \`gate ledger seal\`, or run this where the service keeps its DATA_DIR.`,
  )
}

/** @throws GateError `conflict` where the keys are not in a file */
function refuseGivenKey({ givenKeys }: LogPlace): void {
  if (givenKeys === undefined) return
  throw new GateError(
    'conflict',
    'The keys are those of LEDGER_KEY. To rotate, put a new key before the old one (LEDGER_KEY=new,old), and after a week the vkey of the old one in its place (LEDGER_KEY=new,vkey).',
  )
}
