/** Why nothing was done, as a sentence. */
export class HookError extends Error {
  /** @override */
  name = 'HookError'
}
