import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { environment } from '../src/environment/environment.ts'
import { projectRoot } from '../src/process/root.ts'
import { testRows } from './support/rows.ts'

interface Service {
  image: string
  command?: string[]
  restart: string
  healthcheck?: { test?: string[]; disable?: boolean }
  ports?: string[]
  profiles?: string[]
  depends_on?: Record<string, { condition: string }>
  environment?: Record<string, string | number | null>
}

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')
const composeText = read('docker-compose.yml')
const compose = parse(composeText, { merge: true }) as { services: Record<string, Service> }
const services = Object.entries(compose.services)
const dockerfile = read('Dockerfile')
const packageJson = JSON.parse(read('package.json')) as {
  version: string
  scripts: { api: string; worker: string }
}
const ours = ['migrate', 'api', 'worker', 'sandbox']

const isOneShot = (service: Service) => service.restart === 'no'
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '')

// ${NAME}, ${NAME:-default} and ${NAME:?message}, but not $${NAME}, which the container's shell reads.
const interpolated = matches(composeText, /(?<!\$)\$\{([A-Z0-9_]+)/g)
const passedOn = services.flatMap(([, { environment: given }]) =>
  Object.keys(given ?? {}).filter((name) => given?.[name] === null),
)
const composeVariables = [...new Set([...interpolated, ...passedOn])]

const example = read('.env.example')
const exampleVariables = matches(example, /^#?([A-Z][A-Z0-9_]*)=/gm)
const setInExample = matches(example, /^([A-Z][A-Z0-9_]*)=/gm)
const configVariables = Object.keys(environment.shape)

describe('docker-compose.yml', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
    JSON.parse(read('test/support/compose-spec.json')) as object,
  )

  test('is a valid file of the Compose Specification', () => {
    validate(compose)
    expect(validate.errors).toBeNull()
  })

  test('would be found invalid with a misspelt key, an unknown condition or an argument that is no string', () => {
    const changed = (service: object) => ({ services: { api: { image: 'x:1', ...service } } })
    expect(validate(changed({}))).toBe(true)
    expect(validate(changed({ enviroment: {} }))).toBe(false)
    expect(validate(changed({ depends_on: { postgres: { condition: 'service_ready' } } }))).toBe(false)
    expect(validate(changed({ healthcheck: { test: ['CMD', { 'r.ok ? 0': 1 }] } }))).toBe(false)
  })

  testRows(services)('every image is pinned to a version', (name, { image }) => {
    expect(image).toMatch(/^[a-z/-]+:\d+\.\d+[\w.-]*$/)
    const own = name === 'sandbox' ? 'qualification-gate-sandbox' : 'qualification-gate'
    if (ours.includes(name)) expect(image).toBe(`${own}:${packageJson.version}`)
  })

  test("Temporal's server and its schema are of one version", () => {
    const tags = services.map(([, { image }]) => /^temporalio\/(?:server|admin-tools):(.*)/.exec(image)?.[1])
    expect(new Set(tags.filter(Boolean)).size).toBe(1)
  })

  testRows(services)('every service runs once, or restarts and says whether it is healthy', (_, service) => {
    if (isOneShot(service)) return
    expect(service.restart).toBe('unless-stopped')
    expect(service.healthcheck?.test?.[0]).toBe('CMD')
  })

  testRows(services)('every port is published to this machine alone', (_, { ports = [] }) => {
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
  })

  testRows(services)('every service waits for what can come true', (_, { depends_on: waits = {} }) => {
    for (const [target, { condition }] of Object.entries(waits)) {
      const other = compose.services[target]
      expect({ target, exists: other !== undefined }).toEqual({ target, exists: true })
      const expected = other && isOneShot(other) ? 'service_completed_successfully' : 'service_healthy'
      expect({ target, condition }).toEqual({ target, condition: expected })
    }
  })

  test('the programs it starts are the ones that the build makes', () => {
    const programs = ours.map((name) => compose.services[name]?.command?.find((part) => part.endsWith('.js')))
    expect(programs).toEqual([
      'bin/gate.js',
      'dist/src/api.js',
      'dist/src/worker.js',
      'dist/dev/sandbox/serve.js',
    ])
    for (const name of ['api', 'worker'] as const)
      expect(compose.services[name]?.command?.join(' ')).toBe(packageJson.scripts[name])
  })

  test('only migrate holds the login that may change the schema', () => {
    const owning = services.filter(
      ([, service]) => service.environment && 'DATABASE_OWNER_URL' in service.environment,
    )
    expect(owning.map(([name]) => name)).toEqual(['migrate'])
    for (const name of ['api', 'worker']) {
      expect(JSON.stringify(compose.services[name])).not.toContain('${POSTGRES_PASSWORD')
    }
  })

  test('no password stands in it', () => {
    const secrets = services.flatMap(([, service]) =>
      Object.entries(service.environment ?? {}).filter(([name]) => /PASSWORD|PWD|_URL$/.test(name)),
    )
    const withoutVariables = secrets.map(([, value]) => String(value).replaceAll(/\$\{\w+:\?[^}]*\}/g, ''))
    expect(withoutVariables.filter((value) => /:\/\/[^/]*:[^@/]+@/.test(value))).toEqual([])
    expect(
      secrets.filter(([name, value]) => !name.endsWith('_URL') && !String(value).startsWith('${')),
    ).toEqual([])
  })

  test('every setting of the service reaches the API and the worker', () => {
    const setByImage = ['HOST', 'DATA_DIR', 'NODE_ENV']
    expect(setByImage.filter((name) => !new RegExp(`^ENV .*\\b${name}=`, 'm').test(dockerfile))).toEqual([])
    for (const name of ['api', 'worker']) {
      const given = Object.keys(compose.services[name]?.environment ?? {})
      const missing = configVariables.filter((variable) => ![...given, ...setByImage].includes(variable))
      expect({ name, missing }).toEqual({ name, missing: ['DATABASE_OWNER_URL'] })
    }
  })
})

describe('.env.example', () => {
  // Names already decided. One that the service has learnt to read moves up in the file, and out of here.
  const later = matches(example.split('# --- Later ')[1] ?? '', /^#([A-Z][A-Z0-9_]*)=/gm)

  test('names each variable once', () => {
    expect(exampleVariables.filter((name, at) => exampleVariables.indexOf(name) !== at)).toEqual([])
  })

  test('names every variable of docker-compose.yml, and sets those that are required', () => {
    expect(composeVariables.filter((name) => !exampleVariables.includes(name))).toEqual([])
    const required = matches(composeText, /(?<!\$)\$\{([A-Z0-9_]+):\?/g)
    expect(required.filter((name) => !setInExample.includes(name))).toEqual([])
    expect(setInExample).toContain('SANDBOX')
    expect(example).toContain(`\nCOMPOSE_PROFILES=${compose.services['sandbox']!.profiles}\n`)
  })

  test('names every variable that the service reads', () => {
    expect(configVariables.filter((name) => !exampleVariables.includes(name))).toEqual([])
  })

  test('names no variable that nobody reads', () => {
    const readByTemporal =
      read('node_modules/@temporalio/envconfig/lib/envconfig-toml.js').match(/TEMPORAL_\w+/g) ?? []
    const known = new Set([...configVariables, ...composeVariables, ...readByTemporal, 'COMPOSE_PROFILES'])
    expect(exampleVariables.filter((name) => !known.has(name) && !later.includes(name))).toEqual([])
    expect(later.filter((name) => known.has(name))).toEqual([])
  })

  test('shows the defaults that the service has', () => {
    const shown = new Map(
      [...example.matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map((match) => [match[1]!, match[2]]),
    )
    const { SANDBOX: _, ...parsed } = environment.parse({})
    const defaults = Object.entries(parsed).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [[name, String(typeof value === 'boolean' ? Number(value) : value)] as const],
    )
    // The value that stands for a variable that is not set, where the page of the variables says it as a value.
    const unset = Object.entries(environment.shape).flatMap(([name, form]) => {
      const [, value] = /^`(https:[^`]+)`$/.exec(String(form.meta()?.['unset'])) ?? []
      return value === undefined ? [] : [[name, value] as const]
    })
    expect([defaults.length, unset.length]).toEqual([expect.any(Number), 3])
    expect(defaults.length).toBeGreaterThan(20)
    const wrong = [...defaults, ...unset].filter(([name, value]) => shown.get(name) !== value)
    expect(wrong).toEqual([])
  })
})

describe('Dockerfile', () => {
  const copied = matches(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((line) => line.split(' '))

  test('builds on one pinned Debian image with the Node version that the package asks for', () => {
    expect(matches(dockerfile, /^ARG NODE_IMAGE=(.*)$/gm)).toEqual([
      expect.stringMatching(/^node:20\.\d+\.\d+-bookworm-slim$/),
    ])
    expect(matches(dockerfile, /^FROM (\S+)/gm)).toEqual(['${NODE_IMAGE}', 'build', '${NODE_IMAGE}'])
  })

  test('copies what is there, and .dockerignore lets it through', () => {
    const letThrough = matches(read('.dockerignore'), /^!(.+)$/gm)
    expect(copied.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
    expect(copied.filter((path) => !letThrough.includes(path))).toEqual([])
    expect(letThrough.filter((path) => !copied.includes(path))).toEqual([])
  })

  test('runs the API as package.json does', () => {
    const [command] = matches(dockerfile, /^CMD (.*)$/gm)
    expect((JSON.parse(command!) as string[]).join(' ')).toBe(packageJson.scripts.api)
  })

  test('runs as a user without rights and says whether it is up', () => {
    const last = dockerfile.split(/^FROM /m).at(-1)
    expect(last).toMatch(/^USER node$/m)
    expect(last).toMatch(/^HEALTHCHECK [^]*\/healthz/m)
  })
})
