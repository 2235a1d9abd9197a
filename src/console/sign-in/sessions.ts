import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import {
  type OpenSessionRow,
  chooseTimeZone,
  endSession,
  listSessions,
} from '../../operations/sign-in/session.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Part, html } from '../../web/html.ts'
import { defaultTimeZone, timeZones, zoneLabel } from '../../web/times.ts'
import { browserName } from './browser-name.ts'
import { type PageContext, definePage, idIn } from '../page.ts'
import { choice, confirmation, facts, moment, formProblem, rowLink, table } from '../parts.ts'

const path = '/console/sessions'
const sessionId = z.string().regex(/^ses_[0-9A-Za-z]{16}$/)

const zoneChoices = timeZones
  .map((zone) => [zone, zoneLabel(zone)] as const)
  .toSorted(([, a], [, b]) => (a < b ? -1 : 1))

const isTimeZone = (text: string): boolean => timeZones.includes(text)

/** The user's sessions, on this device and on others, and the time zone of their pages. */
export const sessionsPage = definePage({
  path,
  isOwn: true,
  form: z.strictObject({ time_zone: z.string().refine(isTimeZone, 'must be a time zone of the list') }),
  async show({ deps, session }, _query, rejected) {
    const sessions = await listSessions(deps, session)
    return {
      title: 'Your sessions',
      body: html`<p>Each session is a browser you signed in with. End sessions that you do not recognize.</p>
        ${table(
          'Your sessions',
          ['Browser', 'Signed in', 'Last used', 'Expires', 'Actions'],
          sessions.map((one) => {
            const isThis = one.session_id === session.sessionId
            return [
              html`${browserPart(one)} ${isThis ? html`<span class="badge">this session</span>` : ''}`,
              html`${moment(one.created_at)} ${addressPart(one.address)}`,
              html`${moment(one.seen_at)} ${addressPart(one.seen_address)}`,
              moment(one.expires_at),
              isThis ? 'Sign out' : rowLink(`${path}/${one.session_id}/end`, 'End', one.session_id),
            ]
          }),
        )}
        <p class="hint">
          A session expires after ${limits.sessionIdleMs / 3_600_000} hours without use, and after
          ${limits.sessionMs / 86_400_000} days at the latest. “Last used” is accurate to the minute. The name
          of a browser is the one that it gives. Addresses are those that this service sees.
        </p>
        <section aria-labelledby="zone">
          <h2 id="zone">Time zone</h2>
          ${formProblem(rejected)}
          <form method="post" class="filter">
            ${choice({
              name: 'time_zone',
              label: 'Times in the console',
              value: session.timeZone ?? defaultTimeZone,
              values: zoneChoices,
              rejected,
            })}
            <button type="submit">Save time zone</button>
          </form>
          <p class="hint">It also applies when you sign in again. Exports, mails and the API use UTC.</p>
        </section>`,
    }
  },
  async send({ deps, session }, { time_zone }) {
    await chooseTimeZone(deps, session, time_zone)
    return { to: path, flash: 'time_zone_set' }
  },
})

/** Confirms before a session is ended. */
export const endSessionPage = definePage({
  path: `${path}/:session/end`,
  isOwn: true,
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const found = await findSession(context)
    return {
      title: 'End session?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Browser', browserPart(found)],
          ['Signed in', html`${moment(found.created_at)} ${addressPart(found.address)}`],
          ['Last used', html`${moment(found.seen_at)} ${addressPart(found.seen_address)}`],
        ])}
        <p>The browser that uses it must sign in again.</p>
        ${confirmation({ button: 'End session', back: path })}`,
    }
  },
  async send(context) {
    await endSession(context.deps, context.session, idIn(context, 'session', sessionId))
    return { to: path, flash: 'session_ended' }
  },
})

const browserPart = ({ browser, session_id: id }: OpenSessionRow): Part =>
  html`<bdi>${escapeInvisible(browserName(browser))}</bdi> <code class="hint">${id}</code>`

const addressPart = (address: string | null): Part =>
  address === null ? '' : html`<span class="ago">from ${escapeInvisible(address)}</span>`

async function findSession(context: PageContext) {
  const id = idIn(context, 'session', sessionId)
  const found = (await listSessions(context.deps, context.session)).find(
    ({ session_id }) => session_id === id,
  )
  if (!found) throw new GateError('not_found', 'Session not found. It may have ended already.')
  return found
}
