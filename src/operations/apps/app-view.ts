import type { AppRow } from '../../db/queries/accounts/apps.ts'
import { rightsSentence } from '../../keys/rights.ts'
import { rightsOfApp } from './list-apps.ts'

/** A connected app in a list of the command line and of the administration API. Pure. */
export const viewApp = (app: AppRow) => ({
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
})
