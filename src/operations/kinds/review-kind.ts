import type { Card } from '../../consent/card.ts'
import { type KindVersionRow, readDeclaredKinds } from '../../db/queries/accounts/declared-kinds.ts'
import { GateError } from '../../errors.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import type { KindDocument } from '../../gate/declared/declared-kind.ts'
import type { Allowed } from '../../network/address.ts'
import type { AccountContext } from '../admin-context.ts'
import type { DiffLine } from '../diff-lines.ts'
import { parseKindDocument, requireReachable } from './declared-kinds.ts'
import { diffKinds } from './kind-lines.ts'
import { sampleCard } from './sample-card.ts'

/** What storing a document would do. */
export interface KindReview {
  document: KindDocument
  /** The version that it would be. */
  version: number
  /** The newest version; undefined: the kind is new. */
  newest: KindVersionRow | undefined
  lines: DiffLine[]
  /** The decision card with made-up values. */
  card: Card
  /** The count of changes of the declared kinds that this is as of: see `addKind`. */
  base: number
}

/**
 * Shows what a document would change, without storing it.
 * @param given  the document, not checked yet
 * @param options.allowed  what executors may be reached at beside the internet
 * @throws GateError `invalid` with the part that is wrong, or where the document is in force
 */
export async function reviewKind(
  { db, account }: AccountContext,
  given: unknown,
  { accountName, now, allowed }: { accountName: string; now: Date; allowed: Allowed },
): Promise<KindReview> {
  const document = parseKindDocument(given)
  requireReachable(document, allowed)
  const { kinds, version: base } = await readDeclaredKinds(db, account)
  const newest = kinds.find(({ kind }) => kind === document.kind)
  if (newest && newest.retired_at === null && isSame(newest.document, document))
    throw new GateError(
      'invalid',
      `This is already version ${newest.version} of ${document.kind}, which is in force. Change something first.`,
      { param: 'document' },
    )
  const version = (newest?.version ?? 0) + 1
  return {
    document,
    version,
    newest,
    lines: diffKinds(newest?.document, document),
    card: sampleCard(document, { version, accountName, now }),
    base,
  }
}

const isSame = (one: KindDocument, other: KindDocument): boolean =>
  canonical(one as unknown as Json) === canonical(other as unknown as Json)
