import type { Connection } from '@temporalio/client'
import { SearchAttributeType, type SearchAttributePair, defineSearchAttributeKey } from '@temporalio/common'
import { type PreviewInput, type ProposalInput, searchAttribute } from './names.ts'

const account = defineSearchAttributeKey(searchAttribute.account, SearchAttributeType.KEYWORD)
const action = defineSearchAttributeKey(searchAttribute.action, SearchAttributeType.INT)
const kind = defineSearchAttributeKey(searchAttribute.kind, SearchAttributeType.KEYWORD)
const status = defineSearchAttributeKey(searchAttribute.status, SearchAttributeType.KEYWORD)

/** The search attributes of a proposal. No payload, no address. */
export function actionAttributes(proposal: ProposalInput, actionStatus: string): SearchAttributePair[] {
  return [
    { key: account, value: proposal.account },
    { key: action, value: proposal.id },
    { key: kind, value: proposal.kind },
    { key: status, value: actionStatus },
  ]
}

/** The search attributes of a preview, from the action that started it. */
export function previewAttributes(preview: PreviewInput, state: string): SearchAttributePair[] {
  return [
    { key: account, value: preview.account },
    { key: action, value: preview.actionId },
    { key: kind, value: 'preview' },
    { key: status, value: state },
  ]
}

// The numbers of temporal.api.enums.v1.IndexedValueType.
const indexedValueType = { keyword: 2, int: 3 }

/** Registers missing search attributes in a namespace. */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
  const wanted = {
    [searchAttribute.account]: indexedValueType.keyword,
    [searchAttribute.action]: indexedValueType.int,
    [searchAttribute.kind]: indexedValueType.keyword,
    [searchAttribute.status]: indexedValueType.keyword,
  }
  const missing = Object.entries(wanted).filter(([name]) => !(name in (customAttributes ?? {})))
  if (missing.length === 0) return
  await connection.operatorService
    .addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(missing) })
    .catch((error: unknown) => {
      // Another process registered them at the same time.
      if (!/already exists/i.test(String(error))) throw error
    })
}
