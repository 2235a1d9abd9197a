import { expect, test } from '@jest/globals'
import { until } from '../support/until.ts'
import { atWork, item, keys, openList, useWork } from './at-work.ts'

const work = useWork()

test.each([
  ['at the pace of a person who reads each card', 400],
  ['faster than anything is sent', 0],
])(
  'a hundred mixed proposals are cleared by keys alone in less than five minutes, two presses each: %s',
  async (_pace, readMs) => {
    const one = await atWork(work)
    const { page } = one
    const ids: number[] = []
    for (let n = 0; n < 100; n++)
      ids.push(n % 3 === 0 ? await one.deletes(`cus_${n}`) : await one.says(`Message ${n}`))
    await openList(page)
    const began = Date.now()
    await page.locator('#inbox summary').first().focus()
    for (let left = 100; left > 0; left--) {
      // The list shows fifty at a time, and the others as they follow: the focus is on each as it comes.
      await page.locator('#inbox summary:focus').waitFor()
      const does = left % 4 === 0 ? 'd' : 'a'
      await keys(page, does)
      await page.waitForTimeout(readMs)
      await keys(page, does)
      await page.waitForTimeout(readMs)
    }
    const decided = () =>
      one.decided().then(({ confirmed, cancelled }) => [confirmed.length, cancelled.length].join())
    await until('all are decided', async () => (await decided()) === '75,25').catch(
      async (error: unknown) => {
        throw new Error(`${await decided()}: ${await page.locator('#inbox').innerText()}`, { cause: error })
      },
    )
    await page.locator('#inbox').getByText('No open proposals.').waitFor()
    expect(Date.now() - began).toBeLessThan(300_000)
    const { confirmed, cancelled } = await one.decided()
    const cards = [...confirmed, ...cancelled].map(({ entry }) => entry.data['card'])
    expect([new Set(cards).size, cards.includes(undefined)]).toEqual([100, false])
    expect(new Set([...confirmed, ...cancelled].map(({ actionId }) => actionId))).toEqual(new Set(ids))
    // What comes next gets the focus, which waited in the list.
    const next = await one.says('One more')
    await item(page, next).locator('summary:focus').waitFor()
    expect(one.problems).toEqual([])
    await one.end()
  },
  300_000,
)

test('a list that could not be read again after a change is read again without another change', async () => {
  const one = await atWork(work)
  const { page } = one
  await page.clock.install()
  await openList(page)
  const lost = page.waitForResponse((answer) => answer.status() === 503)
  await page.route('**/console/proposals', (route) => route.fulfill({ status: 503, body: '' }))
  const id = await one.says('One')
  await lost
  await page.unroute('**/console/proposals')
  expect(await item(page, id).count()).toBe(0)
  await page.clock.fastForward(31_000)
  await item(page, id).waitFor()
  await one.end()
}, 60_000)
