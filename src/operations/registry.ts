import { type ActionKind } from '../actions/kind.ts'
import { cancelAction } from './cancel-action.ts'
import { checkCapability } from './check-capability.ts'
import { confirmAction } from './confirm-action.ts'
import { connectIntegration } from './connect-integration.ts'
import { getAction } from './get-action.ts'
import { listActions } from './list-actions.ts'
import { listPayments } from './list-payments.ts'
import { listWorkspaceFiles } from './list-workspace-files.ts'
import { type Operation } from './operation.ts'
import { previewStatus } from './preview-status.ts'
import { proposeAction, proposeByTool } from './propose-action.ts'
import { readWorkspaceFile } from './read-workspace-file.ts'
import { startPreview } from './start-preview.ts'
import { stopPreview } from './stop-preview.ts'

/** Every verb, in the order in which they are listed. A kind with a tool of its own adds the verb that proposes it. */
export function operations(kinds: Iterable<ActionKind>): Operation[] {
  const all = [...kinds]
  return [
    checkCapability,
    proposeAction(all),
    confirmAction,
    cancelAction,
    getAction,
    listActions,
    ...all.flatMap((kind) => (kind.tool ? [proposeByTool({ ...kind, tool: kind.tool })] : [])),
    listPayments,
    connectIntegration,
    listWorkspaceFiles,
    readWorkspaceFile,
    startPreview,
    previewStatus,
    stopPreview,
  ] as unknown as Operation[]
}
