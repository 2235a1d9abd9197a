import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import type { ApprovedFiles } from '../../db/queries/runner/approved-files.ts'
import type { UnboundReason } from '../../gate/runner-calls/files/found-files.ts'
import type { FileStart } from '../../gate/runner-calls/kept-input.ts'
import { maskSecrets } from '../../gate/runner-calls/mask.ts'
import {
  type WantedFile,
  type WantedFiles,
  filesRunBy,
  scriptsIn,
} from '../../gate/runner-calls/files/wanted-files.ts'
import { type FileProblem, fileProblems } from '../../gate/runner-calls/files/file-words.ts'
import type { ToolCall } from '../../gate/runner-calls/tool-call.ts'
import { sha256 } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'

/** How much is read of the start of a bound file, and how much of it is shown. */
const fileStartHexMax = 65_536
const fileStartShownBytes = 2_048
/** The starts of all files of a call together: a longer card cannot be shown in Slack. */
const fileStartsCharsMax = 4_500

const fileStartLinesMax = 60

/** What a hook has read of a file: its digest and how it begins, or why it has not read it. */
export type ReportedFile = { sha256: string; start: Buffer } | { problem: FileProblem }

/** What a hook reports about files, by their marks; `able`: it can be asked; null: it tells nothing. */
export type HookFiles = ReadonlyMap<string, ReportedFile> | 'able' | null

/** The files that the gate wants to know of before it has a member asked, as the hook reads them. */
export interface FilesWanted {
  wants: string
}

/** A file that a consent is bound to. */
export interface BoundFile {
  path: string
  /** null: there is none. */
  sha256: string | null
  problem: FileProblem | null
  /** How it begins. null: it is binary, or may not be shown. */
  start: Pick<FileStart, 'text' | 'shows'> | null
  /** It is named as what runs. */
  isSure: boolean
}

export interface BoundFiles {
  files: BoundFile[]
  unbound: UnboundReason[]
  /** The files that a mandate is pinned to; null: not all of them are known. */
  pins: Pin[] | null
}

/** A program or manifest, as it was. */
export interface Pin {
  path: string
  /** Digest of its bytes, hex; absent: there was no such file. */
  sha256?: string | undefined
}

/** The files of a call about whose files nothing is known. */
export const noFiles: BoundFiles = { files: [], unbound: [], pins: null }

/** What a hook sends of files, with the call behind it: see docs/runner-protocol.md#how-a-request-is-signed. */
export const fileReport = z
  .record(
    z.string().regex(/^[\da-f]{16}$/),
    z.union([
      z.tuple([
        z.string().regex(/^[\da-f]{64}$/),
        z
          .string()
          .max(fileStartHexMax)
          .regex(/^([\da-f]{2})*$/),
      ]),
      z.tuple([z.enum(fileProblems)]),
    ]),
  )
  .refine((files) => Object.keys(files).length <= limits.boundFilesMax)
  .transform(
    (files): ReadonlyMap<string, ReportedFile> =>
      new Map(
        Object.entries(files).map(([mark, [what, start]]) => [
          mark,
          start === undefined
            ? { problem: what as FileProblem }
            : { sha256: what, start: Buffer.from(start, 'hex') },
        ]),
      ),
  )

/**
 * The files that a consent to a call is bound to: those of the working folder that it runs, as far as its text tells.
 * @returns what the hook is to read first, where it can and has not
 */
export function bindFiles(call: ToolCall, report: HookFiles): BoundFiles | FilesWanted {
  const reported = report === null || report === 'able' ? undefined : report
  const manifest = (path: string) => wholeText(reported?.get(markOf(path)))
  const wanted = filesRunBy(call, manifest, limits.boundFilesMax)
  if (wanted.files.length === 0) return { files: [], unbound: wanted.unbound, pins: wanted.pinned && [] }
  if (report === null) return { files: [], unbound: [...wanted.unbound, 'hook'], pins: null }
  if (!reported || !wanted.files.every(({ path }) => reported.has(markOf(path))))
    return { wants: wantsText(wanted) }
  const files = wanted.files.map((file) => boundFile(file, reported.get(markOf(file.path))!))
  return { files, unbound: wanted.unbound, pins: pinsIn(files, wanted) }
}

/** null: one of them is a link, could not be read, or is that of a folder above. */
function pinsIn(files: BoundFile[], { pinned, manifests }: WantedFiles): Pin[] | null {
  if (pinned === null) return null
  const isThere = (path: string) => files.some((file) => file.path === path && file.problem === null)
  if (!manifests.every((paths) => paths.some(isThere))) return null
  const found = files.filter(({ path }) => pinned.includes(path))
  if (found.some(({ problem }) => problem !== null && problem !== 'missing')) return null
  return found.map(({ path, sha256: digest }) => ({ path, ...(digest !== null && { sha256: digest }) }))
}

/** The paths that a mandate for a call is pinned to; null: one lies elsewhere. Pure. */
export const pinnedBy = (call: ToolCall): string[] | null =>
  filesRunBy(call, () => undefined, limits.boundFilesMax).pinned

/** How a hook names a file: it tells the gate's paths apart without escaping any. */
export const markOf = (path: string): string => sha256(path).toString('hex').slice(0, 16)

export const wantsText = ({
  folder,
  files,
}: {
  folder: string | null
  files: Pick<WantedFile, 'path' | 'shownKib'>[]
}): string =>
  ['files', folder, ...files.map(({ path, shownKib }) => `${shownKib} ${markOf(path)} ${path}`)].join('\n')

/** The text of a file that was read as a whole. */
function wholeText(file: ReportedFile | undefined): string | undefined {
  if (!file || 'problem' in file || sha256(file.start).toString('hex') !== file.sha256) return undefined
  return isUtf8(file.start) ? file.start.toString('utf8') : undefined
}

function boundFile({ path, isSure, scripts, shownKib }: WantedFile, file: ReportedFile): BoundFile {
  if ('problem' in file) return { path, isSure, sha256: null, problem: file.problem, start: null }
  const lines = scriptsIn(wholeText(file), scripts).map(([name, text]) => `${name}: ${text}`)
  const start = lines.length > 0 ? { text: lines.join('\n'), shows: 'scripts' as const } : startOf(file)
  return {
    path,
    isSure,
    sha256: file.sha256,
    problem: null,
    start: start && shownKib > 0 ? { ...start, text: maskSecrets(start.text, true) } : null,
  }
}

/** The first lines of a text; null: it is none. */
function startOf({ sha256: digest, start: read }: { sha256: string; start: Buffer }): BoundFile['start'] {
  const start = read.subarray(0, fileStartShownBytes)
  const isWhole = sha256(start).toString('hex') === digest
  // A character may be cut at the end.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(start, { stream: !isWhole })
  if (text.includes('\0') || text.includes('\ufffd')) return null
  // The last line may be cut, and a secret in it could no longer be told.
  const lines = isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1 || undefined)
  return { text: lines, shows: isWhole ? 'whole' : 'start' }
}

/** Cuts a start to as many first lines as fit. */
function cutTo(
  start: Pick<FileStart, 'text' | 'shows'>,
  charsMax: number,
): Pick<FileStart, 'text' | 'shows'> {
  const lines = start.text.trimEnd().split('\n')
  let kept = ''
  for (const [at, line] of lines.slice(0, fileStartLinesMax).entries()) {
    if (kept.length + line.length > charsMax) {
      if (at === 0) kept = line.slice(0, charsMax).toWellFormed()
      break
    }
    kept += at === 0 ? line : `\n${line}`
  }
  return kept === lines.join('\n') ? { ...start, text: kept } : { text: kept, shows: 'start' }
}

/** What of these files is bound, as it is hashed: a change of any is another call. */
export const bindingOf = ({ files }: BoundFiles): (string | null)[][] =>
  files.map(({ path, sha256: digest, problem }) => [path, digest, problem])

/** The files as a payload has them. */
export function payloadFiles({ files }: BoundFiles, approved: ApprovedFiles) {
  return shownFiles(files).map(({ path, sha256: digest, problem }) => {
    const before = approved.get(path)
    return {
      path,
      ...(digest === null ? {} : { sha256: digest }),
      ...(problem === null ? {} : { problem }),
      ...(!before || digest === null
        ? {}
        : before.sha256 === digest
          ? { same_as: before.action }
          : { changed_since: before.action }),
    }
  })
}

/** How the files begin, as a row keeps it beside its payload. */
export function startsOf({ files }: BoundFiles, approved: ApprovedFiles): FileStart[] {
  const shown = shownFiles(files).filter(({ start }) => start !== null && start.text.trim() !== '')
  return shown.map(({ path, sha256: digest, start }) => {
    const cut = cutTo(start!, Math.floor(fileStartsCharsMax / Math.max(shown.length, 3)))
    const before = approved.get(path)
    const isChanged = before && before.sha256 !== digest && before.start !== null
    return { path, ...cut, ...(isChanged ? { newLines: newLines(before.start!, cut.text) } : {}) }
  })
}

/** A word that only may be a file is none if there is no such file. */
const shownFiles = (files: BoundFile[]): BoundFile[] =>
  files.filter(({ isSure, problem }) => isSure || (problem !== 'missing' && problem !== 'no_file'))

/** The lines, from 1, that a text has and a former one has not. */
function newLines(former: string, text: string): number[] {
  const left = new Map<string, number>()
  for (const line of former.split('\n')) left.set(line, (left.get(line) ?? 0) + 1)
  return text.split('\n').flatMap((line, at) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count > 0 ? [] : [at + 1]
  })
}
