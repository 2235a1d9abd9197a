import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/**
 * A headless Chromium: the one of `CHROMIUM_PATH`, else the first on the PATH. It resolves `*.localhost` to this machine
 * by itself. Whoever launches it closes it.
 * @throws Error that says what to install where there is none
 */
export async function launchBrowser(): Promise<Browser> {
  // Its own sandbox does not run as root, which tests in containers are.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath: chromiumPath(), args })
}

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

function chromiumPath(): string {
  const given = process.env['CHROMIUM_PATH']
  if (given) return given
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
  if (!found)
    throw new Error('No Chromium on the PATH: install it (Debian: chromium), or set CHROMIUM_PATH to it.')
  return found
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
