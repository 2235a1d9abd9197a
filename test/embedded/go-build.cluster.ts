import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { startEmbeddedTemporal } from '../../dev/embedded/temporal.ts'
import { temporalSources } from '../../dev/embedded/temporal-sources.ts'
import { cleanUp, folder, later, logBook } from './scene.ts'

afterEach(cleanUp, 60_000)

test('the real `go build` of dev/temporal makes a server that starts', async () => {
  const [home, book] = [folder(), logBook()]
  const server = await startEmbeddedTemporal({
    dbFile: join(home, 'temporal.db'),
    headless: true,
    log: book.log,
    sources: temporalSources.filter(({ name }) => name === '`go build`'),
    context: { cacheDir: join(home, 'cache') },
  })
  later(() => server.stop())
  expect(server.source).toBe('`go build`')
  expect(book.text()).toContain('still building the Temporal server')
})
