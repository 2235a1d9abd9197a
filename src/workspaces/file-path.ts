import { limits } from '../limits.ts'

/**
 * The parts of a path in a workspace, or undefined if no file can have this path: absolute, empty parts, `.`, `..`, NUL,
 * invalid Unicode, too long or too deep. Every file has exactly one path: paths that need normalization are refused.
 */
export function pathParts(path: string): string[] | undefined {
  if (Buffer.byteLength(path) > limits.workspacePathBytesMax || !path.isWellFormed() || path.includes('\0')) {
    return undefined
  }
  const parts = path.split('/')
  if (parts.length > limits.workspaceDepthMax) return undefined
  return parts.some((part) => part === '' || part === '.' || part === '..') ? undefined : parts
}
