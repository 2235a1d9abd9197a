/** What a release consists of, for those who look up whether a vulnerability concerns them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { neededPackages } from './needed-packages.js'
import { root } from './sources.js'

/**
 * A bill of materials in CycloneDX 1.5: the packages that production loads, each with version, licence and hash. The same
 * packages make the same text.
 */
export function billOfMaterials() {
  const { name, version, description } = readJson('package.json')
  const installed = readJson('node_modules/.package-lock.json').packages
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { ...component(name, { version, license: 'Apache-2.0' }, 'application'), description },
    },
    components: neededPackages().map((place) => component(nameAt(place), installed[place], 'library', place)),
  }
}

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const nameAt = (place) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)

function component(name, { version, integrity, license }, type, place = name) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [algorithm, hash] = integrity?.split('-') ?? []
  return {
    type,
    // A package can be installed twice in one version.
    'bom-ref': place === name ? purl : `${purl}#${place}`,
    name,
    version,
    purl,
    ...(algorithm === 'sha512'
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] }
      : {}),
    ...(license === undefined ? {} : { licenses: [licenceOf(license)] }),
  }
}

/** A single licence has an id; several are an expression. */
const licenceOf = (license) =>
  /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }
