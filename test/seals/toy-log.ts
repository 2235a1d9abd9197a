import { generateKeyPairSync } from 'node:crypto'
import {
  consistencyRanges,
  emptyFrontier,
  extend,
  leafHash,
  type LeafRange,
  rootOf,
} from '../../src/seals/merkle.ts'
import {
  checkpointText,
  formatNote,
  noteSigner,
  type NoteSigner,
  type SignedNote,
  signNote,
  vkeyOf,
} from '../../src/seals/note.ts'

/** A log in memory, for witnesses to watch. Its leaves are numbers, followed by `branch` from the leaf `forkedAt` on. */
export interface ToyLog {
  origin: string
  signer: NoteSigner
  vkey: string
  checkpoint(size: number, signer?: NoteSigner): SignedNote
  consistency(from: number, to: number): Buffer[]
  /** The body of a request to cosign the checkpoint of `size`. */
  request(old: number, size: number): string
  /** The same log, with the same key, and another history. */
  fork(forkedAt: number, branch: string): ToyLog
}

export const newSigner = (name: string, type: 0x01 | 0x04): NoteSigner =>
  noteSigner(name, type, generateKeyPairSync('ed25519').privateKey)

export function toyLog(origin = 'gate.example/epochs', signer = newSigner(origin, 0x01)): ToyLog {
  return logWith({ origin, signer, leafOf: (n) => leafHash(Buffer.from(`leaf ${n}`)) })
}

interface Parts {
  origin: string
  signer: NoteSigner
  leafOf(n: number): Buffer
}

function logWith({ origin, signer, leafOf }: Parts): ToyLog {
  const rootOfRange = ({ from, to }: LeafRange) =>
    rootOf(
      extend(
        emptyFrontier,
        Array.from({ length: to - from }, (_, at) => leafOf(from + at)),
      ),
    )
  const consistency = (from: number, to: number) => consistencyRanges(from, to).map(rootOfRange)
  const checkpoint = (size: number, by = signer) => {
    const text = checkpointText({ origin, size, root: rootOfRange({ from: 0, to: size }) })
    return { text, signatures: [signNote(text, by)] }
  }
  return {
    origin,
    signer,
    vkey: vkeyOf(signer),
    checkpoint,
    consistency,
    request: (old, size) =>
      requestOf(old, old === 0 || old >= size ? [] : consistency(old, size), formatNote(checkpoint(size))),
    fork: (forkedAt, branch) =>
      logWith({
        origin,
        signer,
        leafOf: (n) => (n < forkedAt ? leafOf(n) : leafHash(Buffer.from(`leaf ${n} of ${branch}`))),
      }),
  }
}

export const requestOf = (old: number | string, proof: readonly Buffer[], note: string): string =>
  `old ${old}\n${proof.map((hash) => `${hash.toString('base64')}\n`).join('')}\n${note}`
