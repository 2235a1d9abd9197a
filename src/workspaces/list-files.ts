import { limits } from '../limits.ts'
import type { FileEntry, FilePage, View } from './store.ts'
import { newWalk } from './walk-bounds.ts'
import { walkFiles } from './walk.ts'

/** One page of a listing. @param root  the workspace's folder, absolute and without symbolic links */
export async function listFiles(
  root: string,
  view: View,
  page: { after: string; limitFiles: number },
): Promise<FilePage> {
  const walk = newWalk(root, view, { entries: limits.listingEntriesMax, folders: limits.listingFoldersMax })
  const found: FileEntry[] = []
  // One more file than the page size shows that there is a next page.
  for await (const some of walkFiles(walk, page.after)) {
    found.push(...some)
    if (found.length > page.limitFiles) break
  }
  if (walk.steps.left < 0) walk.leftOut.add('all following files (too many .gitignore comparisons)')
  const files = found.slice(0, page.limitFiles)
  const isCut = found.length > files.length
  return { files, nextAfter: isCut ? files.at(-1)!.path : walk.endedBefore, leftOut: [...walk.leftOut] }
}
