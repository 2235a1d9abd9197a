import type { Deps } from '../../deps.ts'
import { canonical, type Json } from '../../gate/canonical.ts'
import { parsePolicyDocument } from '../../operations/admin/policy.ts'
import type { PolicyDocument } from '../../operations/admin/policy-document.ts'
import type { Fields } from './form-values.ts'

/** The changes under review and the version they are based on. The pages carry the draft; it is not stored. */
export type PolicyDraft = PolicyDocument & { version: number }

/** The draft as hidden form fields. Pure. */
export const draftFields = ({ version, ...document }: PolicyDraft): Fields => ({
  version: String(version),
  document: canonical(document as unknown as Json),
})

/** Reads the draft of a form; undefined where it is not a policy document. */
export function parseDraft(deps: Pick<Deps, 'kinds'>, fields: Fields): PolicyDraft | undefined {
  try {
    const document = parsePolicyDocument(deps, JSON.parse(fields['document'] ?? ''))
    return { ...document, version: Number(fields['version']) }
  } catch {
    return undefined
  }
}
