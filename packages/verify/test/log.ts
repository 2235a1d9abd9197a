import { type KeyObject, createHash, generateKeyPairSync, sign } from 'node:crypto'

/** A gate of the tests: keys, chains, trees and the files that they make, written from the README alone. */

export const sha = (...parts: (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** RFC 6962 section 2.1, by its definition. */
export function rootOf(leaves: Uint8Array[]): Buffer {
  if (leaves.length === 0) return sha('')
  if (leaves.length === 1) return sha(Buffer.of(0), leaves[0]!)
  const k = splitOf(leaves.length)
  return sha(Buffer.of(1), rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)))
}

/** RFC 6962 section 2.1.1, by its definition. */
export function pathOf(index: number, leaves: Uint8Array[]): Buffer[] {
  if (leaves.length <= 1) return []
  const k = splitOf(leaves.length)
  return index < k
    ? [...pathOf(index, leaves.slice(0, k)), rootOf(leaves.slice(k))]
    : [...pathOf(index - k, leaves.slice(k)), rootOf(leaves.slice(0, k))]
}

/** RFC 6962 section 2.1.2, by its definition. */
export function consistencyOf(m: number, leaves: Uint8Array[], isWhole = true): Buffer[] {
  if (m === leaves.length) return isWhole ? [] : [rootOf(leaves)]
  const k = splitOf(leaves.length)
  return m <= k
    ? [...consistencyOf(m, leaves.slice(0, k), isWhole), rootOf(leaves.slice(k))]
    : [...consistencyOf(m - k, leaves.slice(k), false), rootOf(leaves.slice(0, k))]
}

const splitOf = (n: number): number => 2 ** Math.floor(Math.log2(n - 1))

export interface Key {
  name: string
  type: 1 | 4
  privateKey: KeyObject
  publicKey: Buffer
}

export function newKey(name: string, type: 1 | 4): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    name,
    type,
    privateKey,
    publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'),
  }
}

const idOf = ({ name, type, publicKey }: Key): Buffer =>
  sha(`${name}\n`, Buffer.of(type), publicKey).subarray(0, 4)

export const vkeyOf = (key: Key): string =>
  `${key.name}+${idOf(key).toString('hex')}+${Buffer.concat([Buffer.of(key.type), key.publicKey]).toString('base64')}`

/** The line of a signature on a note. */
export function signatureLine(text: string, key: Key, seconds = 0): string {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(seconds))
  const isTimed = key.type === 4
  const message = isTimed ? `cosignature/v1\ntime ${seconds}\n${text}` : text
  const parts = [idOf(key), ...(isTimed ? [time] : []), sign(null, Buffer.from(message), key.privateKey)]
  return `— ${key.name} ${Buffer.concat(parts).toString('base64')}\n`
}

export interface Gate {
  host: string
  key: Key
  witnesses: Key[]
}

export function newGate(host: string, witnesses: number): Gate {
  const key = newKey(`${host}/epochs`, 1)
  const names = Array.from({ length: witnesses }, (_, i) => `witness.example.org/w${i + 1}`)
  return { host, key, witnesses: names.map((name) => newKey(name, 4)) }
}

export const policyOf = ({ key, witnesses }: Gate): string =>
  [
    `log ${vkeyOf(key)}`,
    ...witnesses.map((witness, i) => `witness W${i + 1} ${vkeyOf(witness)}`),
    ...(witnesses.length > 0
      ? [`group all-of-them all ${witnesses.map((_, i) => `W${i + 1}`).join(' ')}`]
      : []),
    `quorum ${witnesses.length > 0 ? 'all-of-them' : 'none'}`,
    '',
  ].join('\n')

export interface Entry {
  seq: number
  at: string
  kind: string
  action_id: number | null
  entry: string
  prev: string
  hash: string
}

export interface Account {
  account: string
  entries: Entry[]
}

/** Appends an entry, as the database would. */
export function append(
  to: Account,
  kind: string,
  action: number | null,
  more: object = {},
  actor = 'mem_0123456789abcdef',
): Entry {
  const seq = to.entries.length + 1
  const at = new Date(Date.UTC(2026, 10, 23, 3, 0, seq)).toISOString()
  const entry = JSON.stringify({
    action,
    actor,
    data: more,
    key: null,
    kind,
    payload_digest: null,
    v: 2,
  })
  const prev = to.entries.at(-1)?.hash ?? '00'.repeat(32)
  const hash = sha(Buffer.from(prev, 'hex'), `${to.account} ${seq} ${at}\n${entry}`).toString('hex')
  to.entries.push({ seq, at, kind, action_id: action, entry, prev, hash })
  return to.entries.at(-1)!
}

/** An account with this many entries: proposals, each consented to and executed. */
export function newAccount(entries: number, account = 'acct_0123456789ABCDEF'): Account {
  const made: Account = { account, entries: [] }
  append(made, 'account_created', null, { name: 'Grüße 🙂' })
  for (let i = 0; made.entries.length < entries; i += 1) {
    const action = Math.floor(i / 3) + 1
    if (i % 3 === 0) append(made, 'proposed', action, { kind: 'refund' })
    if (i % 3 === 1) append(made, 'confirmed', action, { channel: 'email', strength: 'page' })
    if (i % 3 === 2) append(made, 'executed', action, { outcome: 'done' })
  }
  return made
}

export const leavesOf = ({ entries }: Account): Buffer[] =>
  entries.map(({ hash }) => Buffer.from(hash, 'hex'))

/** Makes the checkpoints and proofs of a gate. */
export function sealer(
  { host, key, witnesses }: Gate,
  { seconds = Date.UTC(2026, 10, 23, 4) / 1_000, salt = sha('salt'), epochsAt = host } = {},
) {
  const epochs: Buffer[] = [sha('another account'), sha('and another')]
  const checkpoint = (origin: string, leaves: Buffer[], by: Key[]) => {
    const text = `${origin}\n${leaves.length}\n${rootOf(leaves).toString('base64')}\n`
    const clock: Key = { ...key, name: `${origin.replace(/\/(epochs|ledger\/.*)$/, '')}/epochs`, type: 4 }
    const cosigned = by.map((witness, i) => signatureLine(text, witness, seconds + 1 + i))
    return `${text}\n${signatureLine(text, { ...key, name: origin })}${signatureLine(text, clock, seconds)}${cosigned.join('')}`
  }
  const path = (index: number, leaves: Buffer[]) =>
    pathOf(index, leaves)
      .map((hash) => `${hash.toString('base64')}\n`)
      .join('')
  /** The seal of the first entries of an account, with its epoch. */
  const seal = (of: Account, size = of.entries.length) => {
    const leaves = leavesOf(of).slice(0, size)
    const wide = Buffer.alloc(8)
    wide.writeBigUInt64BE(BigInt(size))
    epochs.push(Buffer.concat([sha(salt, of.account), wide, rootOf(leaves)]))
    const index = epochs.length - 1
    const signed = checkpoint(`${epochsAt}/epochs`, epochs, witnesses)
    return {
      checkpoint: checkpoint(`${host}/ledger/${of.account}`, leaves, []),
      epoch: `c2sp.org/tlog-proof@v1\nextra ${salt.toString('base64')}\nindex ${index}\n${path(index, epochs)}\n${signed}`,
    }
  }
  /** The proof of one entry. */
  const proof = (of: Account, seq: number, sealed: { checkpoint: string; epoch?: string } = seal(of)) => {
    const { at, entry, prev } = of.entries[seq - 1]!
    const extra = { v: 1, account: of.account, seq, at, entry, prev, epoch: sealed.epoch }
    const size = Number(sealed.checkpoint.split('\n')[1])
    return `c2sp.org/tlog-proof@v1\nextra ${Buffer.from(JSON.stringify(extra)).toString('base64')}\nindex ${seq - 1}\n${path(seq - 1, leavesOf(of).slice(0, size))}\n${sealed.checkpoint}`
  }
  return { seal, proof, checkpoint, epochs }
}

/** The lines of a sealed export, without the last one. */
export function exportLines(of: Account, seals: object[]): string[] {
  const { account, entries } = of
  const header = {
    v: 1,
    account,
    seq: entries.length,
    hash: entries.at(-1)!.hash,
    exported_at: '2026-11-23T05:00:00.000Z',
  }
  return [header, ...entries, ...seals.map((seal) => ({ seal }))].map((line) => JSON.stringify(line))
}

/** The text of a sealed export, with a last line that fits. */
export function exportText(lines: string[]): string {
  const text = lines.map((line) => `${line}\n`).join('')
  return `${text}${JSON.stringify({ end: { lines: lines.length, sha256: sha(text).toString('hex') } })}\n`
}
