import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { limits } from '../limits.ts'
import { refuseOtherMethods } from './rest.ts'

const path = '/.well-known/gate-receipts.json'

/** The keys of receipts, for everyone. A flood of requests costs the database a few small reads a second. */
export function receiptKeyRoutes(app: FastifyInstance, { receipts }: Pick<Deps, 'receipts'>): void {
  app.get(path, async (_request, reply) => {
    const keys = await receipts.published()
    return reply
      .header('cache-control', `public, max-age=${limits.jwksKeptSeconds}`)
      .header('access-control-allow-origin', '*')
      .send(keys)
  })
  refuseOtherMethods(app, path, ['GET'])
}
