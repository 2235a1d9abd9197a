/**
 * The form of a conversation id.
 * @source docs/workspaces.md#set-up-a-workspace
 */
export const conversationIdForm = /^[A-Za-z0-9_-]{1,64}$/

/** Identifies a workspace by ids, never by a display name. */
export interface WorkspaceId {
  account: string
  conversationId: string
}

/**
 * Which files are visible: `shown` are the files that an agent can list and read; `built` adds files hidden by .gitignore
 * and node_modules, for previews. Secrets and version control are in neither.
 */
export type View = 'shown' | 'built'

export interface FileEntry {
  /** Relative to the workspace, with `/` between parts. */
  path: string
  sizeBytes: number
  modifiedAt: Date
}

export interface FilePage {
  /** Sorted by the bytes of their paths. */
  files: FileEntry[]
  /** Where the next page starts; null on the last page. It may be a folder, ending with `/`. */
  nextAfter: string | null
  /** Parts that were left out because they are too large, in words. */
  leftOut: string[]
}

export interface FileStat extends FileEntry {
  /** Changes whenever the file does. */
  version: string
}

export interface FileRange {
  file: FileStat
  /** The bytes from the requested offset; short or empty if the file ends before. */
  bytes: Buffer
  /** Whether the file did not change while it was read. */
  isSteady: boolean
}

/**
 * The files of one workspace in one view. Hidden files, non-regular files and files behind links do not exist in it. Paths
 * are relative and canonical; any other path does not exist.
 */
export interface WorkspaceStore {
  /** The files after a path, at most `limitFiles`. A workspace without files has none. */
  list(page: { after: string; limitFiles: number }): Promise<FilePage>
  stat(path: string): Promise<FileStat | undefined>
  readRange(path: string, range: { offsetBytes: number; lengthBytes: number }): Promise<FileRange | undefined>
  /**
   * Copies every file into an existing, empty folder.
   * @throws GateError `too_large` if the workspace exceeds a limit
   */
  materialize(folder: string): Promise<{ files: number; bytes: number }>
}

/** The storage of workspaces. A local directory is the default; an object store could replace it. */
export interface Workspaces {
  open(workspace: WorkspaceId, view?: View): WorkspaceStore
  /** Creates a workspace if it does not exist. @throws Error if it cannot be created */
  create(workspace: WorkspaceId): Promise<void>
  /** The location of a workspace, for the administrator who puts files there. */
  place(workspace: WorkspaceId): string
}
