import type { Logger } from 'pino'
import type { PreviewMode } from '../gate/preview-mode.ts'
import type { WorkspaceStore } from '../workspaces/store.ts'

/** One way to run a preview on this host. */
export interface PreviewDriver {
  readonly mode: PreviewMode
  /** Whether this host can run it, and why not. Asked once, when the host starts. */
  probe(): Promise<Availability>
  /**
   * Gets a preview ready to answer, and resolves once it is. Where it fails, nothing is left behind.
   * @param signal  ends the attempt: its time is over, or the preview was stopped
   * @throws PreviewFailure
   */
  start(spec: PreviewSpec, signal: AbortSignal): Promise<RunningPreview>
}

export type Availability = { isAvailable: true } | { isAvailable: false; reason: string }

export interface PreviewSpec {
  previewId: string
  /** The files under the view `built`. */
  files: WorkspaceStore
  /** A folder of this preview alone, mode 0700 and empty, for whatever it needs. Whoever made it removes it. */
  folder: string
  log: Logger
}

export interface RunningPreview {
  target: PreviewTarget
  /** Resolves once it ended without being asked to; never rejects. Stays pending for what has no process. */
  ended: Promise<PreviewEnd>
  /** The end of what it printed, at most `previewLogBytesMax`; valid Unicode. */
  logTail(): string
  /** Ends it, also in the middle of an answer, and leaves no process and no socket. May be called again. */
  stop(): Promise<void>
}

/** Where a viewer's request is answered from. */
export type PreviewTarget =
  | {
      kind: 'files'
      files: WorkspaceStore
      /** The folder of its index.html; ends with `/` unless empty. */ root: string
    }
  | {
      kind: 'unix'
      socketPath: string
      /** What the server inside is called by, as `127.0.0.1:PORT`. */ host: string
    }

export interface PreviewEnd {
  /** What happened, as `failed`'s `error` tells it: `exited`, `out_of_memory`, … */
  error: string
  /** null where a signal ended it. */
  exitCode: number | null
}

/** A preview that did not come to run: `code` for programs, the message for people. */
export class PreviewFailure extends Error {
  readonly code: PreviewFailureCode
  /** null where nothing had been started, or a signal ended it. */
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
