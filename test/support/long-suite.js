/**
 * `npm run test:long`: kills, faults, whole services and browsers, two files at a time. A file that fails is run once more by
 * itself. It is red if it fails again, else unsteady: a defect of the product or of the test, to be found and mended.
 *
 * Usage: node test/support/long-suite.js [--changed] [--record] [path …]
 * --changed  only files that test what the last commits changed, for at most ten minutes: see jest/long-files.js
 * --record   writes how long each file took, which --changed goes by
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { changedFiles, longFiles, secondsFile, testsOf } from './jest/long-files.js'
import { runJest } from './run-jest.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { changed: { type: 'boolean' }, record: { type: 'boolean' } },
})

const named =
  positionals.length === 0
    ? longFiles()
    : longFiles().filter((file) => positionals.some((part) => file.includes(part)))
const chosen = values.changed ? testsOf(changedFiles(), named) : named
if (chosen.length === 0)
  throw new Error(`No file of the long suite has ${positionals.join(' or ')} in its path.`)

const project = ['--selectProjects', 'long', '--watchman=false']
const first = await runJest([...project, '--maxWorkers=2', '--runTestsByPath', ...chosen])
const rows = []
for (const file of first.files.toSorted((a, b) => b.seconds - a.seconds)) {
  const again = file.isGreen
    ? undefined
    : await runJest([...project, '--maxWorkers=1', '--runTestsByPath', file.path])
  rows.push({ ...file, again, verdict: file.isGreen ? 'green' : again.isGreen ? 'unsteady' : 'red' })
}

for (const { path, seconds, again, verdict } of rows) {
  const second = again === undefined ? '' : `, alone: ${again.passed} passed, ${again.failed} failed`
  console.log(`${verdict.padEnd(8)} ${seconds.toFixed(0).padStart(4)} s  ${path}${second}`)
}
const red = rows.filter(({ verdict }) => verdict === 'red')
const unsteady = rows.filter(({ verdict }) => verdict === 'unsteady')
console.log(`Unsteady: ${unsteady.map(({ path }) => path).join(', ') || 'none'}`)
if (values.record) {
  const seconds = Object.fromEntries(rows.map((row) => [row.path, Math.ceil(row.seconds)]).toSorted())
  writeFileSync(secondsFile, `${JSON.stringify(seconds, null, 2)}\n`)
}
const missing = chosen.length - first.files.length
const failed = red.reduce((sum, { again }) => sum + Math.max(again.failed, 1), missing)
console.log(`${first.passed} passed, ${failed} failed, ${first.skipped} skipped`)
process.exitCode = failed === 0 && first.passed > 0 ? 0 : 1
