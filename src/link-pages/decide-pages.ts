import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { sayIfLost } from '../operations/decisions/decide-as-member.ts'
import {
  decideByLink,
  decidePath,
  noteForeignForm,
  readLinked,
} from '../operations/decisions/decide-by-link.ts'
import { decidePage, decidedPage, undecidedPage } from './decide-html.ts'
import { limits } from '../limits.ts'
import { actionLine } from '../operations/proposals/action-summary.ts'
import { callOf } from '../operations/proposals/action-view.ts'
import { kindOfRow } from '../operations/proposals/require-kind.ts'
import { formPageRoutes } from '../web/form-pages.ts'
import { sendPage } from '../web/html.ts'
import { fieldsOf } from '../web/take-forms.ts'
import { tokenOf } from '../web/token-of.ts'
import { refuseOtherMethods } from '../transports/rest.ts'
import { depsOf } from '../web/request-deps.ts'

/**
 * The page behind the link in a consent request by e-mail. Opening it decides nothing, because mail scanners open links
 * too. Its form decides, once.
 */
export async function decideRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const pages = {
    problemPage: undecidedPage,
    onForeignForm: (request: FastifyRequest) =>
      noteForeignForm(deps, tokenOf(request)).catch(() => undefined),
  }
  await formPageRoutes(app, deps, pages, (scope) => {
    const url = `${decidePath}/:token`
    scope.route({
      method: ['GET', 'HEAD'],
      url,
      async handler(request, reply) {
        const linked = await readLinked(deps, tokenOf(request))
        return sendPage(reply, decidePage({ ...linked, isSandbox: deps.isSandbox }))
      },
    })
    scope.post(url, async (request, reply) => {
      const { does = '', shown = '', reason = '' } = fieldsOf(request)
      const decided = await sayIfLost(
        decideByLink(depsOf(deps, request), tokenOf(request), { does, shown, reason }),
      )
      const kind = await kindOfRow(deps, decided)
      // It is loaded again, as a page that says how it ended: the form was sent and is not sent again.
      if (decided.status === 'proposed') reply.header('refresh', String(limits.decidedRefreshSeconds))
      const [line, call] = [actionLine(kind, decided), await callOf(deps, decided)]
      return sendPage(reply, decidedPage(kind, decided, { line, call }))
    })
    refuseOtherMethods(scope, url, ['GET', 'HEAD', 'POST'])
  })
}
