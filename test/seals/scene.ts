import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Db } from '../../src/db/connect.ts'
import type { TestDatabase } from '../support/database.ts'
import { linkHash } from '../../src/ledger/chain.ts'
import { leafHash, provesInclusion } from '../../src/seals/merkle.ts'
import { type SignedNote, parseCheckpoint, parseNote } from '../../src/seals/note.ts'
import { epochLeaf } from '../../src/seals/epoch.ts'
import type { SealerDeps } from '../../src/seals/sealer-deps.ts'

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

/** Appends entries to an account's ledger, as its functions do. */
export async function appendTo({ asSuperuser }: TestDatabase, account: string, count: number): Promise<void> {
  await asSuperuser(`
    select count(gate_private.note('${account}', gen_random_uuid(), 'write_refused', null, 'unknown', null, '{}'))
    from generate_series(1, ${count})`)
}

/** Lets the owner of the database do what triggers forbid. */
export async function asOwner({ asSuperuser }: TestDatabase, text: string): Promise<void> {
  const tables = ['gate.ledger', 'gate.ledger_seal', 'gate.ledger_tile'].concat(
    ['leaf', 'tile', 'seal', 'cosignature'].map((name) => `gate_private.epoch_${name}`),
  )
  const each = (what: string) => tables.map((name) => `alter table ${name} ${what} trigger user;`).join('\n')
  await asSuperuser(`${each('disable')} ${text}; ${each('enable')}`)
}

/** Changes an entry, and every hash from there on, so that the chain verifies. */
export async function rewriteFrom(database: TestDatabase, account: string, seq: number): Promise<void> {
  await asOwner(
    database,
    `do $do$
    declare
      l gate.ledger;
      before bytea;
    begin
      select hash into before from gate.ledger where account_id = '${account}' and seq = ${seq} - 1;
      for l in select * from gate.ledger where account_id = '${account}' and seq >= ${seq} order by seq loop
        if l.seq = ${seq} then
          l.entry := replace(l.entry, '"v":2', '"v":2 ');
        end if;
        before := sha256(before || convert_to('${account} ' || l.seq || ' ' || gate_private.iso(l.at) || E'\\n' || l.entry, 'UTF8'));
        update gate.ledger set entry = l.entry, hash = before, prev = coalesce(
          (select p.hash from gate.ledger p where p.account_id = '${account}' and p.seq = l.seq - 1), prev)
        where account_id = '${account}' and seq = l.seq;
      end loop;
      update gate.ledger_head set hash = before where account_id = '${account}';
    end $do$`,
  )
}

/** Brings the ledger of an account back to an earlier end. */
export const truncateTo = (database: TestDatabase, account: string, seq: number): Promise<void> =>
  asOwner(
    database,
    `delete from gate.ledger where account_id = '${account}' and seq > ${seq};
    update gate.ledger_head h set seq = l.seq, hash = l.hash, at = l.at from gate.ledger l
    where h.account_id = '${account}' and l.account_id = h.account_id and l.seq = ${seq}`,
  )

/** Brings ledger and seals of an account back, as a backup does that was made at an epoch. */
export async function restoreTo(
  database: TestDatabase,
  account: string,
  { seq, epoch }: { seq: number; epoch: number },
): Promise<void> {
  await truncateTo(database, account, seq)
  await asOwner(
    database,
    `delete from gate_private.epoch_cosignature where size > ${epoch};
    delete from gate_private.epoch_seal where size > ${epoch};
    delete from gate_private.epoch_leaf where n >= ${epoch};
    delete from gate_private.epoch_tile where (n + 1) * 256 > ${epoch};
    delete from gate.ledger_tile where account_id = '${account}' and (n + 1) * 256 > ${seq};
    delete from gate.ledger_seal where account_id = '${account}' and size > ${seq}`,
  )
}

/** Every checkpoint that was published, by origin and size. @throws Error where two have one place and differ */
export async function publishedRoots({ asSuperuser }: TestDatabase): Promise<Map<string, string>> {
  const notes = await asSuperuser(
    `select note from gate.ledger_seal where note is not null
    union all select note from gate_private.epoch_seal where note is not null`,
  )
  const roots = new Map<string, string>()
  for (const { note } of notes) {
    const { origin, size, root } = parseCheckpoint(parseNote(note as string)!.text)!
    roots.set(`${origin} ${size}`, root.toString('hex'))
  }
  return roots
}
