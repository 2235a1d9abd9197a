import { z } from 'zod'

/** What an administrator's row allows: see `AdminRole`. */
export const adminRole = z.enum(['administrator', 'auditor'], 'must be administrator or auditor')
