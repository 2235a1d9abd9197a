import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
import type { FileScene } from '../ledger/file-scene.ts'
import { type Lived, depsOf, livedAccount } from '../ledger/lived-account.ts'
import { freshDatabase } from '../support/database.ts'
import { sealerIn } from './scene.ts'

export interface SealerScene extends FileScene {
  sealer: ReturnType<typeof sealerIn>
}

export interface SealedScene extends SealerScene {
  lived: Lived
}

/** Gives each test a database of its own with an account that has lived, and a sealer of it. They end with the test. */
export function ofEachTest(use: (scene: SealedScene) => void | Promise<void>): void {
  let scene: SealerScene | undefined
  beforeEach(async () => {
    scene = await makeScene()
    await use({ ...scene, lived: await livedAccount(scene.deps) })
  })
  afterEach(async () => {
    await end(scene)
    scene = undefined
  })
}

/** Gives a test file a database of its own and a sealer of it. They end with the file. */
export function ofThisFile(use: (scene: SealerScene) => void): void {
  let scene: SealerScene | undefined
  beforeAll(async () => {
    scene = await makeScene()
    use(scene)
  })
  afterAll(() => end(scene))
}

async function makeScene(): Promise<SealerScene> {
  const database = await freshDatabase()
  return { database, deps: depsOf(database), sealer: sealerIn(database.db) }
}

async function end(scene: SealerScene | undefined): Promise<void> {
  scene?.sealer.remove()
  await scene?.deps.close()
  await scene?.database.drop()
}
