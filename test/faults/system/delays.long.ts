import { expect, test } from '@jest/globals'
import { delayer } from '../../support/tcp-proxy.ts'

test('bytes that are late arrive in the order in which they were sent, also where the delay ends', async () => {
  const sent = 600
  const arrived: number[] = []
  let ms = 20
  const inOrder = delayer(() => ms && ms + Math.random() * 2)
  await new Promise<void>((resolve) => {
    let next = 0
    const sending = setInterval(() => {
      for (let burst = 0; burst < 3; burst++) {
        const mine = next++
        inOrder(() => {
          arrived.push(mine)
          if (arrived.length === sent) resolve()
        })
      }
      if (next === sent / 2) ms = 0
      if (next === sent) clearInterval(sending)
    }, 1)
  })
  expect(arrived).toEqual(Array.from({ length: sent }, (_, at) => at))
})
