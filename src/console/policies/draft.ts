import type { Deps } from '../../deps.ts'
import { canonical, type Json } from '../../gate/canonical.ts'
import { parsePolicyDocument } from '../../operations/admin/policy.ts'
import type { PolicyDocument } from '../../operations/admin/policy-document.ts'
import type { Fields } from './form-values.ts'

/** The changes under review, and the version that they were begun from. The pages hold them: nothing is stored. */
export type PolicyDraft = PolicyDocument & { version: number }

/** As the hidden fields of a form. Pure. */
export const draftFields = ({ version, ...document }: PolicyDraft): Fields => ({
  version: String(version),
  document: canonical(document as unknown as Json),
})

/** What a form held; undefined where that is no policy document. */
export function parseDraft(deps: Pick<Deps, 'kinds'>, fields: Fields): PolicyDraft | undefined {
  try {
    const document = parsePolicyDocument(deps, JSON.parse(fields['document'] ?? ''))
    return { ...document, version: Number(fields['version']) }
  } catch {
    return undefined
  }
}
