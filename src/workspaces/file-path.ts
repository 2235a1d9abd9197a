import { limits } from '../limits.ts'

/**
 * The parts of a path in a workspace, or undefined where no file can have it: absolute, empty parts, `.`, `..`, NUL, no
 * valid Unicode, too long or too deep. A file has one path: what would have to be cleaned up first is refused.
 */
export function pathParts(path: string): string[] | undefined {
  if (Buffer.byteLength(path) > limits.workspacePathBytesMax || !path.isWellFormed() || path.includes('\0')) {
    return undefined
  }
  const parts = path.split('/')
  if (parts.length > limits.workspaceDepthMax) return undefined
  return parts.some((part) => part === '' || part === '.' || part === '..') ? undefined : parts
}
