import { describe, expect, test } from '@jest/globals'
import { runners } from '../../src/gate/runner-calls/tool-call.ts'
import { isProblem } from '../../src/runner-hooks/dialect.ts'
import { runnerDialects } from '../../src/runner-hooks/registry.ts'
import { outcomeExamples, toolCallExamples } from '../../src/transports/runner/openapi-runner-examples.ts'
import { runnerPaths } from '../../src/transports/runner/openapi-runner.ts'
import { actionKinds } from '../../src/actions/registry.ts'
import { operations } from '../../src/operations/registry.ts'

describe.each(runners)('the examples of %s', (runner) => {
  test('are what its hook sends: the call and the report of its outcome, of the same call', () => {
    const sent = (example: object) => JSON.parse(JSON.stringify(example)) as unknown
    const call = runnerDialects[runner].readCall(sent(toolCallExamples[runner]), { version: null })
    const outcome = runnerDialects[runner].readOutcome(sent(outcomeExamples[runner]))
    if (isProblem(call) || isProblem(outcome)) throw new Error(JSON.stringify({ call, outcome }))
    expect(outcome).toMatchObject({
      session: call.session,
      callId: call.callId,
      tool: call.tool,
      outcome: 'ran',
    })
    expect(Object.values(call.input)).toContain('rm -rf build')
  })
})

test('each address says which parameters it takes, and that no error permits a call', () => {
  const [calls, outcomes] = Object.values(runnerPaths()).map((path) => path['post'] as Record<string, any>)
  const names = (of: typeof calls) => of!['parameters'].map(({ name }: { name: string }) => name)
  expect(names(calls)).toEqual(['runner', 'as', 'wait', 'version', 'headless', 'entrypoint', 'files'])
  expect(names(outcomes)).toEqual(['runner', 'as'])
  expect(Object.keys(calls!['responses'])).toEqual([
    '200',
    '400',
    '401',
    '403',
    '413',
    '415',
    '422',
    '429',
    '500',
    '503',
  ])
})

test('the routes of runners are no tools: an agent does not decide about itself', () => {
  const names = operations(actionKinds).map(({ name }) => name)
  for (const path of Object.values(runnerPaths()))
    expect(names).not.toContain((path['post'] as { operationId: string }).operationId)
})
