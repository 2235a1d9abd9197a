import { limits } from '../limits.ts'
import { type IgnoreRules, parseIgnoreFile } from './gitignore.ts'
import { openExactly } from './open-exactly.ts'
import { readFully } from './read-fully.ts'

/**
 * The rules for the entries of a folder: those of its own .gitignore, then those of the folders above. Like git, does not
 * follow links.
 * @param folder  absolute, ending with `/`
 * @param depth  the number of parts in its path in the workspace
 * @param above  the rules of the folders above, innermost first
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
    // A truncated rule is dropped, because it is a different rule: `*` instead of `*.log`.
    const whole = lengthBytes < opened.stats.size ? text.slice(0, text.lastIndexOf('\n') + 1) : text
    const known = above.reduce((sum, { rules }) => sum + rules.length, 0)
    const own = parseIgnoreFile(whole, depth, limits.ignoreRulesMax - known)
    return own.rules.length === 0 ? above : [own, ...above]
  } finally {
    await opened.handle.close()
  }
}
