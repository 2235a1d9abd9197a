import { z } from 'zod'
import { integrationProviders } from '../../gate/integration-provider.ts'
import { limits } from '../../limits.ts'
import { type ActionKind, outcomes } from '../kind.ts'
import { integrationPerformer } from './perform.ts'

/** The provider to connect. There is no field for a key: a person enters it on the page of the link. */
const payload = z.strictObject({
  provider: z.enum(integrationProviders, `must be one of ${integrationProviders.join(', ')}`),
})

/** The account's own credential for a provider, connected by a signed-in person on the page of a link. */
export const integration: ActionKind<z.output<typeof payload>> = {
  kind: 'integration',
  payload,
  defaultRule: { tier: 'write', consent: 'page' },
  isHttpProposable: false,
  reaches: 'nobody',
  shows: {
    payload,
    result: z.object({
      outcome: z.enum(outcomes),
      provider: z.enum(integrationProviders),
      integration_id: z.string().optional(),
      sandbox: z.boolean().optional(),
    }),
  },
  isDecidedByLink: true,
  expiresAfterMs: limits.connectLinkMs,
  performer: integrationPerformer,
}
