import { limits } from '../../limits.ts'
import { addFixedClient, readFixedClients, removeFixedClient } from '../../operations/apps/fixed-clients.ts'
import { line } from '../../operations/entered-fields.ts'
import { viewApp } from '../../operations/apps/app-view.ts'
import { endApp, readApps } from '../../operations/apps/list-apps.ts'
import { appClientId, appId } from '../../operations/ids.ts'
import { account } from '../account-option.ts'
import { adminContextOf } from '../context.ts'
import { defineVerb, repeatable, required } from '../verb.ts'

export const appVerbs = {
  list: defineVerb({
    summary: 'List the apps that members connected by signing in, with the host that each asked from',
    options: { account },
    columns: ['app_id', 'state', 'host', 'member', 'last_used_at', 'name'],
    empty: () => 'No apps are connected.',
    async run(context, given) {
      const apps = await readApps(adminContextOf(context, given.account), null)
      return apps.map(viewApp)
    },
  }),

  add: defineVerb({
    summary: 'Create an id and a secret for a product that asks for them, and show the secret once',
    options: {
      account,
      name: required('NAME', line(limits.appNameCharsMax), 'Name of the app', 'Claude'),
      redirect: repeatable(
        'URL',
        line(limits.executorUrlCharsMax),
        'Where it sends people back to, as the product says',
        'https://claude.ai/api/mcp/auth_callback',
      ),
    },
    async run(context, { account: of, name, redirect }) {
      const { client, secret } = await addFixedClient(adminContextOf(context, of), {
        name,
        redirects: redirect,
      })
      return { client_id: client, client_secret: secret }
    },
  }),

  clients: defineVerb({
    summary: 'List the ids that were created for products that ask for an id and a secret',
    options: { account },
    columns: ['client_id', 'created_at', 'name', 'redirects'],
    empty: () => 'No ids were created.',
    async run(context, given) {
      return readFixedClients(adminContextOf(context, given.account))
    },
  }),

  remove: defineVerb({
    summary: 'Remove such an id, and disconnect the apps that were connected by it',
    options: {
      account,
      client: required('CLIENT_ID', appClientId, 'Id of the client', 'client_7hQ2mWzX0aLk4RtYb6Nc9v'),
    },
    async run(context, given) {
      await removeFixedClient(adminContextOf(context, given.account), given.client)
      return { client_id: given.client, state: 'removed' }
    },
  }),

  end: defineVerb({
    summary: 'Disconnect an app: its tokens are refused from the next request on',
    options: { account, app: required('APP_ID', appId, 'Id of the app', 'app_7hQ2mWzX0aLk4RtY') },
    async run(context, given) {
      await endApp(adminContextOf(context, given.account), given.app)
      return { app_id: given.app, state: 'ended' }
    },
  }),
}
