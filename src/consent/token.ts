import type { ConsentChannel } from '../gate/consent.ts'
import { sha256 } from '../ledger/digest.ts'

/**
 * The stored hash of a consent token. The channel is part of it: a token sent through one channel is not valid through
 * the other, because they are not equally strong.
 */
export const hashOfToken = (via: ConsentChannel, token: string): Buffer => sha256(`consent ${via} ${token}`)
