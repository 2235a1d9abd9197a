#!/usr/bin/env node
/** Runs the command line that was compiled; compiles first where a source is newer. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const program = join(root, 'dist', 'src', 'cli.js')
const stamp = join(root, 'dist', '.tsbuildinfo')
const sources = ['src', 'workflows', 'activities', 'tsconfig.json', 'tsconfig.build.json']

if (isStale()) compile()
const { status, signal, error } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], {
  stdio: 'inherit',
})
if (error) process.stderr.write(`${error.message}\n`)
process.exit(status ?? (signal === 'SIGINT' ? 130 : 1))

/** An installation without its sources is never stale. */
function isStale() {
  if (!existsSync(program) || !existsSync(stamp)) return true
  const compiledAt = statSync(stamp).mtimeMs
  return sources.some((name) => newest(join(root, name)) > compiledAt)
}

/** The compiler's words go to stderr: stdout is the command's. */
function compile() {
  const begin = new Date()
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  if (!existsSync(tsc)) {
    process.stderr.write(
      'The sources are newer than the build, and the compiler is not installed: run `npm ci --include=dev && npm run build`.\n',
    )
    process.exit(1)
  }
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
    stdio: ['ignore', process.stderr, process.stderr],
  })
  if (status !== 0) process.exit(1)
  // The compiler leaves the stamp alone where no program changed; what is edited from now on is newer.
  utimesSync(stamp, begin, begin)
}

function newest(path) {
  const found = existsSync(path) ? statSync(path) : undefined
  if (!found) return 0
  if (!found.isDirectory()) return /\.(ts|json)$/.test(path) ? found.mtimeMs : 0
  // A file that was removed shows in the time of its folder alone.
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}
