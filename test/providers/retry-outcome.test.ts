import { expect } from '@jest/globals'
import { outcomeAfterRetry } from '../../src/providers/retry-outcome.ts'
import type { DeliveryOutcome } from '../../src/providers/ports.ts'
import { testRows } from '../support/rows.ts'

const ok: DeliveryOutcome = { state: 'ok', providerId: 'e1' }
const refused: DeliveryOutcome = { state: 'not_done', code: 'validation_error' }
const later: DeliveryOutcome = { state: 'not_done', code: 'ratelimited', retryAfterMs: 1000 }
const unknown: DeliveryOutcome = { state: 'unknown', code: 'no_answer' }

testRows<[string, DeliveryOutcome[], DeliveryOutcome[], DeliveryOutcome[]]>([
  ['what was delivered stays delivered', [ok, refused], [later, later], [ok, refused]],
  ['an unknown is settled by ok', [unknown], [ok], [ok]],
  [
    'an unknown is not settled by a refusal of the repeat',
    [unknown, unknown],
    [refused, refused],
    [unknown, unknown],
  ],
  ['an unknown is not settled by a rate limit', [unknown], [later], [unknown]],
  ['a refusal beside an ok is the kept answer', [unknown, unknown], [ok, refused], [ok, refused]],
  ['what was put off takes the new outcome', [later, later], [unknown, refused], [unknown, refused]],
])('an answer to a repeat is read with what was known before', (_name, earlier, answer, expected) =>
  expect(outcomeAfterRetry(earlier, answer)).toEqual(expected),
)
