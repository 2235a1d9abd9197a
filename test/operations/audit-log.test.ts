import { expect, test } from '@jest/globals'
import { type AuditFilter, browseAudit, readEntry } from '../../src/operations/audit/audit-log.ts'
import { useGate } from '../support/use-gate.ts'

const gate = useGate()

const all: AuditFilter = { group: null, actor: null, from: null, to: null, before: null }

test('every entry is listed, newest first, and found by its group, its actor and its time', async () => {
  const { account, client, addMember } = await gate.account()
  const ada = await addMember({ email: 'ada@example.com' })
  await client.capability({ email: 'ada@example.com' })
  await client.propose({ email: 'ada@example.com' }, 'denied')
  const kinds = async (filter: Partial<AuditFilter>) =>
    (await browseAudit(gate.deps.db, account, { ...all, ...filter })).entries.map(({ kind }) => kind)
  const everything = await kinds({ group: 'all' })
  expect(everything.slice(0, 3)).toEqual(['denied', 'checked', 'member_changed'])
  expect(everything.at(-1)).toBe('account_created')
  expect(await kinds({})).toEqual(everything.filter((kind) => kind !== 'checked'))
  expect(await kinds({ group: 'members' })).toEqual(['member_changed'])
  expect(await kinds({ group: 'actions', actor: ada.memberId })).toEqual(['denied'])
  expect(await kinds({ actor: 'system' })).toEqual([])
  const [now, hour] = [Date.now(), 3_600_000]
  expect(await kinds({ group: 'all', from: new Date(now - hour), to: new Date(now + hour) })).toEqual(
    everything,
  )
  for (const group of [null, 'all'] as const) {
    expect(await kinds({ group, from: new Date(now + hour) })).toEqual([])
    expect(await kinds({ group, to: new Date(now - hour) })).toEqual([])
  }
  expect(await kinds({ before: 2 })).toEqual(['account_created'])
})

test('a time is turned into the first entry from then on, at every place of the chain', async () => {
  const { account, client, addMember } = await gate.account()
  await addMember({ email: 'ada@example.com' })
  for (let n = 0; n < 5; n++) await client.propose({ email: 'ada@example.com' }, `No. ${n}`)
  const { entries } = await browseAudit(gate.deps.db, account, all)
  for (const { at } of entries) {
    const from = await browseAudit(gate.deps.db, account, { ...all, from: at })
    expect(from.entries.map(({ seq }) => seq)).toEqual(
      entries.filter((entry) => entry.at >= at).map(({ seq }) => seq),
    )
  }
})

test('an entry is read by its number, and none after the last', async () => {
  const one = await gate.account()
  const { entry, lastSeq } = await readEntry(gate.deps.db, one.account, 1)
  expect([entry.kind, entry.seq]).toEqual(['account_created', 1])
  await expect(readEntry(gate.deps.db, one.account, lastSeq + 1)).rejects.toThrow('was not found')
})
