import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Deps } from '../deps.ts'
import { GateError, httpStatusOf } from '../errors.ts'
import { limits } from '../limits.ts'
import { connectByKey } from '../operations/connect-by-key.ts'
import { connectPath, readLink, slackCallbackPath } from '../operations/connect-link.ts'
import { beginSlackInstall, finishSlackInstall, slackOrigin } from '../operations/install-slack.ts'
import { internalErrorSentence, toGateError } from './answer-errors.ts'
import { type Surroundings, connectPage, connectedPage, problemPage } from './connect-html.ts'
import { bindingCookie, readBinding } from './binding-cookie.ts'
import { sendPage } from './html.ts'
import { refuseForeignForms } from './same-origin.ts'
import { refuseOtherMethods } from './rest.ts'

/**
 * The pages on which a person connects a provider. Opening one changes nothing; its form does. Registers a scope of its
 * own: bodies are forms there, errors are pages. Needs `@fastify/rate-limit`.
 */
export async function connectPages(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(async (scope) => {
    takeForms(scope)
    scope.setErrorHandler((error, request, reply) => sendProblem(error, request, reply))
    const perAddress = scope.createRateLimit({
      max: limits.connectPagesPerMinute,
      timeWindow: '1 minute',
      keyGenerator: (request) => request.ip,
    })
    scope.addHook('onRequest', async (request) => {
      const { isAllowed, isExceeded, ttlInSeconds } = (await perAddress(request)) as Spent
      if (!isAllowed && isExceeded)
        throw new GateError('too_many', `Too many requests. Try again in ${ttlInSeconds} s.`, ttlInSeconds)
      refuseForeignForms(deps, request)
    })

    const url = `${connectPath}/:token`
    scope.route({ method: ['GET', 'HEAD'], url, handler: (request, reply) => show(deps, request, reply) })
    scope.post(url, (request, reply) => connect(deps, request, reply))
    scope.get(slackCallbackPath, (request, reply) => finish(deps, request, reply))
    refuseOtherMethods(scope, url, ['GET', 'HEAD', 'POST'])
    refuseOtherMethods(scope, slackCallbackPath, ['GET'])
  })
}

interface Spent {
  isAllowed: boolean
  isExceeded?: boolean
  ttlInSeconds?: number
}

async function show(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return sendLink(deps, reply, tokenOf(request))
}

async function sendLink(
  deps: Deps,
  reply: FastifyReply,
  token: string,
  problem?: Surroundings['problem'],
): Promise<FastifyReply> {
  const link = await readLink(deps, token)
  return sendPage(
    reply,
    connectPage(link, {
      isSandbox: deps.providers.isSandbox,
      ...(link.provider === 'slack' ? { slackOrigin: slackOrigin(deps) } : {}),
      ...(problem ? { problem } : {}),
    }),
  )
}

async function connect(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const token = tokenOf(request)
  const { provider } = await readLink(deps, token)
  if (provider === 'slack') {
    const { url, binding } = await beginSlackInstall(deps, token)
    return reply
      .header('set-cookie', bindingCookie(deps, binding))
      .header('cache-control', 'no-store')
      .redirect(url.href, 303)
  }
  const form = (request.body ?? {}) as Partial<Record<string, string>>
  const given = {
    key: form['key'] ?? '',
    sender: form['sender'] ?? '',
    returnUrl: form['return_url'] ?? '',
  }
  try {
    return sendPage(reply, connectedPage(await connectByKey(deps, token, given)))
  } catch (error) {
    const known = toGateError(error)
    // What can be tried again is said above the form; where the link is over meanwhile, that is said.
    if (known?.code !== 'invalid' && known?.code !== 'unavailable') throw error
    return sendLink(deps, reply, token, {
      status: httpStatusOf[known.code],
      sentence: known.message,
      filled: given,
    })
  }
}

async function finish(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { state, code } = request.query as Record<string, unknown>
  const connected = await finishSlackInstall(deps, {
    state: typeof state === 'string' ? state : '',
    binding: readBinding(deps, request.headers.cookie),
    code: typeof code === 'string' && code !== '' ? code : undefined,
  })
  reply.header('set-cookie', bindingCookie(deps, undefined))
  return sendPage(reply, connectedPage(connected))
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toGateError(error)
  if (!known) {
    request.log.error({ err: error }, 'internal error')
    return sendPage(reply, problemPage(500, internalErrorSentence))
  }
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  const sentence = ofForms[known.code] ?? known.message
  return sendPage(reply, problemPage(httpStatusOf[known.code], sentence))
}

/** Where the API speaks of JSON. */
const ofForms: Partial<Record<GateError['code'], string>> = {
  malformed: 'The form could not be read. Open the link again.',
  too_large: 'The form is too large: paste the key alone.',
  unsupported_media: 'Use the form of the page.',
}

/** Bodies are forms, and small. */
function takeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: limits.connectFormBytesMax },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
}

const tokenOf = (request: FastifyRequest): string => (request.params as { token: string }).token
