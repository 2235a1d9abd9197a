import { afterAll, beforeAll } from '@jest/globals'
import type { Deps } from '../../src/deps.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { depsOf } from './lived-account.ts'

export interface FileScene {
  database: TestDatabase
  deps: Deps
}

/** Gives a test file a database of its own, and what the service's code needs to work with it. Both end with the file. */
export function ofThisFile(use: (scene: FileScene) => void): void {
  let scene: FileScene | undefined
  beforeAll(async () => {
    const database = await freshDatabase()
    scene = { database, deps: depsOf(database) }
    use(scene)
  })
  afterAll(async () => {
    await scene?.deps.close()
    await scene?.database.drop()
  })
}
