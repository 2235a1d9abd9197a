import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import {
  DefaultLogger,
  Runtime,
  Worker,
  bundleWorkflowCode,
  makeTelemetryFilterString,
} from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import { projectRoot } from '../../src/process/root.ts'

const folder = join(projectRoot, 'test', 'histories')
const names = readdirSync(folder).map((file) => file.replace('.json', ''))
const textOf = (name: string) => readFileSync(join(folder, `${name}.json`), 'utf8')

beforeAll(() => {
  // Once a process: what the worker has to say about a broken replay is in the result.
  const logging = { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) }
  Runtime.install({ logger: new DefaultLogger('ERROR', () => {}), telemetryOptions: { logging } })
})

test('there is a recorded history of each way a proposal can go, and of a preview', () => {
  expect(names.toSorted()).toEqual([
    'asked',
    'cancelled',
    'claimed',
    'executed',
    'expired',
    'given-up',
    'many-steps',
    'preview',
    'put-off',
    'reminded',
    'signalled-by-hand',
    'worker-killed',
  ])
})

test('the workflow replays every recorded history: a proposal that waits since last week goes on', async () => {
  const made = process.env['TEST_WORKFLOW_BUNDLE']
  const code = made ? readFileSync(made, 'utf8') : await bundleOf(join(projectRoot, 'workflows', 'index.ts'))
  expect(await replay(code)).toEqual(Object.fromEntries(names.map((name) => [name, undefined])))
}, 60_000)

test('a changed workflow is found out by every history: the replay can fail', async () => {
  const faults = await replay(await bundleOf(changed('sleeps-first')))
  for (const name of names) expect([name, faults[name]]).toEqual([name, DeterminismViolationError])
}, 60_000)

test('a changed activity after the wake is found out by every history', async () => {
  const faults = await replay(await bundleOf(changed('ends-unsaid')))
  for (const name of names) expect([name, faults[name]]).toEqual([name, DeterminismViolationError])
}, 60_000)

test('no message, address, key or token is in a history, nor who recorded it', () => {
  for (const name of names) {
    const text = withPayloadsRead(textOf(name))
    expect(text).toContain('acct_')
    for (const secret of [
      /Recorded\./,
      /@example/,
      /"U\d+"/,
      /qgk_/,
      /xoxb-/,
      /\bre_\w/,
      /postgres:/,
      /127\.0\.0\.1/,
    ]) {
      expect([name, text.match(secret)?.[0]]).toEqual([name, undefined])
    }
    const identities = new Set([...text.matchAll(/"identity": "([^"]*)"/g)].map(([, identity]) => identity))
    expect([...identities]).toEqual(['recorded'])
  }
})

const changed = (name: string) => join(projectRoot, 'test', 'workflows', 'changed', `${name}.ts`)

async function bundleOf(workflowsPath: string): Promise<string> {
  const quiet = () => undefined
  const logger = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, log: quiet }
  return (await bundleWorkflowCode({ workflowsPath, logger })).code
}

/** @returns for each history the kind of error its replay ended with, or undefined */
async function replay(code: string): Promise<Record<string, unknown>> {
  const histories = names.map((name) => ({ workflowId: name, history: JSON.parse(textOf(name)) }))
  const faults: Record<string, unknown> = {}
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle: { code } },
    histories,
  )) {
    faults[workflowId] = error?.constructor
  }
  return faults
}

/** Payloads are base64 in a history: read, what they hold can be searched. */
function withPayloadsRead(text: string): string {
  return text.replaceAll(/"data": "([A-Za-z0-9+/=]+)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString(),
  )
}
