import { test } from '@jest/globals'
import { actionKinds } from '../../../src/actions/registry.ts'
import { overRest } from '../../../src/operations/administration/admin-operation.ts'
import { adminOperations } from '../../../src/operations/administration/registry.ts'
import { operations } from '../../../src/operations/registry.ts'
import { shownKinds } from '../../../src/operations/shown-kinds.ts'
import { openapi } from '../../../src/transports/openapi.ts'
import { expectReviewed } from '../../../test/support/reviewed.ts'
import { type Description, typedDicts } from './typed-dicts.ts'

test('the types for Python are those of the description', () => {
  const served = [...operations(actionKinds), ...adminOperations.map(overRest)]
  const description = JSON.parse(JSON.stringify(openapi(served, shownKinds(actionKinds)))) as Description
  expectReviewed('types.py', typedDicts(description), 'packages/client-python/qualification_gate_client')
})
