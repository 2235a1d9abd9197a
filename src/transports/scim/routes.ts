import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Deps } from '../../deps.ts'
import { directoryPower } from '../../keys/rights.ts'
import { scimPath, scimUrl } from '../../operations/directory/address.ts'
import { lacksPower } from '../../operations/key-powers.ts'
import { noteWriteRefused } from '../../operations/refused-write.ts'
import { isRead } from '../../web/answer-errors.ts'
import { errorSender } from '../auth.ts'
import { takeJsonAs } from '../json-body.ts'
import { refuseOtherMethods } from '../rest.ts'
import { named, resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { groupsServed } from './groups.ts'
import { type Served, contextOf, found, idIn, mediaType, sendScimError } from './http.ts'
import { listOf } from './messages.ts'
import { usersMax, usersServed } from './users.ts'

type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/**
 * The directory of a company keeps the account's members and groups over SCIM 2.0. The scope authenticates.
 * @source RFC 7643, RFC 7644; docs/directory.md
 */
export function scimRoutes(app: FastifyInstance, deps: Deps, authenticate: Authenticate): void {
  app.setErrorHandler(errorSender(authenticate, sendScimError))
  takeJsonAs(app, mediaType)
  app.addHook('preHandler', (request) => requireDirectory(deps, request))
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.hasHeader('content-type')) reply.header('content-type', `${mediaType}; charset=utf-8`)
    return payload
  })
  const base = () => scimUrl(deps).slice(0, -scimPath.length)
  const paths: Record<string, Served> = {
    '/ServiceProviderConfig': { GET: async () => serviceProviderConfig(base(), usersMax) },
    '/ResourceTypes': { GET: async () => listOf(resourceTypes(base())) },
    '/ResourceTypes/:id': {
      GET: async (_, request) => found(named(resourceTypes(base()), idIn(request))),
    },
    '/Schemas': { GET: async () => listOf(schemas(base())) },
    '/Schemas/:id': { GET: async (_, request) => found(named(schemas(base()), idIn(request))) },
    ...usersServed(base),
    ...groupsServed(base),
  }
  for (const [path, served] of Object.entries(paths)) {
    const url = `${scimPath}${path}`
    for (const [method, serve] of Object.entries(served))
      app.route({
        method: method as HTTPMethods,
        url,
        config: { tool: 'scim' },
        handler: async (request, reply) => serve(contextOf(deps, request), request, reply),
      })
    refuseOtherMethods(app, url, Object.keys(served) as HTTPMethods[])
  }
}

async function requireDirectory(deps: Deps, request: FastifyRequest): Promise<void> {
  const caller = request.caller!
  if (caller.powers.includes(directoryPower)) return
  if (!isRead(request)) await noteWriteRefused({ ...caller, deps, source: 'api' }, 'scim', 'power')
  throw lacksPower(caller, directoryPower)
}
