import type { FileHandle } from 'node:fs/promises'

/**
 * Reads a part of a file completely: a single read of the file system may return less.
 * @returns `lengthBytes` from `offsetBytes` on; fewer only at the end of the file
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
