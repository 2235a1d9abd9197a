import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { endSession } from '../../operations/sign-in/session.ts'
import { refuseOtherMethods } from '../../transports/rest.ts'
import { clearSession } from '../cookies.ts'

/** Ends the current session. */
export function signOutRoutes(scope: FastifyInstance, deps: Deps): void {
  scope.post('/sign-out', async (request, reply) => {
    const session = request.consoleSession!
    await endSession(deps, session, session.sessionId)
    clearSession(deps, reply)
    return reply.header('cache-control', 'no-store').redirect('/console/sign-in', 303)
  })
  refuseOtherMethods(scope, '/sign-out', ['POST'])
}
