import { isGuardedPath } from './guarded-paths.ts'
import {
  domainHomes,
  driveRoot,
  fromRoot,
  homeFolder,
  homesFolder,
  isCredentialOutside,
  isCredentialPath,
  isGitConfig,
  isHiddenOutside,
  isLikelyCredential,
  mayMatchCredentials,
} from './sensitive-paths.ts'
import type { Effect } from './tool-call.ts'

/**
 * Where a path leads. `guarded`: inside, but a change of it makes other programs run, or switches the hook off.
 * `private`: its content may have tokens. `unsure`: the text does not tell.
 */
export type Place = 'inside' | 'guarded' | 'outside' | 'private' | 'unsure' | 'network' | 'credentials'

const places: Place[] = ['inside', 'guarded', 'outside', 'private', 'unsure', 'network', 'credentials']

/** The folder that counts as inside, and where relative paths may start from: more than one, as a `cd` can fail. */
export interface Folders {
  root: ResolvedPath | null
  current: (ResolvedPath | null)[]
}

export interface ResolvedPath {
  /** `~` for the home folder, a drive such as `c:`, or empty for the root of the file system. */
  start: string
  segments: string[]
}

const pathCharsMax = 4096
/**
 * What happens to a path. `named`: it may be a folder, or a word that is no path. `read`: its content, which may also be written,
 * so it is a file. `searched`: a file, or all files of a folder.
 */
export type Use = 'named' | 'read' | 'searched'

/** Every path of a call is resolved from its folders. */
const folderCharsMax = 1024
const segmentsMax = 128

/**
 * Where a path leads, by its text alone: links are not followed. Pure.
 * @param isGlob  the path contains `*`, `?` or `[` that the shell expands
 */
export function placeOf(path: string, folders: Folders, isGlob = false, use: Use = 'named'): Place {
  if (path === '' || path.length > pathCharsMax || hiddenChars.test(path)) return 'unsure'
  // A backslash separates folders on Windows and is part of a name elsewhere: both readings count.
  const readings = path.includes('\\') ? [path, path.replaceAll('\\', '/')] : [path]
  return readings
    .flatMap((reading) => folders.current.map((folder) => placeIn(reading, folder, folders, { isGlob, use })))
    .reduce(worsePlace, 'inside')
}

const hiddenChars = /[\p{C}\p{Zl}\p{Zp}]/u

export const worsePlace = (a: Place, b: Place): Place => (places.indexOf(a) > places.indexOf(b) ? a : b)

export const readEffects: Record<Place, Effect> = {
  inside: 'reads',
  guarded: 'reads',
  outside: 'reads_outside',
  private: 'unknown',
  unsure: 'unknown',
  network: 'network',
  credentials: 'credentials',
}

export const editEffects: Record<Place, Effect> = {
  ...readEffects,
  inside: 'edits_inside',
  guarded: 'edits_outside',
  outside: 'edits_outside',
  private: 'edits_outside',
}

function placeIn(
  path: string,
  folder: ResolvedPath | null,
  { root }: Folders,
  { isGlob, use }: { isGlob: boolean; use: Use },
): Place {
  // Two slashes at the start name another machine on some systems.
  if (/^(\\\\|\/\/)/.test(path)) return 'unsure'
  const full = resolvePath(path, folder)
  if (full.segments.length > segmentsMax) return 'unsure'
  const isCredential = isCredentialPath(full) || (use === 'read' && isLikelyCredential(full))
  if (folder === null && !isAbsolute(path)) return isCredential ? 'credentials' : 'unsure'
  const device = devicePlace(full)
  if (device) return device
  if (isCredential) return 'credentials'
  // It may be a folder of sources.
  if (use === 'searched' && isLikelyCredential(full)) return 'unsure'
  const isInside = root !== null && isWithin(full, root)
  if (!isInside && isCredentialOutside(full)) return 'credentials'
  if (isNoHome.test(path)) return 'unsure'
  if (full.segments.slice(isInside ? root.segments.length : 0).some(mayBeShortName)) return 'unsure'
  if (isGitConfig(full)) return 'private'
  if (!isInside && (isGlob || mayClimbFromLink(path, folder, root))) return 'unsure'
  const around = root !== null && isBelow(full, root) ? root : null
  if (!isInside) return isHiddenOutside(full, around) ? 'private' : 'outside'
  if (isGlob && mayMatchCredentials(full.segments)) return 'unsure'
  return isGuardedPath(full.segments) ? 'guarded' : 'inside'
}

/** Shells know other folders by such names: `~+` and `~0` for the current one, in zsh `~NAME` for that of a variable. */
const isNoHome = /^~(?![a-z][\w.-]*(\/|$)|\/|$)/

/** Windows has a second name for many files: `ENV~1` for `.env`, `GIT~1` for `.git`. */
const mayBeShortName = (segment: string): boolean => /~\d/.test(segment)

function mayClimbFromLink(path: string, folder: ResolvedPath | null, root: ResolvedPath | null): boolean {
  const isFromRoot = folder && root && (isBelow(folder, root) || isBelow(root, folder))
  return climbsAfterName(isAbsolute(path) || isFromRoot ? path : `folder/${path}`)
}

/** Whether a path has `..` after a folder with a name: that may be a link, and `..` starts from where it leads. */
export function climbsAfterName(path: string): boolean {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  const named = parts.findIndex((part) => part !== '..')
  return named >= 0 && parts.includes('..', named)
}

/** A path without `.` and `..`, from `folder` unless it is absolute. */
export function resolvePath(path: string, folder: ResolvedPath | null): ResolvedPath {
  const base = isAbsolute(path) ? null : folder
  const drive = /^[A-Za-z]:/.exec(path)?.[0]
  const home = /^~[^/]*/.exec(path)?.[0]
  const start = base?.start ?? home ?? drive?.toLowerCase() ?? ''
  const rest = (base ? path : path.slice((home ?? drive ?? '').length)).replaceAll(
    '\\',
    start.endsWith(':') ? '/' : '\\',
  )
  const segments = [...(base?.segments ?? [])]
  for (const segment of rest.split('/'))
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  return { start, segments }
}

/** Folders that hold more than a project, and those where systems look for programs to start and for settings. */
const broadFolders = [
  '/?$',
  `${driveRoot}/?$`,
  '/(usr|usr/local|run|var|private|volumes|mnt|media|opt|srv|net)$',
  `${homesFolder}$`,
  `${homeFolder}$`,
  String.raw`/(etc|bin|sbin|lib\d*|boot|dev|proc|sys|system|library|applications|var/(spool|cron|at))(/|$)`,
  String.raw`/usr/(local/)?(bin|sbin|lib\d*|libexec|share|etc)(/|$)`,
  String.raw`${homeFolder}/\.[^/]`,
  `${homeFolder}/(library|appdata|application data|local settings|applications|bin)(/|$)`,
  String.raw`${driveRoot}/(windows|program files|programdata(/|$)|\$|[^/]{1,6}~\d)`,
  '~',
]
  .map((folder) => new RegExp(`^${folder}`, 'i'))
  .concat(new RegExp(`^${domainHomes}(/[^/]+(/(bin|\\.[^/]+))?)?$`))

/** Below a hidden folder stand the settings of programs; and copies of a repository, such as `.worktrees/x`. */
const isHiddenFolder = (segment: string, at: number, segments: string[]): boolean =>
  segment.startsWith('.') &&
  !/trees?$/i.test(segment) &&
  (segments[at + 1] !== 'worktrees' || /^\.git$/i.test(segment))

/** The folder that a path leads to; null: unknown, or too long to resolve other paths from. */
export function folderAt(path: string, from: ResolvedPath | null): ResolvedPath | null {
  if (from === null && !isAbsolute(path)) return null
  const folder = resolvePath(path, from)
  return pathText(folder).length > folderCharsMax ? null : folder
}

export const isAbsolute = (path: string): boolean => /^([/~]|[A-Za-z]:)/.test(path)

export const isSamePath = (a: ResolvedPath, b: ResolvedPath): boolean => pathText(a) === pathText(b)

const pathText = ({ start, segments }: ResolvedPath): string => `${start}/${segments.join('/')}`

function isWithin(path: ResolvedPath, root: ResolvedPath): boolean {
  // Inside the root of the file system is everything, inside a home folder all that a person has: so nothing counts.
  const text = fromRoot(pathText(root))
  return (
    isBelow(path, root) &&
    !broadFolders.some((folder) => folder.test(text)) &&
    !root.segments.some(isHiddenFolder)
  )
}

const isBelow = (path: ResolvedPath, folder: ResolvedPath): boolean =>
  path.start === folder.start && folder.segments.every((segment, i) => path.segments[i] === segment)

const harmlessDevices = ['null', 'zero', 'stdin', 'stdout', 'stderr', 'urandom', 'random']

function devicePlace({ start, segments }: ResolvedPath): Place | null {
  if (start !== '') return null
  const [top, device] = segments
  if (/^inet[46]?$/.test(top ?? '')) return 'network'
  // Files by the number of their inode.
  if (/^\.(vol|file)$/i.test(top ?? '')) return 'unsure'
  if (top !== 'dev' || device === undefined) return null
  if (device === 'tcp' || device === 'udp') return 'network'
  if (segments.length === 2 && harmlessDevices.includes(device)) return 'inside'
  return segments.length === 2 && device === 'shm' ? 'outside' : 'unsure'
}
