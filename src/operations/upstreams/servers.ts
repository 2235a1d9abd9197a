import {
  type UpstreamRow,
  addUpstream as add,
  changeUpstream as change,
  listUpstreams as list,
  removeUpstream as remove,
} from '../../db/queries/upstreams/upstreams.ts'
import { GateError } from '../../errors.ts'
import { checkExecutorUrl } from '../../executors/checked-url.ts'
import { limits } from '../../limits.ts'
import type { KeyProvider } from '../../secrets/key-provider.ts'
import { type UpstreamSecrets, sealSecrets } from '../../upstreams/secrets.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'

export type { UpstreamRow }

/** What adding a server works with. */
export interface UpstreamSettings {
  /** Networks and hosts that may be called although they are not public. */
  allow: readonly string[]
  /** @throws GateError where credentials cannot be encrypted */
  keys(): KeyProvider
}

export type Header = [name: string, value: string]

/** How a new server is reached: at an address, or by a command of the operator's file. */
export type NewUpstream = { name: string } & ({ url: string; headers: Header[] } | { command: string })

/**
 * Adds a server. Nothing is asked of it yet: its tools are read by the worker, or by `refreshUpstream`.
 * @throws GateError `not_found`, `invalid` for an address that may not be called, `conflict` where the name is taken
 */
export async function addUpstream(
  context: AdminContext,
  settings: UpstreamSettings,
  given: NewUpstream,
): Promise<void> {
  await requireAccount(context.db, context.account)
  const place =
    'command' in given
      ? { transport: 'stdio' as const, url: null, command: given.command, headers: [], sealed: null }
      : { transport: 'http' as const, command: null, ...(await sealedPlace(context, settings, given)) }
  const outcome = await add(context.db, {
    ...writeOf(context),
    ...place,
    upstream: given.name,
    upstreamsMax: limits.upstreamsMax,
    dueMs: limits.upstreamHastenMs,
  })
  if (outcome === 'exists')
    throw new GateError('conflict', `This account already has an MCP server named ${given.name}.`, {
      param: 'name',
    })
  if (outcome === 'too_many')
    throw new GateError(
      'conflict',
      `An account can have ${limits.upstreamsMax} MCP servers. Remove one first.`,
    )
}

/**
 * Replaces the headers of a server, and what its address has after the `?`. Everything else stays.
 * @param given.url  the same address, with the query that it has from now on
 * @throws GateError `not_found`, `invalid` where it is another address
 */
export async function changeUpstream(
  context: AdminContext,
  settings: UpstreamSettings,
  given: { name: string; url: string | undefined; headers: Header[] },
): Promise<void> {
  const known = await readUpstream(context, given.name)
  if (known.url === null)
    throw new GateError('invalid', `${given.name} is started by a command and has no headers.`)
  const { url, headers, sealed } = await sealedPlace(context, settings, {
    ...given,
    url: given.url ?? known.url,
  })
  if (url !== known.url)
    throw new GateError(
      'invalid',
      'The address must stay the same up to its `?`. To use another address, remove the server and add it again.',
      { param: 'url' },
    )
  const isChanged = await change(context.db, { ...writeOf(context), upstream: given.name, headers, sealed })
  if (!isChanged) throw noUpstream(given.name)
}

/** Removes a server with its reviews and rules. @throws GateError `not_found` */
export async function removeUpstream(context: AdminContext, name: string): Promise<void> {
  if (!(await remove(context.db, { ...writeOf(context), upstream: name }))) throw noUpstream(name)
}

/** The servers of an account, by name. @throws GateError `not_found` */
export async function listUpstreams({ db, account }: AccountContext): Promise<UpstreamRow[]> {
  await requireAccount(db, account)
  return list(db, account)
}

/** One server. @throws GateError `not_found` */
export async function readUpstream(context: AccountContext, name: string): Promise<UpstreamRow> {
  const found = (await listUpstreams(context)).find(({ upstream }) => upstream === name)
  if (!found) throw noUpstream(name)
  return found
}

/** The address without its query, and everything that is sent with a request, encrypted. */
async function sealedPlace(
  { account }: AccountContext,
  { allow, keys }: UpstreamSettings,
  { name, url: given, headers }: { name: string; url: string; headers: Header[] },
) {
  const fault = checkExecutorUrl(given, allow)
  if (fault !== undefined) throw new GateError('invalid', `The URL ${fault}.`, { param: 'url' })
  const address = new URL(given)
  const secrets: UpstreamSecrets = { query: address.search, headers }
  address.search = ''
  const url = address.href
  const names = headers.map(([header]) => header.toLowerCase())
  if (new Set(names).size < names.length)
    throw new GateError('invalid', 'A header is given twice.', { param: 'header' })
  const isPlain = secrets.query === '' && headers.length === 0
  const sealed = isPlain ? null : await sealSecrets(keys(), { account, upstream: name, url }, secrets)
  return { url, headers: names, sealed }
}

const noUpstream = (name: string) =>
  new GateError('not_found', `This account has no MCP server named ${name}.`)
