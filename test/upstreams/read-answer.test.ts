import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from '@jest/globals'
import { type Reading, readEvents } from '../../src/upstreams/read-answer.ts'
import { testRows } from '../support/rows.ts'

/** What a stream of events says, read in parts of so many bytes. */
async function read(text: string, size: number) {
  const bytes = Buffer.from(text)
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
  const notes: unknown[] = []
  const reading: Reading = {
    id: 7,
    signal: new AbortController().signal,
    onMessage: (message) => void notes.push(message),
    bytes: 0,
    messages: 0,
    asked: 0,
  }
  await readEvents(Readable.from(parts, { objectMode: false }) as IncomingMessage, reading)
  const { answer, lastId, retryMs } = reading
  return { notes, answer, lastId, retryMs }
}

const note = (text: string) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { text } })
const answer = { jsonrpc: '2.0', id: 7, result: { text: 'é 😀' } }
const stream = [
  '\ufeff: a comment\n',
  'id: 1\r\nretry: 250\r\ndata: \r\n\r\n',
  `event: message\rdata: {"jsonrpc":"2.0","method":"notifications/message",\rdata:"params":{"text":"é 😀"}}\r\r`,
  `event: ping\ndata: ${JSON.stringify(note('not a message'))}\n\n`,
  'id: 2\ndata\nunknown: x\n\n',
  `retry: soon\nid: no\0t\ndata: ${JSON.stringify(note('last'))}\n\n`,
].join('')

testRows([1, 2, 3, 7, 1_000])(
  'a stream of events says the same in parts of any size, whatever ends its lines',
  async (size) => {
    const notes = [note('é 😀'), note('last')]
    const unended = `id: 3\ndata: ${JSON.stringify(answer)}`
    expect(await read(stream + unended, size)).toEqual({ notes, lastId: '2', retryMs: 250 })
    expect(await read(`${stream + unended}\n\n`, size)).toEqual({ notes, answer, lastId: '3', retryMs: 250 })
  },
)

test('a server that asks for a longer wait than a call may take is resumed within that time', async () => {
  expect((await read(`retry: ${'9'.repeat(400)}\n\n`, 1_000)).retryMs).toBe(50_000)
})

test('a line of almost a mebibyte that comes in small parts is read in processor time that grows with its length', async () => {
  const text = 'a'.repeat(1_048_400)
  const used = process.cpuUsage()
  const said = await read(`data: ${JSON.stringify(note(text))}\n\n`, 16)
  expect(said.notes).toEqual([note(text)])
  expect(process.cpuUsage(used).user / 1_000).toBeLessThan(2_000)
})
