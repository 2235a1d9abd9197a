import { z } from 'zod'
import { type AppClientRow, findAppClient } from '../../db/queries/accounts/apps.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { CallFailure } from '../../executors/guarded-request.ts'
import { executorUrlFault } from '../../executors/checked-url.ts'
import { shownName } from './shown-name.ts'

/** A program that asks to be connected, as far as the gate knows it. */
export interface AppClient {
  id: string
  /** As it calls itself; absent where it has no name that can be shown. */
  name: string | undefined
  redirects: string[]
  /** The host where its document is; undefined where it has none: then it is known by where it sends people back to. */
  documentHost: string | undefined
  /** Only members of this account can connect it; null: anyone. */
  account: string | null
  /** SHA-256 of its secret; null: it has none. */
  secret: Buffer | null
}

const idCharsMax = 500
const idOfRow = /^client_[0-9A-Za-z]{22}$/

/**
 * The client of an id: the address of a document about it, or an id that the gate gave.
 * @throws GateError `not_found`, `unavailable`
 */
export async function findClient(deps: Pick<Deps, 'db' | 'appDocuments'>, id: string): Promise<AppClient> {
  if (isDocumentAddress(id)) return ofDocument(id, await readDocument(deps, id))
  const row = idOfRow.test(id) ? await findAppClient(deps.db, id) : undefined
  if (!row) throw unknown('The app is not known here. Connect it again in the app: it can register again.')
  return ofRow(id, row)
}

/** A document has one address, so that no two ids are the same app. @source draft-ietf-oauth-client-id-metadata-document, section 3 */
export function isDocumentAddress(id: string): boolean {
  if (id.length > idCharsMax || !/^https?:\/\//.test(id) || executorUrlFault(id) !== undefined) return false
  const { href, pathname } = new URL(id)
  return href === id && pathname !== '/' && !/[#\\]/.test(id)
}

const Document = z.object({
  client_id: z.string(),
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()).min(1),
})

async function readDocument(
  { appDocuments }: Pick<Deps, 'appDocuments'>,
  id: string,
): Promise<z.infer<typeof Document>> {
  const read: unknown = await appDocuments.read(id).catch((error: unknown) => {
    if (!(error instanceof CallFailure)) throw error
    if (error.code === 'busy')
      throw new GateError('unavailable', 'Too many apps ask at once. Try again.', { retryAfterSeconds: 5 })
    throw unknown(
      `The document about this app could not be read (${error.code}). The app must serve it at its client_id.`,
    )
  })
  const parsed = Document.safeParse(read)
  if (!parsed.success || parsed.data.client_id !== id)
    throw unknown(
      'The document about this app does not say that it is about this client_id, or names no redirect_uris.',
    )
  return parsed.data
}

const ofDocument = (id: string, { client_name, redirect_uris }: z.infer<typeof Document>): AppClient => ({
  id,
  name: shownName(client_name),
  redirects: redirect_uris,
  documentHost: new URL(id).host,
  account: null,
  secret: null,
})

const ofRow = (id: string, { account_id, name, redirects, secret }: AppClientRow): AppClient => ({
  id,
  name: shownName(name),
  redirects,
  documentHost: undefined,
  account: account_id,
  secret,
})

const unknown = (sentence: string) => new GateError('not_found', sentence, { param: 'client_id' })
