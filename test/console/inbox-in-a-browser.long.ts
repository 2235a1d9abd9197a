import { describe, expect, test } from '@jest/globals'
import { faultsOf } from '../support/axe.ts'
import { askedByMail } from '../support/consent.ts'
import { until } from '../support/until.ts'
import { atWork, item, keys, looks, openList, listPath as path, useWork } from './at-work.ts'

const work = useWork()

test('a press can be undone for five seconds and then is sent; leaving the page sends it at once; what ends the browser is told', async () => {
  const one = await atWork(work)
  const { page } = one
  const [a, b, c] = [await one.says('One'), await one.says('Two'), await one.says('Three')]
  await page.clock.install()
  await openList(page)
  await item(page, a).locator('summary').focus()
  // The first press shows the card, and decides nothing.
  await keys(page, 'a')
  expect(await item(page, a).locator('details').getAttribute('open')).not.toBeNull()
  await keys(page, 'a')
  await item(page, a).getByText('Approving').waitFor()
  await keys(page, 'u')
  await page.clock.fastForward(6_000)
  expect([(await one.row(a)).status, await item(page, a).locator('.held').count()]).toEqual(['proposed', 0])
  await keys(page, 'a')
  await page.clock.fastForward(6_000)
  await until('it is decided', async () => (await one.decided()).confirmed.length === 1)
  await item(page, a).waitFor({ state: 'detached' })

  // Another page: the press is sent before its five seconds are over.
  await item(page, b).locator('summary').focus()
  await keys(page, 'd', 'd')
  await page.goto('/console/me')
  await until('it is declined', async () => (await one.row(b)).closed_reason === 'member_declined')

  // As if the browser had ended while it held a press back.
  await openList(page)
  const pick = await item(page, c).locator('input').inputValue()
  const left = JSON.stringify({ [pick]: ['confirm', 0] })
  await page.evaluate(`localStorage.setItem('gate-held', ${JSON.stringify(left)})`)
  await page.reload()
  await item(page, c).getByText('This was not approved when the page closed. Decide again.').waitFor()
  expect((await one.row(c)).status).toBe('proposed')
  expect(one.problems).toEqual([])
  await one.end()
}, 120_000)

test('the list shows what comes and goes by itself, keeps the selection, and decides about all that is selected by one press', async () => {
  const one = await atWork(work)
  const { page } = one
  const [a, b] = [await one.says('One'), await one.says('Two')]
  await openList(page)
  await page.getByRole('button', { name: 'Select all' }).click()
  expect(await page.locator('.count').innerText()).toBe('2 selected.')
  await item(page, b).locator('summary').click()
  const c = await one.says('Three')
  await item(page, c).waitFor()
  expect(await page.locator('.count').innerText()).toBe('2 selected.')
  expect(await item(page, b).locator('details').getAttribute('open')).not.toBeNull()
  await one.client.cancel(a, one.actor)
  await item(page, a).waitFor({ state: 'detached' })
  await item(page, c).locator('input').check()
  await page.getByRole('button', { name: 'Approve selected' }).click()
  await page.locator('#inbox').getByText('No open proposals.').waitFor()
  expect((await one.decided()).confirmed.map(({ actionId }) => actionId)).toEqual(
    expect.arrayContaining([b, c]),
  )
  // The session ends elsewhere: the list that is open says so, or leads to signing in where it was being read just then.
  await work.gate.database.asSuperuser(`delete from gate_private.session where account_id = '${one.account}'`)
  const ended = page.getByText('This list no longer refreshes itself.')
  await ended.or(page.getByRole('heading', { name: 'Sign in' })).waitFor()
  expect(one.problems).toEqual([])
  await one.end()
}, 120_000)

test('without scripts the list loads itself until somebody selects; Enter in a box sends nothing; one press decides', async () => {
  const one = await atWork(work, { javaScriptEnabled: false })
  const { page } = one
  const [a, b, c] = [await one.says('One'), await one.says('Two'), await one.says('Three')]
  await page.goto(path)
  expect(await page.locator('meta[http-equiv=refresh]').getAttribute('content')).toMatch(/^30; url=/)
  await page.getByRole('link', { name: 'stop this page from loading itself again' }).click()
  expect(await page.locator('meta[http-equiv=refresh]').count()).toBe(0)
  await item(page, a).locator('input').check()
  await item(page, a).locator('input').press('Enter')
  expect(await page.getByRole('alert').innerText()).toContain('Select at least one proposal')
  expect((await one.decided()).confirmed).toEqual([])
  await item(page, a).locator('input').check()
  await item(page, b).locator('input').check()
  await page.getByRole('button', { name: 'Approve selected' }).click()
  expect(await page.locator('h1').innerText()).toBe('Decided: 2 of 2')
  await page.getByRole('link', { name: 'Back to open proposals' }).click()
  await item(page, c).locator('summary').click()
  await item(page, c).getByRole('button', { name: 'Decline' }).click()
  expect(await page.locator('.flash').innerText()).toBe('Proposal declined. Nothing was executed.')
  await one.end()
}, 60_000)

test('on a telephone both buttons are on the first screen with the longest message, and Approve shows all of it before it decides', async () => {
  const viewport = { width: 390, height: 844 }
  const one = await atWork(work, { javaScriptEnabled: false, viewport })
  const { page } = one
  const longest = (end: string) => `${'The kitchen closes early.\n'.repeat(1_000).slice(0, 3_990)} ${end}`
  const [byLink, inConsole] = [await one.says(longest('Mail')), await one.says(longest('Page'))]
  await one.client.confirm(byLink, one.actor)
  // Who sends mails.
  await work.gate.startWorkers()
  const { link } = await askedByMail(work.gate, one.email)
  await work.gate.stopWorkers()
  for (const [where, id, end] of [
    [link, byLink, 'Mail'],
    [`${path}/${inConsole}`, inConsole, 'Page'],
  ] as const) {
    await page.goto(where)
    for (const name of ['Approve', 'Decline']) {
      const box = (await page.getByRole('button', { name, exact: true }).boundingBox())!
      expect([name, box.y >= 0 && box.y + box.height <= viewport.height]).toEqual([name, true])
    }
    expect(await page.locator('.fold summary').first().innerText()).toMatch(/^Show \d+ hidden lines$/)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    expect((await one.decided()).confirmed.map(({ actionId }) => actionId)).not.toContain(id)
    expect(await page.locator('.fold').count()).toBe(0)
    expect(await page.locator('.card pre').first().innerText()).toContain(end)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await until('it is decided', async () =>
      (await one.decided()).confirmed.some(({ actionId }) => actionId === id),
    )
  }
  await one.end()
}, 120_000)

describe.each(looks)('$colorScheme, at a width of $viewport.width', (look) => {
  test('no state of the list has anything that axe finds wrong', async () => {
    const one = await atWork(work, { ...look, bypassCSP: true })
    const { page } = one
    const accessible = async (state: string) => expect([state, await faultsOf(page)]).toEqual([state, []])
    await openList(page)
    await accessible('empty')
    const [a, b] = [await one.says(`One ${'x'.repeat(200)}`), await one.says('Two')]
    await one.pays(4_500)
    const long = await one.says('A line of a long message.\n'.repeat(60))
    await item(page, long).waitFor()
    await accessible('some')
    await item(page, a).locator('summary').click()
    await page.getByRole('button', { name: 'Select all' }).click()
    await accessible('open and selected')
    await page.clock.install()
    await openList(page)
    await item(page, b).locator('summary').focus()
    await keys(page, 'a', 'a')
    await item(page, b).getByText('Approving').waitFor()
    await accessible('held')
    await one.client.cancel(b, one.actor)
    await page.clock.fastForward(6_000)
    await item(page, b).waitFor({ state: 'detached' })
    await accessible('decided')
    await page.goto(`${path}/${long}`)
    await accessible('folded')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await accessible('unfolded')
    await page.goto(`${path}?select=on`)
    await page.evaluate(
      `document.querySelectorAll('#inbox input[type=checkbox]').forEach((box) => { box.checked = true })`,
    )
    // As a browser without a script sends it.
    await page.evaluate(`(() => {
      const form = document.querySelector('form.inbox')
      const does = document.createElement('input')
      does.name = 'does'; does.value = 'decline'
      form.append(does)
      HTMLFormElement.prototype.submit.call(form)
    })()`)
    await page.locator('.outcomes').waitFor()
    await accessible('outcomes')
    await one.end()
  }, 120_000)
})
