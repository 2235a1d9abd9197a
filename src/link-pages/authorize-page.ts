import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { authorizePath } from '../operations/apps/addresses.ts'
import { AuthorizationRequest, readAuthorization } from '../operations/apps/authorization.ts'
import { parseInput } from '../operations/parse.ts'
import { refuseOtherMethods } from '../transports/rest.ts'
import { formPageRoutes } from '../web/form-pages.ts'
import { type Page, html, sendPage } from '../web/html.ts'
import { prose } from '../web/prose.ts'

/** The page of the console on which a person connects an app. */
const connectAppPath = '/console/apps/connect'

/**
 * Where an app sends a person to be connected. Browsers send no session with a request that another site began, so this page only
 * leads on to the one that asks.
 */
export async function authorizeRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  await formPageRoutes(app, deps, { problemPage }, (scope) => {
    scope.get(authorizePath, async (request, reply) => {
      const asked = parseInput(AuthorizationRequest, request.query)
      await readAuthorization(deps, asked)
      const to = `${connectAppPath}?${new URLSearchParams(asked as Record<string, string>)}`
      reply.header('refresh', `0; url=${to}`)
      return sendPage(reply, onwards(to))
    })
    refuseOtherMethods(scope, authorizePath, ['GET'])
  })
}

const onwards = (to: string): Page => ({
  status: 200,
  title: 'Connect an app',
  body: html`<p><a href="${to}">Continue to the console</a></p>`,
})

const problemPage = (status: number, sentence: string, title = 'This app cannot be connected'): Page => ({
  status,
  title,
  body: html`<p class="problem" role="alert">${prose(sentence)}</p>
    <p>Nothing was shared with the app. Go back to it, and connect it again.</p>`,
})
