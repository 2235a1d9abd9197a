import { join } from 'node:path'

/** What a preview's folder holds. */
export interface Places {
  /** Read by what is behind the walls: the copy, the bridge and its orders. */
  inside: string
  copy: string
  /** The bridge's alone: its socket. */
  door: string
}

/** @param folder  the preview's own, real and closed to others */
export function placesIn(folder: string): Places {
  const inside = join(folder, 'inside')
  return { inside, copy: join(inside, 'ws'), door: join(folder, 'door') }
}
