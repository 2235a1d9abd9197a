import { canonical, type Json } from '../../gate/canonical.ts'
import { parseExactJson } from '../../gate/json/exact-json.ts'
import type { AccountKinds } from '../../operations/policy/policy-in-force.ts'
import type { PolicyEdit } from '../../operations/policy/document-to-store.ts'
import { parsePolicyDocument } from '../../operations/policy/parse-policy-document.ts'
import type { Fields } from './form-values.ts'

/** The change under review and the version it is based on. The pages carry the draft; it is not stored. */
export interface PolicyDraft {
  edit: PolicyEdit & { version: number }
  /** What the administrator writes about it. */
  note?: string | undefined
}

/** The draft as form fields, without its note. Pure. */
export const draftFields = ({ edit: { version, restores, ...document } }: PolicyDraft): Fields => ({
  version: String(version),
  document: canonical(document as unknown as Json),
  ...(restores === undefined ? {} : { restores: String(restores) }),
})

/** The draft as form fields. Pure. */
export const draftFieldsWithNote = (draft: PolicyDraft): Fields => ({
  ...draftFields(draft),
  ...(draft.note === undefined ? {} : { note: draft.note }),
})

/** Reads the draft of a form; undefined where it is not a policy document. */
export function parseDraft(kinds: AccountKinds, fields: Fields): PolicyDraft | undefined {
  try {
    const document = parsePolicyDocument(kinds, parseExactJson(fields['document'] ?? ''))
    const restores = fields['restores'] === undefined ? {} : { restores: Number(fields['restores']) }
    return { edit: { ...document, ...restores, version: Number(fields['version']) }, note: fields['note'] }
  } catch {
    return undefined
  }
}
