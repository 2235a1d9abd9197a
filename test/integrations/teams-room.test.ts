import { expect, test } from '@jest/globals'
import { readTeamsRoom } from '../../src/integrations/teams-room.ts'
import { testRows } from '../support/rows.ts'

const key =
  'https://prod-1.westus.logic.azure.com:443/workflows/a1/triggers/manual/paths/invoke?api-version=1&sig=hush'
const entered = { key, room: 'Announcements' }

test('a room is its workflow, whatever its signature is', () => {
  const read = readTeamsRoom({ key: ` ${key}\n`, room: ' Everyone ' })
  expect(read).toEqual({
    url: key.replace(':443', ''),
    identity: 'prod-1.westus.logic.azure.com/workflows/a1/triggers/manual/paths/invoke',
    server: 'prod-1.westus.logic.azure.com',
    room: 'Everyone',
  })
  expect(readTeamsRoom({ ...entered, key: key.replace('hush', 'other') }).identity).toBe(read.identity)
})

testRows<[object, string]>([
  [{ key: '' }, 'key'],
  [{ key: 'prod-1.westus.logic.azure.com/workflows/hush' }, 'key'],
  [{ key: key.replace('https', 'http') }, 'key'],
  [{ key: key.replace('https://', 'https://user:hush@') }, 'key'],
  [{ key: `${key}#hush` }, 'key'],
  [{ key: `${key}${'x'.repeat(2_000)}` }, 'key'],
  [{ key: 'https://127.0.0.1/hush' }, 'key'],
  [{ key: 'https://[::1]/hush' }, 'key'],
  [{ key: 'https://localhost/hush' }, 'key'],
  [{ key: 'https://2130706433/hush' }, 'key'],
  [{ key: 'https://acme.webhook.office.com/webhookb2/hush' }, 'key'],
  [{ key: 'https://outlook.office.com/webhook/hush' }, 'key'],
  [{ room: ' ' }, 'room'],
  [{ room: 'x'.repeat(81) }, 'room'],
  [{ room: 'Every\u202eone' }, 'room'],
  [{ room: 'Every\none' }, 'room'],
])('what is wrong is said of its field, and never repeats the address', (wrong, param) => {
  const read = () => readTeamsRoom({ ...entered, ...wrong })
  expect(read).toThrow(expect.objectContaining({ code: 'invalid', param }))
  expect(read).not.toThrow('hush')
})
