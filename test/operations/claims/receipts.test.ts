import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { actionKinds } from '../../../src/actions/registry.ts'
import { ringOf } from '../../support/connect.ts'
import { type TestGate, startGate } from '../../support/gate.ts'
import { callTool } from '../../support/mcp-tool.ts'
import { shorten } from '../../support/shorten.ts'
import { claim, claimKinds, claimScene } from './scene.ts'

// A key that cannot be read: its row names a key of SECRETS_KEYS that this service does not have, until it is given back.

let gate: TestGate
let restore: () => void
beforeAll(async () => {
  restore = shorten({ receiptKeysKeptMs: 1, receiptKeysAgainMs: 1 })
  gate = await startGate({
    kinds: [...actionKinds, ...claimKinds],
    env: { SECRETS_KEYS: ringOf('k1') },
  })
}, 60_000)
afterAll(async () => {
  await gate.stop()
  restore()
})
afterEach(() => isReadable(true))

const isReadable = (is: boolean) =>
  gate.database.asSuperuser(`update gate_private.receipt_key set secrets_kid = '${is ? 'k1' : 'gone'}'`)

test('an action whose receipt cannot be signed now is not claimed: 503, and the claim of a moment later has it', async () => {
  const scene = await claimScene(gate)
  await gate.deps.receipts.published()
  await isReadable(false)
  const id = await scene.confirmed()
  const early = await claim(scene.client, id)
  expect([early.status, early.body]).toEqual([
    503,
    {
      code: 'unavailable',
      error: expect.stringMatching(new RegExp(`^The receipt of action ${id} cannot .* Nothing was claimed`)),
      request_id: expect.any(String),
    },
  ])
  expect(await callTool(scene.client, 'claim_action', { id })).toMatchObject({
    isError: true,
    body: { code: 'unavailable' },
  })
  expect((await scene.client.get(id)).body.execution.claim).toBe('open')
  expect((await scene.entries(id)).map(({ kind }) => kind)).toEqual(['proposed', 'confirmed'])
  await isReadable(true)
  const claimed = await claim(scene.client, id)
  expect([claimed.status, claimed.body.receipt]).toEqual([200, expect.stringMatching(/^eyJ/)])
})

test('a key that goes out of reach together with the claim does not cost the claim its receipt', async () => {
  const scene = await claimScene(gate)
  const id = await scene.confirmed()
  await gate.database.asSuperuser(`
    create function public.lose_key() returns trigger language plpgsql security definer as $$
    begin
      update gate_private.receipt_key set secrets_kid = 'gone';
      return null;
    end $$;
    create trigger lose_key after insert on gate.claim execute function public.lose_key()`)
  try {
    const claimed = await claim(scene.client, id)
    expect([claimed.status, claimed.body.receipt]).toEqual([200, expect.stringMatching(/^eyJ/)])
    expect((await scene.client.get(id)).body.receipt).toBeUndefined()
  } finally {
    await gate.database.asSuperuser('drop function public.lose_key cascade')
  }
})
