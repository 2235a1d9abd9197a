/**
 * `npm run assemble -- FOLDER`, after the build: copies what production runs, and nothing else, into a new folder for this
 * kind of machine. There is no compiler in it, no type, no bundler and no source that is not read.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { billOfMaterials } from './bill-of-materials.js'
import { isNeeded, neededPackages, stubbed } from './needed-packages.js'
import { root } from './sources.js'

const folder = process.argv[2] && resolve(process.argv[2])
if (!folder || (existsSync(folder) && readdirSync(folder).length > 0)) {
  process.stderr.write('Name a folder that does not exist yet or is empty: npm run assemble -- FOLDER\n')
  process.exit(2)
}
if (!existsSync(join(root, 'dist/workflow-bundle.js'))) {
  process.stderr.write('Nothing is built yet: run `npm run build`.\n')
  process.exit(1)
}

/** Beside what was compiled: the files of the sources that are read as they are. */
const own = [
  'package.json',
  'LICENSE',
  'bin/gate.js',
  'bin/compile.js',
  'bin/sources.js',
  'packages',
  'dist/src',
  'dist/workflows',
  'dist/activities',
  'dist/workflow-bundle.js',
  'dist/traced-workflow-bundle.js',
  'src/db/migrations',
  'src/db/functions',
  'src/console/style',
  'src/web/passkey.js',
  'src/console/proposals/inbox.mjs',
  'src/console/proposals/presses.mjs',
  'src/console/devices/push.mjs',
  'src/console/devices/push-worker.js',
  'src/previews/command/bridge.js',
]
const isRun = (file) => !/\.(m?ts|map)$|^dist\/\.|\/(test|node_modules)\/|\/tsconfig\.json$/.test(file)

for (const path of own) for (const file of filesOf(path).filter(isRun)) copy(file)
for (const place of neededPackages()) {
  const files = filesOf(place).filter((file) => isNeeded(place, file.slice(place.length + 1)))
  for (const file of files) copy(file)
}
for (const name of stubbed) {
  const place = join(folder, 'node_modules', name)
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name, main: 'index.js' }))
  writeFileSync(
    join(place, 'index.js'),
    '// Bundles workflows. The build has done that.\nmodule.exports = {}\n',
  )
}
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(), null, 2)}\n`)
const bytes = filesOf('.', folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
process.stdout.write(`${folder}: ${Math.round(bytes / 1e6)} MB\n`)

function copy(file) {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  cpSync(join(root, file), join(folder, file))
}

/** Files below a path, without those of packages inside of packages, which are listed by themselves. */
function filesOf(path, base = root) {
  const found = statSync(join(base, path))
  if (!found.isDirectory()) return [path]
  return readdirSync(join(base, path))
    .filter((name) => name !== 'node_modules' || base !== root)
    .flatMap((name) => filesOf(path === '.' ? name : `${path}/${name}`, base))
}
