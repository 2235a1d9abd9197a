import { expect, test } from '@jest/globals'
import { actionKinds } from '../../src/actions/registry.ts'
import { claim, claimKinds, claimScene, report } from '../operations/claims/scene.ts'
import { signedInAdmin } from '../support/console.ts'
import { useConsole } from '../support/use-gate.ts'

const gate = useConsole({ workers: true, kinds: [...actionKinds, ...claimKinds] })

test('the page of an action tells whether somebody executes it, what they reported, and who they were', async () => {
  const scene = await claimScene(gate)
  const admin = await signedInAdmin(gate, scene.account)
  const id = await scene.confirmed()
  const textOf = async () => (await admin.open(`/console/proposals/${id}`)).text
  expect(await textOf()).toContain('waiting to be claimed by an executor')
  const { body } = await claim(scene.client, id)
  expect(await textOf()).toContain('claimed by an executor, which has not reported yet')
  const result = { a_note: '<b>\u202edone', long: 'x'.repeat(3_000) }
  await report(scene.client, id, { claim: body.claim, outcome: 'failed', result })
  const { text, html } = await admin.open(`/console/proposals/${id}`)
  expect(text).toContain('Failed, as its executor reported. A part may be done')
  expect(text).toContain('x… The API has all of it')
  expect(html).toContain('&lt;b&gt;')
  expect(html).not.toMatch(/<b>|\u202e/)
  const timeline = (await admin.open(`/console/ledger/${id}`)).text
  expect(timeline).toMatch(/Claimed to be executed, until .* executor · key test/)
  expect(timeline).toMatch(/Outcome reported: failed .* executor · key test/)
})
