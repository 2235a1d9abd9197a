import { sha256 } from '../../ledger/digest.ts'

export const signInPath = '/console/sign-in'

/** The stored hash of a link token. */
export const linkHash = (token: string): Buffer => sha256(`sign-in link ${token}`)

/** The stored hash of a client network. */
export const askerHash = (network: string): Buffer => sha256(`sign-in network ${network}`)

/** The stored hash of a session token. The prefix keeps link and session tokens from being interchangeable. */
export const sessionHash = (token: string): Buffer => sha256(`session ${token}`)
