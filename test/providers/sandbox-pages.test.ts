import { expect, test } from '@jest/globals'
import { messageArticle } from '../../dev/sandbox/inbox-page.ts'
import type { SandboxMessage } from '../../dev/sandbox/message-store.ts'
import { slackButtons, slackLine } from '../../src/consent/slack-card.ts'
import { testRows } from '../support/rows.ts'

const message: SandboxMessage = {
  id: 'DU0ADA:1.1',
  channel: 'slack',
  to: 'U0ADA',
  text: 'Approval requested',
  at: '2026-11-27T12:00:00.000Z',
  blocks: [slackButtons('token')],
}

testRows<[Partial<SandboxMessage>, boolean]>([
  [{}, false],
  [{ pressed: 'Approve' }, true],
  // Once the gate has changed the message, it shows the outcome itself.
  [{ pressed: 'Approve', blocks: [slackLine('Approved in Slack by Ada.')] }, false],
])('a message says that a button of it was pressed, until the gate shows the outcome', (changed, isSaid) => {
  const shown = messageArticle({ ...message, ...changed })
  expect(shown.includes('<strong>Approve</strong> was pressed')).toBe(isSaid)
})

test('the name of a pressed button is escaped', () => {
  expect(messageArticle({ ...message, pressed: '<img src=x>' })).not.toContain('<img')
})
