import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { rightsSentence } from '../../keys/rights.ts'
import { hostedUrl } from '../../operations/apps/addresses.ts'
import { type AppRow, endApp, readApps, rightsOfApp } from '../../operations/apps/list-apps.ts'
import { appId } from '../../operations/ids.ts'
import { type Part, html } from '../../web/html.ts'
import { type PageContext, accountOf, definePage, idIn, readsAccount } from '../page.ts'
import { address, confirmation, empty, facts, formProblem, moment, nameOf, rowLink, table } from '../parts.ts'
import { appsPath } from './path.ts'

/** The apps that people connected by signing in: an administrator sees all, a member their own. */
export const appsPage = definePage({
  path: appsPath,
  async show(context) {
    const apps = await appsOf(context)
    const connected = apps.filter(({ state }) => state === 'connected')
    const former = apps.filter(({ state }) => state !== 'connected')
    return {
      title: 'Connected apps',
      body: html`<p>
          An app that a member connected acts in their name with the rights that they gave it. Its name is
          what it says of itself; the host is where it asked from. ${howToConnect(context)}
        </p>
        ${
          connected.length === 0
            ? empty('No apps are connected.')
            : table(
                'Connected apps',
                ['App', 'Rights', 'Last used', 'Ends', 'Actions'],
                connected.map((app) => [
                  appPart(app),
                  html`<span class="rights">${rightsSentence(rightsOfApp(app), app.member_name)}</span>`,
                  moment(app.last_used_at),
                  moment(app.expires_at),
                  rowLink(`${appsPath}/${app.grant_id}/end`, 'Disconnect', app.name),
                ]),
              )
        }
        ${
          former.length === 0
            ? ''
            : html`<h2>Disconnected and expired</h2>
                ${table(
                  'Disconnected and expired apps',
                  ['App', 'Acted for', 'Connected', 'Last used', 'Ended'],
                  former.map((app) => [
                    appPart(app),
                    nameOf(app.member_name),
                    moment(app.created_at),
                    moment(app.last_used_at),
                    moment(app.ended_at ?? app.expires_at),
                  ]),
                )}`
        }`,
    }
  },
})

/** Confirms before an app is disconnected. */
export const endAppPage = definePage({
  path: `${appsPath}/:app/end`,
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const id = idIn(context, 'app', appId)
    const app = (await appsOf(context)).find(({ grant_id }) => grant_id === id)
    if (!app) throw new GateError('not_found', 'App not found. It may be of another member.')
    return {
      title: 'Disconnect app?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['App', nameOf(app.name)],
          ['Host', app.host],
          ['Acts for', nameOf(app.member_name)],
          ['Rights', rightsSentence(rightsOfApp(app), app.member_name)],
          ['Connected', moment(app.created_at)],
          ['Last used', moment(app.last_used_at)],
        ])}
        <p>
          Its requests are refused from now on. What it has proposed stays. It can ask to be connected again.
        </p>
        ${confirmation({ button: 'Disconnect app', back: appsPath })}`,
    }
  },
  async send(context) {
    await endApp({ ...accountOf(context), session: context.session.tokenHash }, idIn(context, 'app', appId))
    return { to: appsPath, flash: 'app_ended' }
  },
})

const appsOf = (context: PageContext): Promise<AppRow[]> =>
  readApps(accountOf(context), readsAccount(context.session) ? null : context.session.memberId)

const appPart = ({ name, host }: AppRow): Part => html`${nameOf(name)} <code>${address(host)}</code>`

function howToConnect({ deps }: PageContext): Part {
  const url = hostedUrl(deps)
  return url === undefined
    ? 'This service does not let apps connect: an operator sets OAUTH_URL for that.'
    : html`To connect one, give it the address <code>${url}</code>.`
}
