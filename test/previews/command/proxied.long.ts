import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type Proxied, proxied } from '../proxied.ts'
import { type Preview, type Scene, describeBehindWalls, scene } from './scene.ts'

const boundless = `
require('node:http').createServer((asked, answer) => {
  if (asked.url === '/never') return
  if (asked.url === '/gone') return process.exit(1)
  if (asked.url !== '/endless') return answer.end('hello')
  answer.setHeader('content-length', 10e9)
  if (asked.headers.accept === 'chunked') answer.removeHeader('content-length')
  const part = Buffer.alloc(1e6)
  const more = () => { while (answer.write(part)); }
  answer.on('drain', more)
  more()
}).listen(process.env.PORT, process.env.HOST)
`

describeBehindWalls('a viewer of an app behind the walls', () => {
  let there: Scene
  let preview: Preview
  let gateway: Proxied
  const gatewayThatWaits = (silenceMs: number) =>
    proxied(
      { socketPath: preview.socketPath },
      { requestsMax: 64, requestBytesMax: 1e6, answerBytesMax: 50e6, requestMs: 60_000, silenceMs },
    )
  beforeEach(async () => {
    there = await scene()
    preview = await there.start({ 'server.js': boundless })
    // Longer than a busy machine keeps an app waiting.
    gateway = await gatewayThatWaits(30_000)
  })
  afterEach(async () => {
    await gateway.close()
    await there.end()
  })

  test('gets its answer', async () => {
    expect(await gateway.get('/')).toMatchObject({ status: 200, body: 'hello', isWhole: true })
  })

  test('gets of ten gigabytes a refusal, or an answer that is cut, and this service keeps its memory', async () => {
    expect(await gateway.get('/endless')).toMatchObject({ status: 502 })
    const before = process.memoryUsage().rss
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => gateway.get('/endless', { headers: { accept: 'chunked' } })),
    )
    expect(answers.map(({ isWhole }) => isWhole)).toEqual([false, false, false, false])
    expect(process.memoryUsage().rss - before).toBeLessThan(150e6)
    expect((await gateway.get('/')).body).toBe('hello')
  })

  test('gets a clean answer where the app gives none, and where it ends', async () => {
    const impatient = await gatewayThatWaits(500)
    expect(await impatient.get('/never')).toMatchObject({ status: 504, isWhole: true })
    await impatient.close()
    expect(await gateway.get('/gone')).toMatchObject({ status: 502, isWhole: true })
    expect(await preview.ended).toEqual({ error: 'exited', exitCode: 1 })
    expect(await gateway.get('/')).toMatchObject({ status: 502, isWhole: true })
  })

  test('of a preview that is stopped meanwhile gets a clean answer too', async () => {
    const [never] = await Promise.all([gateway.get('/never'), preview.stop()])
    expect(never).toMatchObject({ status: 502, isWhole: true })
    expect(await gateway.get('/')).toMatchObject({ status: 502, isWhole: true })
  })
})
