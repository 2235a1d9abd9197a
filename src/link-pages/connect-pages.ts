import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { httpStatusOf } from '../errors.ts'
import { submitKey } from '../operations/integrations/submit-key.ts'
import { connectDraft } from '../operations/integrations/claim-connection.ts'
import { changeOf, fromWords } from '../operations/integrations/connect-draft.ts'
import {
  type OpenLink,
  connectPath,
  readLink,
  slackCallbackPath,
} from '../operations/integrations/connect-link.ts'
import {
  type ConnectPerson,
  recordForeignForm,
  findConnectPerson,
  requirePerson,
} from '../operations/integrations/connect-person.ts'
import {
  beginSlackInstall,
  finishSlackInstall,
  slackOrigin,
} from '../operations/integrations/install-slack.ts'
import { toGateError } from '../web/answer-errors.ts'
import {
  type ConnectPageContext,
  connectPage,
  connectedPage,
  installedPage,
  problemPage,
  reviewPage,
  signInFirstPage,
} from './connect-html.ts'
import { formPageRoutes } from '../web/form-pages.ts'
import { sendPage } from '../web/html.ts'
import { bindingCookie, readBinding, readSession, returnCookie } from '../web/page-cookies.ts'
import { fieldsOf } from '../web/take-forms.ts'
import { tokenOf } from '../web/routing.ts'
import { refuseOtherMethods } from '../transports/rest.ts'
import { depsOf } from '../web/request-deps.ts'

/**
 * The pages on which a signed-in person connects a provider: they enter a credential, review the change and connect it.
 * Opening a page changes nothing; its forms do.
 */
export async function connectRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  const pages = {
    problemPage,
    sentences,
    onForeignForm: (request: FastifyRequest) => recordForeign(deps, request),
  }
  await formPageRoutes(app, deps, pages, (scope) => {
    const url = `${connectPath}/:token`
    scope.route({ method: ['GET', 'HEAD'], url, handler: (request, reply) => show(deps, request, reply) })
    scope.post(url, (request, reply) => handleForm(depsOf(deps, request), request, reply))
    scope.get(slackCallbackPath, (request, reply) => finishInstall(deps, request, reply))
    refuseOtherMethods(scope, url, ['GET', 'HEAD', 'POST'])
    refuseOtherMethods(scope, slackCallbackPath, ['GET'])
  })
}

async function show(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const token = tokenOf(request)
  const link = await readLink(deps, token)
  const person = await findConnectPerson(deps, link, readSession(deps, request.headers.cookie))
  if (!person) {
    reply.header('set-cookie', returnCookie(deps, token))
    return sendPage(reply, signInFirstPage(link, deps.ownEmail !== undefined))
  }
  return sendLink({ deps, reply }, link, person, { isRestart: 'again' in (request.query as object) })
}

/** The page of a link for a person who may use it: the review where a credential is stored, otherwise the form. */
async function sendLink(
  { deps, reply }: Pick<Attempt, 'deps' | 'reply'>,
  link: OpenLink,
  { session }: ConnectPerson,
  { isRestart, rejected }: { isRestart?: boolean; rejected?: ConnectPageContext['rejected'] },
): Promise<FastifyReply> {
  const around: ConnectPageContext = {
    isSandbox: deps.providers.isSandbox,
    signedInAs: session.address,
    ...(link.provider === 'slack' ? { slackOrigin: slackOrigin(deps) } : {}),
    ...(rejected ? { rejected } : {}),
  }
  const change = isRestart ? undefined : await changeOf(deps, link)
  return sendPage(
    reply,
    change ? reviewPage(link, change, around) : connectPage(link, await fromWords(deps, link), around),
  )
}

async function handleForm(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const token = tokenOf(request)
  const link = await readLink(deps, token)
  // Read after the whole form has arrived: a session that ended meanwhile is refused.
  const person = await requirePerson(deps, link, readSession(deps, request.headers.cookie))
  const attempt = { deps, reply, token, person }
  const form = fieldsOf(request) as Partial<Record<string, string>>
  if (form['draft'] !== undefined) {
    const shown = { draft: form['draft'], replaces: form['replaces'] ?? '' }
    return sendCorrectable(attempt, {}, async () =>
      sendPage(
        reply,
        connectedPage(await connectDraft(deps, link, person, shown), person.session.adminId !== null),
      ),
    )
  }
  if (link.provider === 'slack') {
    const { url, binding } = await beginSlackInstall(deps, link, person)
    return reply
      .header('set-cookie', [bindingCookie(deps, binding), returnCookie(deps, token)])
      .header('cache-control', 'no-store')
      .redirect(url.href, 303)
  }
  const given = {
    key: form['key'] ?? '',
    server: form['server'] ?? '',
    user: form['user'] ?? '',
    sender: form['sender'] ?? '',
    room: form['room'] ?? '',
    tenant: form['tenant'] ?? '',
    app: form['app_id'] ?? '',
    returnUrl: form['return_url'] ?? '',
  }
  const { server, user, sender, room, tenant, app: app_id, returnUrl: return_url } = given
  return sendCorrectable(attempt, { server, user, sender, room, tenant, app_id, return_url }, async () => {
    await submitKey(deps, link, person, given)
    return reply.header('cache-control', 'no-store').redirect(`${connectPath}/${token}`, 303)
  })
}

/** A form of a link, sent by a person who may use it. */
interface Attempt {
  deps: Deps
  reply: FastifyReply
  token: string
  person: ConnectPerson
}

/** Shows correctable errors above the form. Where the link has expired meanwhile, that error is shown instead. */
async function sendCorrectable(
  { deps, reply, token, person }: Attempt,
  values: Record<string, string>,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    const known = toGateError(error)
    if (known?.code !== 'invalid' && known?.code !== 'unavailable' && known?.code !== 'conflict') throw error
    const link = await readLink(deps, token)
    const { code, message: problem, param: field } = known
    const rejected = { status: httpStatusOf[code], problem, values, field }
    return sendLink({ deps, reply }, link, person, { isRestart: code === 'invalid', rejected })
  }
}

async function finishInstall(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { state, code } = request.query as Record<string, unknown>
  const link = await finishSlackInstall(deps, {
    state: typeof state === 'string' ? state : '',
    binding: readBinding(deps, request.headers.cookie),
    code: typeof code === 'string' && code !== '' ? code : undefined,
  })
  reply.header('set-cookie', bindingCookie(deps, undefined))
  return sendPage(reply, installedPage(link))
}

/** Records a form that another site has sent, where the link is known. */
async function recordForeign(deps: Deps, request: FastifyRequest): Promise<void> {
  const link = await readLink(deps, tokenOf(request)).catch(() => undefined)
  if (link) await recordForeignForm(deps, link)
}

/** Sentences for forms where the API's sentences are about JSON. */
const sentences = { too_large: 'The form is too large. Enter only the key.' }
