import { expect, jest, test } from '@jest/globals'
import { pino } from 'pino'
import type { Db } from '../../src/db/connect.ts'
import { limits } from '../../src/limits.ts'
import type { Workflows } from '../../src/temporal/client.ts'
import type { ProposalInput } from '../../src/temporal/names.ts'
import { workflowStarter } from '../../src/temporal/start-action.ts'

const proposal = (uuid: string): ProposalInput => ({
  account: 'acct_1',
  id: 1,
  uuid,
  kind: 'broadcast',
  expiresAt: '2030-01-01T00:00:00.000Z',
})

/** A starter whose workflows only note what they are told. */
function starterThatNotes() {
  const told: string[] = []
  const note =
    (name: string) =>
    async ({ uuid }: ProposalInput) =>
      void told.push(`${name} ${uuid}`)
  const workflows = { start: note('start'), wake: note('wake') } as unknown as Workflows
  const db = { run: async () => [] } as unknown as Db
  const starter = workflowStarter({ db, workflows, log: pino({ level: 'silent' }), underWayMax: 10 })
  return { starter, told }
}

test('a proposal that is decided at once has no start of its own: its decision starts the workflow', async () => {
  const { starter, told } = starterThatNotes()
  starter.startInBackground(proposal('a'))
  starter.startInBackground(proposal('b'))
  starter.startInBackground(proposal('c'))
  starter.overtakeStart('a')
  starter.closeInBackground(proposal('b'))
  await starter.idle()
  expect(told.toSorted()).toEqual(['start c', 'wake b'])
})

test('a proposal that nobody decides is started once, soon', async () => {
  jest.useFakeTimers()
  try {
    const { starter, told } = starterThatNotes()
    starter.startInBackground(proposal('a'))
    expect(told).toEqual([])
    jest.advanceTimersByTime(limits.startAfterMs)
    expect(told).toEqual(['start a'])
    await starter.idle()
    expect(told).toEqual(['start a'])
  } finally {
    jest.useRealTimers()
  }
})

test('starts beyond the limit wait for their turn, and each is made once', async () => {
  jest.useFakeTimers()
  try {
    const { starter, told } = starterThatNotes()
    const names = Array.from({ length: 25 }, (_, n) => `start ${n}`)
    names.forEach((_, n) => starter.startInBackground(proposal(String(n))))
    jest.advanceTimersByTime(limits.startAfterMs)
    expect(told).toHaveLength(10)
    await jest.advanceTimersByTimeAsync(0)
    expect(told).toEqual(names)
  } finally {
    jest.useRealTimers()
  }
})

test('answers to proposals go before starts, which wait for a moment without proposals, but not for ever', async () => {
  jest.useFakeTimers()
  try {
    const { starter, told } = starterThatNotes()
    const proposals = limits.startLatestMs / 10
    const proposedFor = async (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        starter.startInBackground(proposal(String(n)))
        await jest.advanceTimersByTimeAsync(10)
      }
    }
    await proposedFor(0, proposals - 1)
    expect(told).toEqual([])
    await proposedFor(proposals - 1, proposals + 2)
    expect(told[0]).toBe('start 0')
    expect(told.length).toBeLessThan(5)
    await jest.advanceTimersByTimeAsync(limits.startAfterMs)
    expect(told).toHaveLength(proposals + 2)
  } finally {
    jest.useRealTimers()
  }
})

test('the outbox is due only after a start had its time', () => {
  expect(Math.max(limits.startAfterMs, limits.startLatestMs)).toBeLessThanOrEqual(limits.outboxDueMs / 2)
})
