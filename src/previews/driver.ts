import type { Logger } from 'pino'
import type { PreviewMode } from '../db/queries/previews/previews.ts'
import type { WorkspaceStore } from '../workspaces/store.ts'

/** Runs previews of one mode on this host. */
export interface PreviewDriver {
  readonly mode: PreviewMode
  /** Whether this host can run this mode, and why not. Called once, when the host starts. */
  probe(): Promise<Availability>
  /**
   * Starts a preview and resolves once it can answer. If it fails, nothing is left behind.
   * @param signal  ends the attempt: the time limit is reached, or the preview was stopped
   * @throws PreviewFailure
   */
  start(spec: PreviewSpec, signal: AbortSignal): Promise<RunningPreview>
}

export type Availability = { isAvailable: true } | { isAvailable: false; reason: string }

export interface PreviewSpec {
  previewId: string
  /** The files of the view `built`. */
  files: WorkspaceStore
  /** A private, empty folder for this preview, mode 0700. Its creator removes it. */
  folder: string
  log: Logger
}

export interface RunningPreview {
  target: PreviewTarget
  /** Resolves if it ends unexpectedly; never rejects. Stays pending if there is no process. */
  ended: Promise<PreviewEnd>
  /** The end of its output, at most `previewLogBytesMax`; valid Unicode. */
  logTail(): string
  /** Stops it, even during an answer, and leaves no process and no socket. Idempotent. */
  stop(): Promise<void>
}

/** What answers a viewer's request. */
export type PreviewTarget =
  | {
      kind: 'files'
      files: WorkspaceStore
      /** The folder of its index.html; ends with `/` unless empty. */ root: string
    }
  | {
      kind: 'unix'
      socketPath: string
      /** The host name of the server inside: `127.0.0.1:PORT`. */ host: string
    }

export interface PreviewEnd {
  /** The `error` of the preview: `exited`, `out_of_memory`, … */
  error: string
  /** null if a signal ended it. */
  exitCode: number | null
}

/** A preview that could not start: `code` for programs, the message for people. */
export class PreviewFailure extends Error {
  readonly code: PreviewFailureCode
  /** null if nothing was started, or a signal ended it. */
  readonly exitCode: number | null
  readonly logTail: string

  constructor(
    code: PreviewFailureCode,
    message: string,
    { exitCode = null, logTail = '' }: { exitCode?: number | null; logTail?: string } = {},
  ) {
    super(message)
    this.code = code
    this.exitCode = exitCode
    this.logTail = logTail
  }
}

export type PreviewFailureCode =
  | 'nothing_to_show'
  | 'no_command'
  | 'dependencies_missing'
  | 'too_large'
  | 'boot_timeout'
  | 'exited'
  | 'out_of_memory'
  | 'unavailable'
