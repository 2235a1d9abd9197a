import { describe, expect, test } from '@jest/globals'
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

test('the verdict of a consent says that the action was denied after it, and not what comes after the seal', async () => {
  const late = newAccount(3)
  const sealed = seal(late)
  append(late, 'denied', 1, { reason: 'The member is no longer active.' })
  append(late, 'denied', 2, {})
  const told = (seals: object[], more = {}) =>
    verifyFile(bytesOf(exportText(exportLines(late, seals))), { policy, ...more })
  expect(await told([sealed])).toMatchObject({
    words: expect.arrayContaining([
      'Entries 4 to 5 are linked, but no seal has them: anyone can have added them. What they say is not told.',
    ]),
    facts: expect.not.objectContaining({ ended: expect.anything() }),
  })
  expect(await told([sealed], { unsealed: true })).toMatchObject({
    words: expect.arrayContaining([
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

  test('is no fact, unless unsealed ones are asked for', async () => {
    expect(await told({ action: 24 })).toEqual({
      ok: false,
      place: 'action 24',
      problem:
        'no seal has its consent (seq 71), and anyone can have added it. --unsealed tells it all the same',
      sealed: false,
    })
    expect(await told({ action: 24, unsealed: true })).toMatchObject({
      ok: true,
      words: expect.arrayContaining([expect.stringMatching(/^Action 24 \(seq 71\) .*, not sealed\.$/)]),
      facts: { sealed: 70, consent: { seq: 71, sealed: false }, ended: { seq: 72, sealed: false } },
    })
    expect(await told({ action: 25 })).toMatchObject({
      problem: 'the export has no consent to it',
    })
  })

  test('does not stand in the place of a sealed one', async () => {
    expect(await told({ action: 2 })).toMatchObject({
      ok: true,
      facts: {
        consent: { seq: 6, channel: 'email', sealed: true },
        ended: { kind: 'executed', seq: 7, sealed: true },
      },
    })
    expect(await told({ action: 2, unsealed: true })).toMatchObject({
      facts: { consent: { seq: 73, sealed: false }, ended: { kind: 'denied', sealed: false } },
    })
  })

  test('is not counted, and not told as the last one', async () => {
    const verdict = await told({})
    expect(verdict).toMatchObject({ ok: true, facts: { entries: 74, sealed: 70, consents: 23 } })
    expect(JSON.stringify(verdict)).not.toMatch(/action (2|24)\b|slack/)
    expect(await told({ unsealed: true })).toMatchObject({ facts: { consents: 25, consent: { seq: 73 } } })
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
