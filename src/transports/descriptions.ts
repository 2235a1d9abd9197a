import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { overRest } from '../operations/administration/admin-operation.ts'
import { adminOperations } from '../operations/administration/registry.ts'
import type { Operation } from '../operations/operation.ts'
import { kindsInForce, proposalsOfKinds } from '../operations/proposals/propose-declared.ts'
import { isOfKind } from '../operations/require-key-kind.ts'
import { shownKinds } from '../operations/shown-kinds.ts'
import type { Authenticator } from './auth.ts'
import { llmsTxt } from './llms.ts'
import { openapi } from './openapi.ts'
import { refuseOtherMethods } from './rest.ts'

interface Descriptions {
  openapi: string
  llms: string
}

/**
 * The descriptions of the interface. Without a key they are public, and always the same; with a key they also describe the kinds
 * that its account declared.
 */
export function descriptionRoutes(
  app: FastifyInstance,
  deps: Deps,
  served: Operation[],
  authenticate: Authenticator,
): void {
  const { TOOLS: groups } = deps.config
  const own = [...deps.kinds.own.values()]
  const inRest = [...served, ...adminOperations.map(overRest)]
  let made: Descriptions | undefined
  // Made for the first who asks: it takes a sixth of the time in which an API starts.
  const general = (): Descriptions =>
    (made ??= {
      openapi: JSON.stringify(openapi(inRest, shownKinds(own))),
      llms: llmsTxt(served, groups),
    })

  async function described(request: FastifyRequest, reply: FastifyReply): Promise<Descriptions> {
    reply.header('vary', 'Authorization')
    if (request.headers.authorization === undefined) return general()
    const caller = await authenticate(request)
    reply.header('cache-control', 'no-store')
    const all = kindsInForce(await deps.kinds.now(caller.account))
    const declared = all.filter(({ kind }) => isOfKind(caller, kind))
    if (declared.length === 0) return general()
    return {
      openapi: JSON.stringify(
        openapi(inRest, shownKinds([...own, ...declared]), proposalsOfKinds(served, declared)),
      ),
      llms: llmsTxt(served, groups, declared),
    }
  }

  app.get('/api/openapi.json', async (request, reply) => {
    const { openapi: text } = await described(request, reply)
    return reply.type('application/json; charset=utf-8').send(text)
  })
  app.get('/llms.txt', async (request, reply) => {
    const { llms: text } = await described(request, reply)
    return reply.type('text/plain; charset=utf-8').send(text)
  })
  for (const url of ['/api/openapi.json', '/llms.txt']) refuseOtherMethods(app, url, ['GET'])
}
