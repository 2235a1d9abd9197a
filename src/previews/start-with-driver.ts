import type { Logger } from 'pino'
import type { PreviewRow } from '../db/queries/previews/previews.ts'
import { type PreviewDriver, PreviewFailure, type RunningPreview } from './driver.ts'
import type { HostFolder } from './host-folder.ts'
import type { Workspaces } from '../workspaces/store.ts'

/** What starting a preview needs of its host. */
export interface DriverHost {
  drivers: PreviewDriver[]
  folder: HostFolder
  workspaces: Workspaces
  log: Logger
}

/** A started preview and its driver. */
export interface StartedPreview {
  driver: PreviewDriver
  running: RunningPreview
}

/** Starts a preview with the first driver that can run the workspace. */
export async function startWithDriver(
  { drivers, folder, workspaces, log }: DriverHost,
  row: PreviewRow,
  signal: AbortSignal,
): Promise<StartedPreview> {
  const { account_id: account, conversation_id: conversationId, preview_id: previewId } = row
  const files = workspaces.open({ account, conversationId }, 'built')
  let passedBy: PreviewFailure | undefined
  for (const driver of drivers) {
    const spec = {
      previewId,
      files,
      folder: await folder.make(previewId),
      log: log.child({ preview: previewId }),
    }
    try {
      return { driver, running: await driver.start(spec, signal) }
    } catch (error) {
      if (!(error instanceof PreviewFailure) || !tryNextDriver.has(error.code)) throw error
      // Missing packages are more useful to report than a missing page.
      if (passedBy?.code !== 'dependencies_missing') passedBy = error
    }
  }
  throw passedBy ?? new PreviewFailure('unavailable', 'This host cannot run previews.')
}

/** Failures after which the next driver is tried: a built page, for example, needs no packages. */
const tryNextDriver = new Set(['no_command', 'dependencies_missing', 'nothing_to_show'])
