import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type HookSignature, type Signer, answerMac, isSignedBy } from '../../keys/hook-signature.ts'
import { type Caller, authenticateRunner, refusedKey } from '../authenticate.ts'
import { findSigner } from '../keys/runner-signing.ts'

/** How far the time of a signed request may be off. */
const hookClockOffMs = 300_000

export { signatureIn } from '../../keys/hook-signature.ts'

/** A request with a right signature. Its key may be no longer valid. */
export interface Signed extends Signer {
  signature: HookSignature
  /** Its body was read, and is the one that was signed. */
  hasBody: boolean
}

/** A request that says that it was signed. */
export interface SignedRequest {
  /** The path with its query, as it was sent. */
  target: string
  /** The client's address. */
  address: string
  signature: HookSignature
  /** Called once its signature was found right, before its key and its time are checked: from then on answers are signed. */
  isRight(signed: Signed): void
}

/**
 * How a signed request is authenticated. A wrong signature with a known name costs no read of the database, and counts as a failure
 * of its address, not of the key: `sent` is what failures are counted by.
 */
export function signedLookUp(
  deps: Deps,
  request: SignedRequest,
): { sent: Buffer | undefined; lookUp: () => Promise<Caller> } {
  const { target, address, signature } = request
  const kept = deps.kept.signers.get(signature.name)
  if (kept && !isSignedBy(kept.secret, target, signature))
    return { sent: undefined, lookUp: () => Promise.reject(refusedKey()) }
  return {
    sent: kept?.hash ?? signature.name,
    async lookUp() {
      const signer = kept ?? (await findSigner(deps, signature.name))
      if (!signer || !isSignedBy(signer.secret, target, signature)) throw refusedKey()
      request.isRight({ ...signer, signature, hasBody: false })
      requireTime(deps, signature)
      return authenticateRunner(deps, signer.hash, address)
    },
  }
}

/** A request that was seen on its way can be sent again for as long as its time is accepted: so nonces are known for longer. */
function requireTime({ now }: Pick<Deps, 'now'>, { time }: HookSignature): void {
  const [signedMs, nowMs] = [time * 1_000, now().getTime()]
  if (Math.abs(nowMs - signedMs) <= hookClockOffMs) return
  throw new GateError(
    'forbidden',
    `This request was signed at ${instantOf(signedMs)}, and at the gate it is ${instantOf(nowMs)}. Set the clock of this machine.`,
  )
}

/** An instant beyond what a date can be is shown as seconds. */
function instantOf(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? `${ms / 1_000} s` : date.toISOString()
}

/** An answer with the gate's MAC over it as its last line. Pure. */
export const signedAnswer = ({ secret, signature }: Signed, status: number, text: string): string =>
  `${text}\n${answerMac(secret, signature.mac, status, text)}`
