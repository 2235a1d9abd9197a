/** What a conversation's id looks like. */
export const conversationIdForm = /^[A-Za-z0-9_-]{1,64}$/

/** Names a workspace: by ids, never by a name that somebody chose for people. */
export interface WorkspaceId {
  account: string
  conversationId: string
}

/**
 * Which files there are: `shown` is what an agent may list and read; `built` adds what .gitignore and node_modules hide,
 * for who runs the result. Secrets and version control are in neither.
 */
export type View = 'shown' | 'built'

export interface FileEntry {
  /** Relative to the workspace, parts divided by `/`. */
  path: string
  sizeBytes: number
  modifiedAt: Date
}

export interface FilePage {
  /** By the bytes of their paths. */
  files: FileEntry[]
  /** Where the next page begins; null where there is no more. It may be a folder, with `/` at its end. */
  nextAfter: string | null
  /** What was left out because it is too large to look through, in words. */
  leftOut: string[]
}

export interface FileStat extends FileEntry {
  /** Changes whenever the file does. */
  version: string
}

export interface FileRange {
  file: FileStat
  /** From the offset asked for; short or empty where the file ends before. */
  bytes: Buffer
  /** Whether the file stood still while it was read. */
  isSteady: boolean
}

/**
 * The files of one workspace, under one view. What is hidden, no regular file, or reached through a link is not there.
 * A path is relative and canonical: any other names no file.
 */
export interface WorkspaceStore {
  /** The files after a path, at most `limitFiles` of them. A workspace that was never written to has none. */
  list(page: { after: string; limitFiles: number }): Promise<FilePage>
  stat(path: string): Promise<FileStat | undefined>
  readRange(path: string, range: { offsetBytes: number; lengthBytes: number }): Promise<FileRange | undefined>
  /**
   * Copies every file into a folder that exists and is empty.
   * @throws GateError `too_large` where there is more than may be copied
   */
  materialize(folder: string): Promise<{ files: number; bytes: number }>
}

/** Where workspaces are. The local directory is the default; an object store can take its place. */
export interface Workspaces {
  open(workspace: WorkspaceId, view?: View): WorkspaceStore
  /** Makes room for a workspace, or finds it. @throws Error where that cannot be done */
  create(workspace: WorkspaceId): Promise<void>
  /** Where a workspace is, for the administrator who lets files be put there. */
  place(workspace: WorkspaceId): string
}
