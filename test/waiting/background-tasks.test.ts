import { expect, test } from '@jest/globals'
import { type Lane, backgroundTasks } from '../../src/waiting/background-tasks.ts'
import { limits } from '../../src/limits.ts'

function tasks() {
  const logged: string[] = []
  const log = (_about: unknown, text?: string) => void logged.push(text ?? '')
  const background = backgroundTasks({ info: log, warn: log, error: log } as never)
  let release = () => {}
  const open = new Promise<void>((resolve) => (release = resolve))
  return {
    background,
    logged,
    release: () => release(),
    /** Starts tasks that do not end before the release. Counts those that began. */
    flood(lane: Lane, count: number) {
      const of = { begun: 0 }
      const work = async () => {
        of.begun++
        await open
      }
      for (let n = 0; n < count; n++) background.start(lane, 'flood', work)
      return of
    },
  }
}
const turn = () => new Promise((resolve) => void setTimeout(resolve, 0))

test.each(['sign_in', 'refused_key', 'shared'] as const)(
  'a flood of the lane %s drops its own tasks alone',
  async (lane) => {
    const { background, logged, flood, release } = tasks()
    flood(lane, 1_000)
    expect(logged.length).toBeGreaterThan(0)
    const before = logged.length
    const done: Lane[] = []
    const others = (['due', 'shared', 'sign_in', 'refused_key'] as const).filter((one) => one !== lane)
    for (const one of others) background.start(one, 'other', async () => void done.push(one))
    await turn()
    expect(done).toEqual(others)
    expect(logged).toHaveLength(before)
    release()
    await background.idle()
  },
)

test('a task that is due is never dropped', async () => {
  const { background, logged, flood, release } = tasks()
  const of = flood('due', 5_000)
  await turn()
  expect([of.begun, logged]).toEqual([5_000, []])
  release()
  await background.idle()
})

test('sign-ins run a few at once, the others after them, and all end', async () => {
  const { background, flood, release } = tasks()
  const of = flood('sign_in', 20)
  await turn()
  expect(of.begun).toBe(limits.signInTasksAtOnce)
  release()
  await background.idle()
  expect(of.begun).toBe(20)
})

test('a task that fails ends, is logged and gives its place to the next', async () => {
  const { background, logged } = tasks()
  let done = 0
  for (let n = 0; n < 10; n++)
    background.start('sign_in', 'fails', async () => {
      done++
      throw new Error('no')
    })
  await background.idle()
  expect([done, logged.length]).toEqual([10, 10])
})
