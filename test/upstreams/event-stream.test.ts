import { expect, test } from '@jest/globals'
import { eventReader } from '../../src/upstreams/event-stream.ts'
import { testRows } from '../support/rows.ts'

/** What a stream says, read in parts of so many bytes. */
function read(text: string, size: number) {
  const said = { data: [] as string[], ids: [] as string[], retries: [] as number[] }
  const push = eventReader({
    onData: (data) => void said.data.push(data),
    onId: (id) => void said.ids.push(id),
    onRetry: (ms) => void said.retries.push(ms),
  })
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) push(bytes.subarray(at, at + size))
  return said
}

const stream = [
  '\ufeff: a comment\n',
  'id: 1\r\nretry: 250\r\ndata: \r\n\r\n',
  'event: message\rdata: {"a":\rdata:"é 😀"}\r\r',
  'event: ping\ndata: not for us\n\n',
  'id: 2\ndata\nunknown: x\n\n',
  'retry: soon\nid: no\0t\ndata: last\n\n',
  'id: 3\ndata: never ended',
].join('')

testRows([1, 2, 3, 7, 1_000])(
  'a stream of events says the same in parts of any size, whatever ends its lines',
  (size) => {
    expect(read(stream, size)).toEqual({
      data: ['{"a":\n"é 😀"}', 'last'],
      ids: ['1', '2'],
      retries: [250],
    })
  },
)

test('a line of a mebibyte that comes in small parts is read in processor time that grows with its length', () => {
  const line = 'a'.repeat(1_048_576)
  const used = process.cpuUsage()
  expect(read(`data: ${line}\n\n`, 16).data).toEqual([line])
  expect(process.cpuUsage(used).user / 1_000).toBeLessThan(2_000)
})
