/** Which installed packages, and which of their files, the running service needs. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './sources.js'

/** What Temporal's worker bundles workflows with. The build has done that. */
const bundler = ['@swc/core', 'memfs', 'source-map-loader', 'swc-loader', 'unionfs', 'webpack']

/** Those of them that the worker loads all the same, and calls only to bundle. */
export const stubbed = ['memfs', 'unionfs', 'webpack']

/** @returns the folders of packages, from the root: what the dependencies reach, without compilers, types and the bundler */
export function neededPackages() {
  const installed = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const reached = new Set()
  // Packages of this repository are copied as they are: what they depend on is installed for all.
  const ours = readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name, 'package.json'))
    // One is a package for Python.
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')).dependencies)
  const waiting = Object.keys(Object.assign({}, dependencies, ...ours)).map((name) => ({ name, from: '' }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const place = placeOf(installed, next)
    if (place === undefined || reached.has(place)) continue
    reached.add(place)
    const { dependencies: own, optionalDependencies, peerDependencies } = installed[place]
    const names = Object.keys({ ...own, ...optionalDependencies, ...peerDependencies })
    for (const name of names) if (isUsed(place, name)) waiting.push({ name, from: place })
  }
  return [...reached].sort()
}

const isUsed = (place, name) =>
  !name.startsWith('@types/') && !(place === 'node_modules/@temporalio/worker' && bundler.includes(name))

/** Where Node finds a package that is imported from a folder. */
function placeOf(installed, { name, from }) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (installed[place]) return place
    if (folder === '') return undefined
  }
}

const platforms = { darwin: 'apple-darwin', linux: 'unknown-linux-gnu', win32: 'pc-windows-msvc' }
const processors = { arm64: 'aarch64', x64: 'x86_64' }
const thisMachine = `${processors[process.arch]}-${platforms[process.platform]}`

/** What Node never loads of a package: its sources, other builds of it, and the libraries of other machines. */
const unused = {
  '@temporalio/core-bridge': new RegExp(
    `^(sdk-core|src|bridge-macros|scripts|Cargo)|^releases/(?!${thisMachine}/)`,
  ),
  rxjs: /^(src|dist\/(bundles|esm|esm5|types))\//,
}
const forDevelopers =
  /^(docs|examples?|tests?|benchmarks?|\.github)\/|\.(d\.[cm]?ts|[cm]?ts|map|flow|md)$|(^|\/)tsconfig[^/]*\.json$/i
const licence = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i

/** @param file  its path in the package */
export function isNeeded(place, file) {
  if (licence.test(file)) return true
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return !forDevelopers.test(file) && !unused[name]?.test(file)
}
