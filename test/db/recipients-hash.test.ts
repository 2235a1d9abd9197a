import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { keepRecipients } from '../../src/db/queries/members/roster.ts'
import { recipientsHash } from '../../src/ledger/digest.ts'
import type { Recipient } from '../../src/gate/reach.ts'
import { type TestAccount, freshAccount } from '../support/account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'

let database: TestDatabase
let account: TestAccount
beforeAll(async () => {
  database = await freshDatabase()
  account = await freshAccount(database.db)
})
afterAll(() => database.drop())

const keep = (recipients: Recipient[], hash = recipientsHash(recipients)) =>
  keepRecipients(database.db, account.account, hash, recipients)

test('the database computes the hash that this service computes, for every character that it can store', async () => {
  for (let first = 0; first <= 0x10_ffff; first += 0x4000) {
    const codes = Array.from({ length: 0x4000 }, (_, n) => first + n)
    const characters = codes.filter((code) => code > 0 && (code < 0xd800 || code > 0xdfff))
    await keep([
      { memberId: 'mem_1', channel: 'slack', address: String.fromCodePoint(...characters) },
      { memberId: 'mem_2', channel: 'email', address: '' },
    ])
  }
  await expect(keep([])).resolves.toBeUndefined()
})

test('recipients under the hash of others are refused', async () => {
  const one: Recipient[] = [{ memberId: 'mem_1', channel: 'slack', address: 'U1' }]
  const other: Recipient[] = [{ memberId: 'mem_1', channel: 'slack', address: 'U2' }]
  await expect(keep(other, recipientsHash(one))).rejects.toThrow('the recipients do not match their hash')
})
