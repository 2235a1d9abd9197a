import { test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { actionKinds } from '../../../src/actions/registry.ts'
import { overRest } from '../../../src/operations/administration/admin-operation.ts'
import { adminOperations } from '../../../src/operations/administration/registry.ts'
import { operations } from '../../../src/operations/registry.ts'
import { shownKinds } from '../../../src/operations/shown-kinds.ts'
import { projectRoot } from '../../../src/process/root.ts'
import { openapi } from '../../../src/transports/openapi.ts'
import { expectReviewed } from '../../../test/support/reviewed.ts'

test('the types are those that openapi-typescript makes of the description', () => {
  const folder = mkdtempSync(join(tmpdir(), 'client-types-'))
  try {
    const served = [...operations(actionKinds), ...adminOperations.map(overRest)]
    const [description, made] = [join(folder, 'openapi.json'), join(folder, 'api.d.ts')]
    writeFileSync(description, JSON.stringify(openapi(served, shownKinds(actionKinds))))
    execFileSync(process.execPath, [join(projectRoot, 'test/client/generate.js'), description, made])
    expectReviewed('api.d.ts', readFileSync(made, 'utf8'), 'packages/client/lib')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
