import { sha256 } from '../../ledger/digest.ts'

export const signInPath = '/console/sign-in'

/** What is kept of the token of a link. */
export const linkHash = (token: string): Buffer => sha256(`sign-in link ${token}`)

/** What is kept of the network that a link was asked for from, or a session begun. */
export const askerHash = (network: string): Buffer => sha256(`sign-in network ${network}`)

/** What is kept of the token in a session's cookie: neither is good in place of the other. */
export const sessionHash = (token: string): Buffer => sha256(`session ${token}`)
