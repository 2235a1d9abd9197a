import { limits } from '../limits.ts'
import { pathParts } from './file-path.ts'
import { type IgnoreRules, isIgnored } from './gitignore.ts'
import { isHiddenName } from './hidden.ts'
import { rulesWithin } from './ignore-files.ts'
import { type Opened, openExactly } from './open-exactly.ts'
import type { View } from './store.ts'

/**
 * Opens a file that a listing would show: the same names are hidden and the same rules apply.
 * @param root  the workspace's folder, absolute and without symbolic links
 * @returns undefined if the file is not visible, for any reason
 */
export async function openVisible(root: string, path: string, view: View): Promise<Opened | undefined> {
  const parts = pathParts(path)
  if (!parts || parts.some((part) => isHiddenName(part, view))) return undefined
  if (view === 'shown' && (await isIgnoredOnTheWay(root, parts))) return undefined
  return openExactly(`${root}/${path}`, 'file')
}

/** A file in an ignored folder is ignored, even if a rule includes the file. */
async function isIgnoredOnTheWay(root: string, parts: string[]): Promise<boolean> {
  const steps = { left: limits.ignoreStepsMax }
  let folder = `${root}/`
  let rules: IgnoreRules[] = []
  for (const [depth, part] of parts.entries()) {
    rules = await rulesWithin(folder, depth, rules)
    const isFolder = depth < parts.length - 1
    if (isIgnored(rules, parts.slice(0, depth + 1), isFolder, steps)) return true
    folder += `${part}/`
  }
  return false
}
