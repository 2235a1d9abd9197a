import { limits } from '../../src/limits.ts'

export type Bounds = Partial<Record<keyof typeof limits, number>>

/**
 * Shortens bounds of this process: what happens when they are reached is tested, and not how long they are.
 * @returns what gives them back: a file that leaves them shortened for the next one fails
 */
export function shorten(bounds: Bounds): () => void {
  const before = { ...limits }
  Object.assign(limits, bounds)
  return () => void Object.assign(limits, before)
}

/** The same for a process of the built program: what `node` is given before the file. */
export function shortenedIn(program: string, bounds: Bounds): string[] {
  const module = new URL(`file://${program}/dist/src/limits.js`).href
  const code = `import { limits } from '${module}'; Object.assign(limits, ${JSON.stringify(bounds)})`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}
