import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const node = [
  '--no-warnings',
  '--max-semi-space-size=64',
  join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
]

/**
 * Runs jest in a process of its own; what it prints goes to standard error.
 * @param {string[]} args  its arguments
 * @returns how it ended: counts of tests, skipped ones apart, and each file by its path in the project, with its seconds and whether it passed
 * @throws Error if it ended without a summary
 */
export async function runJest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'gate-results-'))
  const file = join(folder, 'results.json')
  try {
    const jest = spawn(process.execPath, [...node, ...args, '--json', `--outputFile=${file}`], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const end = () => jest.kill()
    process.once('exit', end)
    const [code] = await once(jest, 'close')
    process.off('exit', end)
    return { code, ...summaryOf(JSON.parse(readFileSync(file, 'utf8'))) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function summaryOf({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: skipped,
  testResults,
}) {
  const files = testResults.map(({ name, startTime, endTime, status }) => ({
    path: relative(root, name),
    seconds: (endTime - startTime) / 1000,
    // Jest calls a file with skipped tests `focused`.
    isGreen: status !== 'failed',
  }))
  return { passed, failed, skipped, files, isGreen: passed > 0 && files.every(({ isGreen }) => isGreen) }
}
