import { expect, test } from '@jest/globals'
import { groupByAccount } from '../../src/db/group.ts'

const bounds = { groupMax: 3, waitingMax: 10 }
const refuse = () => new Error('too many')

test('calls of one turn form one group, and those that come while it runs form the next', async () => {
  const groups: string[][] = []
  const call = groupByAccount<string, string>(
    async (_account, group) => {
      groups.push(group)
      if (groups.length === 1) late = [call('a', 'third'), call('a', 'fourth')]
      return group.map((item) => item.toUpperCase())
    },
    bounds,
    refuse,
  )
  let late: Promise<string>[] = []
  const early = await Promise.all([call('a', 'first'), Promise.resolve().then(() => call('a', 'second'))])
  expect([...early, ...(await Promise.all(late))]).toEqual(['FIRST', 'SECOND', 'THIRD', 'FOURTH'])
  expect(groups).toEqual([
    ['first', 'second'],
    ['third', 'fourth'],
  ])
})

test('no group holds calls of two accounts, or more than its bound', async () => {
  const groups: string[][] = []
  const call = groupByAccount<string>(
    async (account, group) => void groups.push([account, ...group]),
    bounds,
    refuse,
  )
  await Promise.all([call('a', '1'), call('b', '2'), ...['3', '4', '5'].map((item) => call('a', item))])
  expect(groups.toSorted()).toEqual([
    ['a', '1', '3', '4'],
    ['a', '5'],
    ['b', '2'],
  ])
})
