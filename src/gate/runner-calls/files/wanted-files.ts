import type { Json } from '../../canonical.ts'
import { isUntold } from '../entered-folder.ts'
import type { RunFile, RunFiles, UnboundReason } from './found-files.ts'
import { filesOfCommand, filesOfWords } from './command-files.ts'
import { folderAt, isAbsolute, placeOf, resolvePath } from '../paths.ts'
import type { Place, ResolvedPath } from '../paths.ts'
import type { ToolCall } from '../tool-call.ts'
import { isForPosix, kindOfTool, sortOfField } from '../tools.ts'

/** A file below the working folder of a call, which it runs. */
export interface WantedFile extends RunFile {
  /** How much of its start is shown, in KiB. */
  shownKib: number
}

/** The files that a call runs, and why not all can be bound. */
export interface WantedFiles {
  /** The working folder, absolute, as the runner gave it; null: there is nothing in it to read. */
  folder: string | null
  files: WantedFile[]
  unbound: UnboundReason[]
  /** The paths that a mandate is pinned to; null: one lies elsewhere, or is one too many. */
  pinned: string[] | null
  /** For each tool, its manifests: unless one of them exists, no mandate is pinned to what the tool does. */
  manifests: string[][]
}

/** A manifest is read further than other files, because the scripts that run are shown. */
const manifestKib = 32
const startKib = 2

/**
 * The files of the working folder that a call runs, as far as its text tells: a consent to it is bound to them. Pure.
 * @param contents  what is known of these files: by the scripts of a manifest more can be run
 * @param filesMax  how many are bound
 */
export function filesRunBy(
  call: ToolCall,
  contents: (path: string) => string | undefined,
  filesMax: number,
): WantedFiles {
  const { cwd } = call
  const root = cwd === null || isUntold(cwd) ? null : folderAt(cwd, null)
  const found = withScripts(readCall(call), (path) => {
    const there = root && placeInFolder(path, root)
    return there ? contents(there.path) : undefined
  })
  const unbound = new Set(found.unbound)
  const files = new Map<string, WantedFile>()
  let isLost = false
  for (const file of found.files) {
    const read = root && placeInFolder(file.path, root)
    if (!read) {
      unbound.add(cwd === null ? 'folder' : 'outside')
      isLost ||= file.isPinned
    } else {
      const { path, place } = read
      const known = files.get(path)
      const shownKib =
        place === 'credentials' || place === 'private' ? 0 : isManifest(path) ? manifestKib : startKib
      files.set(path, {
        path,
        isSure: file.isSure || (known?.isSure ?? false),
        isPinned: file.isPinned || (known?.isPinned ?? false),
        scripts: [...(known?.scripts ?? []), ...file.scripts],
        shownKib,
      })
    }
  }
  if (files.size > filesMax) unbound.add('many')
  // Files that run for certain are bound first.
  const kept = [...files.values()].toSorted((a, b) => Number(b.isSure) - Number(a.isSure)).slice(0, filesMax)
  isLost ||= [...files.values()].some((file) => file.isPinned && !kept.includes(file))
  const pinned = kept.filter(({ isPinned }) => isPinned).map(({ path }) => path)
  return {
    folder: kept.length === 0 ? null : cwd,
    files: kept,
    unbound: [...unbound],
    pinned: isLost ? null : pinned,
    manifests: found.manifests.map((paths) =>
      paths.flatMap((path) => (root && placeInFolder(path, root)?.path) ?? []),
    ),
  }
}

const isManifest = (path: string): boolean => /(^|\/)package\.json$/.test(path)

function readCall(call: ToolCall): RunFiles {
  const kind = kindOfTool(call)
  const read: RunFiles = { files: [], manifests: [], unbound: new Set() }
  if (call.mcpServer !== null || (kind && kind.does !== 'shell')) return read
  const starts = kind ? startsOf(kind.folders, call.input) : ['']
  for (const [field, value] of Object.entries(call.input)) {
    if (sortOfField(call, field) !== 'command') continue
    for (const start of starts) add(read, filesOfField(value, start))
  }
  if (!isForPosix(call) && read.files.length > 0) read.unbound.add('unread')
  if (kind?.hidesFolder) {
    // A relative path may lead anywhere, but mostly it starts from the working folder.
    for (const file of read.files.filter(({ path }) => !isAbsolute(path))) {
      file.isSure = false
      read.unbound.add('folder')
    }
  }
  return read
}

/** The working folder, and the one that the agent chose. */
function startsOf(fields: string[], input: ToolCall['input']): string[] {
  const chosen = fields.flatMap((field) => {
    const value = Object.hasOwn(input, field) ? input[field] : null
    return typeof value === 'string' && value !== '' ? [value] : []
  })
  return chosen.length === 0 ? [''] : chosen
}

function filesOfField(value: Json, start: string): RunFiles {
  if (typeof value === 'string') return filesOfCommand(value, start)
  const isWords = Array.isArray(value) && value.every((word) => typeof word === 'string')
  return isWords ? filesOfWords(value, start) : { files: [], manifests: [], unbound: new Set(['unread']) }
}

function add(to: RunFiles, { files, manifests, unbound }: RunFiles): void {
  to.manifests.push(...manifests)
  for (const file of files) {
    const known = to.files.find(({ path }) => path === file.path)
    if (!known) to.files.push(file)
    else {
      known.isSure ||= file.isSure
      known.isPinned ||= file.isPinned
      known.scripts = [...new Set([...known.scripts, ...file.scripts])]
    }
  }
  for (const reason of unbound) to.unbound.add(reason)
}

const scriptDepthMax = 4

/** The same with the files that the scripts of a manifest run. */
function withScripts(read: RunFiles, contents: (path: string) => string | undefined): RunFiles {
  const done = new Set<string>()
  for (let depth = 0; depth < scriptDepthMax; depth++) {
    const found: RunFiles[] = []
    for (const { path, scripts } of read.files.filter((file) => isManifest(file.path))) {
      const folder = path.replace(/\/?package\.json$/, '')
      for (const [name, text] of scriptsIn(contents(path), scripts)) {
        if (done.has(`${path} ${name}`)) continue
        done.add(`${path} ${name}`)
        found.push(notPinned(filesOfCommand(text, folder)))
      }
    }
    if (found.length === 0) break
    for (const one of found) add(read, one)
  }
  return read
}

/** A manifest stands for what its scripts run. */
const notPinned = ({ files, unbound }: RunFiles): RunFiles => ({
  files: files.map((file) => ({ ...file, isPinned: false })),
  manifests: [],
  unbound,
})

/** Some scripts of a `package.json`; none where it is not known, or cannot be read. Pure. */
export function scriptsIn(manifest: string | undefined, names: string[]): [name: string, text: string][] {
  const scripts = manifest === undefined ? undefined : parseScripts(manifest)
  return names.flatMap((name) => {
    const text = scripts && Object.hasOwn(scripts, name) ? scripts[name] : undefined
    return typeof text === 'string' ? [[name, text] as [string, string]] : []
  })
}

function parseScripts(manifest: string): Record<string, unknown> | undefined {
  try {
    const { scripts } = JSON.parse(manifest) as { scripts?: unknown }
    return typeof scripts === 'object' && scripts !== null ? (scripts as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Where a file is; null: not below the folder, as far as its text tells. */
function placeInFolder(path: string, root: ResolvedPath): { path: string; place: Place } | null {
  if (path.startsWith('~') || /[\\\p{C}\p{Zl}\p{Zp}]/u.test(path)) return null
  const place = placeOf(path, { root, current: [root] }, false, 'read')
  if (!['inside', 'guarded', 'credentials', 'private'].includes(place)) return null
  const full = resolvePath(path, root)
  const isBelow =
    full.start === root.start &&
    full.segments.length > root.segments.length &&
    root.segments.every((segment, i) => full.segments[i] === segment)
  if (!isBelow || placeOf('x', { root, current: [root] }) !== 'inside') return null
  // `..` after a link is not where the text says: the hook follows the path as it is written.
  const climbs = /(^|\/)\.\.(\/|$)/.test(path)
  if (climbs) return isAbsolute(path) ? null : { path, place }
  return { path: full.segments.slice(root.segments.length).join('/'), place }
}
