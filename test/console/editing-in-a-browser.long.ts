import { describe, expect, test } from '@jest/globals'
import type { Locator, Page } from 'playwright-core'
import { faultsOf } from '../support/axe.ts'
import { askedByMail } from '../support/consent.ts'
import { until } from '../support/until.ts'
import { atWork, item, listPath, looks, openList, useWork } from './at-work.ts'

const work = useWork()

/** Goes on with Tab until that has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  const focused = wanted.and(page.locator(':focus'))
  for (let presses = 0; presses < 60; presses++) {
    if ((await focused.count()) === 1) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no way by Tab to ${wanted}`)
}

/** Whether all of it is on the screen, without scrolling sideways. */
async function isOnScreen(page: Page, what: Locator): Promise<boolean> {
  const box = (await what.boundingBox())!
  const { width, height } = page.viewportSize()!
  return box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height
}

test('on a telephone, by keyboard alone: a refund is lowered, reviewed and approved, and version 2 is the one that was shown', async () => {
  const one = await atWork(work, { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' })
  const { page } = one
  const id = await one.refunds(9_000)
  const enter = async (wanted: Locator) => {
    await tabTo(page, wanted)
    expect([`${wanted}`, await isOnScreen(page, wanted)]).toEqual([`${wanted}`, true])
    await page.keyboard.press('Enter')
  }
  await openList(page)
  await enter(item(page, id).locator('summary').first())
  await enter(item(page, id).getByRole('link', { name: `Open refund #${id}` }))
  await page.waitForURL(`**${listPath}/${id}`)
  await enter(page.locator('summary', { hasText: 'Change it before you approve' }))
  const amount = page.getByLabel('Amount')
  await tabTo(page, amount)
  await page.keyboard.press('Control+A')
  await page.keyboard.type('95.00')
  await enter(page.getByRole('button', { name: 'Review changes' }))
  // It is refused with what was entered, and the message is read out.
  await page.getByRole('alert').getByText('must be from 0.01 to 90.00').waitFor()
  expect(await amount.inputValue()).toBe('95.00')
  await tabTo(page, amount)
  await page.keyboard.press('Control+A')
  await page.keyboard.type('42.50')
  await enter(page.getByRole('button', { name: 'Review changes' }))
  await page.getByRole('heading', { name: 'Your changes' }).waitFor()
  expect((await one.row(id)).payload.amount_cents).toBe(9_000)
  const card = await page.locator('.card').innerText()
  expect(card).toContain('42.50 USD')
  await enter(page.getByRole('button', { name: 'Approve with changes' }))
  await page.locator('.flash').waitFor()
  const row = await one.row(id)
  expect(row).toMatchObject({
    payload: { amount_cents: 4_250 },
    consent: { strength: 'page', channel: 'console' },
  })
  expect(card).toContain(row.digest.slice(0, 16).replaceAll(/(.{4})(?=.)/g, '$1 '))
  const { edited, confirmed } = await one.decided()
  expect([edited.length, edited[0]!.entry.data['digest'], confirmed.length]).toEqual([1, row.digest, 1])
  expect(one.problems.filter((said) => !said.includes('422'))).toEqual([])
  await one.end()
}, 120_000)

describe.each(looks)('$colorScheme, at a width of $viewport.width', (look) => {
  test('no state of the page of a decision has anything that axe finds wrong', async () => {
    const one = await atWork(work, { ...look, bypassCSP: true })
    const { page } = one
    const accessible = async (state: string) => expect([state, await faultsOf(page)]).toEqual([state, []])
    const byLink = await one.refunds(9_000)
    await one.client.confirm(byLink, one.actor as never)
    // Who sends mails.
    await work.gate.startWorkers()
    const { link } = await askedByMail(work.gate, one.email)
    await work.gate.stopWorkers()
    const inConsole = await one.says(`One ${'x'.repeat(200)}`)
    for (const [where, field, text, wrong] of [
      [link, 'Amount', '42.50', '95.00'],
      [`${listPath}/${inConsole}`, 'Message', `Two ${'y'.repeat(200)}`, ''],
    ] as const) {
      await page.goto(where)
      await accessible(`open: ${field}`)
      await page.getByText('Decline with a reason or a question').click()
      await page.getByText('Change it before you approve').click()
      await accessible(`with both forms: ${field}`)
      await page.getByLabel(field, { exact: true }).fill(wrong)
      await page.getByRole('button', { name: 'Review changes' }).click()
      await page.getByRole('alert').first().waitFor()
      await accessible(`refused: ${field}`)
      await page.getByLabel(field, { exact: true }).fill(text)
      await page.getByRole('button', { name: 'Review changes' }).click()
      await page.getByRole('heading', { name: 'Your changes' }).waitFor()
      await accessible(`changed: ${field}`)
      await page.getByRole('button', { name: 'Approve with changes' }).click()
      await until('it is decided', async () =>
        (await one.decided()).confirmed.some(({ actionId }) => [byLink, inConsole].includes(actionId!)),
      )
      await page.getByRole('button', { name: 'Approve with changes' }).waitFor({ state: 'detached' })
      await accessible(`decided: ${field}`)
    }
    expect((await one.decided()).edited).toHaveLength(2)
    const declined = await one.says('Three')
    await page.goto(`${listPath}/${declined}`)
    await page.getByText('Decline with a reason or a question').click()
    await page.getByLabel('Reason, question or wish').fill('Split it in two.')
    await page.getByRole('button', { name: 'Decline with this reason' }).click()
    await page.locator('.flash').waitFor()
    await accessible('declined with a reason')
    const answer = await one.client.request('POST', '/api/v1/actions', {
      body: { kind: 'broadcast', actor: one.actor, payload: { message: 'Four' }, replaces: declined },
    })
    await page.goto(`${listPath}/${answer.body.id}`)
    await accessible('in answer to a decline')
    await one.end()
  }, 120_000)
})
