import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ruleDocument } from '../../src/operations/upstreams/rule-document.ts'
import { currencies } from '../../src/gate/money.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { limits } from '../../src/limits.ts'
import { addCurriculum } from '../../src/operations/curricula/add-curriculum.ts'
import { mintKey } from '../../src/operations/keys/mint-key.ts'
import { importMembers } from '../../src/operations/members/import-members.ts'
import { parseInput } from '../../src/operations/parse.ts'
import { setToolRule } from '../../src/operations/upstreams/review.ts'
import { createConversation } from '../../src/db/queries/previews/conversations.ts'
import { storePolicy } from '../../src/db/queries/accounts/policies.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { type UpstreamDesk, type UpstreamScene, admin, upstreamScene } from '../upstreams/scene.ts'
import { type TestUpstream, echoTool, startUpstream } from '../support/upstream.ts'

let scene: UpstreamScene
let server: TestUpstream
let desk: UpstreamDesk
beforeAll(async () => {
  scene = await upstreamScene()
  server = await startUpstream(
    Array.from({ length: 230 }, (_, n) => echoTool(`${'t'.repeat(50)}_${String(n).padStart(3, '0')}`)),
  )
  desk = await scene.desk()
})
afterAll(async () => {
  await server.close()
  await scene.stop()
})

/** As long as the name of a kind or a curriculum can be. */
const longest = (n: number) =>
  String.fromCodePoint(97 + (n % 26), 97 + Math.floor(n / 26)).padEnd(limits.slugCharsMax, 'k')
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

test('every tool of a server is reviewed in one act, and reviewed again where all of them changed', async () => {
  await desk.put(server)
  expect(await desk.approve()).toHaveLength(230)
  server.tools.forEach(({ definition }) => (definition.description = 'Says it louder.'))
  expect(await desk.refresh()).toMatchObject({ tools: 230 })
  expect(await desk.approve()).toHaveLength(230)
  const reviews = await desk.entries('upstream_tool_reviewed')
  const [first, second] = [reviews.slice(0, 5), reviews.slice(5)].map((entries) =>
    entries.flatMap(({ data }) => data.tools as { tool: string; hash: string; replaces: string | null }[]),
  )
  expect(second!.map(({ tool }) => tool)).toEqual(server.tools.map(({ definition }) => definition.name))
  expect(second!.map(({ replaces }) => replaces)).toEqual(first!.map(({ hash }) => hash))
  expect(await verifyLedger(scene.database.db, desk.account)).toMatchObject({ ok: true })
})

test('the longest rule of a tool is stored, and a longer one is refused by its field', async () => {
  const bands = (count: number) => ({
    rule: 'confirm',
    amount: { cents: '/cents', currency: '/currency' },
    requires: {
      bands: Object.fromEntries(
        currencies.map((currency) => [
          currency,
          times(count, (n) => ({ up_to_cents: 10_000_000_000 + n, tier: 'guarded_write', consent: 'chat' })),
        ]),
      ),
    },
  })
  const [tool] = (await desk.served()).map((one) => one.tool)
  const rule = parseInput(ruleDocument, bands(16))
  await setToolRule(admin(scene, desk.account), { upstream: 'up', tool: tool!, rule })
  expect(() => parseInput(ruleDocument, bands(limits.bandsMax))).toThrow(
    'requires is too long: a rule has at most 15000 characters. Leave out bands',
  )
})

test('the largest acts of an administrator fit into the ledger', async () => {
  const ofLargest = await scene.desk()
  const { account } = ofLargest
  const { db } = scene.database
  const context = admin(scene, account)
  const rows = times(limits.membersImportMax, (n) => `Ada ${n},${'a'.repeat(40)}${n}@example.com,U0ADA${n}`)
  await importMembers(context, ['name,email,slack', ...rows].join('\n'))
  const members = await scene.database.asSuperuser(
    `select member_id, email from gate.member where account_id = '${account}' order by member_id limit 100`,
  )
  const memberIds = members.map((row) => String(row['member_id']))
  await createConversation(db, {
    ...adminWrite(account),
    conversationId: 'c'.repeat(64),
    title: 'T',
    memberIds,
  })
  await mintKey(context, {
    name: 'n'.repeat(limits.nameCharsMax),
    expiresAt: null,
    actors: members.map((row) => ({ email: String(row['email']) })),
    rights: {
      kinds: times(limits.keyKindsMax, longest),
      networks: times(limits.keyNetworksMax, (n) => `2001:db8:ffff:ffff:ffff:ffff:ffff:${n}/128`),
    },
  })
  await addCurriculum(context, {
    slug: longest(0),
    title: 'T',
    modules: limits.modulesMax,
    grants: 'write',
    valid_days: null,
    module_titles: times(limits.modulesMax, () => '\u{1F600}'.repeat(limits.titleCharsMax / 2)),
  })
  const kinds = times(limits.declaredKindsMax, longest)
  const document = JSON.stringify({
    kinds: Object.fromEntries(kinds.map((kind) => [kind, { tier: 'write', note: 'x'.repeat(1_800) }])),
  })
  await storePolicy(db, { ...adminWrite(account), base: 1, document, kinds, note: 'n', restores: null })
  const headers = times(
    limits.upstreamHeadersMax,
    (n) => [`${'h'.repeat(limits.upstreamHeaderNameCharsMax - 2)}${n + 10}`, 'x'] as [string, string],
  )
  const url = `http://127.0.0.1:9/${'p'.repeat(1_900)}`
  await ofLargest.put({ url }, { name: 'a'.repeat(20), headers })
  const [longestEntry] = await scene.database.asSuperuser(
    `select kind, length(entry) as chars from gate.ledger where account_id = '${account}' order by 2 desc limit 1`,
  )
  expect(longestEntry!['chars']).toBeLessThan(15_000)
})
