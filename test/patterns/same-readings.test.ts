import { expect } from '@jest/globals'
import { parseMatch } from '../../src/console/runner-rules/match-text.ts'
import { browserName } from '../../src/console/sign-in/browser-name.ts'
import { isLoopbackHost } from '../../src/network/loopback.ts'
import { headerLine } from '../../src/operations/upstreams/fields.ts'
import { joinPath } from '../../src/network/public-link.ts'
import { payloadProblem } from '#verify'
import { testRows } from '../support/rows.ts'

testRows([
  ['a:b', ['a', 'b']],
  ['X-Key: \t b c \t', ['x-key', 'b c']],
  ['a: b: c', ['a', 'b: c']],
  ['a:', undefined],
  ['a', undefined],
  [': b', undefined],
  ['a b: c', undefined],
  ['a: b\u2028', undefined],
] as [string, string[] | undefined][])(
  'a header is a name and a value without spaces around it',
  (line, read) => {
    expect(headerLine.safeParse(line).data).toEqual(read)
  },
)

testRows([
  ['one of a, b', ['a', 'b']],
  ['one of  a b ,c', ['a b', 'c']],
  ['one of "a, b" , "c\\"" ', ['a, b', 'c"']],
  ['one of a"b', ['a"b']],
  ['one of "a", ', undefined],
  ['one of "a" b', undefined],
  ['one of "a', undefined],
  ['one of a,  , b', undefined],
] as [string, string[] | undefined][])(
  'the values of a rule are read as they are written',
  (text, values) => {
    const read = parseMatch(`command: ${text}`)
    expect(read).toEqual(
      values ? { match: { command: { one_of: values } } } : { problem: expect.any(String) },
    )
  },
)

const kit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
testRows([
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${kit} Version/17.4 Safari/605.1.15`, 'Safari on macOS'],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${kit} Version/17.4 Mobile/15E148 Safari/604.1`,
    'Safari on iPhone',
  ],
  [`Mozilla/5.0 (Linux; Android 4.4) ${kit} Version/4.0 Mobile Safari/534.30`, 'Safari on Android'],
  [
    `Mozilla/5.0 (Linux; Android 14) ${kit} Version/4.0 Chrome/122.0 Mobile Safari/537.36`,
    'Chrome on Android',
  ],
])('a browser is known by its name', (agent, name) => {
  expect(browserName(agent)).toBe(name)
})

testRows([
  ['https://a.example', 'https://a.example/x'],
  ['https://a.example///', 'https://a.example/x'],
  ['https://a.example/b//c/', 'https://a.example/b//c/x'],
])('slashes at the end of an address are left out', (base, whole) => {
  expect(joinPath(base, '/x')).toBe(whole)
})

testRows([
  ['[::1]', true],
  ['::1', true],
  ['localhost', true],
  ['[::2]', false],
  ['[:]', false],
  ['[]', false],
])('a host of this machine is known in brackets too', (host, is) => {
  expect(isLoopbackHost(host)).toBe(is)
})

testRows([
  ['{"a\\"b":1,"c":"\\\\"}', undefined],
  ['{"a":"}","b":["{\\u0041"]}', undefined],
  ['{"a":1,"\\u0061":2}', /twice/],
  ['{"a" : 1, "a"\n: 2}', /twice/],
  ['{"a":"x\\\\","a":2}', /twice/],
  ['{"a":12345678901234567890}', /beyond/],
  ['{"a":100000000000000000000}', /beyond/],
  ['{"a":1.500}', undefined],
  ['{"a":[100e-2,-2.50e-1]}', undefined],
  ['{"a":-1e-400}', /rounded/],
] as [string, RegExp | undefined][])('a payload is read as JSON is written', (json, problem) => {
  const found = payloadProblem(json)
  if (problem) expect(found).toMatch(problem)
  else expect(found).toBeUndefined()
})
