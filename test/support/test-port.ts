import { randomInt } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../dev/embedded/free-port.ts'

/**
 * A port on loopback that no other test of this run gets, also while the process that listens on it is away. Below those that
 * the system gives to connections.
 */
export async function testPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    if (isReserved(port) && (await freePort(port)) === port) return port
  }
}

/** False where another test has it. */
function isReserved(port: number): boolean {
  try {
    closeSync(openSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), `port-${port}`), 'wx'))
    return true
  } catch {
    return false
  }
}
