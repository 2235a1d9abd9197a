import type { Deps } from '../../../src/deps.ts'
import { makeDirectoryToken } from '../../../src/operations/directory/token.ts'

export interface ScimAnswer {
  status: number
  type: string | null
  // Tests look into answers of every shape.
  body: any
}

/** Speaks SCIM with a token. */
export const scimClient = (url: string, token: string) => {
  const send = async (method: string, path: string, body?: unknown): Promise<ScimAnswer> => {
    const answer = await fetch(`${url}/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/scim+json',
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json; charset=utf-8' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  return {
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body: unknown) => send('POST', path, body),
    put: (path: string, body: unknown) => send('PUT', path, body),
    remove: (path: string) => send('DELETE', path),
    patch: (path: string, ...Operations: unknown[]) =>
      send('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations }),
  }
}

export type ScimClient = ReturnType<typeof scimClient>

/** The directory of an account, with a token of its own. */
export async function directoryOf(
  { deps, api }: { deps: Deps; api: { url: string } },
  account: string,
  name = 'Okta',
): Promise<ScimClient & { token: string; keyId: string }> {
  const { token, keyId } = await makeDirectoryToken({ db: deps.db, account, session: null }, { name })
  return { ...scimClient(api.url, token), token, keyId }
}

/** A user as directories send one. */
export const scimUser = (name: string, given: Record<string, unknown> = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `${name}@corp.example`,
  name: { givenName: name, familyName: 'Test' },
  emails: [{ primary: true, value: `${name}@corp.example`, type: 'work' }],
  displayName: `${name} Test`,
  externalId: `00u${name}`,
  active: true,
  ...given,
})
