import { z } from 'zod'

export const passkeysPath = '/console/passkeys'

/** The id of a passkey in a path. */
export const passkeyId = z.string().regex(/^pk_[0-9A-Za-z]{16}$/)
