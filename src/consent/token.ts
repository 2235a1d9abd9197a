import { randomBytes } from 'node:crypto'
import { type ConsentChannel } from '../gate/consent.ts'
import { sha256 } from '../ledger/digest.ts'

/** What a request carries that only its receiver has: 256 bits. */
export const newConsentToken = (): string => randomBytes(32).toString('base64url')

/** What is kept of it, once it was sent. What came by one way is not known by the other: they are not equally strong. */
export const hashOfToken = (via: ConsentChannel, token: string): Buffer => sha256(`consent ${via} ${token}`)

/** Whether a text can be a token at all. */
export const isTokenForm = (text: string): boolean => /^[\w-]{43}$/.test(text)
