import { z } from 'zod'
import { limits } from '../../limits.ts'
import { line } from '../../operations/entered-fields.ts'
import { optionally } from '../forms.ts'

// Fields and addresses of the policy forms.

export const policiesPath = '/console/policies'
export const reviewPath = `${policiesPath}/review`
export const presetPath = `${policiesPath}/preset`
export const settingsPath = `${policiesPath}/settings`
/** The rules about tool calls of agent runners. */
export const toolCallsPath = `${policiesPath}/tool-calls`
/** What mandates for a kind may be. */
export const ceilingPath = (kind: string): string => `${policiesPath}/mandates/${kind}`
export const kindPath = (kind: string): string => `${policiesPath}/kinds/${kind}`

/** The part of the policy that is no kind: the settings of all kinds. Each part has a form of its own. */
export const settingsPart = 'settings'
export const pathOfPart = (part: string): string => (part === settingsPart ? settingsPath : kindPath(part))

/** One form field. */
export const formText = z
  .string()
  .max(limits.policyFieldCharsMax, `must have at most ${limits.policyFieldCharsMax} characters`)

/** A policy document as JSON. */
export const formDocument = z
  .string()
  .max(limits.policyDocumentCharsMax, `must have at most ${limits.policyDocumentCharsMax} characters`)

/** What the administrator writes about the change. */
export const formNote = optionally(line(limits.policyNoteCharsMax))

/** Text of an example tool call. It stands in an address, which has a bound. */
const formExample = z
  .string()
  .max(limits.exampleInputCharsMax, `must have at most ${limits.exampleInputCharsMax} characters`)

/** The fields of a policy test; each is optional. */
export const formQuestion = {
  kind: formText.optional(),
  amount: formText.optional(),
  currency: formText.optional(),
  tier: formText.optional(),
  tool: formExample.optional(),
  input: formExample.optional(),
  runner: formText.optional(),
  cwd: formExample.optional(),
}
