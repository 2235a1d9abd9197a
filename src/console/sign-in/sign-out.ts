import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { companySignOut } from '../../operations/company/sign-in.ts'
import { endSession } from '../../operations/sign-in/session.ts'
import { signInPath } from '../../operations/sign-in/sign-in-path.ts'
import { refuseOtherMethods } from '../../transports/rest.ts'
import { html } from '../../web/html.ts'
import { clearSession } from '../cookies.ts'
import { sendConsolePage } from '../layout.ts'
import type { View } from '../page.ts'

/** Ends the current session, and where the company began it, the one there. */
export function signOutRoutes(scope: FastifyInstance, deps: Deps): void {
  scope.post('/sign-out', async (request, reply) => {
    const session = request.consoleSession!
    const elsewhere = await companySignOut(deps, session)
    await endSession(deps, session, session.sessionId)
    clearSession(deps, reply)
    if (elsewhere === undefined) return reply.header('cache-control', 'no-store').redirect(signInPath, 303)
    const frame = { path: request.url, isSandbox: deps.isSandbox }
    return sendConsolePage(reply.header('refresh', `0; url=${elsewhere}`), signedOutPage(elsewhere), frame)
  })
  refuseOtherMethods(scope, '/sign-out', ['POST'])
}

const signedOutPage = (elsewhere: string): View => ({
  title: 'Signed out here',
  body: html`<p>
    <a class="button primary" href="${elsewhere}">Sign out of ${new URL(elsewhere).host}, too</a>
  </p>`,
})
