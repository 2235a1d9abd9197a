import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'
import { parseInput } from '../operations/parse.ts'
import { lacksPower, mayCall } from '../operations/key-powers.ts'
import { awaitSealed } from '../operations/seals/await-sealed.ts'
import { readEpochConsistency } from '../operations/seals/epoch-consistency.ts'
import { readCheckpoint, readConsistency, readProof, readTile } from '../operations/seals/ledger-proofs.ts'
import { hangUp } from '../web/hang-up.ts'
import { queryOf } from '../web/query-of.ts'
import { perMinute } from '../web/rate-limit.ts'
import { refuseOtherMethods } from './rest.ts'

/**
 * What outside verifiers check a ledger with: checkpoints, proofs and tiles. They are texts and bytes in the forms of C2SP, which programs
 * read that know nothing of the gate, so these are no operations and have no tools.
 * @source docs/proof.md
 */

export const checkpointPath = '/api/v1/ledger/checkpoint'
/** Public, as the checkpoint. */
export const epochConsistencyPath = '/api/v1/ledger/epochs/consistency'
export const proofPath = '/api/v1/ledger/{seq}/proof'
export const consistencyPath = '/api/v1/ledger/consistency'
export const tilePath = '/api/v1/ledger/tile/{tile}'

const seq = z.coerce
  .number<string>('must be a whole number')
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(Number.MAX_SAFE_INTEGER, 'is too large')
export const proofQuery = z.strictObject({
  wait: z
    .literal('sealed', 'must be sealed')
    .optional()
    .meta({ description: `Waits until the entry is sealed, at most ${limits.sealWaitSeconds} seconds.` }),
})
export const consistencyQuery = z.strictObject({
  from: seq.meta({ description: 'The entries that you know the root of.' }),
  to: seq.optional().meta({ description: 'The entries of the larger tree; if absent: all that are sealed.' }),
})

export const epochConsistencyQuery = z.strictObject({
  from: seq.meta({ description: 'The size of the checkpoint that you have.' }),
  to: seq.optional().meta({ description: 'The size of the newer checkpoint; if absent: of the last one.' }),
})

const text = 'text/plain; charset=utf-8'

/** The epochs, which need no key: they tell nothing about an account, and not how much it did. */
export function epochRoutes(app: FastifyInstance, deps: Deps): void {
  let kept: Promise<string> | undefined
  const forget = () => void (kept = undefined)
  // Anyone may ask: requests of one moment share one statement.
  const checkpoint = () =>
    (kept ??= readCheckpoint(deps.db).finally(() => setTimeout(forget, limits.readinessKeptMs).unref()))
  const soonOld = 'public, max-age=5'
  app.get(checkpointPath, async (_request, reply) => {
    const note = await checkpoint()
    return reply.header('cache-control', soonOld).type(text).send(note)
  })
  refuseOtherMethods(app, checkpointPath, ['GET'])
  const spend = perMinute(app, limits.epochPathsPerMinute, 'Too many requests for proofs.')
  app.get(epochConsistencyPath, async (request, reply) => {
    await spend(request)
    const range = parseInput(epochConsistencyQuery, queryOf(request))
    const path = await readEpochConsistency(deps.db, range, sizeOf(await checkpoint()))
    const caching = range.to === undefined ? soonOld : 'public, max-age=31536000, immutable'
    return reply.header('cache-control', caching).type(text).send(path)
  })
  refuseOtherMethods(app, epochConsistencyPath, ['GET'])
}

/** The second line of a checkpoint. */
const sizeOf = (checkpoint: string): number => Number(checkpoint.split('\n', 2)[1])

/** The other addresses. The scope authenticates. */
export function ledgerRoutes(app: FastifyInstance, deps: Deps): void {
  const url = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')
  const route = (
    path: string,
    serve: (account: string, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ) => {
    app.route({
      method: 'GET',
      url: path,
      handler: (request, reply) => serve(readerOf(request), request, reply),
    })
    refuseOtherMethods(app, path, ['GET'])
  }
  route(url(proofPath), async (account, request, reply) => {
    const { wait } = parseInput(proofQuery, queryOf(request))
    const n = pathNumber((request.params as { seq: string }).seq)
    if (wait !== undefined) await awaitSealed(deps, request.caller!, n, hangUp(reply))
    return reply.type(text).send(await readProof(deps.db, account, n))
  })
  route(url(consistencyPath), async (account, request, reply) => {
    const range = parseInput(consistencyQuery, queryOf(request))
    const path = await readConsistency(deps.db, account, range)
    // Without an end the answer is another one once more is sealed.
    return (range.to === undefined ? reply : immutable(reply)).type(text).send(path)
  })
  route('/api/v1/ledger/tile/*', async (account, request, reply) => {
    parseInput(z.strictObject({}), queryOf(request))
    const tile = tileOf((request.params as { '*': string })['*'])
    // First the tile: a refusal is not for ever.
    const hashes = await readTile(deps.db, account, tile)
    return immutable(reply).type('application/octet-stream').send(hashes)
  })
}

/** Sealed data never changes; only this key's holder may keep it. */
const immutable = (reply: FastifyReply): FastifyReply =>
  reply.header('cache-control', 'private, max-age=31536000, immutable')

/** The account whose whole ledger the key may read. @throws GateError `forbidden` */
function readerOf(request: FastifyRequest): string {
  const caller = request.caller!
  if (!mayCall(caller, { powers: ['read'] })) throw lacksPower(caller, 'read')
  if (caller.actors === null) return caller.account
  throw new GateError(
    'forbidden',
    'This API key is bound to members. The ledger has entries of all members: use a key that is not bound.',
    { detail: 'key_member_not_allowed' },
  )
}

function pathNumber(given: string): number {
  const n = /^[1-9]\d{0,15}$/.test(given) ? Number(given) : Number.NaN
  if (!Number.isSafeInteger(n))
    throw new GateError('not_found', `Entry ${given.slice(0, 40)} was not found in this ledger.`, {
      param: 'seq',
    })
  return n
}

/** The name of a tile: `<level>/<n>` or `<level>/<n>.p/<width>`, with n in groups of three digits: `x001/x234/067`. */
export function tileOf(name: string): { level: number; n: number; width: number } {
  const [, level, groups, width] =
    /^([0-7])\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(name) ?? []
  const n = Number(groups?.replaceAll(/[x/]/g, ''))
  const isTile =
    groups !== undefined &&
    (width === undefined || Number(width) < 256) &&
    Number.isSafeInteger(n) &&
    !groups.startsWith('x000')
  if (!isTile)
    throw new GateError(
      'not_found',
      'Tiles are at LEVEL/N, with N such as 000 or x001/234, and LEVEL/N.p/WIDTH for the first hashes of one.',
    )
  return { level: Number(level), n, width: width === undefined ? 256 : Number(width) }
}
