import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type AppScene, appScene, callMcp, connectedApp } from '../../support/connected-app.ts'
import { mandateScene } from '../../support/mandate-scene.ts'

let scene: AppScene
beforeAll(async () => {
  scene = await appScene({ workers: true })
}, 60_000)
afterAll(() => scene.stop(), 60_000)

test('an app that a member connected uses a mandate that names the app, whatever token it has', async () => {
  const { gate, base } = scene
  const { wil, account, sign, debits, verify } = await mandateScene(gate)
  const { access_token: token } = await connectedApp(gate.deps, account, wil.email!)
  const [grant] = await gate.database.asSuperuser(
    `select grant_id from gate.app_grant where account_id = '${account}'`,
  )
  const id = await sign({
    agent: String(grant!['grant_id']),
    allows: [{ kind: 'broadcast', cents_each: undefined, arguments: { message: { in: ['Lunch'] } } }],
    cents: undefined,
    cents_per_day: undefined,
  })
  const { body } = await callMcp(`${base}/mcp`, token, 'tools/call', {
    name: 'request_action',
    arguments: { kind: 'broadcast', actor: { email: wil.email }, payload: { message: 'Lunch' } },
  })
  const action = body.result.structuredContent
  expect(action.consent).toMatchObject({ by: 'mandate', mandate: { id } })
  expect(await debits(id)).toEqual([{ action: action.id, cents: null, currency: null }])
  expect(await verify()).toMatchObject({ ok: true })
})
