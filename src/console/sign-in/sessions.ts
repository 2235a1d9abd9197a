import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { endSession, listSessions } from '../../operations/sign-in/session.ts'
import { html } from '../../web/html.ts'
import { type PageContext, definePage, idIn } from '../page.ts'
import { confirmation, facts, moment, formProblem, rowLink, table } from '../parts.ts'

const path = '/console/sessions'
const sessionId = z.string().regex(/^ses_[0-9A-Za-z]{16}$/)

/** Where one is signed in, on this device and on others. */
export const sessionsPage = definePage({
  path,
  async show({ deps, session }) {
    const sessions = await listSessions(deps, session)
    return {
      title: 'Your sessions',
      body: html`<p>Each is a browser in which you signed in. End those that you do not know.</p>
        ${table(
          'Your sessions',
          ['Session', 'Signed in', 'Last used', 'Ends', 'What to do'],
          sessions.map((one) => {
            const isThis = one.session_id === session.sessionId
            return [
              html`<code>${one.session_id}</code> ${isThis ? html`<span class="badge">this one</span>` : ''}`,
              moment(one.created_at),
              moment(one.seen_at),
              moment(one.expires_at),
              isThis ? 'Sign out' : rowLink(`${path}/${one.session_id}/end`, 'End', one.session_id),
            ]
          }),
        )}
        <p class="hint">
          A session ends by itself when it is not used for ${limits.sessionIdleMs / 3_600_000} hours, and
          after ${limits.sessionMs / 86_400_000} days. “Last used” is to the minute.
        </p>`,
    }
  },
})

/** Asks before a session is ended. */
export const endSessionPage = definePage({
  path: `${path}/:session/end`,
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const found = await findSession(context)
    return {
      title: 'End this session?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Session', html`<code>${found.session_id}</code>`],
          ['Signed in', moment(found.created_at)],
          ['Last used', moment(found.seen_at)],
        ])}
        <p>Whoever uses it has to sign in again.</p>
        ${confirmation({ button: 'End the session', back: path })}`,
    }
  },
  async send(context) {
    await endSession(context.deps, context.session, idIn(context, 'session', sessionId))
    return { to: path, flash: 'session_ended' }
  },
})

async function findSession(context: PageContext) {
  const id = idIn(context, 'session', sessionId)
  const found = (await listSessions(context.deps, context.session)).find(
    ({ session_id }) => session_id === id,
  )
  if (!found) throw new GateError('not_found', 'You have no such session, or it has ended.')
  return found
}
