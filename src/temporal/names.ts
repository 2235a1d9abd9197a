// Names that workflows, workers and clients share. Imports nothing, so that workflow code can import it.

export const taskQueue = {
  gate: 'gate',
  slack: 'deliver-slack',
  email: 'deliver-email',
  billing: 'billing',
  executors: 'executors',
} as const
export type TaskQueue = (typeof taskQueue)[keyof typeof taskQueue]

/** The task queue of one preview host. */
export const previewQueue = (hostId: string): string => `previews-${hostId}`

export const workflowType = { proposal: 'proposal', reconcile: 'reconcile', preview: 'preview' } as const
export const signalName = { ask: 'ask', confirm: 'confirm', cancel: 'cancel', wake: 'wake' } as const
export type SignalName = keyof typeof signalName
export const previewSignal = { stop: 'stop', extend: 'extend' } as const
export const queryName = { progress: 'progress', state: 'state' } as const
export const scheduleId = { reconcile: 'gate-reconcile' } as const

/** Search attributes, for filters in the Temporal UI. */
export const searchAttribute = {
  account: 'AccountId',
  action: 'ActionId',
  kind: 'ActionKind',
  status: 'ActionStatus',
} as const

/** The input of a proposal's workflow: ids and dates, never a payload. */
export interface ProposalInput {
  account: string
  id: number
  uuid: string
  kind: string
  /** ISO 8601. */
  expiresAt: string
}

/** What the workflow of a proposal is started with, from its row or from its open part. */
export function workflowInput(
  row: { account_id: string; uuid: string; kind: string; expires_at: Date | null } & (
    | { id: number }
    | { action_id: number }
  ),
): ProposalInput {
  return {
    account: row.account_id,
    id: 'id' in row ? row.id : row.action_id,
    uuid: row.uuid,
    kind: row.kind,
    expiresAt: row.expires_at!.toISOString(),
  }
}

/** Readable in the Temporal UI; the uuid keeps it unique if the database is restored or reset. */
export function proposalWorkflowId(p: { account: string; id: number; uuid: string }): string {
  return `proposal:${p.account}:${p.id}:${p.uuid.slice(0, 8)}`
}

/** The Temporal UI with the workflows of proposals and previews, without the service's own. */
export function workflowsUrl(uiUrl: string, namespace: string): string {
  const query = encodeURIComponent('WorkflowType IN ("proposal", "preview")')
  return `${uiUrl.replace(/(?<!\/)\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows?query=${query}`
}

/** The input of a preview's workflow: ids and dates, never a link or its secret. */
export interface PreviewInput {
  account: string
  previewId: string
  /** The action that started it. */
  actionId: number
  /** ISO 8601; the database has a later time if the preview was extended. */
  expiresAt: string
  /** How long it can take to start on its host. */
  bootMs: number
}

/** A preview's id is random, so it is unique across databases. */
export function previewWorkflowId(p: { account: string; previewId: string }): string {
  return `preview:${p.account}:${p.previewId}`
}
