import { readKindSecrets } from './kind-secrets.ts'
import {
  type KindVersionRow,
  pageKindVersions,
  readDeclaredKinds,
  retireKind as retire,
  setKind as set,
} from '../../db/queries/accounts/declared-kinds.ts'
import { GateError } from '../../errors.ts'
import type { Allowed } from '../../network/address.ts'
import { checkExecutorUrl } from '../../executors/checked-url.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { unconfirmedKinds } from '../../gate/policy.ts'
import type { AccountKinds } from '../../actions/account-kinds.ts'
import type { KindDocument } from '../../gate/declared/declared-kind.ts'
import { isNestedWithin } from '../../gate/json/json-shape.ts'
import { limits } from '../../limits.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { parseInput } from '../parse.ts'
import { requireAccount } from '../require-account.ts'
import { kindDocument } from './kind-document.ts'

export type { KindVersionRow }

/**
 * Declares a kind, or a next version of it. Actions that were proposed before keep the version that they were proposed with.
 * @param given  the document, not checked yet
 * @param allowed  what executors may be reached at beside the internet
 * @param base  the count of changes of the declared kinds that its effect was shown for; null: not shown
 * @throws GateError `invalid` with the part that is wrong, `too_many` where the account has as many kinds as it can, `conflict`
 *   where kinds were declared or retired since
 */
export async function addKind(
  context: AdminContext,
  given: unknown,
  allowed: Allowed = [],
  base: number | null = null,
): Promise<{ kind: string; version: number; isNew: boolean; needs_secret?: true }> {
  const document = parseKindDocument(given)
  requireReachable(document, allowed)
  const { kind } = document
  const { outcome, version } = await set(context.db, {
    ...writeOf(context),
    kind,
    document: canonical(document as unknown as Json),
    kindsMax: limits.declaredKindsMax,
    base,
  })
  if (outcome === 'stale')
    throw new GateError(
      'conflict',
      'A kind was declared or retired since you opened this page. Nothing was stored. Review the document again.',
    )
  if (outcome === 'too_many')
    throw new GateError('too_many', `An account can declare at most ${limits.declaredKindsMax} kinds.`, {
      param: 'kind',
    })
  const needsSecret =
    document.executor.type === 'webhook' && (await readKindSecrets(context, kind)).length === 0
  return { kind, version: version!, isNew: outcome === 'set', ...(needsSecret && { needs_secret: true }) }
}

/**
 * The calls check again where a name leads: this is for the administrator, who learns at once what would never be called.
 * @throws GateError `invalid`
 */
export function requireReachable({ executor }: KindDocument, allowed: Allowed): void {
  if (executor.type !== 'webhook') return
  const { url, status_url: statusUrl = url } = executor
  for (const [field, address] of Object.entries({ url, status_url: statusUrl })) {
    const fault = checkExecutorUrl(address, allowed)
    if (fault !== undefined)
      throw new GateError('invalid', `executor.${field} ${fault}.`, { param: `executor.${field}` })
  }
}

/** @throws GateError `invalid` with the part that is wrong */
export function parseKindDocument(given: unknown): KindDocument {
  // Before anything else walks through it: a check that calls itself for each level would run out of stack.
  if (!isNestedWithin(given, limits.kindDocumentDepthMax))
    throw new GateError('invalid', `The document must be at most ${limits.kindDocumentDepthMax} levels deep.`)
  const fault = faultIn(given)
  if (fault !== undefined) throw new GateError('invalid', fault)
  const document = parseInput(kindDocument, given)
  // Without keywords that are undefined: the stored text is what is hashed.
  return JSON.parse(JSON.stringify(document)) as KindDocument
}

function faultIn(given: unknown): string | undefined {
  if (typeof given === 'string') return textFault(given)
  if (typeof given !== 'object' || given === null) return undefined
  if (Object.hasOwn(given, '__proto__')) return 'The document must not have a field __proto__.'
  return Object.values(given)
    .map((value) => faultIn(value))
    .find((fault) => fault !== undefined)
}

// Neither stored as JSON nor shown on a card.
function textFault(text: string): string | undefined {
  // eslint-disable-next-line no-control-regex
  const isPlain = text.isWellFormed() && !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)
  return isPlain
    ? undefined
    : 'The document must be valid Unicode, without control characters other than newline and tab.'
}

/** The newest version of every declared kind, retired ones too, by name. @throws GateError `not_found` */
export async function readKinds({ db, account }: AccountContext): Promise<KindVersionRow[]> {
  await requireAccount(db, account)
  return (await readDeclaredKinds(db, account)).kinds
}

/**
 * One version of a kind.
 * @param version  absent: the newest
 * @throws GateError `not_found`
 */
export async function readKind(
  { db, account }: AccountContext,
  kind: string,
  version?: number,
): Promise<KindVersionRow> {
  const before = (version ?? limits.kindVersionMax) + 1
  const [row] = await pageKindVersions(db, { account, kind, before, limitRows: 1 })
  if (!row || (version !== undefined && row.version !== version)) throw noKind(kind, version)
  return row
}

/** Retires a kind: nothing of it can be proposed or confirmed. A retired one stays as it is. @throws GateError `not_found` */
export async function retireKind(context: AdminContext, kind: string): Promise<KindVersionRow> {
  const outcome = await retire(context.db, { ...writeOf(context), kind })
  if (outcome === 'missing') throw noKind(kind)
  return readKind(context, kind)
}

/** The kinds that a key of the account can be limited to. Pure. */
export const kindsForKeys = (kinds: AccountKinds): string[] => [
  ...[...kinds.values()].filter(({ isRetired }) => !isRetired).map(({ kind }) => kind),
  ...unconfirmedKinds,
]

/** The error for an unknown kind, or for an unknown version of a known one. */
export const noKind = (kind: string, version?: number) =>
  new GateError(
    'not_found',
    version === undefined
      ? `Kind ${kind} was not found in this account.`
      : `Version ${version} of kind ${kind} was not found in this account.`,
  )
