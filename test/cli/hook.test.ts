import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { install, runners } from '#hook'
import { type Machine, newMachine } from '../../packages/hook/test/machine.ts'
import { type TestGate, startGate } from '../support/gate.ts'

let gate: TestGate
let machine: Machine
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
afterAll(() => gate.stop())
beforeEach(() => {
  machine = newMachine()
})
afterEach(() => machine.remove())

describe.each([...runners])('the hook of %s', (runner) => {
  test('is checked by a call that the gate denies and records, and that no other key may make', async () => {
    const account = await gate.account()
    const grace = await account.addMember({
      name: 'Grace',
      email: `grace-${runner}@example.com`,
      tier: 'write',
    })
    const { key } = await account.mintKey({ powers: ['runner'], actors: [grace] })
    const given = { ...machine.options(runner, gate.api.url), hasCanary: true }

    const report = await install({ ...given, key })
    expect(report.findings.filter(({ verdict }) => verdict === 'fails')).toEqual([])
    const { actions } = (await account.client.list({ kind: 'runner_tool' })).body
    expect(actions).toHaveLength(1)
    expect(actions[0]).toMatchObject({ status: 'denied' })
    expect(report.findings).toContainEqual({
      check: 'canary',
      verdict: 'blocks',
      detail: `Denied by the gate and recorded as action ${actions[0].id}`,
    })

    const { key: without } = await account.mintKey({ powers: ['read', 'propose'] })
    const refused = await install({ ...given, key: without })
    expect(refused).toMatchObject({ is_gating: false })
    expect(refused.findings).toContainEqual(expect.objectContaining({ check: 'canary', verdict: 'fails' }))
  })
})
