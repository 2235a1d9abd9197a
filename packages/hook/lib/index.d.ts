export type Runner = 'claude' | 'codex' | 'gemini' | 'cursor' | 'copilot' | 'opencode'
export type Scope = 'user' | 'project' | 'local'
export type Env = Record<string, string | undefined>

/** Where an installation is. */
export interface Place {
  runner: Runner
  /** Default: `user`. `local` is for Claude Code alone. */
  scope?: Scope | undefined
  /** The folder in which the runner works: the entry is there for the scopes `project` and `local`. Default: the working folder. */
  dir?: string | undefined
  /** Default: the environment of the process. */
  env?: Env | undefined
}

export interface Checked extends Place {
  /** The runner's program, if it is not on the PATH. */
  binary?: string | undefined
  /** Drives the runner itself with a model on loopback. Claude Code and Codex only. */
  isLive?: boolean | undefined
  /** Checks what an administrator installed for the machine. */
  isManaged?: boolean | undefined
}

export interface InstallOptions extends Checked {
  url: string
  key: string
  /** A file of certificates to trust for the gate instead of those of the system. */
  ca?: string | undefined
  /** Seconds for which a call waits for a person, 0–50. */
  wait?: number | undefined
  /** Claude Code without a terminal: the run ends while the member decides. */
  headless?: boolean | undefined
  hasCanary?: boolean | undefined
}

export interface ManagedOptions {
  runner: Runner
  url: string
  /** A file of certificates to trust for the gate instead of those of the system. */
  ca?: string | undefined
  wait?: number | undefined
  /** Claude Code without a terminal: the run ends while the member decides. */
  headless?: boolean | undefined
}

export type Change = 'written' | 'unchanged' | 'restored' | 'removed' | 'kept'

export interface ChangedFile {
  path: string
  change: Change
}

/** One line of a report. `fails`: what must block does not, or it cannot be seen that it does. */
export interface Finding {
  check: string
  verdict: 'blocks' | 'ok' | 'fails' | 'note'
  detail: string
}

export interface Report {
  runner: Runner
  version: string | null
  files: ChangedFile[]
  findings: Finding[]
  /** False if any finding fails. */
  is_gating: boolean
}

export interface Removal {
  runner: Runner
  files: ChangedFile[]
}

export interface ManagedFile {
  path: string
  mode: string
  content: string
}

export interface Managed {
  runner: Runner
  files: ManagedFile[]
  notes: string[]
}

/** Why nothing was done, as a sentence. */
export declare class HookError extends Error {}

export declare const runners: readonly Runner[]
export declare const scopes: readonly Scope[]

/** Writes the hook's files, then checks them as `doctor` does. @throws HookError before anything is written */
export declare function install(options: InstallOptions): Promise<Report>
/** Writes the key of a member alone, for a hook of an administrator. @throws HookError */
export declare function installKey(options: Pick<Place, 'runner' | 'env'> & { key: string }): Removal
/** Restores what was there before, or removes our entries where a file was changed since. @throws HookError */
export declare function uninstall(place: Place): Promise<Removal>
/** Checks an installation, and that a call is blocked. @throws HookError if there is none */
export declare function doctor(options: Checked): Promise<Report>
/** The files that an administrator puts in place. Writes nothing. @throws HookError */
export declare function managed(options: ManagedOptions): Managed
/** A report as lines for people. */
export declare function reportText(report: Report): string
export declare function removalText(removal: Removal): string
export declare function managedText(managed: Managed): string
/** Writes the administrator's files into a folder. @returns their paths @throws HookError if one exists */
export declare function writeManaged(managed: Managed, folder: string): string[]
