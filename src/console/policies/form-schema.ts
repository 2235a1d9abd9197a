import { z } from 'zod'
import { limits } from '../../limits.ts'

// What forms about policies may hold, and where they are.

export const policiesPath = '/console/policies'
export const reviewPath = `${policiesPath}/review`
export const presetPath = `${policiesPath}/preset`

/** One field, as it was entered. */
export const formText = z
  .string()
  .max(limits.policyFieldCharsMax, `must have at most ${limits.policyFieldCharsMax} characters`)

/** A policy document as JSON. */
export const formDocument = z
  .string()
  .max(limits.policyDocumentCharsMax, `must have at most ${limits.policyDocumentCharsMax} characters`)

/** A question to a policy: each of its fields may be missing. */
export const formQuestion = {
  kind: formText.optional(),
  amount: formText.optional(),
  currency: formText.optional(),
  tier: formText.optional(),
}
