import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Db } from '../../src/db/connect.ts'
import { removePreviewHost } from '../../src/db/queries/previews/preview-hosts.ts'
import { placePreview } from '../../src/db/queries/previews/previews.ts'
import { limits } from '../../src/limits.ts'
import type { PreviewDriver } from '../../src/previews/driver.ts'
import { hostFolder, removeDeadHosts } from '../../src/previews/host-folder.ts'
import { type PreviewHost, startPreviewHost } from '../../src/previews/host.ts'
import { staticDriver } from '../../src/previews/static-driver.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { openedBy, type PreviewScene, previewScene, sitePage } from '../support/preview.ts'
import { until } from '../support/until.ts'
import { begun } from './begun.ts'

let gate: TestGate
let host: PreviewHost | undefined
const releases: (() => void)[] = []
beforeEach(async () => {
  gate = await startGate({ workers: false })
}, 60_000)
afterEach(async () => {
  // A test that failed holds nothing up.
  for (const release of releases.splice(0)) release()
  await host?.stop()
  host = undefined
  await gate.stop()
}, 60_000)

const start = async (
  options: { db?: Db; config?: Partial<TestGate['config']>; driver?: PreviewDriver } = {},
) => {
  const { db = gate.deps.db, config, driver = staticDriver } = options
  const parts = { ...gate.deps, db, config: { ...gate.config, ...config } }
  return (host = await startPreviewHost(parts, { drivers: [driver] }))
}
const hosts = async () => {
  const rows = await gate.database.asSuperuser('select host_id from gate_private.preview_host')
  return rows.map((row) => row['host_id'] as string)
}
const root = () => join(gate.config.DATA_DIR, 'previews')
const folders = () => (existsSync(root()) ? readdirSync(root()) : [])
const ownerFile = (hostId: string) => join(root(), hostId, 'host.json')
/** Says of a host's folder that it belongs to a process that cannot be seen from here, as that of another container. */
const hide = (hostId: string) =>
  writeFileSync(ownerFile(hostId), JSON.stringify({ space: 'another container' }))
const nobody = async () => []

describe('a host that starts', () => {
  test('and cannot say that it lives leaves nothing, and its port to the next try', async () => {
    const config = { PREVIEW_PORT: await freePort() }
    // Its row was written, and the answer was lost.
    const db = seen(gate.deps.db, 'beat_preview_host', async (run) => {
      await run()
      throw new Error('the connection was lost')
    })
    await expect(start({ db, config })).rejects.toThrow('the connection was lost')
    expect([folders(), await hosts()]).toEqual([[], []])
    const { url, hostId } = await start({ config })
    expect(new URL(url).port).toBe(String(config.PREVIEW_PORT))
    expect([folders(), await hosts()]).toEqual([[hostId], [hostId]])
  }, 60_000)

  test('and cannot remove what dead ones left starts without', async () => {
    const dead = `host_${'d'.repeat(16)}`
    mkdirSync(join(root(), dead), { recursive: true })
    hide(dead)
    const db = seen(gate.deps.db, 'live_preview_hosts', () => Promise.reject(new Error('not now')))
    const { hostId } = await start({ db })
    expect([folders().sort(), await hosts()]).toEqual([[hostId, dead].sort(), [hostId]])
  }, 60_000)

  test('never takes itself for dead, whatever its folder and the database say', async () => {
    // Nobody is seen as process 1, and after an outage its last beat is long ago.
    const db = seen(gate.deps.db, 'beat_preview_host', async (run) => {
      for (const own of folders()) hide(own)
      return run()
    })
    const forgetful = seen(db, 'live_preview_hosts', nobody)
    const other = `host_${'o'.repeat(16)}`
    mkdirSync(join(root(), other), { recursive: true })
    hide(other)
    const { hostId } = await start({ db: forgetful })
    expect([folders(), await hosts()]).toEqual([[hostId], [hostId]])
  }, 60_000)
})

test('a host that another took for dead by mistake has its folder again with its next preview, and shows it', async () => {
  const { hostId, boot } = await start()
  const claimed = readFileSync(ownerFile(hostId), 'utf8')
  hide(hostId)
  const swept = await removeDeadHosts(gate.config.DATA_DIR, `host_${'o'.repeat(16)}`, nobody)
  expect(swept).toEqual({ removed: [hostId], kept: [] })
  await removePreviewHost(gate.deps.db, hostId)
  await until('it beats again', async () => (await hosts()).includes(hostId))

  const scene = await previewScene(gate)
  const previewId = await placed(scene)
  expect(await boot(scene.account.account, previewId)).toBe('running')
  const viewer = await openedBy((await scene.status(previewId)).url)
  expect((await viewer.see('/')).text).toBe(sitePage)
  expect(readFileSync(ownerFile(hostId), 'utf8')).toBe(claimed)
  const modes = [join(root(), hostId), join(root(), hostId, previewId), ownerFile(hostId)].map(modeOf)
  expect(modes).toEqual([0o700, 0o700, 0o600])
}, 60_000)

test('a dead folder that cannot be removed keeps back none of the others', async () => {
  const dead = ['a', 'b', 'c'].map((letter) => `host_${letter.repeat(16)}`)
  for (const host of dead) {
    mkdirSync(join(root(), host), { recursive: true })
    hide(host)
  }
  const busy = Object.assign(new Error('busy'), { code: 'EBUSY' })
  const remove = async (path: string) => {
    if (path.endsWith(dead[0]!)) throw busy
    rmSync(path, { recursive: true })
  }
  const swept = await removeDeadHosts(gate.config.DATA_DIR, `host_${'o'.repeat(16)}`, nobody, remove)
  expect(swept.kept).toEqual([{ host: dead[0], error: busy }])
  expect(swept.removed.toSorted()).toEqual(dead.slice(1))
  expect(folders()).toEqual([dead[0]])
  rmSync(join(root(), dead[0]!), { recursive: true })
})

test('a folder that is there keeps what it says of its host', async () => {
  const hostId = `host_${'k'.repeat(16)}`
  const folder = await hostFolder(gate.config.DATA_DIR, hostId)
  hide(hostId)
  const said = readFileSync(ownerFile(hostId), 'utf8')
  await folder.make('prev_x')
  expect(readFileSync(ownerFile(hostId), 'utf8')).toBe(said)
  await folder.removeAll()
}, 60_000)

describe('a host that stops', () => {
  test('takes no preview any more: one that is booted meanwhile ends at once, and nothing is left', async () => {
    const driver = lingering()
    const reading = held()
    const db = seen(gate.deps.db, 'gate.read_preview', async (run, values) => {
      if (values.includes(readLate)) await reading.pass()
      return run()
    })
    const { boot, stop } = await start({ db, driver })
    const [runs, asked, late] = await Promise.all([
      previewScene(gate),
      previewScene(gate),
      previewScene(gate),
    ])
    const running = await placed(runs)
    const readLate = await placed(asked)
    const bootedLate = await placed(late)
    expect(await boot(runs.account.account, running)).toBe('running')
    const underWay = boot(asked.account.account, readLate)
    await reading.arrived

    const stopping = stop()
    await until('nothing is placed there any more', async () => (await hosts()).length === 0)
    const told = { status: 'failed', error: 'host_stopped' }
    // The status is not `host_lost`, although its host is not known any more.
    expect(await runs.status(running)).toMatchObject(told)
    expect(await boot(late.account.account, bootedLate)).toBe('failed')
    expect(await late.status(bootedLate)).toMatchObject(told)
    reading.release()
    expect(await underWay).toBe('failed')
    expect(await asked.status(readLate)).toMatchObject(told)
    expect(driver.starts).toBe(1)

    driver.release()
    await stopping
    const open = await gate.database.asSuperuser('select 1 from gate_private.open_preview')
    expect([folders(), await hosts(), open]).toEqual([[], [], []])
  }, 60_000)

  test('is not put back by a beat that was under way', async () => {
    const beat = held()
    let isHeld = false
    let isBeaten = false
    const db = seen(gate.deps.db, 'beat_preview_host', async (run) => {
      if (!isHeld) return run()
      await beat.pass()
      const told = await run()
      isBeaten = (await hosts()).length === 1
      return told
    })
    const { stop } = await start({ db })
    isHeld = true
    await beat.arrived
    await stop()
    expect(await hosts()).toEqual([])
    beat.release()
    await until('the beat came through', async () => isBeaten)
    await until('its row is gone again', async () => (await hosts()).length === 0)
  }, 60_000)
})

/** A preview that is placed on the host. */
async function placed(scene: PreviewScene): Promise<string> {
  const previewId = await begun(gate, scene)
  const { outcome } = await placePreview(gate.deps.db, {
    account: scene.account.account,
    previewId,
    hostMax: 10,
    hostDeadMs: limits.previewHostDeadMs,
  })
  expect(outcome).toBe('placed')
  return previewId
}

type Act = (run: () => Promise<unknown[]>, values: unknown[]) => Promise<unknown[]>

/** A database that leaves statements with this name in them to `act`. */
function seen(db: Db, name: string, act: Act): Db {
  const through =
    (way: 'run' | 'read') =>
    <T>(statement: Parameters<typeof db.run<T>>[0]) => {
      let text = ''
      const values: unknown[] = []
      const spell = (parts: readonly string[], ...given: unknown[]) => {
        text = parts.join('')
        values.push(...given)
      }
      statement(spell as never)
      if (!text.includes(name)) return db[way](statement)
      return act(() => db[way](statement), values) as Promise<T[]>
    }
  return { ...db, run: through('run'), read: through('read') }
}

/** A way that is closed until it is released. */
function held() {
  let release = () => {}
  let arrive = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  releases.push(release)
  const pass = () => {
    arrive()
    return released
  }
  return { arrived, pass, release }
}

/** Shows files, and takes until it is released to end. */
function lingering() {
  const end = held()
  const driver = {
    ...staticDriver,
    starts: 0,
    release: end.release,
    async start(...given: Parameters<PreviewDriver['start']>) {
      driver.starts++
      return { ...(await staticDriver.start(...given)), stop: end.pass }
    },
  }
  return driver
}

const modeOf = (path: string) => statSync(path).mode & 0o777

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
