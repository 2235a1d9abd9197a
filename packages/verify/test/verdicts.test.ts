import { describe, expect, test } from '@jest/globals'
import { testRows } from '../../../test/support/rows.ts'
import { verifyFile } from '../lib/verify.mjs'
import { append, exportLines, exportText, newAccount, newGate, policyOf, sealer, vkeyOf } from './log.ts'

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const gate = newGate('gate.example.com', 2)
const policy = policyOf(gate)
const account = newAccount(70)
const { seal, proof } = sealer(gate)

test('a sealed export says until which entry it is sealed, when, and who witnessed it', async () => {
  const text = exportText(exportLines(account, [seal(account)]))
  expect(await verifyFile(bytesOf(text), { policy })).toEqual({
    ok: true,
    what: 'export',
    words: [
      'acct_0123456789ABCDEF: entries 1 to 70 verified, sealed at 2026-11-23T04:00:00Z, witnessed by W1 at 2026-11-23T04:00:01Z and W2 at 2026-11-23T04:00:02Z.',
      '23 consents. The last: action 23 (seq 69) consented by mem_0123456789abcdef at 2026-11-23T03:01:09.000Z (page, email), sealed at 2026-11-23T04:00:00Z, witnessed by W1 at 2026-11-23T04:00:01Z and W2 at 2026-11-23T04:00:02Z.',
      'After that, action 23 was executed at 2026-11-23T03:01:10.000Z (seq 70).',
    ],
    facts: expect.objectContaining({ entries: 70, sealed: 70 }),
  })
})

test('the verdict of a consent says that the action was denied after it', async () => {
  const late = newAccount(3)
  const sealed = seal(late)
  append(late, 'denied', 1, { reason: 'The member is no longer active.' })
  append(late, 'denied', 2, {})
  const told = (seals: object[], more = {}) =>
    verifyFile(bytesOf(exportText(exportLines(late, seals))), { policy, ...more })
  expect(await told([sealed], { unsealed: true })).toMatchObject({
    words: expect.arrayContaining([
      'Entries 4 to 5 are linked, but no seal has them: anyone can have added them.',
      'After that, action 1 was denied at 2026-11-23T03:00:04.000Z (seq 4, not sealed).',
    ]),
    facts: { consent: { sealed: true }, ended: { kind: 'denied', seq: 4, sealed: false } },
  })
  expect(await told([seal(late)], { action: 1 })).toMatchObject({
    words: expect.arrayContaining(['After that, action 1 was denied at 2026-11-23T03:00:04.000Z (seq 4).']),
    facts: { ended: { sealed: true } },
  })
  append(late, 'confirmed', 3, { channel: 'email', strength: 'page' })
  expect(await told([seal(late)])).toMatchObject({
    facts: expect.not.objectContaining({ ended: expect.anything() }),
  })
})

describe('a consent that was added after the last seal', () => {
  const grown = structuredClone(account)
  const sealed = seal(account)
  append(grown, 'confirmed', 24, { channel: 'email', strength: 'page' })
  append(grown, 'executed', 24, {})
  // Again of an action that has a sealed consent, which was executed.
  append(grown, 'confirmed', 2, { channel: 'slack', strength: 'chat' })
  append(grown, 'denied', 2, {})
  const told = (options: object) =>
    verifyFile(bytesOf(exportText(exportLines(grown, [sealed]))), { policy, ...options })

  testRows([{}, { action: 24 }, { action: 2 }, { action: 25 }])(
    'makes the export one that is not sealed, whatever is asked of it',
    async (options) => {
      expect(await told(options)).toEqual({
        ok: false,
        place: 'seq 71',
        problem: expect.stringMatching(
          /^no seal has this entry or those after it, and anyone can have added them/,
        ),
        sealed: false,
      })
    },
  )

  test('is told where unsealed ones are asked for', async () => {
    const asked = (options: object) => told({ ...options, unsealed: true })
    expect(await asked({ action: 24 })).toMatchObject({
      ok: true,
      words: expect.arrayContaining([expect.stringMatching(/^Action 24 \(seq 71\) .*, not sealed\.$/)]),
      facts: { sealed: 70, consent: { seq: 71, sealed: false }, ended: { seq: 72, sealed: false } },
    })
    expect(await asked({ action: 2 })).toMatchObject({
      facts: { consent: { seq: 73, sealed: false }, ended: { kind: 'denied', sealed: false } },
    })
    expect(await asked({})).toMatchObject({ facts: { consents: 25, consent: { seq: 73 } } })
    expect(await asked({ action: 25 })).toMatchObject({ problem: 'the export has no consent to it' })
  })
})

test('a proof of a consent says who consented and when, when it was sealed, and who witnessed that', async () => {
  const verdict = await verifyFile(bytesOf(proof(account, 3)), { policy })
  expect(verdict).toEqual({
    ok: true,
    what: 'proof',
    words: [
      'consented by mem_0123456789abcdef at 2026-11-23T03:00:03.000Z (page, email), sealed at 2026-11-23T04:00:00Z, witnessed by W1 at 2026-11-23T04:00:01Z and W2 at 2026-11-23T04:00:02Z.',
      'Action 1, seq 3 of acct_0123456789ABCDEF.',
    ],
    facts: expect.objectContaining({ seq: 3 }),
  })
})

test('a consent that an agent attested is told as the word of the agent', async () => {
  const attested = newAccount(70)
  const entry = append(attested, 'confirmed', 40, { channel: 'api', strength: 'agent_attested' })
  const said = expect.arrayContaining([expect.stringContaining('The gate did not ask the member.')])
  for (const text of [proof(attested, entry.seq), exportText(exportLines(attested, [seal(attested)]))])
    expect(await verifyFile(bytesOf(text), { policy })).toMatchObject({ ok: true, words: said })
})

test('a log cannot be its own witness: one key of a policy has one line', async () => {
  const own = `witness own ${vkeyOf({ ...gate.key, type: 4 })}`
  const text = `log ${vkeyOf(gate.key)}\n${own}\nquorum own\n`
  await expect(verifyFile(bytesOf(proof(account, 3)), { policy: text })).rejects.toThrow(/has the same key/)
})
