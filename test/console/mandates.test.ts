import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { signedInAdmin, signedInByMail, startConsole } from '../support/console.ts'
import type { TestGate } from '../support/gate.ts'
import { putMandate } from '../support/mandate.ts'
import { testHook } from '../support/runner.ts'

const path = '/console/mandates'

let gate: TestGate
beforeAll(async () => {
  gate = await startConsole()
}, 60_000)
afterAll(() => gate.stop(), 60_000)

let people = 0
/** An account with two members, each with a mandate. */
async function lived() {
  const account = await gate.account()
  const of = async (name: string) => {
    const member = await account.addMember({
      name,
      email: `${name}${++people}@example.com`,
      tier: 'guarded_write',
    })
    const { keyId } = await testHook(gate, account, member)
    const id = await putMandate(gate.database, account, { member, keyId, commands: [`npm test ${name}`] })
    return { ...member, id }
  }
  return { ...account, grace: await of('grace'), ada: await of('ada') }
}

const inForce = async ({ account }: { account: string }) =>
  (
    await gate.database.asSuperuser(
      `select action_id::int as id, ended_by from gate.mandate where account_id = '${account}' and ended_at is null order by 1`,
    )
  ).map(({ id }) => id)

test('a member sees their own mandates and ends them, after a question; of others they see none', async () => {
  const scene = await lived()
  const grace = await signedInByMail(gate, scene.grace.email!)
  const page = await grace.open(path)
  expect(page.text).toContain('npm test grace')
  expect(page.text).toContain('Pinned to package.json, in /work/project')
  expect(page.text).not.toContain('npm test ada')
  expect((await grace.open('/console/me')).html).toContain(`href="${path}"`)
  expect((await grace.open(`${path}/${scene.ada.id}/end`)).status).toBe(404)
  expect((await grace.send(`${path}/${scene.ada.id}/end`)).status).toBe(404)

  expect((await grace.open(`${path}/${scene.grace.id}/end`)).text).toContain('npm test grace')
  expect(await inForce(scene)).toEqual([scene.grace.id, scene.ada.id])
  await grace.send(`${path}/${scene.grace.id}/end`)
  expect(await inForce(scene)).toEqual([scene.ada.id])
  expect((await grace.open(path)).text).toContain('No mandates are in force.')
  expect((await grace.send(`${path}/${scene.grace.id}/end`)).text).toContain('it has ended before')
})

test('an administrator sees and ends those of every member, and the ledger says who ended one', async () => {
  const scene = await lived()
  const root = await signedInAdmin(gate, scene.account)
  const page = await root.open(path)
  expect(page.text).toContain('npm test grace')
  expect(page.text).toContain('npm test ada')
  expect((await root.open('/console/runners')).html).toContain(`href="${path}"`)
  await root.send(`${path}/${scene.ada.id}/end`)
  expect(await inForce(scene)).toEqual([scene.grace.id])
  const [entry] = await gate.database.asSuperuser(
    `select entry::json from gate.ledger where account_id = '${scene.account}' and kind = 'mandate_ended'`,
  )
  expect(entry!['entry']).toMatchObject({
    action: scene.ada.id,
    actor: expect.stringMatching(/^admin:/),
    data: { uses: 0 },
  })
})
