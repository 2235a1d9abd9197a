import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '../../src/process/root.ts'

/**
 * The program as it is deployed, compiled from the sources of this moment: once a run, into the folder of the run, so that
 * neither an old `dist` is tested nor somebody else's new one is touched.
 * @returns the folder that holds `dist/src/api.js` and its like
 */
export async function builtProgram(runDir: string): Promise<string> {
  const place = join(runDir, 'program')
  const making = `${place}-making`
  while (!existsSync(place)) {
    if (!isFirst(making)) {
      await sleep(50)
      continue
    }
    try {
      await build(making)
      if (!existsSync(place)) renameSync(making, place)
    } finally {
      rmSync(making, { recursive: true, force: true })
    }
  }
  return place
}

/** Test files run side by side: the first to ask builds, the others wait for it. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

async function build(making: string): Promise<void> {
  mkdirSync(join(making, 'src', 'db'), { recursive: true })
  copyFileSync(join(projectRoot, 'package.json'), join(making, 'package.json'))
  symlinkSync(join(projectRoot, 'node_modules'), join(making, 'node_modules'))
  for (const kept of readFromSources) {
    mkdirSync(dirname(join(making, kept)), { recursive: true })
    symlinkSync(join(projectRoot, kept), join(making, kept))
  }
  compile(join(making, 'dist'))
  await bundle(join(making, 'dist'))
}

const readFromSources = [
  join('src', 'db', 'migrations'),
  join('src', 'db', 'functions'),
  join('src', 'console', 'style'),
  join('src', 'console', 'proposals', 'inbox.mjs'),
  join('src', 'console', 'proposals', 'presses.mjs'),
  join('src', 'console', 'devices', 'push.mjs'),
  join('src', 'console', 'devices', 'push-worker.js'),
  join('src', 'web', 'passkey.js'),
  join('src', 'previews', 'command', 'bridge.js'),
  'packages',
]

/** Types are checked by `npm run check`, and not again here. */
function compile(outDir: string): void {
  const tsc = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = [
    '-p',
    'tsconfig.build.json',
    '--noCheck',
    '--outDir',
    outDir,
    '--tsBuildInfoFile',
    join(outDir, '.tsbuildinfo'),
  ]
  const done = spawnSync(process.execPath, [tsc, ...options], { cwd: projectRoot, encoding: 'utf8' })
  if (!existsSync(join(outDir, 'dev', 'start.js')))
    throw new Error(`The program does not compile: ${done.stdout}`)
}

async function bundle(outDir: string): Promise<void> {
  const made = process.env['TEST_WORKFLOW_BUNDLE']
  const target = join(outDir, 'workflow-bundle.js')
  if (made) copyFileSync(made, target)
  const program = join(outDir, 'src', 'temporal', 'build-bundle.js')
  const args = made ? [program, 'traced-workflow-bundle.js'] : [program]
  const done = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`The workflows cannot be bundled: ${done.stderr}`)
}
