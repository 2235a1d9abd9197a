import { z } from 'zod'
import { integrationProviders } from '../../gate/integration-provider.ts'
import { viewRow } from '../actions/action-view.ts'
import { cancelAction } from '../decisions/cancel-action.ts'
import { makeLink } from './connect-link.ts'
import { howToSignIn } from './connect-person.ts'
import { requireConnectPrerequisites } from './connect-prerequisites.ts'
import { requireOwnKind } from '../actions/require-kind.ts'
import { defineOperation } from '../operation.ts'
import { recordProposal } from '../proposals/record-proposal.ts'
import { ActionRequest, Actor, Rationale } from '../schemas.ts'

/**
 * Returns a link to the page on which a signed-in person connects a provider. It takes no credential, because
 * everything an agent sees stays in its transcript.
 */
export const connectIntegration = defineOperation({
  name: 'connect_integration',
  title: 'Connect a provider',
  summary:
    'Get a link where a person connects a provider (`smtp`: a mail server) to the account. Give the member `connect_url` and `how_to_sign_in`. The link works once, for 15 minutes. Never open it yourself, and never ask for a key or a token. Their decision on the page executes the action. confirm_action is refused.',
  tool: { group: 'integration', readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    actor: Actor,
    provider: z.enum(integrationProviders, `must be one of ${integrationProviders.join(', ')}`),
    rationale: Rationale,
  }),
  output: z.object({
    action: ActionRequest,
    status: z.enum(['pending', 'denied']),
    connect_url: z.string().optional().meta({
      description: 'The link for the member to open. It works once and requires signing in.',
    }),
    how_to_sign_in: z
      .string()
      .optional()
      .meta({ description: 'How the member signs in. Pass this on to them.' }),
    expires_at: z.iso.datetime().optional(),
  }),
  errors: ['not_found', 'forbidden', 'conflict', 'invalid', 'too_many'],
  powers: ['propose'],
  proposes: ['integration'],
  isKeyed: false,
  async run(context, { actor, provider, rationale }) {
    const { deps } = context
    requireConnectPrerequisites(deps, provider)
    const kind = requireOwnKind(deps, 'integration')
    const { action } = await recordProposal(context, { kind, actor, payload: { provider }, rationale })
    if (action.status !== 'proposed')
      return { status: 201, body: { action: viewRow(action, context), status: 'denied' } }
    const connectUrl = await makeLink(deps, action, provider).catch(async (error: unknown) => {
      // Without its link nobody could decide the proposal. If this fails too, the proposal expires with the link.
      await cancelAction.run(context, { id: action.id, actor }).catch(() => undefined)
      throw error
    })
    return {
      status: 201,
      body: {
        action: viewRow(action, context),
        status: 'pending',
        connect_url: connectUrl,
        how_to_sign_in: howToSignIn(deps),
        expires_at: action.expires_at!.toISOString(),
      },
    }
  },
})
