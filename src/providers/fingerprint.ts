import { createHash } from 'node:crypto'

/** Identifies a credential. Keys are too long to be guessed from it. */
export const fingerprintOf = (credential: string): string =>
  createHash('sha256').update(`credential ${credential}`).digest('hex').slice(0, 16)
