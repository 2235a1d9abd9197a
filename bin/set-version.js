/** `npm run release:version -- 0.3.0`: writes the version wherever it stands. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { places, withVersion } from './versions.js'

const [version] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  process.stderr.write('Usage: npm run release:version -- MAJOR.MINOR.PATCH\n')
  process.exit(2)
}
const root = join(import.meta.dirname, '..')
for (const { file, patterns } of places) {
  const path = join(root, file)
  writeFileSync(path, withVersion(readFileSync(path, 'utf8'), patterns, version))
}
const options = [
  '--no-git-tag-version',
  '--allow-same-version',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
]
execFileSync('npm', ['version', version, ...options], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
// The packages of the workspace stand in the lock file, too.
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
})
process.stdout.write(`version ${version} in package.json and ${places.length} other files\n`)
