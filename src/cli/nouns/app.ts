import { rightsSentence } from '../../keys/rights.ts'
import { endApp, readApps, rightsOfApp } from '../../operations/apps/list-apps.ts'
import { appId } from '../../operations/ids.ts'
import { account } from '../account-option.ts'
import { adminContextOf } from '../context.ts'
import { defineVerb, required } from '../verb.ts'

export const appVerbs = {
  list: defineVerb({
    summary: 'List the apps that members connected by signing in, with the host that each asked from',
    options: { account },
    columns: ['app_id', 'state', 'host', 'member', 'last_used_at', 'name'],
    empty: () => 'No apps are connected.',
    async run(context, given) {
      const apps = await readApps(adminContextOf(context, given.account), null)
      return apps.map((app) => ({
        app_id: app.grant_id,
        name: app.name,
        host: app.host,
        client_id: app.client_id,
        state: app.state,
        member: app.member_name,
        member_id: app.member_id,
        connected_by: app.granted_by,
        may: rightsSentence(rightsOfApp(app), app.member_name),
        powers: app.powers,
        kinds: app.kinds,
        actions_per_day: app.actions_per_day,
        cents_per_day: app.cents_per_day,
        created_at: app.created_at,
        last_used_at: app.last_used_at,
        expires_at: app.expires_at,
        ended_at: app.ended_at,
      }))
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
