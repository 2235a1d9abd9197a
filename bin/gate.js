#!/usr/bin/env node
/** Runs the command line that was compiled; compiles first where a source changed. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { compileChanged } from './compile.js'
import { root } from './sources.js'

await compileChanged({ isChecked: false }).catch((failure) => {
  process.stderr.write(`${failure.message}\n`)
  process.exit(1)
})
const program = join(root, 'dist', 'src', 'cli.js')
const { status, signal, error } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], {
  stdio: 'inherit',
})
if (error) process.stderr.write(`${error.message}\n`)
process.exit(status ?? (signal === 'SIGINT' ? 130 : 1))
