import { z } from 'zod'
import { integrationProviders } from '../../gate/integration-provider.ts'
import { viewRow } from '../proposals/action-view.ts'
import { cancelAction } from '../decisions/cancel-action.ts'
import { makeLink } from './connect-link.ts'
import { howToSignIn } from './connect-person.ts'
import { requireConnectPrerequisites } from './connect-prerequisites.ts'
import { requireKind } from '../proposals/require-kind.ts'
import { defineOperation } from '../operation.ts'
import { recordProposal } from '../proposals/record-proposal.ts'
import { ActionRequest, Actor } from '../schemas.ts'

/**
 * Answers a link to the page on which a person who is signed in connects a provider. It takes no credential: what an agent
 * sees, its transcript keeps.
 */
export const connectIntegration = defineOperation({
  name: 'connect_integration',
  title: 'Connect a provider',
  summary:
    'Get a link to the page on which the member you act for connects Slack, Resend or Stripe to the account. Give them the link: they open it in their browser, sign in as themselves (an administrator of the account can do it too), and see which account is replaced before anything changes. The link alone does nothing, works once, for 15 minutes. Never open it yourself, never ask for a key or a token, and never send one. The row is executed once the provider is connected.',
  tool: { group: 'integration', readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    actor: Actor,
    provider: z.enum(integrationProviders, `must be one of ${integrationProviders.join(', ')}`),
  }),
  output: z.object({
    action: ActionRequest,
    status: z.enum(['pending', 'denied']),
    connect_url: z.string().optional().meta({
      description: 'For the member to open and sign in at. Works once, and not without signing in.',
    }),
    how_to_sign_in: z.string().optional().meta({ description: 'What to tell the member about signing in.' }),
    expires_at: z.iso.datetime().optional(),
  }),
  errors: ['not_found', 'forbidden', 'conflict', 'invalid', 'too_many'],
  powers: ['propose'],
  proposes: ['integration'],
  isKeyed: false,
  async run(context, { actor, provider }) {
    const { deps } = context
    requireConnectPrerequisites(deps, provider)
    const kind = requireKind(deps, 'integration')
    const { action } = await recordProposal(context, { kind, actor, payload: { provider } })
    if (action.status !== 'proposed')
      return { status: 201, body: { action: viewRow(action), status: 'denied' } }
    const connectUrl = await makeLink(deps, action, provider).catch(async (error: unknown) => {
      // Nobody could decide a row without its link. Where this fails too, the row expires when the link would have.
      await cancelAction.run(context, { id: action.id, actor }).catch(() => undefined)
      throw error
    })
    return {
      status: 201,
      body: {
        action: viewRow(action),
        status: 'pending',
        connect_url: connectUrl,
        how_to_sign_in: howToSignIn(deps),
        expires_at: action.expires_at!.toISOString(),
      },
    }
  },
})
