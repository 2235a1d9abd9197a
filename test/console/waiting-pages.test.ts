import { expect, test } from '@jest/globals'
import { kindsOf } from '../../src/actions/account-kinds.ts'
import { actionText, actionsText } from '../../src/cli/action-text.ts'
import { limits } from '../../src/limits.ts'
import { actionTimeline } from '../../src/operations/audit/action-timeline.ts'
import { viewRow } from '../../src/operations/actions/action-view.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { signedInAdmin, signedInByMail } from '../support/console.ts'
import { useConsole } from '../support/use-gate.ts'
import { testRows } from '../support/rows.ts'
import { until } from '../support/until.ts'

const gate = useConsole()

const refreshOf = ({ headers }: { headers: Headers }) => headers.get('refresh')

test('a page that waits loads itself again, and one with a form for its viewer does not', async () => {
  const { account, id, proposer } = await gate.openBroadcast()
  const admin = await signedInAdmin(gate, account.account)
  const member = await signedInByMail(gate, proposer.email!)
  for (const path of ['/console', '/console/proposals', `/console/proposals/${id}`, `/console/ledger/${id}`])
    expect([path, refreshOf(await admin.open(path))]).toEqual([path, `30; url=${path}?refreshed=1`])
  const decision = await member.open(`/console/proposals/${id}`)
  expect([decision.text, refreshOf(decision)]).toEqual([expect.stringContaining('Approve'), null])
  expect(refreshOf(await admin.open(`/console/proposals/${id}/cancel`))).toBeNull()
  expect(refreshOf(await admin.open('/console/policies'))).toBeNull()
})

test('a running action has a word of its own on every page and in the command line, and is `proposed` in the interface', async () => {
  const { account, client, id, actor } = await gate.openBroadcast()
  expect((await client.confirm(id, actor)).body).toMatchObject({ status: 'proposed', execution: {} })
  const admin = await signedInAdmin(gate, account.account)
  for (const path of [`/console/proposals/${id}`, `/console/ledger/${id}`]) {
    const page = await admin.open(path)
    expect([path, page.text]).toEqual([path, expect.stringMatching(/\brunning\b/)])
    expect([path, refreshOf(page)]).toEqual([path, `3; url=${path}?refreshed=1`])
  }
  for (const path of ['/console/proposals', '/console/ledger']) {
    const { html } = await admin.open(path)
    expect([path, html]).toEqual([path, expect.stringMatching(/class="badge[^"]*">running</)])
  }
  const db = gate.database.db
  const timeline = await actionTimeline({ db, kinds: kindsOf(db), config: gate.config }, account.account, id)
  expect(actionText(timeline, '')).toMatch(/^status +running$/m)
  const row = viewRow((await readAction(db, account.account, id))!, null)
  expect(actionsText({ actions: [row] })).toMatch(/ broadcast +running /)
})

testRows<[string, string | null]>([
  ['?refreshed=1', '3; url=PAGE?refreshed=2'],
  [`?refreshed=${limits.pageRefreshesSoonMax}`, `30; url=PAGE?refreshed=${limits.pageRefreshesSoonMax + 1}`],
  [`?refreshed=${limits.pageRefreshesMax}`, null],
  ['?refreshed=9999', null],
])('a page that is left open does not load itself for ever', async (query, refresh) => {
  const { account, client, id, actor } = await gate.openBroadcast()
  await client.confirm(id, actor)
  const admin = await signedInAdmin(gate, account.account)
  const page = `/console/proposals/${id}`
  const answer = await admin.open(`${page}${query}`)
  expect([answer.status, refreshOf(answer)]).toEqual([200, refresh && refresh.replace('PAGE', page)])
})

testRows(['?refreshed=x', '?refreshed=-1', '?refreshed=1&refreshed=2', '?other=1'])(
  'no other parameter is taken',
  async (query) => {
    const { account } = await gate.openBroadcast()
    const admin = await signedInAdmin(gate, account.account)
    expect((await admin.open(`/console${query}`)).status).toBe(422)
  },
)

test('the page after an approval names the message, and how many it reached', async () => {
  const { account, client, id, actor } = await gate.openBroadcast({ recipients: 3 })
  await client.confirm(id, actor)
  await gate.startWorkers()
  try {
    await until('it ends', async () => (await client.get(id)).body.status === 'executed')
  } finally {
    await gate.stopWorkers()
  }
  const page = await (await signedInAdmin(gate, account.account)).open(`/console/proposals/${id}`)
  expect(page.text).toMatch(
    /Action Message to 3 people: Lunch is at noon\..* Outcome Message sent to 3 people/,
  )
  expect(refreshOf(page)).toBeNull()
})
