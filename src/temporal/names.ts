// Plain strings that workflows, workers and clients share. Imports nothing, so that workflow code may import it.

export const taskQueue = {
  gate: 'gate',
  slack: 'deliver-slack',
  email: 'deliver-email',
  billing: 'billing',
} as const
export type TaskQueue = (typeof taskQueue)[keyof typeof taskQueue]

/** The queue of what must be done on one host of previews. */
export const previewQueue = (hostId: string): string => `previews-${hostId}`

export const workflowType = { proposal: 'proposal', reconcile: 'reconcile', preview: 'preview' } as const
export const signalName = { ask: 'ask', confirm: 'confirm', cancel: 'cancel' } as const
export type SignalName = keyof typeof signalName
export const previewSignal = { stop: 'stop', extend: 'extend' } as const
export const queryName = { progress: 'progress', state: 'state' } as const
export const scheduleId = { reconcile: 'gate-reconcile' } as const

/** Search attributes and their types, as an operator filters by them in the Temporal UI. */
export const searchAttribute = {
  account: 'AccountId',
  action: 'ActionId',
  kind: 'ActionKind',
  status: 'ActionStatus',
} as const

/** What a proposal's workflow is started with: ids and dates, never a payload. */
export interface ProposalInput {
  account: string
  id: number
  uuid: string
  kind: string
  /** ISO 8601. */
  expiresAt: string
}

/** Legible in the Temporal UI; the uuid keeps it unique after a restored or wiped database. */
export function proposalWorkflowId(p: { account: string; id: number; uuid: string }): string {
  return `proposal:${p.account}:${p.id}:${p.uuid.slice(0, 8)}`
}

/** What a preview's workflow is started with: ids and dates, never a link or its secret. */
export interface PreviewInput {
  account: string
  previewId: string
  /** The row of its start. */
  actionId: number
  /** ISO 8601; the ledger has a later one once it was asked for again. */
  expiresAt: string
  /** How long it may take to run, once it has a host. */
  bootMs: number
}

/** A preview's id is random: it names its workflow in every database. */
export function previewWorkflowId(p: { account: string; previewId: string }): string {
  return `preview:${p.account}:${p.previewId}`
}
