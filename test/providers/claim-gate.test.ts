import { expect, test } from '@jest/globals'
import { claimGate } from '../../src/providers/claim-gate.ts'

const never = new AbortController().signal

test('the gate of claims lets in a second’s worth, and the next ones in their order when one of those has had its turn', async () => {
  const gate = claimGate(3)
  const letIn: string[] = []
  const enter = async (name: string) => void ((await gate.enter(never)) && letIn.push(name))
  const entering = [enter('a'), enter('b'), enter('c')]
  await entering[0]
  expect([letIn, gate.isShut()]).toEqual([['a'], true])
  gate.leave(1)
  await entering[1]
  expect(letIn).toEqual(['a', 'b'])
  gate.leave(2)
  expect(letIn).toEqual(['a', 'b'])
  gate.leave(1)
  await entering[2]
  gate.leave(5)
  expect([letIn, gate.isShut()]).toEqual([['a', 'b', 'c'], false])
})

test('a claim that is cancelled while it waits takes no place', async () => {
  const gate = claimGate(1)
  const stopping = new AbortController()
  expect(await gate.enter(never)).toBe(true)
  const waiting = gate.enter(stopping.signal)
  stopping.abort()
  expect([await waiting, await gate.enter(stopping.signal)]).toEqual([false, false])
  gate.leave(1)
  expect([gate.isShut(), await gate.enter(never)]).toEqual([false, true])
})
