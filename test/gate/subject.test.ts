import { expect } from '@jest/globals'
import { whyUnweighed } from '../../src/gate/declared/upstream-call.ts'
import { whyNoSubject } from '../../src/gate/subject.ts'
import { testRows } from '../support/rows.ts'

testRows(['cus_1', 'CUS_1', 'Müller & Söhne', '山田', 'order 7/2', "O'Brien", '🙂'])(
  'amounts are added up by a plain subject',
  (subject) => expect(whyNoSubject(subject)).toBeUndefined(),
)

const variants: [string, string][] = [
  ...[' cus_1', 'cus_1 ', 'cus_1\n', '\tcus_1', 'cus_1\u00a0', '\ufeffcus_1'].map(
    (text): [string, string] => [text, 'must not begin or end with white space'],
  ),
  ...[
    'cus\u200b_1',
    'cus\u200d_1',
    'cus\u2060_1',
    'cus\u00ad_1',
    'cus\u202e_1',
    'cus\u2066_1',
    'cus\ufe0f_1',
    'cus\u034f_1',
    'cus\u3164_1',
    'cus\u2800_1',
    'cus\u{e0041}_1',
    'cus\u0007_1',
    'cus\n_1',
    'cus\u2028_1',
    'cus\u00a0_1',
    'cus\u3000_1',
    'cus_1\u200b',
  ].map((text): [string, string] => [text, 'must not contain control characters, invisible characters']),
  ['Mu\u0308ller', 'must be in the Unicode form NFC'],
]

testRows(variants)('a text that looks like another subject is no subject', (subject, why) => {
  expect(whyNoSubject(subject)).toMatch(why)
})

testRows(variants)(
  'a call of a tool whose rule adds up by a subject is denied with such a one',
  (subject, why) => {
    const denial = whyUnweighed({ subject: '/customer' }, { customer: subject }, 255)
    expect(denial).toMatchObject({ code: 'subject_unknown', sentence: expect.stringContaining(why) })
  },
)
