import { limits } from '../limits.ts'
import { type IgnoreRules, parseIgnoreFile } from './gitignore.ts'
import { openExactly } from './open-exactly.ts'
import { readFully } from './read-fully.ts'

/**
 * The rules that hold in a folder: its own .gitignore's before those of the folders above it. A link is not followed, as
 * git does not.
 * @param folder  absolute, ending with `/`
 * @param depth  how many parts its path in the workspace has
 * @param above  the rules that hold in the folder above, the innermost first
 */
export async function rulesWithin(
  folder: string,
  depth: number,
  above: IgnoreRules[],
): Promise<IgnoreRules[]> {
  const opened = await openExactly(`${folder}.gitignore`, 'file')
  if (!opened) return above
  try {
    const lengthBytes = Math.min(Number(opened.stats.size), limits.ignoreFileBytesMax)
    const text = (await readFully(opened.handle, 0, lengthBytes)).toString('utf8')
    // Half a rule is another rule, as `*` is of `*.log`.
    const whole = lengthBytes < opened.stats.size ? text.slice(0, text.lastIndexOf('\n') + 1) : text
    const known = above.reduce((sum, { rules }) => sum + rules.length, 0)
    const own = parseIgnoreFile(whole, depth, limits.ignoreRulesMax - known)
    return own.rules.length === 0 ? above : [own, ...above]
  } finally {
    await opened.handle.close()
  }
}
