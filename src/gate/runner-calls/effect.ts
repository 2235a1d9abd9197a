import type { Json } from '../canonical.ts'
import { effectOfCommand, effectOfWords } from './command/classify.ts'
import type { ShellFolders } from './command/classify.ts'
import { climbsAfterName, editEffects, folderAt, isSamePath, placeOf, readEffects } from './paths.ts'
import type { Folders, ResolvedPath, Use } from './paths.ts'
import { isHarmlessGlob } from './sensitive-paths.ts'
import { worstEffect } from './tool-call.ts'
import type { Effect, ToolCall } from './tool-call.ts'
import { isForPosix, kindOfTool, soundsLikePath } from './tools.ts'
import type { FileTool, ShellTool, ToolKind } from './tools.ts'

const pathsMax = 200

/**
 * What a tool call can do, as far as its name and input tell; `unknown` for tools that the gate does not know. Pure.
 * @param mayEnter  whether the next calls may run in a folder
 */
export function effectOf(call: ToolCall, mayEnter = isOrdinary(call)): Effect {
  const kind = kindOfTool(call)
  if (!kind) return 'unknown'
  const cwd = call.cwd === null ? null : folderAt(call.cwd, null)
  // Two slashes at the start name another machine on some systems, and a disk on Windows: nothing there is inside.
  const folders: Folders = { root: call.cwd?.startsWith('//') ? null : cwd, current: [cwd] }
  switch (kind.does) {
    case 'nothing':
      return 'reads'
    case 'network':
      return 'network'
    case 'shell':
      return effectOfShell(kind, call, { ...folders, mayEnter: kind.reportsFolder ? mayEnter : undefined })
    case 'patches':
      return effectOfPatch(kind, call, folders)
    default:
      return effectOfFiles(kind, call, folders)
  }
}

function isOrdinary({ cwd, ordinaryFolder }: ToolCall): (folder: ResolvedPath) => boolean {
  const known =
    cwd === null || ordinaryFolder === undefined ? null : folderAt(`${cwd}/${ordinaryFolder}`, null)
  return (folder) => known !== null && isSamePath(folder, known)
}

type KindOf<Does> = Extract<ToolKind, { does: Does }>

function effectOfFiles(kind: FileTool, { input }: ToolCall, folders: Folders): Effect {
  // A field that this version of the tool does not have yet, but that sounds like a path, could name another file.
  const known = [...kind.paths, ...(kind.globs ?? []), ...textFields]
  if (Object.keys(input).some((name) => soundsLikePath.test(name) && !known.includes(name))) return 'unknown'
  const paths = textsOf(input, kind.paths)
  const globs = textsOf(input, kind.globs ?? [])
  if (!paths || !globs || paths.length > pathsMax || (kind.needsPath && paths.length === 0)) return 'unknown'
  const effectsOfPlaces = kind.does === 'reads' ? readEffects : editEffects
  const takesGlobs = kind.paths.includes('paths')
  if (takesGlobs && paths.some((path) => /[{}()|!\]]/.test(path))) return 'unknown'
  const places = paths.length === 0 ? ['.'] : paths
  // A search of `.git` shows the configuration in it.
  const inside = kind.searches ? places.map((path) => `${path}/config`) : []
  const use = kind.listsOnly ? 'named' : kind.searches ? 'searched' : 'read'
  const parts = [
    ...[...places, ...inside].map(
      (path) => effectsOfPlaces[pathPlace(path, folders, takesGlobs && /[*?]/.test(path), use)],
    ),
    ...globs.map((glob) => effectOfGlob(glob, folders, kind.listsOnly ?? false)),
  ]
  const effect = parts.reduce(worstEffect, 'reads')
  // A search of a folder outside may show any file there: those with credentials can have any ending.
  return kind.searches && effect === 'reads_outside' ? 'unknown' : effect
}

function effectOfGlob(glob: string, folders: Folders, listsOnly: boolean): Effect {
  if (listsOnly || isHarmlessGlob(glob)) return readEffects[pathPlace(glob, folders, false)]
  const isPlain = !/[{}[\]!]/.test(glob)
  return isPlain ? readEffects[pathPlace(glob, folders, true)] : 'unknown'
}

const textFields = ['respect_git_ignore', 'file_filtering_options', 'output_mode', 'files_with_matches']

/** No tool expands variables the same way: a path with one is unsure. */
const pathPlace = (path: string, folders: Folders, isGlob: boolean, use: Use = 'named') =>
  /[$%`]/.test(path) ? 'unsure' : placeOf(path, folders, isGlob, use)

/** The texts and lists of texts in some fields; null where one holds anything else. */
function textsOf(input: Record<string, Json>, fields: string[]): string[] | null {
  const values = fields
    .filter((field) => Object.hasOwn(input, field))
    .flatMap((field) => input[field])
    .filter((value) => value !== null && value !== undefined)
  return values.every((value) => typeof value === 'string') ? values : null
}

function effectOfShell(
  kind: ShellTool,
  call: ToolCall,
  folders: Folders & Pick<ShellFolders, 'mayEnter'>,
): Effect {
  if (!isForPosix(call)) return 'runs'
  const { input } = call
  const known = [...kind.commands, ...kind.folders]
  const isKnown = Object.keys(input).every(
    (name) => !input[name] || !changesRun.test(name) || known.includes(name),
  )
  const given = kind.commands.filter((name) => Object.hasOwn(input, name))
  const starts = textsOf(input, kind.folders)
  if (!isKnown || given.length !== 1 || !starts || starts.length > 1) return 'runs'
  const isPlain = (start: string) => !start.startsWith('~') && !climbsAfterName(start)
  if (!starts.every((start) => isPlain(start) && pathPlace(start, folders, false) === 'inside')) return 'runs'
  const { root, mayEnter } = folders
  const chosen = starts.map((start) => folderAt(start, root))
  const current = kind.hidesFolder ? [null] : [...folders.current, ...chosen]
  const state: ShellFolders = { root, current, keepsFolder: kind.keepsFolder ?? false, mayEnter }
  const command = input[given[0]!]
  if (typeof command === 'string') return effectOfCommand(command, state)
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return 'runs'
  const [shell, option, text, ...more] = command
  const isText =
    /^((\/usr)?\/bin\/)?(ba|z)?sh$/.test(shell ?? '') && /^-l?c$/.test(option ?? '') && more.length === 0
  return isText && text !== undefined ? effectOfCommand(text, state) : effectOfWords(command, state)
}

/** Fields beside the command that change how or where it runs, such as one that turns the sandbox off. */
const changesRun =
  /^(args|env|environment|script|shell|stdin|input)$|command|cmd|sandbox|permission|privilege|elevat|disable|dir|folder|path|cwd|root/i

const patchHeading = /^\*\*\* (?:Add File|Update File|Delete File|Move to):\s*(\S.*)$|^(?:---|\+\+\+) (\S.*)$/
const patchMark = /^\*\*\* (?:Begin Patch|End Patch|End of File)$/
/** Whether a runner may obey a line as a heading, which is none as the gate reads it. */
const isStrangeHeading = (line: string): boolean =>
  !/^[+\- ]/.test(line) &&
  (/^\s*\*\*\*/.test(line) || (line.includes('***') && /(?:File|Move to)\s?:/.test(line)))
/** Runners do not agree on whether these end a line or are blank. */
const strangeChars = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\ufeff]/u

/** The files that a patch names in its headings. */
function effectOfPatch({ patches }: KindOf<'patches'>, { input }: ToolCall, folders: Folders): Effect {
  const texts = textsOf(input, patches)
  if (texts?.length !== 1 || strangeChars.test(texts[0]!)) return 'unknown'
  const lines = texts[0]!.split('\n')
  if (lines[0]!.trim() !== '*** Begin Patch') return 'unknown'
  const paths: string[] = []
  for (const line of lines) {
    const path = patchHeading.exec(line.trim())?.slice(1).find(Boolean)
    if (path !== undefined) paths.push(path)
    else if (!patchMark.test(line.trim()) && isStrangeHeading(line)) return 'unknown'
  }
  if (paths.length === 0 || paths.length > pathsMax) return 'unknown'
  return paths
    .map((path) => editEffects[pathPlace(path, folders, false, 'read')])
    .reduce(worstEffect, 'edits_inside')
}
