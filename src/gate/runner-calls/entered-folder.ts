import { effectOf } from './effect.ts'
import { folderAt, placeOf } from './paths.ts'
import type { ToolCall } from './tool-call.ts'

const levelsMax = 4

/**
 * What a hook has to look at before the calls of a runner may go on in another folder: each folder on the way, which must be no link,
 * and two files that must be missing in it, because git obeys the configuration of a repository.
 */
export interface EnteredFolder {
  /** From the working folder. */
  path: string
  folders: string[]
  missing: string[]
}

/** A folder that the hook cannot tell from the runner's JSON by its text. */
export const isUntold = (path: string): boolean => /["\\\p{C}\p{Zl}\p{Zp}]/u.test(path)

/** The folder inside the working folder in which a call leaves the shell of a runner; null: none, or more than one. Pure. */
export function enteredFolder(call: ToolCall): EnteredFolder | null {
  const root = call.cwd === null || isUntold(call.cwd) ? null : folderAt(call.cwd, null)
  if (root === null) return null
  const found = new Set<string>()
  effectOf(call, (folder) => {
    const isInside = placeOf('x', { root, current: [folder] }, false, 'read') === 'inside'
    found.add(isInside ? folder.segments.slice(root.segments.length).join('/') : '')
    return true
  })
  const [path = ''] = found
  const names = path.split('/')
  if (found.size !== 1 || path === '' || isUntold(path) || names.length > levelsMax) return null
  const folders = names.map((_, at) => names.slice(0, at + 1).join('/'))
  return { path, folders, missing: folders.flatMap((folder) => [`${folder}/.git`, `${folder}/HEAD`]) }
}
