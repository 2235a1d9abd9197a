import { randomBytes } from 'node:crypto'

/** A random text that nobody guesses, as it stands in a link or a cookie: 256 bits. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text is formed like one: says no before any database is asked. */
export const isTokenForm = (text: string): boolean => /^[\w-]{43}$/.test(text)
