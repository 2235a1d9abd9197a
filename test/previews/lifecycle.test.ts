import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type TestGate, startGate } from '../support/gate.ts'
import { openedBy, previewScene } from '../support/preview.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
afterAll(() => gate.stop())

test('a started preview answers a link that shows the page, status says running, and stop ends it', async () => {
  const scene = await previewScene(gate)
  const started = await scene.start()
  expect(started).toMatchObject({ conversation_id: 'site', status: 'running', mode: 'static' })
  const viewer = await openedBy(started.url)
  expect((await viewer.see('/')).text).toContain('<h1>Built</h1>')
  expect(await scene.status(started.preview_id)).toMatchObject({ status: 'running', url: expect.any(String) })
  const stopped = await scene.stop(started.preview_id)
  expect(stopped).toMatchObject({ status: 'stopped' })
  expect(stopped).not.toHaveProperty('url')
  expect((await viewer.see('/')).status).toBe(410)
})
