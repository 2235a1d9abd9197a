import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Deps } from '../deps.ts'
import { httpStatusOf } from '../errors.ts'
import { connectByKey } from '../operations/connect-by-key.ts'
import { connectPath, readLink, slackCallbackPath } from '../operations/connect-link.ts'
import { beginSlackInstall, finishSlackInstall, slackOrigin } from '../operations/install-slack.ts'
import { toGateError } from './answer-errors.ts'
import { type Surroundings, connectPage, connectedPage, problemPage } from './connect-html.ts'
import { bindingCookie, readBinding } from './binding-cookie.ts'
import { formPages } from './form-pages.ts'
import { sendPage } from './html.ts'
import { refuseOtherMethods } from './rest.ts'

/** The pages on which a person connects a provider. Opening one changes nothing; its form does. */
export async function connectPages(app: FastifyInstance, deps: Deps): Promise<void> {
  await formPages(app, deps, { problemPage, sentences }, (scope) => {
    const url = `${connectPath}/:token`
    scope.route({ method: ['GET', 'HEAD'], url, handler: (request, reply) => show(deps, request, reply) })
    scope.post(url, (request, reply) => connect(deps, request, reply))
    scope.get(slackCallbackPath, (request, reply) => finish(deps, request, reply))
    refuseOtherMethods(scope, url, ['GET', 'HEAD', 'POST'])
    refuseOtherMethods(scope, slackCallbackPath, ['GET'])
  })
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

/** Where the API speaks of JSON. */
const sentences = { too_large: 'The form is too large: paste the key alone.' }

const tokenOf = (request: FastifyRequest): string => (request.params as { token: string }).token
