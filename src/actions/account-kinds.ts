import type { Db } from '../db/connect.ts'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import {
  type KindVersionRow,
  kindsVersion,
  readDeclaredKinds,
  readKindVersions,
} from '../db/queries/accounts/declared-kinds.ts'
import { kept } from '../waiting/kept.ts'
import { kindOfDocument } from './declared/kind-of-document.ts'
import { type PerformerOf, performerOf } from './declared/performers.ts'
import { type ActionKind, actionKinds } from './registry.ts'

/** How long declared kinds are kept in memory, of how many accounts, and how many versions. They are found by version. */
const kindsKeptMs = 3_600_000
const kindsKeptMax = 100
const kindVersionsKeptMax = 1_000

/** The kinds of an account by name: those of the gate, and those that it declared, retired ones too. */
export type AccountKinds = ReadonlyMap<string, ActionKind>

/** The row of an action, as far as its kind is found by it. */
export type RowOfKind = Pick<ActionRow, 'account_id' | 'kind' | 'kind_version'>

/** Finds the kind of one of the rows that it was made for; undefined for a kind that this program does not know. */
export type KindOfRow = (row: Omit<RowOfKind, 'account_id'>) => ActionKind | undefined

/** Finds governed kinds. Documents never change, so what was read once is kept. */
export interface Kinds {
  /** The kinds of the gate. */
  own: AccountKinds
  /**
   * Those of an account as of a version of its declared kinds, as facts give it. Nothing is read where the account has none,
   * or while the version stays the same.
   */
  of(account: string, version: number): Promise<AccountKinds>
  /** The same as they are now. */
  now(account: string): Promise<AccountKinds>
  /**
   * The kind of an action, by the version that it was proposed with.
   * @throws Error for a kind that only a newer version of this program knows
   */
  ofRow(row: RowOfKind): Promise<ActionKind>
  /**
   * The kinds of some actions of one account, each by the version that it was proposed with. The versions that are not kept are
   * read by one statement.
   */
  ofRows(account: string, rows: Omit<RowOfKind, 'account_id'>[]): Promise<KindOfRow>
}

/** @param performers  what executes declared kinds */
export function kindsOf(
  db: Db,
  {
    own = actionKinds,
    performers = performerOf,
  }: {
    own?: ActionKind[] | undefined
    performers?: PerformerOf | undefined
  } = {},
): Kinds {
  const ofGate = new Map(own.map((kind) => [kind.kind, kind]))
  const ofAccounts = kept<AccountKinds>({ ms: kindsKeptMs, max: kindsKeptMax })
  const versions = kept<ActionKind>({ ms: kindsKeptMs, max: kindVersionsKeptMax })

  function keptVersion(account: string, row: KindVersionRow): ActionKind {
    const name = `${account} ${row.kind} ${row.version}`
    const found = versions.get(name)?.value
    const kind = found ?? kindOfDocument(row.document, row.version, performers(row.document))
    if (!found) versions.keep(name, kind)
    return kind
  }

  async function of(account: string, version: number): Promise<AccountKinds> {
    if (version === 0) return ofGate
    const found = ofAccounts.get(`${account} ${version}`)?.value
    if (found) return found
    const read = await readDeclaredKinds(db, account)
    const declared = read.kinds.map((row): [string, ActionKind] => {
      const { kind, document, version, retired_at: retiredAt } = row
      const retired = retiredAt && kindOfDocument(document, version, performers(document), true)
      return [kind, retired ?? keptVersion(account, row)]
    })
    // A kind of the gate's own that a newer program has comes first.
    const kinds = new Map([...declared, ...ofGate])
    ofAccounts.keep(`${account} ${read.version}`, kinds)
    return kinds
  }

  async function ofRows(account: string, rows: Omit<RowOfKind, 'account_id'>[]): Promise<KindOfRow> {
    const found = new Map<string, ActionKind>()
    const missing = new Map<string, { kind: string; version: number }>()
    for (const { kind, kind_version: version } of rows) {
      if (version === null) continue
      const known = versions.get(`${account} ${kind} ${version}`)?.value
      if (known) found.set(`${kind} ${version}`, known)
      else missing.set(`${kind} ${version}`, { kind, version })
    }
    const read = missing.size === 0 ? [] : await readKindVersions(db, account, [...missing.values()])
    for (const row of read) found.set(`${row.kind} ${row.version}`, keptVersion(account, row))
    return ({ kind, kind_version: version }) =>
      version === null ? ofGate.get(kind) : found.get(`${kind} ${version}`)
  }

  return {
    own: ofGate,
    of,
    now: async (account) => of(account, await kindsVersion(db, account)),
    async ofRow(row) {
      const { account_id: account, kind, kind_version: version } = row
      const found = (await ofRows(account, [row]))(row)
      if (found) return found
      if (version === null) throw new Error(`this program does not know the kind ${kind}`)
      throw new Error(`version ${version} of the kind ${kind} is gone`)
    },
    ofRows,
  }
}
