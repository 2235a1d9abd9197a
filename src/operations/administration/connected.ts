import { z } from 'zod'
import { integrationProviders } from '../../gate/integration-provider.ts'
import { limits } from '../../limits.ts'
import { endApp as end, readApps } from '../apps/list-apps.ts'
import { viewApp } from '../apps/app-view.ts'
import { conversationId, line } from '../entered-fields.ts'
import { appId } from '../ids.ts'
import { disconnect } from '../integrations/disconnect.ts'
import { listConnected } from '../integrations/list-connections.ts'
import { memberLabel } from '../members/actor.ts'
import {
  createConversation as create,
  listConversations as conversations,
  setParticipant,
} from '../workspaces/conversations.ts'
import { defineAdmin } from './admin-operation.ts'
import { Document, listOf, member, memberNames, memberOf } from './parts.ts'

// What is connected to the account: apps, providers and conversations.

const apps = '/api/v1/admin/apps'
const app = 'app_7hQ2mWzX0aLk4RtY'

const listApps = defineAdmin({
  name: 'list_apps',
  title: 'List connected apps',
  summary: 'Lists the apps that members connected by signing in, with the host that each asked from.',
  http: { method: 'GET', path: apps },
  power: 'admin:apps.read',
  input: z.strictObject({}),
  output: listOf('apps'),
  errors: ['forbidden'],
  example: { input: {}, output: { apps: [{ app_id: app, host: 'claude.ai', state: 'in force' }] } },
  run: async (context) => ({ apps: (await readApps(context, null)).map(viewApp) }),
})

const endApp = defineAdmin({
  name: 'end_app',
  title: 'Disconnect an app',
  summary: 'Disconnects an app: its tokens are refused from the next request on.',
  http: { method: 'POST', path: `${apps}/{app_id}/end` },
  power: 'admin:apps.write',
  input: z.strictObject({ app_id: appId }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { app_id: app }, output: { app_id: app, state: 'ended' } },
  async run(context, given) {
    await end(context, given.app_id)
    return { app_id: given.app_id, state: 'ended' }
  },
})

const listIntegrations = defineAdmin({
  name: 'list_integrations',
  title: 'List connected providers',
  summary: 'Lists the connected providers, without secrets.',
  http: { method: 'GET', path: '/api/v1/admin/integrations' },
  power: 'admin:integrations.read',
  input: z.strictObject({}),
  output: listOf('integrations'),
  errors: ['forbidden'],
  example: {
    input: {},
    output: { integrations: [{ provider: 'stripe', state: 'connected', last4: '4242' }] },
  },
  run: async ({ db, account }) => ({ integrations: await listConnected({ db }, account) }),
})

const disconnectIntegration = defineAdmin({
  name: 'disconnect_integration',
  title: 'Disconnect a provider',
  summary: "Deletes the credential of a provider; the environment's is used instead.",
  http: { method: 'POST', path: '/api/v1/admin/integrations/{provider}/disconnect' },
  power: 'admin:integrations.write',
  input: z.strictObject({ provider: z.enum(integrationProviders) }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { provider: 'stripe' }, output: { provider: 'stripe', state: 'disconnected' } },
  run: (context, { provider }) => disconnect(context, provider),
})

const path = '/api/v1/admin/conversations'
const project = { conversation_id: 'project-1', title: 'Launch page', participants: ['grace@example.com'] }

const listConversations = defineAdmin({
  name: 'list_conversations',
  title: 'List conversations',
  summary: 'Lists the conversations with their participants.',
  http: { method: 'GET', path },
  power: 'admin:conversations.read',
  input: z.strictObject({}),
  output: listOf('conversations'),
  errors: ['forbidden'],
  example: { input: {}, output: { conversations: [project] } },
  async run(context) {
    const rows = await conversations(context)
    return {
      conversations: rows.map(({ participants, conversation_id, title, created_at }) => ({
        conversation_id,
        title,
        created_at,
        participants: participants.map(memberLabel),
        workspace: context.deps.workspaces.place({
          account: context.account,
          conversationId: conversation_id,
        }),
      })),
    }
  },
})

const createConversation = defineAdmin({
  name: 'create_conversation',
  title: 'Create a conversation',
  summary: 'Creates a conversation and its workspace folder; only participants can see the files.',
  http: { method: 'POST', path },
  power: 'admin:conversations.write',
  input: z.strictObject({
    conversation_id: conversationId,
    title: line(limits.titleCharsMax),
    participants: memberNames.default([]).meta({ description: 'E-mail addresses or Slack ids.' }),
  }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: project, output: { conversation_id: 'project-1' } },
  async run(context, { conversation_id: id, title, participants }) {
    await create(context, context.deps.workspaces, { conversationId: id, title, participants })
    return {
      conversation_id: id,
      workspace: context.deps.workspaces.place({ account: context.account, conversationId: id }),
    }
  },
})

const participation = (participates: boolean) =>
  defineAdmin({
    name: participates ? 'add_participant' : 'remove_participant',
    title: participates ? 'Add a participant' : 'Remove a participant',
    summary: participates
      ? 'Adds a member who can see the files of the conversation.'
      : 'Removes a participant: takes effect with the next request.',
    http: { method: 'POST', path: `${path}/{conversation_id}/participants${participates ? '' : '/remove'}` },
    power: 'admin:conversations.write',
    input: z.strictObject({ conversation_id: conversationId, member }),
    output: Document,
    errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
    example: {
      input: { conversation_id: 'project-1', member: 'grace@example.com' },
      output: { conversation_id: 'project-1', participates },
    },
    async run(context, given) {
      const { memberId } = await memberOf(context, given.member)
      await setParticipant(context, { conversationId: given.conversation_id, memberId, participates })
      return { conversation_id: given.conversation_id, member_id: memberId, participates }
    },
  })

export const connectedOperations = {
  listApps,
  endApp,
  listIntegrations,
  disconnectIntegration,
  listConversations,
  createConversation,
  addParticipant: participation(true),
  removeParticipant: participation(false),
}
