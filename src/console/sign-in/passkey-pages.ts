import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { networkOf } from '../../network/network-of.ts'
import { offerPasskeySignIn, signInByPasskey } from '../../operations/passkeys/sign-in-by-passkey.ts'
import { refuseOtherMethods } from '../../transports/rest.ts'
import { html } from '../../web/html.ts'
import {
  assertionFields,
  passkeyAttributes,
  passkeyButton,
  passkeyProblem,
  signedFields,
} from '../../web/passkey-form.ts'
import { passkeyScript } from '../../web/passkey-script.ts'
import { fieldsOf } from '../../web/take-forms.ts'
import { afterSignInPath, sessionToken, setSession } from '../cookies.ts'
import { sendConsolePage } from '../layout.ts'
import type { View } from '../page.ts'

const url = '/sign-in/passkey'

/**
 * Signing in with a passkey, beside the mailed link.
 * @param spend  counts an attempt against the bound of its address
 * @param firstPage  where a session begins that was not sent here from a page
 */
export function passkeySignInRoutes(
  scope: FastifyInstance,
  deps: Deps,
  spend: (request: FastifyRequest) => Promise<void>,
  firstPage: (deps: Deps, token: string) => Promise<string>,
): void {
  scope.route({
    method: ['GET', 'HEAD'],
    url,
    handler: async (request, reply) => send(deps, request, reply, await signInView(deps)),
  })
  scope.post(url, async (request, reply) => {
    await spend(request)
    const token = await signInByPasskey(deps, fieldsOf(request), {
      former: sessionToken(deps, request),
      asker: networkOf(request.ip),
      browser: request.headers['user-agent'],
      address: request.ip,
    })
    setSession(deps, reply, token)
    const asked = afterSignInPath(deps, request, reply)
    const path = asked === '/console' ? await firstPage(deps, token) : asked
    return reply.header('cache-control', 'no-store').redirect(path, 303)
  })
  refuseOtherMethods(scope, url, ['GET', 'HEAD', 'POST'])
}

const send = (deps: Deps, request: FastifyRequest, reply: FastifyReply, view: View) =>
  sendConsolePage(reply, view, { path: request.url, isSandbox: deps.isSandbox })

async function signInView(deps: Deps): Promise<View> {
  const { site, origin, challenge, nonce } = await offerPasskeySignIn(deps)
  return {
    title: 'Sign in with a passkey',
    script: passkeyScript,
    body: html`<p>Your device shows the passkeys that it has for this service.</p>
      <form method="post" ${passkeyAttributes('sign_in', { site, origin, challenge })}>
        <input type="hidden" name="nonce" value="${nonce}" />
        ${signedFields([...assertionFields, 'user_handle'])} ${passkeyProblem} ${passkeyButton('Sign in')}
      </form>
      <p>No passkey here? <a href="/console/sign-in">Sign in by a link in your e-mail</a>.</p>`,
  }
}
