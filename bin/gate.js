#!/usr/bin/env node
/** Runs the command line that was compiled; compiles first where a source changed. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { compileChanged } from './compile.js'
import { root } from './sources.js'

await compileChanged({ isChecked: false }).catch((failure) => {
  process.stderr.write(`${failure.message}\n`)
  process.exit(1)
})
const program = join(root, 'dist', 'src', 'cli.js')
const child = spawn(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' })
// Who stops this process means the command, which may be a witness that goes on by itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
child.on('exit', (status, signal) => process.exit(status ?? (signal === 'SIGINT' ? 130 : 1)))
