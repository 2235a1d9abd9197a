import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { consentStrengths, meetsFloor, obtainableStrengths } from '../../src/gate/consent.ts'

const strength = fc.constantFrom(...consentStrengths)

test('consent strengths go agent_attested, chat, page, and each meets its own floor and those below', () => {
  expect(consentStrengths).toEqual(['agent_attested', 'chat', 'page'])
  fc.assert(
    fc.property(
      strength,
      strength,
      (given, floor) =>
        meetsFloor(given, floor) === consentStrengths.indexOf(given) >= consentStrengths.indexOf(floor),
    ),
  )
})

test('what this version can obtain are strengths that exist', () => {
  for (const obtainable of obtainableStrengths) expect(consentStrengths).toContain(obtainable)
})
