import type { FileHandle } from 'node:fs/promises'

/**
 * Reads a part of a file, as much of it as there is: one call of the file system may bring less than was asked for.
 * @returns up to `lengthBytes` from `offsetBytes` on; fewer only where the file ends
 */
export async function readFully(
  handle: FileHandle,
  offsetBytes: number,
  lengthBytes: number,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(lengthBytes)
  let filled = 0
  while (filled < lengthBytes) {
    const { bytesRead } = await handle.read(buffer, filled, lengthBytes - filled, offsetBytes + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
