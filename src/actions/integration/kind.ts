import { z } from 'zod'
import { integrationProviders } from '../../gate/integration-provider.ts'
import { limits } from '../../limits.ts'
import type { ActionKind } from '../kind.ts'
import { integrationPerformer } from './perform.ts'

/** Which provider to connect. There is no field for a key: a person brings it, over the page of the link. */
const payload = z.strictObject({
  provider: z.enum(integrationProviders, `must be one of ${integrationProviders.join(', ')}`),
})

/** A provider's credential of the account's own, connected on the page of a link by a person who is signed in. */
export const integration: ActionKind<z.output<typeof payload>> = {
  kind: 'integration',
  payload,
  defaultRule: { tier: 'write', consent: 'page' },
  isHttpProposable: false,
  reaches: 'nobody',
  isDecidedByLink: true,
  expiresAfterMs: limits.connectLinkMs,
  performer: integrationPerformer,
}
