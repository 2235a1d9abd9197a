import { expect, test } from '@jest/globals'
import { attacks, restAdapter, runAttacks, sarifOf } from '../lib/index.js'
import { startWeakGate } from './weak-gate.ts'

// The required and closed parts of the published schema of SARIF 2.1.0, for the objects that we write.
// @source https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json
const schema = {
  sarifLog: { required: ['version', 'runs'], allowed: ['$schema', 'version', 'runs'] },
  run: { required: ['tool'], allowed: ['tool', 'columnKind', 'invocations', 'results'] },
  driver: { required: ['name'], allowed: ['name', 'semanticVersion', 'rules'] },
  rule: {
    required: ['id'],
    allowed: ['id', 'name', 'shortDescription', 'fullDescription', 'properties'],
  },
  result: {
    required: ['message'],
    allowed: [
      'ruleId',
      'ruleIndex',
      'kind',
      'level',
      'message',
      'locations',
      'partialFingerprints',
      'properties',
    ],
  },
  invocation: { required: ['executionSuccessful'], allowed: ['executionSuccessful', 'startTimeUtc'] },
} as const

function expectForm(value: object, form: keyof typeof schema) {
  const { required, allowed } = schema[form]
  expect(Object.keys(value)).toEqual(expect.arrayContaining([...required]))
  expect(allowed).toEqual(expect.arrayContaining(Object.keys(value)))
}

test('a run is SARIF 2.1.0: required fields, closed values, and a level only for what failed', async () => {
  const gate = await startWeakGate('cancelled-cancels')
  const only = ['replay-cancel', 'consent-cancelled-row', 'key-revoked']
  const adapters = [restAdapter({ url: gate.url, key: gate.key })]
  const scene = { member: { email: 'ada.skip@example.com' } }
  const run = await runAttacks({ url: gate.url, adapters, scene, only, secrets: [gate.key] })
  await gate.close()
  const log = sarifOf(run) as any

  expectForm(log, 'sarifLog')
  expect(log.version).toBe('2.1.0')
  const [first] = log.runs
  expectForm(first, 'run')
  expect(['utf16CodeUnits', 'unicodeCodePoints']).toContain(first.columnKind)
  expectForm(first.tool.driver, 'driver')
  expectForm(first.invocations[0], 'invocation')
  expect(first.tool.driver.rules).toHaveLength(attacks.length)
  for (const rule of first.tool.driver.rules) {
    expectForm(rule, 'rule')
    expect(rule.fullDescription.text).not.toContain('undefined')
    expect(new Set(rule.properties.tags).size).toBe(rule.properties.tags.length)
  }
  for (const result of first.results) {
    expectForm(result, 'result')
    expect(['pass', 'fail', 'notApplicable', 'review', 'open', 'informational']).toContain(result.kind)
    // A level other than none is only of a result that failed.
    expect(result.level).toBe(result.kind === 'fail' ? 'error' : 'none')
    expect(first.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId)
    expect(result.message.text.length).toBeGreaterThan(0)
    expect(new URL(result.locations[0].physicalLocation.artifactLocation.uri).href).toBe(`${gate.url}/`)
  }
  expect(first.results.map(({ kind }: any) => kind).sort()).toEqual(['fail', 'notApplicable', 'pass'])
  expect(JSON.stringify(log)).not.toContain(gate.key)
})
