import { sha256 } from '../ledger/digest.ts'

/** The name of the tree of epochs, and of the key that signs every checkpoint of a host. @param url  of the service */
export const epochOrigin = (url: string): string => `${new URL(url).host}/epochs`

/** The name of an account's tree. */
export const accountOrigin = (url: string, account: string): string =>
  `${new URL(url).host}/ledger/${account}`

/**
 * What a leaf of the tree of epochs is made of: that an account was sealed with this size and root. Without the salt nobody can
 * tell which account.
 */
export function epochLeaf(
  salt: Buffer,
  account: string,
  { size, root }: { size: number; root: Buffer },
): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(size))
  return Buffer.concat([sha256(salt, account), length, root])
}
