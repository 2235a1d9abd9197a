import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Db } from '../../src/db/connect.ts'
import { linkHash } from '../../src/ledger/chain.ts'
import { leafHash, provesInclusion } from '../../src/seals/merkle.ts'
import { type SignedNote, parseCheckpoint, parseNote } from '../../src/seals/note.ts'
import { epochLeaf } from '../../src/seals/epoch.ts'
import type { SealerDeps } from '../../src/seals/sealer.ts'

export const url = 'https://gate.example.com'

/** A sealer with a DATA_DIR of its own. */
export function sealerIn(db: Db, more: Partial<SealerDeps> = {}): SealerDeps & { remove(): void } {
  const folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'sealer-'))
  return {
    db,
    log: pino({ level: 'silent' }),
    config: { DATA_DIR: folder },
    publicUrl: () => url,
    ...more,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A parsed tlog-proof. */
export interface Proof {
  extra: Buffer
  index: number
  path: Buffer[]
  note: SignedNote
  checkpoint: { origin: string; size: number; root: Buffer }
}

export function parseProof(text: string): Proof {
  const end = text.indexOf('\n\n')
  const [header, extra, index, ...path] = text.slice(0, end).split('\n')
  if (header !== 'c2sp.org/tlog-proof@v1') throw new Error(`unknown header ${header}`)
  const note = parseNote(text.slice(end + 2))!
  return {
    extra: Buffer.from(extra!.replace('extra ', ''), 'base64'),
    index: Number(index!.replace('index ', '')),
    path: path.map((line) => Buffer.from(line, 'base64')),
    note,
    checkpoint: parseCheckpoint(note.text)!,
  }
}

/** Checks a proof of an entry as a stranger does, without its signatures. */
export function isProven(text: string): boolean {
  const proof = parseProof(text)
  const bundle = JSON.parse(proof.extra.toString()) as {
    account: string
    seq: number
    at: string
    entry: string
    prev: string
    epoch?: string
  }
  const hash = leafHash(Buffer.from(linkHash(bundle.account, bundle), 'hex'))
  const isIn = provesInclusion({ index: proof.index, hash }, proof.checkpoint, proof.path)
  if (!isIn || proof.index !== bundle.seq - 1 || bundle.epoch === undefined) return false
  const epoch = parseProof(bundle.epoch)
  const leaf = leafHash(epochLeaf(epoch.extra, bundle.account, proof.checkpoint))
  return provesInclusion({ index: epoch.index, hash: leaf }, epoch.checkpoint, epoch.path)
}
