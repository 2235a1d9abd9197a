import { type Browser, chromium } from 'playwright-core'

/** Headless Chromium: the one of the system, or of CHROMIUM_PATH. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
  try {
    return await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  } catch (error) {
    throw new Error(
      `Chromium does not start from ${executablePath}: install it, or set CHROMIUM_PATH. ${String(error)}`,
      { cause: error },
    )
  }
}
