import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { projectRoot } from '../../src/process/root.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import { finish, installed, pythonPackages } from '../support/installed.ts'
import { useGate } from '../support/use-gate.ts'

// Clients made from `/api/openapi.json` by the generators that people use, each in its own language: one program a client, which
// proposes, reads a denial, confirms, lists, claims, reports and is refused. What it prints is what the gate answered, field by field.

const gate = useGate()
const version = { openapiGenerator: '7.25.0', openapiPythonClient: '0.29.1' }
const folder = join(projectRoot, 'build/generated-clients')
const programs = join(projectRoot, 'test/generated-clients/programs')

/** The steps of every program, in this order: a request each. */
const steps = [
  'capability',
  'denied',
  'proposed',
  'confirmed',
  'listed',
  'claimed',
  'reported',
  'read',
  'error',
]

let edge: Awaited<ReturnType<typeof startEdge>>
beforeAll(async () => {
  edge = await startEdge(gate.api.url)
  mkdirSync(folder, { recursive: true })
})
afterAll(() => edge.stop())

describe.each([
  ['openapi-generator for Python', python],
  ['openapi-python-client', pythonClient],
  ['openapi-generator for TypeScript and fetch', typescriptFetch],
  ['openapi-generator for Go', go],
  ['openapi-generator for Java', java],
] as const)('a client of %s', (_name, build) => {
  test('proposes, reads a denial, confirms, lists, claims, reports and is refused, and loses no field', async () => {
    const account = await gate.account()
    await account.addMember({ name: 'Grace', email: 'grace@example.com', tier: 'guarded_write' })
    await account.addMember({ name: 'Ida', email: 'ida@example.com', tier: 'read_only' })
    await declare(gate.deps.db, account.account, customerDeletion())
    const described = await fetch(`${gate.api.url}/api/openapi.json`, {
      headers: { authorization: `Bearer ${account.key}` },
    })
    const description = join(folder, 'openapi.json')
    writeFileSync(description, await described.text())

    const run = await build(description)
    edge.answers.length = 0
    const seen = JSON.parse(await run(edge.url, account.key)) as Record<string, unknown>

    expect(edge.answers.map(({ status }) => status)).toEqual([200, 201, 201, 202, 200, 200, 200, 200, 404])
    expect(Object.keys(seen).toSorted()).toEqual(steps.toSorted())
    for (const [i, step] of steps.entries())
      expect({ [step]: withTimes(seen[step]) }).toEqual({ [step]: withTimes(edge.answers[i]!.body) })
    expect(edge.answers[1]!.body).toMatchObject({ status: 'denied', denial_code: 'tier_insufficient' })
    expect(edge.answers[7]!.body).toMatchObject({
      status: 'executed',
      payload: { customer: { id: 'cus_1' }, keep_invoices: true },
      result: { outcome: 'done', result: { deleted: 7 } },
    })
  })
})

/** Builds a program, and gives what runs it: with the address and the key, it prints JSON. */
type Build = (description: string) => Promise<(...args: string[]) => Promise<string>>

async function python(description: string): ReturnType<Build> {
  const client = await generate('python', description)
  const packages = await pythonPackages('urllib3==2.5.0', 'python-dateutil==2.9.0.post0', 'pydantic==2.12.5')
  const env = { ...process.env, PYTHONPATH: `${client}:${packages}` }
  return (...args) => finish('python3', [join(programs, 'openapi_generator.py'), ...args], env)
}

async function pythonClient(description: string): ReturnType<Build> {
  const packages = await pythonPackages(`openapi-python-client==${version.openapiPythonClient}`)
  const client = join(folder, 'openapi-python-client')
  // It formats what it makes with a program that is installed beside it.
  const env = {
    ...process.env,
    PYTHONPATH: `${client}:${packages}`,
    PATH: `${packages}/bin:${process.env['PATH']}`,
  }
  const options = ['--path', description, '--output-path', client, '--overwrite', '--fail-on-warning']
  await finish(join(packages, 'bin/openapi-python-client'), ['generate', ...options], env)
  return (...args) => finish('python3', [join(programs, 'openapi_python_client.py'), ...args], env)
}

async function typescriptFetch(description: string): ReturnType<Build> {
  const program = join(folder, 'typescript-fetch')
  const options = ['--additional-properties', 'importFileExtension=.js']
  await generate('typescript-fetch', description, join(program, 'client'), options)
  copyFileSync(join(programs, 'typescript-fetch.ts'), join(program, 'round-trip.ts'))
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    outDir: 'made',
    skipLibCheck: true,
    types: ['node'],
  }
  writeFileSync(join(program, 'package.json'), '{"type":"module"}')
  writeFileSync(join(program, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['round-trip.ts'] }))
  await finish(process.execPath, [join(projectRoot, 'node_modules/typescript/bin/tsc'), '-p', program])
  return (...args) => finish(process.execPath, [join(program, 'made/round-trip.js'), ...args])
}

async function go(description: string): ReturnType<Build> {
  const program = join(folder, 'go')
  await generate('go', description, join(program, 'client'), ['--package-name', 'client'])
  copyFileSync(join(programs, 'main.go'), join(program, 'main.go'))
  // It has a module and tests of its own, under a name to fill in.
  await finish('rm', ['-r', ...['go.mod', 'go.sum', 'test'].map((file) => join(program, 'client', file))])
  writeFileSync(join(program, 'go.mod'), 'module gate\n\ngo 1.23\n\nrequire gopkg.in/validator.v2 v2.0.1\n')
  await finish('go', ['-C', program, 'mod', 'tidy'])
  await finish('go', ['-C', program, 'build', '-o', 'round-trip', '.'])
  return (...args) => finish(join(program, 'round-trip'), args)
}

async function java(description: string): ReturnType<Build> {
  const program = join(folder, 'java')
  await generate('java', description, program, ['--additional-properties', 'containerDefaultToNull=true'])
  const sources = join(program, 'src/main/java')
  copyFileSync(join(programs, 'RoundTrip.java'), join(sources, 'RoundTrip.java'))
  const maven = [
    '-q',
    '-B',
    '-f',
    join(program, 'pom.xml'),
    '-Dmaven.test.skip=true',
    '-Dmaven.javadoc.skip=true',
  ]
  await finish('mvn', [...maven, 'compile', 'dependency:copy-dependencies', '-DoutputDirectory=jars'])
  const path = `${join(program, 'target/classes')}:${join(program, 'jars')}/*`
  return (...args) => finish('java', ['-cp', path, 'RoundTrip', ...args])
}

/** Makes a client. @returns its folder */
async function generate(
  language: string,
  description: string,
  output = join(folder, language),
  options: string[] = [],
): Promise<string> {
  const jar = `openapi-generator-cli-${version.openapiGenerator}.jar`
  const at = await installed(jar.slice(0, -4), jar, (into) =>
    finish('mvn', [
      '-q',
      '-B',
      'dependency:copy',
      `-Dartifact=org.openapitools:openapi-generator-cli:${version.openapiGenerator}`,
      `-DoutputDirectory=${into}`,
    ]),
  )
  await finish('rm', ['-rf', output])
  await finish('java', [
    '-jar',
    join(at, jar),
    'generate',
    '-i',
    description,
    '-g',
    language,
    '-o',
    output,
    ...options,
  ])
  return output
}

/** Stands before the gate, and keeps what it answers. */
async function startEdge(target: string) {
  const answers: { status: number; body: unknown }[] = []
  const server = createServer(async (request, response) => {
    const sent: Buffer[] = []
    for await (const bytes of request) sent.push(bytes as Buffer)
    const {
      host: _,
      'content-length': __,
      connection: ___,
      'accept-encoding': ____,
      ...headers
    } = request.headers
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...(sent.length > 0 ? { body: Buffer.concat(sent) } : {}),
    })
    const text = await answer.text()
    answers.push({ status: answer.status, body: JSON.parse(text) })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! }).end(text)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    answers,
    stop: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  }
}

/** The same value with its times as milliseconds: each language writes them in its own form. */
function withTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTimes)
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)$/.test(value))
    return Date.parse(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, withTimes(of)]))
}
