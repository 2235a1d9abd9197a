import type { FastifyInstance, FastifyRequest } from 'fastify'
import { aboutAction } from '../consent/about.ts'
import type { Deps } from '../deps.ts'
import { GateError, LinkGone } from '../errors.ts'
import { sayIfLost } from '../operations/decisions/decide-as-member.ts'
import {
  actionOfLink,
  decideByLink,
  isChangeByLink,
  noteForeignForm,
  readLinked,
} from '../operations/decisions/decide-by-link.ts'
import { decidePath } from '../operations/consent/send-consent-requests.ts'
import { changedPage, decidePage, decidedPage, undecidedPage } from './decide-html.ts'
import { runningWords } from '../gate/result-words.ts'
import { callOf } from '../operations/actions/action-view.ts'
import { kindOfRow } from '../operations/actions/require-kind.ts'
import { changeField, changeFields, enteredChanges } from '../web/edit-form.ts'
import { ownTitle } from '../web/error-title.ts'
import { formPageRoutes } from '../web/form-pages.ts'
import { type Page, sendPage } from '../web/html.ts'
import { noteError } from '../web/request-log.ts'
import { fieldsOf } from '../web/take-forms.ts'
import { tokenOf } from '../web/routing.ts'
import { refuseOtherMethods } from '../transports/rest.ts'
import { depsOf } from '../web/request-deps.ts'

const decidedRefreshSeconds = 10

/**
 * The page behind the link in a consent request by e-mail. Opening it decides nothing, because mail scanners open links
 * too. Its form decides, once.
 */
export async function decideRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const pages = {
    problemPage: undecidedPage,
    takesTexts: true as const,
    onForeignForm: (request: FastifyRequest) =>
      noteForeignForm(deps, tokenOf(request)).catch(() => undefined),
  }
  await formPageRoutes(app, deps, pages, (scope) => {
    const url = `${decidePath}/:token`
    scope.route({
      method: ['GET', 'HEAD'],
      url,
      async handler(request, reply) {
        const page = readLinked(deps, tokenOf(request)).then((linked) =>
          decidePage({ ...linked, isSandbox: deps.isSandbox }),
        )
        return sendPage(reply, await orGone(deps, request, page))
      },
    })
    scope.post(url, async (request, reply) => {
      const { does = '', shown = '', reason = '', version = '1', ...others } = fieldsOf(request)
      const entered = enteredChanges(others)
      // A member who changed a field sees version 2 before they approve it, whichever button they press.
      const isReview = does === 'edit' || does === 'unfold' || (does === 'confirm' && version === '1')
      const review = isReview && (await orGone(deps, request, reviewed(deps, request, { does, entered })))
      if (review) return sendPage(reply, review)
      if (does === 'unfold')
        return sendPage(reply, await orGone(deps, request, unfolded(deps, request, reason)))
      const changes = version === '1' ? {} : entered
      const page = sayIfLost(
        decideByLink(depsOf(deps, request), tokenOf(request), {
          does,
          shown,
          reason,
          changes,
          signed: others,
        }),
      ).then(async (decided) => {
        const kind = await kindOfRow(deps, decided)
        // It is loaded again, as a page that says how it ended: the form was sent and is not sent again.
        if (decided.status === 'proposed') reply.header('refresh', String(decidedRefreshSeconds))
        return decidedPage(kind, decided, {
          about: aboutAction(kind, decided, true),
          call: await callOf(deps, decided),
        })
      })
      return sendPage(reply, await orGone(deps, request, page))
    })
    refuseOtherMethods(scope, url, ['GET', 'HEAD', 'POST'])
  })
}

async function unfolded(deps: Deps, request: FastifyRequest, reason: string): Promise<Page> {
  const linked = await readLinked(deps, tokenOf(request))
  return decidePage({ ...linked, isSandbox: deps.isSandbox, unfolded: { reason } })
}

/** The page of what the form makes of the proposal; undefined where it changes nothing, and is to be decided. */
async function reviewed(
  deps: Deps,
  request: FastifyRequest,
  { does, entered }: { does: string; entered: Record<string, string> },
): Promise<Page | undefined> {
  const { isSandbox } = deps
  const token = tokenOf(request)
  try {
    if (await isChangeByLink(deps, token, entered))
      return changedPage({ ...(await readLinked(deps, token, entered)), isSandbox }, `${decidePath}/${token}`)
    if (does !== 'edit') return undefined
    throw new GateError('invalid', 'You changed nothing.')
  } catch (error) {
    if (!(error instanceof GateError) || error.code !== 'invalid') throw error
    const field = error.param && changeField(error.param)
    const rejected = { problem: error.message, field, values: changeFields(entered) }
    return decidePage({ ...(await readLinked(deps, token)), isSandbox, rejected })
  }
}

/** A page, or where its link was used or has expired one that says what it was about. */
async function orGone<P extends Page | undefined>(
  deps: Deps,
  request: FastifyRequest,
  page: Promise<P>,
): Promise<P | Page> {
  try {
    return await page
  } catch (error) {
    // The subject of another person's link is not shown.
    if (!(error instanceof LinkGone) || error.how === 'invalid') throw error
    const row = await actionOfLink(deps, tokenOf(request))
    noteError(request, error)
    const isRunning = row.status === 'proposed' && row.decision === 'confirm'
    const call = isRunning ? await callOf(deps, row) : undefined
    const said = call?.last_error ? `This was already approved. ${runningWords(call)}` : error.message
    return undecidedPage(410, said, ownTitle(error), aboutAction(await kindOfRow(deps, row), row))
  }
}
