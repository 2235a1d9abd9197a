import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { slackInteractionRoutes } from './slack-interactions.ts'
import { teamsMessageRoutes } from './teams-messages.ts'

/** Where chats report presses. */
export async function chatRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  await slackInteractionRoutes(app, deps)
  await teamsMessageRoutes(app, deps)
}
