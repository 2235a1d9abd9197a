import { z } from 'zod'
import { limits } from '../../limits.ts'

// What forms about policies may hold, and where they are.

export const policiesPath = '/console/policies'
export const reviewPath = `${policiesPath}/review`
export const presetPath = `${policiesPath}/preset`

/** One field, as it was entered. */
export const entered = z
  .string()
  .max(limits.policyFieldCharsMax, `must have at most ${limits.policyFieldCharsMax} characters`)

/** A policy document as JSON. */
export const enteredDocument = z
  .string()
  .max(limits.policyDocumentCharsMax, `must have at most ${limits.policyDocumentCharsMax} characters`)

/** A question to a policy: each of its fields may be missing. */
export const enteredQuestion = {
  kind: entered.optional(),
  amount: entered.optional(),
  currency: entered.optional(),
  tier: entered.optional(),
}
