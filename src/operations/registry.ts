import type { ActionKind } from '../actions/kind.ts'
import { awaitAction } from './proposals/await-action.ts'
import { cancelAction } from './decisions/cancel-action.ts'
import { claimAction } from './claims/claim-action.ts'
import { reportOutcome } from './claims/report-outcome.ts'
import { checkCapability } from './members/check-capability.ts'
import { confirmAction } from './decisions/confirm-action.ts'
import { connectIntegration } from './integrations/connect-integration.ts'
import { getAction } from './proposals/get-action.ts'
import { listActions } from './proposals/list-actions.ts'
import { listPayments } from './payments/list-payments.ts'
import { listWorkspaceFiles } from './workspaces/list-workspace-files.ts'
import type { Operation } from './operation.ts'
import { previewStatus } from './previews/preview-status.ts'
import { proposeAction } from './proposals/propose-action.ts'
import { proposeByTool } from './proposals/propose-by-tool.ts'
import { readWorkspaceFile } from './workspaces/read-workspace-file.ts'
import { startPreview } from './previews/start-preview.ts'
import { stopPreview } from './previews/stop-preview.ts'

/** Every operation, in the order of the documentation. A kind with its own tool adds an operation that proposes it. */
export function operations(kinds: Iterable<ActionKind>): Operation[] {
  const all = [...kinds]
  const byTool = all.flatMap((kind) => (kind.tool ? [proposeByTool({ ...kind, tool: kind.tool })] : []))
  const others = [...byTool, connectIntegration, startPreview] as unknown as Operation[]
  return [
    checkCapability,
    proposeAction(all, others),
    confirmAction,
    cancelAction,
    claimAction,
    reportOutcome,
    getAction,
    awaitAction,
    listActions,
    ...byTool,
    listPayments,
    connectIntegration,
    listWorkspaceFiles,
    readWorkspaceFile,
    startPreview,
    previewStatus,
    stopPreview,
  ] as unknown as Operation[]
}
