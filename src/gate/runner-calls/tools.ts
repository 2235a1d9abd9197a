import type { Runner, ToolCall } from './tool-call.ts'

/** What a tool of a runner does, and the fields of its input that say where. */
export type ToolKind =
  | FileTool
  | ShellTool
  | { does: 'patches'; patches: string[] }
  | { does: 'network' | 'nothing' }

export interface ShellTool {
  does: 'shell'
  commands: string[]
  folders: string[]
  /** A `cd` holds for the calls after it: in the same shell, or as the folder that the runner reports next. */
  keepsFolder?: boolean
  /** It reports that folder with the next call. */
  reportsFolder?: boolean
  /** The hook is not told the folder that the agent chose for a command. */
  hidesFolder?: boolean
}

export interface FileTool {
  does: 'reads' | 'edits'
  paths: string[]
  needsPath: boolean
  /** Fields with wildcards. */
  globs?: string[]
  /** It tells names of files, not their content. */
  listsOnly?: boolean
  /** It shows the content of all files of a folder. */
  searches?: boolean
}

const pathFields = ['file_path', 'filePath', 'path', 'absolute_path', 'notebook_path', 'target_file', 'file']
const folderFields = ['path', 'dir_path', 'directory', 'target_directory', 'cwd']

const readsFile: ToolKind = { does: 'reads', paths: pathFields, needsPath: true }
const readsFiles: ToolKind = { does: 'reads', paths: ['paths', 'include', 'file_paths'], needsPath: true }
const searches: FileTool = {
  does: 'reads',
  searches: true,
  paths: folderFields,
  needsPath: false,
  globs: ['glob', 'include', 'glob_pattern', 'include_pattern'],
}
const lists: ToolKind = {
  ...searches,
  searches: false,
  globs: ['pattern', 'glob_pattern', 'globPattern'],
  listsOnly: true,
}
/** Shows the names in one folder. */
const listsFolder: ToolKind = { ...searches, searches: false, listsOnly: true }
const edits: ToolKind = { does: 'edits', paths: pathFields, needsPath: true }
const shell: ToolKind = {
  does: 'shell',
  commands: ['command', 'cmd'],
  folders: ['workdir', 'working_directory', 'cwd', 'dir_path', 'directory'],
}
const lastingShell: ToolKind = { ...shell, keepsFolder: true }
const hiddenShell: ToolKind = { ...shell, hidesFolder: true }
const patches: ToolKind = { does: 'patches', patches: ['input', 'patch', 'patchText', 'command'] }
const network: ToolKind = { does: 'network' }
/** Plans, questions and output of what runs already: nothing outside the conversation. */
const nothing: ToolKind = { does: 'nothing' }

/** The tools of each runner that the gate knows, by the name in its hooks. All others are unknown. */
export const knownTools: Record<Runner, Record<string, ToolKind>> = {
  claude: {
    Read: readsFile,
    NotebookRead: readsFile,
    Grep: searches,
    Glob: lists,
    LS: listsFolder,
    Edit: edits,
    MultiEdit: edits,
    Write: edits,
    NotebookEdit: edits,
    Bash: { ...lastingShell, reportsFolder: true },
    BashOutput: nothing,
    TodoWrite: nothing,
    ExitPlanMode: nothing,
    AskUserQuestion: nothing,
    WebFetch: network,
    WebSearch: network,
  },
  codex: {
    Bash: hiddenShell,
    shell: hiddenShell,
    local_shell: hiddenShell,
    shell_command: hiddenShell,
    exec_command: hiddenShell,
    apply_patch: patches,
    update_plan: nothing,
    view_image: readsFile,
    web_search: network,
  },
  gemini: {
    read_file: readsFile,
    read_many_files: readsFiles,
    list_directory: listsFolder,
    glob: lists,
    grep: searches,
    search_file_content: searches,
    grep_search: searches,
    replace: edits,
    write_file: edits,
    run_shell_command: shell,
    web_fetch: network,
    google_web_search: network,
    write_todos: nothing,
  },
  cursor: {
    Shell: lastingShell,
    Read: readsFile,
    Write: edits,
    Edit: edits,
    StrReplace: edits,
    Grep: searches,
    Glob: lists,
    LS: listsFolder,
    TodoWrite: nothing,
    WebFetch: network,
    WebSearch: network,
  },
  copilot: {
    bash: lastingShell,
    Bash: lastingShell,
    view: readsFile,
    Read: readsFile,
    grep: searches,
    Grep: searches,
    glob: lists,
    Glob: lists,
    edit: edits,
    Edit: edits,
    create: edits,
    Write: edits,
    update_todo: nothing,
    report_intent: nothing,
    web_fetch: network,
    web_search: network,
    WebFetch: network,
    WebSearch: network,
  },
  opencode: {
    bash: shell,
    read: readsFile,
    list: listsFolder,
    grep: searches,
    glob: lists,
    edit: edits,
    write: edits,
    patch: patches,
    apply_patch: patches,
    todowrite: nothing,
    todoread: nothing,
    webfetch: network,
    websearch: network,
  },
}

/** What the tool of a call does; null: the gate does not know it. */
export function kindOfTool({ runner, tool, mcpServer }: ToolCall): ToolKind | null {
  const tools = knownTools[runner]
  return mcpServer === null && Object.hasOwn(tools, tool) ? tools[tool]! : null
}

/** A field of this name may hold a command, in a tool that the gate does not know. */
export const soundsLikeCommand =
  /command|cmd|shell|exec|(?<!de|sub|tran)script|(?<![a-z])code|^arg(s|v|uments)?$/i

/** Whether a shell may read a field of the input: as its tool tells, or else the name of the field. Pure. */
export function isForShell(call: ToolCall, field: string): boolean {
  const kind = kindOfTool(call)
  return kind ? kind.does === 'shell' : soundsLikeCommand.test(field)
}

/** A field of this name may hold a path, also in a version of a tool that the gate does not know yet. */
export const soundsLikePath = /path|file|dir|folder|uri|url|notebook/i

/** What a field of the input holds, as its tool tells, or else the name of the field; null: neither. Pure. */
export function sortOfField(call: ToolCall, field: string): 'command' | 'path' | null {
  const kind = kindOfTool(call)
  if (!kind) return soundsLikeCommand.test(field) ? 'command' : soundsLikePath.test(field) ? 'path' : null
  if (kind.does === 'shell' && kind.commands.includes(field)) return 'command'
  const paths =
    kind.does === 'shell' ? kind.folders : 'paths' in kind ? [...kind.paths, ...(kind.globs ?? [])] : []
  return paths.includes(field) ? 'path' : null
}

/** Whether a tool is known to give its commands to a POSIX shell: elsewhere the same text may be for PowerShell or cmd. Pure. */
export const isForPosix = (call: ToolCall): boolean =>
  kindOfTool(call)?.does === 'shell' && (call.runner === 'claude' || (call.cwd?.startsWith('/') ?? false))
