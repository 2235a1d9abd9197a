import { join } from 'node:path'

/** The contents of a preview's folder. */
export interface Places {
  /** Readable inside the walls: the copy, the bridge and its plan. */
  inside: string
  copy: string
  /** The socket of the preview; only the bridge sees it. */
  door: string
}

/** @param folder  the preview's private folder, without symbolic links */
export function placesIn(folder: string): Places {
  const inside = join(folder, 'inside')
  return { inside, copy: join(inside, 'ws'), door: join(folder, 'door') }
}
