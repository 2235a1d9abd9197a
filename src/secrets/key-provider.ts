/** A stored data key, encrypted under a key that never leaves its provider. */
export interface WrappedKey {
  /** The id of the key that wraps it. */
  kid: string
  wrappedKey: Buffer
}

/**
 * Wraps and unwraps the data keys of secrets. The key ring of the environment implements it; a key management service
 * could too.
 */
export interface KeyProvider {
  /** The id of the key for new secrets. */
  readonly kid: string
  wrap(dataKey: Buffer, account: string): Promise<WrappedKey>
  /** @throws Error if the key is unknown, or the data key was wrapped for another account */
  unwrap(wrapped: WrappedKey, account: string): Promise<Buffer>
}
