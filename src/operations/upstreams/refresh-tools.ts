import { type Config, executorAllow } from '../../config.ts'
import { readUpstreamConnection } from '../../db/queries/upstreams/connections.ts'
import { GateError } from '../../errors.ts'
import type { KeyProvider } from '../../secrets/key-provider.ts'
import { type Refreshed, refreshUpstream } from '../../upstreams/refresh.ts'
import type { Upstreams } from '../../upstreams/upstream-deps.ts'
import type { AccountContext } from '../admin-context.ts'
import { type UpstreamSettings, readUpstream } from './servers.ts'

export type { Refreshed }

/** Reads the tools of a server now; the worker does so every few minutes. @throws GateError `not_found` */
export async function refreshTools(
  { db, account }: AccountContext,
  upstreams: Upstreams,
  upstream: string,
): Promise<Refreshed> {
  await readUpstream({ db, account }, upstream)
  return refreshUpstream({ db, upstreams }, { account, upstream })
}

/** Whether a server has headers or a query, which only a process with SECRETS_KEYS can send. */
export const hasSecrets = async ({ db, account }: AccountContext, upstream: string): Promise<boolean> =>
  Boolean((await readUpstreamConnection(db, account, upstream))?.sealed)

/** What adding a server works with, in a process of the service. */
export const upstreamSettings = ({
  config,
  secretsKeys,
}: {
  config: Config
  secretsKeys: KeyProvider | undefined
}): UpstreamSettings => ({
  allow: executorAllow(config),
  keys() {
    if (secretsKeys) return secretsKeys
    throw new GateError(
      'conflict',
      'This service cannot store headers, or a query of the address. Its operator must set SECRETS_KEYS.',
    )
  },
})
