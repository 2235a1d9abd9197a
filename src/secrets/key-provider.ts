/** A data key as it is stored: encrypted under a key that never leaves its keeper. */
export interface WrappedKey {
  /** Which key it is wrapped under. */
  kid: string
  wrappedKey: Buffer
}

/**
 * Keeps the keys under which the data keys of secrets are wrapped. The key ring of the environment is one; a
 * key-management service could be another.
 */
export interface KeyProvider {
  /** The key that wraps from now on. */
  readonly kid: string
  wrap(dataKey: Buffer, account: string): Promise<WrappedKey>
  /** @throws Error where the key is not known, or the data key was wrapped for another account */
  unwrap(wrapped: WrappedKey, account: string): Promise<Buffer>
}
