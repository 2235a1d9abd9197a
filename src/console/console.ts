import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type Session, currentSession } from '../operations/sign-in/session.ts'
import { isRead } from '../web/answer-errors.ts'
import { perMinute } from '../web/rate-limit.ts'
import { refuseForeignForms } from '../web/same-origin.ts'
import { takeForms } from '../web/take-forms.ts'
import { clearSession, sessionToken, setReturnPage } from './cookies.ts'
import { readsAccount } from './page.ts'
import { downloads, pages } from './pages.ts'
import { sendProblem } from './problem.ts'
import { installRoutes } from './install.ts'
import { inboxStreamRoutes } from './proposals/inbox-stream.ts'
import { requireSafeAddress } from './safe-address.ts'
import { scriptRoutes } from './scripts.ts'
import { servePage } from './serve-page.ts'
import { signInRoutes } from './sign-in/sign-in-pages.ts'
import { signOutRoutes } from './sign-in/sign-out.ts'
import { styleRoutes } from './style.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in user of the console; null where nobody is signed in. */
    consoleSession: Session | null
  }
}

/**
 * The console: pages for administrators and members, in their own scope. Only a session cookie identifies the user; API
 * keys are ignored. Needs `@fastify/rate-limit`.
 */
export async function consoleRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(
    async (scope) => {
      await scope.register(cookie)
      takeForms(scope, limits.consoleFormBytesMax)
      scope.decorateRequest('visitor', null)
      scope.setErrorHandler((error, request, reply) => sendProblem(deps, error, request, reply))
      scope.setNotFoundHandler(() => {
        throw new GateError('not_found', 'Page not found. Check the address.')
      })
      const spend = perMinute(scope, limits.consolePagesPerMinute, 'Too many requests.')
      scope.addHook('onRequest', async (request) => {
        requireSafeAddress(deps, request)
        await spend(request)
        refuseForeignForms(deps, request)
      })
      styleRoutes(scope)
      scriptRoutes(scope)
      installRoutes(scope)
      signInRoutes(scope, deps)
      await scope.register(async (inside) => {
        inside.addHook('onRequest', (request, reply) => requireSession(deps, request, reply))
        signOutRoutes(inside, deps)
        inboxStreamRoutes(inside, deps)
        const everyPage = [...pages, ...downloads]
        for (const page of everyPage.filter(({ role }) => role === undefined)) servePage(inside, deps, page)
        await inside.register(async (room) => {
          room.addHook('onRequest', async (request) => {
            if (!readsAccount(request.consoleSession!))
              throw new GateError('forbidden', 'Only administrators of the account can open this page.')
          })
          for (const page of everyPage.filter(({ role }) => role === 'admin')) servePage(room, deps, page)
        })
      })
    },
    { prefix: '/console' },
  )
}

/** Redirects users without a session to the sign-in page, before a form is read. */
async function requireSession(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const token = sessionToken(deps, request)
  const session = await currentSession(deps, token, request.ip)
  if (session) {
    request.consoleSession = session
    return undefined
  }
  if (token !== undefined) clearSession(deps, reply)
  // A form leads back to its page, without what was entered.
  setReturnPage(deps, reply, isRead(request) ? request.url : request.url.split('?')[0]!)
  return reply.header('cache-control', 'no-store').redirect('/console/sign-in', 303)
}
