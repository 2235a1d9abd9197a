import { expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../src/process/root.ts'
import { blocksOf, readPage } from '../docs/markdown.ts'
import { useGate } from '../support/use-gate.ts'

const gate = useGate()

/** Runs a program of this folder, and gives what it prints. It fails on another end than 0, with what was printed. */
async function node(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: projectRoot }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`${args.join(' ')}\n${error.stdout}${error.stderr}`)
    },
  )
  return stdout
}

test('a client that is generated from the OpenAPI description compiles, and makes the first decision', async () => {
  const account = await gate.account()
  await account.addMember({ name: 'Grace', email: 'grace@example.com', tier: 'guarded_write' })
  await account.addMember({ name: 'Alan', slack: 'U0ALAN' })
  const folder = join(projectRoot, 'build/client')
  mkdirSync(folder, { recursive: true })
  const described = await fetch(`${gate.api.url}/api/openapi.json`)
  writeFileSync(join(folder, 'openapi.json'), await described.text())

  await node('test/client/generate.js', 'build/client/openapi.json', 'build/client/client.d.ts')
  await node('node_modules/typescript/bin/tsc', '-p', 'test/client/tsconfig.json')
  const run = ['--import', './test/support/run-ts.js', 'test/client/first-decision.ts']
  const said = JSON.parse(await node(...run, gate.api.url, account.key))

  expect(said).toEqual({
    tier: 'guarded_write',
    outcomes: ['has guarded_write', '"Lunch is at noon." reached 1 in Slack, 1 by e-mail'],
    error: expect.objectContaining({ error: 'Action 999 was not found in this account.' }),
  })
})

test('the program of the page about REST compiles with the generator and the client that it names, and does what it says', async () => {
  const page = readPage('docs/rest.md')
  const programs = blocksOf(page).filter(({ info }) => info === 'ts')
  expect(programs).toHaveLength(1)
  const { devDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  for (const name of ['openapi-typescript', 'openapi-fetch'])
    expect(page).toContain(`${name}@${devDependencies[name]}`)

  const account = await gate.account()
  await account.addMember({ name: 'Grace', email: 'grace@example.com', tier: 'guarded_write' })
  await account.addMember({ name: 'Alan', slack: 'U0ALAN' })
  // The client finds its imports here, as in a folder of the reader's.
  const folder = join(projectRoot, 'build/docs-client')
  mkdirSync(folder, { recursive: true })
  const described = await fetch(`${gate.api.url}/api/openapi.json`)
  writeFileSync(join(folder, 'openapi.json'), await described.text())
  writeFileSync(join(folder, 'first-message.ts'), programs[0]!.text)
  const settings = {
    compilerOptions: {
      strict: true,
      module: 'nodenext',
      target: 'es2023',
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
    },
    files: ['first-message.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  await node(
    'test/client/generate.js',
    'build/docs-client/openapi.json',
    'build/docs-client/gate-client.d.ts',
  )
  await node('node_modules/typescript/bin/tsc', '-p', 'build/docs-client/tsconfig.json')
  const run = ['--import', './test/support/run-ts.js', 'build/docs-client/first-message.ts']
  expect(await node(...run, gate.api.url, account.key)).toBe('Lunch is at noon. 1\n')
})
