import type { Logger } from 'pino'
import { proposalWorkflowId } from './names.ts'

/** The steps of an action that are logged. `claimed`: its execution was taken up, by a worker or by an executor. */
export type ActionStep = 'proposed' | 'asked' | 'decided' | 'claimed' | 'attempt' | 'outcome'

export interface LoggedAction {
  account_id: string
  id: number
  uuid: string
  kind: string
  created_at?: Date
  decided_at?: Date | null
}

/** Takes every step that is logged. */
export type StepObserver = (row: LoggedAction, step: ActionStep, fields: Record<string, unknown>) => void

export type StepLog = Pick<Logger, 'info'>

/**
 * Writes the one line of a step of an action. The log of a request adds its id.
 * @param fields  ids, codes and counts. No payload, no address, no secret
 * @source docs/operating.md#read-the-log
 */
export function logStep(
  { log, onStep }: { log: StepLog; onStep?: StepObserver | undefined },
  row: LoggedAction,
  step: ActionStep,
  fields: Record<string, unknown> = {},
): void {
  const { account_id: account, id, uuid, kind } = row
  const workflow = proposalWorkflowId({ account, id, uuid })
  const said = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
  onStep?.(row, step, said)
  log.info({ step, account, action: id, kind, workflow, ...said }, `action ${step}`)
}
