import { expect, test } from '@jest/globals'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { payloadProblem } from '#verify'
import { InexactJson, jsonProblem, jsonProblems, parseExactJson } from '../../src/gate/json/exact-json.ts'
import { testRows } from '../support/rows.ts'

const rounded = /is rounded when it is read: write /
const beyond = /is beyond 9007199254740991, which readers of JSON round/
const twice = /stands twice in one object/

testRows([
  ['12345678901234567890', [], beyond],
  ['{"a":[0,{"b":9007199254740992}]}', ['a', 1, 'b'], beyond],
  ['{"a":-9007199254740993}', ['a'], beyond],
  ['[1e308]', [0], beyond],
  ['[1e999]', [0], beyond],
  ['[1e-400]', [0], rounded],
  ['[0.1,0.10000000000000001]', [1], rounded],
  ['[3.141592653589793238]', [0], rounded],
  ['[9007199254740990.5]', [0], rounded],
  [`[0.${'0'.repeat(70)}]`, [0], /more than 64 characters/],
  ['{"actor":{"email":"a"},"actor":{"email":"b"}}', ['actor'], twice],
  ['{"a":1,"\\u0061":1}', ['a'], twice],
  ['{"a":{"b":1,"c":[{}],"b":1}}', ['a', 'b'], twice],
  ['{"__proto__":1,"__proto__":2}', ['__proto__'], twice],
  ['{"":1,"":2}', [''], twice],
] as [string, (string | number)[], RegExp][])(
  'JSON that readers read otherwise is refused, with the place and the reason',
  (text, path, says) => {
    const read = () => parseExactJson(text)
    expect(read).toThrow(InexactJson)
    expect(read).toThrow(says)
    expect([...jsonProblems(text)][0]!.path).toEqual(path)
  },
)

testRows([
  '{"a":{"a":[{"a":1},{"a":2}]},"b":"a\\"a","c":"\\\\"}',
  '["12345678901234567890","1e-400","{\\"a\\":1,\\"a\\":2}"]',
  '[0,-0,0.0,0e5,1.500,1E2,1e+2,100e-2,-1.5e-7,9007199254740991,0.1,5e-324,123456789.125]',
  '{"a":1,"A":2,"b":"a","a ":3}',
  '\ufeff{"a":1}',
  ' \t\r\n"" ',
])('JSON of which every reader has the same value is read', (text) => {
  expect(parseExactJson(text)).toEqual(JSON.parse(text.replace(/^\ufeff/, '')))
})

testRows(['', '{', '{"a":1}}', '{a:1}', "{'a':1}", '[1,]', 'NaN', '01', '\ufeff\ufeff1', '// a\n1'])(
  'what is not JSON is not read',
  (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError)
    expect(() => parseExactJson(text)).not.toThrow(InexactJson)
  },
)

// Values written in other ways than `JSON.stringify` does: spaces, escapes, numbers of many forms, names again.
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.maxSafeInteger(), fc.nat(10 ** 9), fc.integer({ min: -400, max: 400 }))
    .map(([whole, fraction, power]) => `${whole}.${fraction}e${power}`),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
)
const name = fc.constantFrom('"a"', '"\\u0061"', '"b"', '"\\"]{"', '"__proto__"')
const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    number,
    fc.constantFrom('null', 'true', '"x:1"', '"\\\\"', '"[9007199254740993"'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[ ${items.join(' , ')}]`),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 3 })
      .map((members) => `{${members.map(([key, member]) => `${key} :${member}`).join(',')} }`),
  ),
}))

test('the stand-alone verifier finds the same problems', () =>
  fc.assert(
    fc.property(jsonText, (text) => {
      const [problem] = jsonProblems(text)
      const withoutName = (says?: string) => says?.replace(/^the name .* stands/s, 'the name stands')
      expect(withoutName(problem?.says)).toBe(withoutName(payloadProblem(text)))
    }),
    { numRuns: 2_000 },
  ))

test('a value that was read already shortens the search, and changes nothing that it finds', () =>
  fc.assert(
    fc.property(jsonText, (spaced) => {
      for (const text of [spaced, spaced.replaceAll(' ', '')])
        expect(jsonProblem(text, JSON.parse(text))).toEqual(jsonProblem(text))
    }),
    { numRuns: 2_000 },
  ))

test('nesting deeper than a value can be written changes nothing that is found', () => {
  const nested = (levels: number, inner: string) => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`
  for (const levels of [1_000, 5_000, 50_000]) {
    const sound = nested(levels, '1')
    expect(jsonProblem(sound, JSON.parse(sound))).toBeUndefined()
    const twice = nested(levels, '{"a":1,"a":2}')
    expect(jsonProblem(twice, JSON.parse(twice))?.says).toContain('"a" stands')
  }
})

/** The modules that read JSON otherwise, and why they may. */
const readsOurOwn: Record<string, string> = {
  'actions/declared/webhook/body.ts': 'a body that the gate wrote',
  'actions/upstream-tool/perform.ts': 'an answer that the gate kept',
  'cli/remote-gate.ts': 'the answer of the gate that the command line calls, to print',
  'console/audit/entry-page.ts': 'an entry of the ledger',
  'console/declared-kinds/kind-page.ts': 'a copy of a document',
  'console/runner-rules/match-text.ts': 'one quoted text of a form',
  'data-dir/private-file.ts': 'a file that the gate wrote',
  'db/queries/actions/list-actions.ts': 'from the database',
  'gate/json/exact-json.ts': 'the exact reader itself',
  'gate/runner-calls/files/wanted-files.ts': 'scripts of a manifest, of which the gate keeps nothing',
  'console/devices/push-worker.js': 'a push, which only the gate can encrypt for this browser',
  'gate/runner-calls/kept-input.ts': 'an input that the gate kept',
  'keys/agent-clients.ts': 'a program that a page shows',
  'ledger/archive/archived-entries.ts': 'a file that the gate wrote for itself',
  'ledger/checker.ts': 'an entry whose hash was checked, as text',
  'operations/audit/log-lines.ts': 'lines that the gate wrote to its own log; only known fields are shown',
  'operations/consent/client-question.ts': 'a question that the gate sealed',
  'operations/events/event-body.ts': 'an entry of the ledger',
  'operations/kinds/declared-kinds.ts': 'a copy of a document',
  'operations/upstreams/definition-lines.ts': 'a definition that the gate kept',
  'operations/upstreams/review.ts': 'a definition that the gate kept',
  'previews/command/bridge.js': 'a plan that the gate wrote',
  'previews/command/packages.ts': 'a manifest, of which the gate keeps nothing',
  'previews/host-folder.ts': 'a file that the gate wrote',
  'providers/slack/direct-message.ts': 'a message that the gate wrote',
  'transports/mcp/errors.ts': 'an error of the SDK',
  'transports/mcp/legacy.ts': 'a result that the gate wrote',
  'transports/mcp/modern.ts': 'a result that the gate wrote',
  'transports/mcp/tasks.ts': 'a result that the gate wrote',
  'providers/teams-bot/bot.ts': 'what the gate sealed',
  'providers/teams-bot/channel.ts': 'a message that the gate wrote',
  'transports/teams-messages.ts': 'of a press that can be read in two ways: whom to tell so',
  'transports/slack-interactions.ts': 'of a press that can be read in two ways: whom to tell so',
  'upstreams/read-message.ts': 'with the problems of the exact reader',
  'upstreams/schemas/sound-schemas.ts': 'a definition that the gate kept',
  'upstreams/secrets.ts': 'what the gate sealed',
  'process/version.ts': 'the package of the gate',
  'web/passkey.js': 'what the gate wrote into its own page',
}

test('JSON from outside is read by the exact reader everywhere', () => {
  const root = join(import.meta.dirname, '../../src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.[jt]s$/.test(file),
  )
  const readers = files.filter((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .some((line) => /\bJSON\.parse\(|\.json\(\)/.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line)),
  )
  expect(readers.toSorted()).toEqual(Object.keys(readsOurOwn).toSorted())
})
