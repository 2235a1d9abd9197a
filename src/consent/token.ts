import type { ConsentChannel } from '../gate/consent.ts'
import { sha256 } from '../ledger/digest.ts'

/**
 * What is kept of a request's token, once it was sent. What came by one way is not known by the other: they are not equally
 * strong.
 */
export const hashOfToken = (via: ConsentChannel, token: string): Buffer => sha256(`consent ${via} ${token}`)
