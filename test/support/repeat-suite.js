/**
 * Runs `npm test` several times and prints a row for each run. For finding tests that fail by chance.
 * Usage: npm run test:repeat -- [--runs 10] [--busy 2]
 * --busy  so many processes that compute all the time run beside it
 */
import { spawn } from 'node:child_process'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { runJest } from './run-jest.js'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '10' }, busy: { type: 'string', default: '0' } },
})
const [runs, busy] = [Number(values.runs), Number(values.busy)]

const loops = Array.from({ length: busy }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
)
process.once('exit', () => loops.forEach((loop) => loop.kill('SIGKILL')))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

console.log(`${runs} runs on ${cpus().length} × ${cpus()[0].model.trim()}, beside ${busy} busy loops`)
let red = 0
for (let run = 1; run <= runs; run += 1) {
  const began = performance.now()
  const { passed, failed, skipped, files, isGreen } = await runJest([
    '--selectProjects',
    'unit',
    'gate',
    '--watchman=false',
    '--silent',
  ])
  const seconds = Math.round((performance.now() - began) / 1000)
  const failedFiles = files.filter((file) => !file.isGreen).map(({ path }) => path)
  if (!isGreen) red += 1
  console.log(
    `${String(run).padStart(2)}  ${isGreen ? 'green' : 'red  '}  ${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2)} s  ` +
      `${passed} passed, ${failed} failed, ${skipped} skipped  ${failedFiles.join(', ')}`,
  )
}
// They would keep this process running.
loops.forEach((loop) => loop.kill('SIGKILL'))
console.log(`${runs - red} of ${runs} green`)
process.exitCode = red === 0 ? 0 : 1
