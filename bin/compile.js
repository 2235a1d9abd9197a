/** Compiles the program, and bundles its workflows, where their sources changed. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { digestOf, filesBelow, isMadeFrom, makeAgain, root } from './sources.js'

const folders = ['src', 'workflows', 'activities', 'dev']
/** What decides what the compiler and the bundler write, beside the sources. */
const settings = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json']

const compiled = 'dist/.compiled'
const compilerState = 'dist/.tsbuildinfo'
const bundled = 'dist/.bundled'
const bundle = 'dist/workflow-bundle.js'

/** An installation without its sources is never stale. */
const hasSources = () => existsSync(join(root, 'tsconfig.build.json'))

/**
 * Compiles what changed. The compiler's words go to stderr: stdout is the program's.
 * @param isChecked  false: a tree that was never compiled is compiled without its types, in a quarter of the time. Each
 *   commit was checked. What is edited from then on is checked.
 * @throws Error where it does not compile, with what the compiler did not say itself
 */
export async function compileChanged({ isChecked }) {
  if (!hasSources()) return
  const sources = filesBelow(folders, /\.(ts|json)$/)
  const digest = digestOf([...sources, ...filesBelow(settings, /\.json$/)])
  const unchecked = `${digest} unchecked`
  const missing = sources.filter((file) => !existsSync(join(root, outputOf(file))))
  const isCurrent = isMadeFrom(compiled, digest) || (!isChecked && isMadeFrom(compiled, unchecked))
  if (missing.length === 0 && isCurrent) return
  // Its state says what changed since, and nothing of outputs that somebody removed.
  if (missing.length > 0) rmSync(join(root, compilerState), { force: true })
  const isFirst = !isChecked && !existsSync(join(root, compilerState))
  await makeAgain(compiled, isFirst ? unchecked : digest, () => {
    compile(isFirst ? ['--noCheck'] : [])
    removeStale(new Set(sources.map(outputOf)))
  })
}

function compile(more) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  if (!existsSync(tsc)) {
    throw new Error(
      'The sources were changed since the build, and the compiler is not installed: run `npm ci --include=dev && npm run build`.',
    )
  }
  const project = ['-p', join(root, 'tsconfig.build.json')]
  const { status } = spawnSync(process.execPath, [tsc, ...project, ...more], {
    stdio: ['ignore', process.stderr, process.stderr],
  })
  if (status !== 0) throw new Error('The program does not compile.')
}

const outputOf = (source) => `dist/${source.replace(/\.ts$/, '.js')}`

/** The compiler leaves the output of a source that was removed or renamed. */
function removeStale(outputs) {
  const found = filesBelow(
    folders.map((folder) => `dist/${folder}`),
    /./,
  )
  for (const file of found.filter((name) => !outputs.has(name.replace(/\.map$/, ''))))
    rmSync(join(root, file))
}

/**
 * Bundles the workflows of the compiled program. Workflows import nothing else of it than these files: lint holds them to it.
 * @throws Error where they cannot be bundled
 */
export async function bundleChanged() {
  if (!hasSources()) return
  const sources = filesBelow(
    ['workflows', 'src/temporal/names.ts', 'src/temporal/workflow-limits.ts'],
    /\.ts$/,
  )
  const digest = digestOf([...sources, ...filesBelow(settings, /\.json$/)])
  if (existsSync(join(root, bundle)) && isMadeFrom(bundled, digest)) return
  await makeAgain(bundled, digest, bundleWorkflows)
}

function bundleWorkflows() {
  const child = spawn(process.execPath, [join(root, 'dist/src/temporal/build-bundle.js')], {
    stdio: 'inherit',
  })
  const endWithUs = () => child.kill()
  process.once('exit', endWithUs)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      process.off('exit', endWithUs)
      if (code === 0) resolve()
      else reject(new Error('The workflows cannot be bundled.'))
    })
  })
}
