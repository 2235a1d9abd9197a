import { z } from 'zod'
import { limits } from '../../limits.ts'

// Fields and addresses of the policy forms.

export const policiesPath = '/console/policies'
export const reviewPath = `${policiesPath}/review`
export const presetPath = `${policiesPath}/preset`

/** One form field. */
export const formText = z
  .string()
  .max(limits.policyFieldCharsMax, `must have at most ${limits.policyFieldCharsMax} characters`)

/** A policy document as JSON. */
export const formDocument = z
  .string()
  .max(limits.policyDocumentCharsMax, `must have at most ${limits.policyDocumentCharsMax} characters`)

/** The fields of a policy test; each is optional. */
export const formQuestion = {
  kind: formText.optional(),
  amount: formText.optional(),
  currency: formText.optional(),
  tier: formText.optional(),
}
