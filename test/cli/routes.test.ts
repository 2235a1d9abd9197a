import { expect, test } from '@jest/globals'
import { nouns } from '../../src/cli/nouns.ts'
import { routeOfVerb } from '../../src/cli/routes.ts'
import { adminPowers } from '../../src/keys/admin-powers.ts'
import { adminOperations } from '../../src/operations/administration/registry.ts'
import { actionKinds } from '../../src/actions/registry.ts'
import { operations } from '../../src/operations/registry.ts'
import { withAdminRoutes } from '../docs/admin-routes-table.ts'
import { readPage } from '../docs/markdown.ts'

test('each verb of the command line has its route of administration, or a reason why there is none', async () => {
  const verbs = await Promise.all(
    Object.entries(nouns).map(async ([noun, load]) =>
      Object.keys(await load()).map((verb) => `${noun} ${verb}`.trim()),
    ),
  )
  expect(Object.keys(routeOfVerb).toSorted()).toEqual(verbs.flat().toSorted())
  const known = adminOperations.map(({ name }) => name)
  for (const [verb, route] of Object.entries(routeOfVerb))
    if ('operation' in route) expect([verb, known]).toEqual([verb, expect.arrayContaining([route.operation])])
})

test('each operation of administration has a name, a path and a power of its own, and is no tool', () => {
  const tools = operations(actionKinds).map(({ name }) => name)
  const names = adminOperations.map(({ name }) => name)
  expect(new Set([...tools, ...names]).size).toBe(tools.length + names.length)
  const addresses = adminOperations.map(({ http }) => `${http.method} ${http.path}`)
  expect(new Set(addresses).size).toBe(addresses.length)
  for (const { name, power, http } of adminOperations) {
    expect([name, adminPowers]).toEqual([name, expect.arrayContaining([power])])
    // A call that changes something never has a power to read, but for a review, which stores nothing.
    const isRead = http.method === 'GET' || ['review_policy', 'explain_policy'].includes(name)
    expect([name, power.endsWith('.read')]).toEqual([name, isRead])
  }
})

test('the routes in docs/admin-api.md match the registry; otherwise run npm run docs:tables', () => {
  const page = readPage('docs/admin-api.md')
  expect(page).toBe(withAdminRoutes(page))
})
