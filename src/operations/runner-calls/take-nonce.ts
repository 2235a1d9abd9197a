import { randomUUID } from 'node:crypto'
import { claimNonce } from '../../db/queries/runner/runner-signing.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { RunnerContext } from './runner-context.ts'

/**
 * Takes the nonce of a signed request, so that nobody who saw the request can have it answered again. This process knows the nonce at
 * once, all of them when the returned function was called: before something is asked for or spent. What needs no consent is recorded
 * once by the id of the call.
 * @throws GateError `conflict` where the request was sent before
 */
export function nonceTaker({ deps, account, keyId }: RunnerContext, nonce: Buffer): () => Promise<void> {
  const name = `${keyId} ${nonce.toString('hex')}`
  if (deps.keptNonces.get(name)) throw sentBefore()
  deps.keptNonces.keep(name, true)
  const request = randomUUID()
  let taken: Promise<boolean> | undefined
  return async () => {
    taken ??= claimNonce(deps.db, { account, keyId, nonce, request, keptMs: limits.hookNonceMs })
    if (!(await taken)) throw sentBefore()
  }
}

const sentBefore = (): GateError =>
  new GateError('conflict', 'This request was sent before: it is not answered twice. Make the call again.')
