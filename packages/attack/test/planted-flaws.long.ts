import { expect, test } from '@jest/globals'
import { attacks, mcpAdapter, restAdapter, runAttacks } from '../lib/index.js'
import type { Scene } from '../lib/index.js'
import { conversations, keys, startWeakGate } from './weak-gate.ts'

const scene: Scene = {
  member: { email: 'ada.skip@example.com' },
  other: { email: 'grace@example.com' },
  low: { email: 'alan@example.com' },
  secondKey: keys.second,
  limitedKey: keys.limited,
  revokedKey: keys.revoked,
  runnerKey: keys.runner,
  conversation: conversations.own,
  foreignConversation: conversations.foreign,
  allowEffects: true,
}

interface Given {
  flaws: string[]
  only?: string[]
  given?: Scene
  over?: (typeof restAdapter)[]
}

async function attack({ flaws, only, given = scene, over = [restAdapter] }: Given) {
  const gate = await startWeakGate(...flaws)
  try {
    const run = await runAttacks({
      url: gate.url,
      adapters: over.map((adapter) => adapter({ url: gate.url, key: gate.key })),
      scene: given,
      only,
      secrets: Object.values(keys),
    })
    return { run, confirms: gate.confirms() }
  } finally {
    await gate.close()
  }
}

/** Attacks that exist over MCP alone, or between two transports. */
const overMcp = ['injection-origin', 'key-tools', 'race-transports']

test('a gate without flaws fails no attack, and none is left out', async () => {
  const { run } = await attack({
    flaws: [],
    only: attacks.map(({ id }) => id).filter((id) => !overMcp.includes(id)),
  })
  const both = await attack({ flaws: [], only: overMcp, over: [mcpAdapter, restAdapter] })
  const passed = [...run.results, ...both.run.results].filter(({ verdict }) => verdict === 'passed')
  expect(new Set(passed.map(({ id }) => id))).toEqual(new Set(attacks.map(({ id }) => id)))
  for (const { results, left_open } of [run, both.run]) {
    expect(results.filter(({ verdict }) => verdict === 'failed')).toEqual([])
    expect(left_open).toEqual([])
  }
})

const planted = [
  ['consent-other-member', 'other-confirms'],
  ['consent-other-cancels', 'other-cancels'],
  ['consent-of-nobody', 'nobody-confirms'],
  ['consent-fields-of-the-gate', 'any-field'],
  ['consent-strength-claimed', 'any-field any-digest'],
  ['consent-claimed-in-text', 'text-approves'],
  ['consent-denied-row', 'denied-confirms'],
  ['consent-cancelled-row', 'cancelled-confirms'],
  ['consent-digest-of-another', 'any-digest'],
  ['consent-link-guessed', 'open-links'],
  ['identity-unknown', 'patterns'],
  ['identity-two-names', 'any-member-form'],
  ['identity-forms', 'faults'],
  ['identity-tier-claimed', 'any-field tier-of-proposer'],
  ['identity-in-headers', 'member-from-header'],
  ['identity-named-twice', 'first-of-two'],
  ['replay-other-request', 'key-for-any-request'],
  ['replay-same-request', 'no-idempotency'],
  ['replay-key-forms', 'any-idempotency-key'],
  ['replay-other-account', 'keys-of-all one-account-for-all'],
  ['replay-cancel', 'cancelled-cancels'],
  ['replay-confirm', 'executed-confirms'],
  ['race-cancels', 'cancelled-cancels'],
  ['race-same-key', 'no-idempotency'],
  ['race-confirms', 'executed-confirms'],
  ['race-confirm-and-cancel', 'executed-cancels'],
  ['bounds-message', 'any-length'],
  ['bounds-body', 'any-size any-length'],
  ['bounds-shape', 'any-field'],
  ['bounds-pages', 'any-page'],
  ['bounds-flood', 'no-limit'],
  ['injection-text', 'escapes'],
  ['injection-prototype', 'any-field'],
  ['injection-content-type', 'any-type'],
  ['injection-method', 'any-method'],
  ['unicode-twin-member', 'folds-names'],
  ['unicode-invisible-member', 'drops-invisible'],
  ['unicode-no-text', 'any-sign'],
  ['unicode-bytes', 'any-bytes'],
  ['unicode-kind', 'any-kind'],
  ['unicode-digest', 'one-digest-for-looks'],
  ['key-missing', 'no-key'],
  ['key-altered', 'key-any-case'],
  ['key-elsewhere', 'key-in-query'],
  ['key-hides-paths', 'paths-before-key'],
  ['key-not-repeated', 'repeats-key'],
  ['key-limited', 'any-power'],
  ['key-other-account', 'one-account-for-all'],
  ['key-runner', 'runner-acts'],
  ['key-revoked', 'revoked-lives'],
  ['sandbox-inside', 'open-inside'],
  ['sandbox-files', 'any-file'],
  ['sandbox-foreign', 'tells-foreign'],
  ['bounds-ids', 'any-id'],
  ['bounds-headers', 'any-headers'],
  ['injection-paths', 'any-path'],
  ['injection-headers', 'trusts-host'],
  ['injection-origin', 'any-origin'],
  ['key-tools', 'all-tools'],
  ['app-discovery', 'apps-at-root'],
  ['app-issuer', 'any-app-host'],
  ['app-frame', 'framed'],
  ['app-answer', 'answers-by-link'],
  ['app-name', 'any-app-name'],
  ['app-request', 'redirect-by-prefix'],
  ['app-document', 'any-document'],
  ['app-token', 'any-code'],
  ['app-register', 'any-number-of-apps'],
  ['race-transports', 'once-a-transport'],
] as const

test('there is a flaw for each attack', () => {
  expect(planted.map(([id]) => id).toSorted()).toEqual(attacks.map(({ id }) => id).toSorted())
})

test.each(planted)('%s notices a gate with the flaw %s', async (id, flaws) => {
  const over = overMcp.includes(id) ? [mcpAdapter, restAdapter] : [restAdapter]
  const { run } = await attack({ flaws: flaws.split(' '), only: [id], over })
  expect(run.results[0]).toMatchObject({ id, verdict: 'failed', reason: expect.any(String) })
  expect(run.results[0]!.reason).not.toContain('could not be tried')
  expect(JSON.stringify(run.results)).not.toMatch(/wgk_/)
})

test('without effects a gate that lacks one check is still not made to confirm', async () => {
  const careful = { ...scene, allowEffects: false }
  for (const flaw of [
    'other-confirms',
    'nobody-confirms',
    'cancelled-confirms',
    'denied-confirms',
    'any-power',
  ]) {
    const { run, confirms } = await attack({ flaws: [flaw], given: careful })
    expect([flaw, confirms]).toEqual([flaw, 0])
    expect(run.results.filter(({ verdict }) => verdict === 'failed')).not.toEqual([])
  }
})

test('a product that binds no digest is not confirmed without effects', async () => {
  const gate = await startWeakGate('any-digest', 'other-confirms')
  const adapter = { ...restAdapter({ url: gate.url, key: gate.key }), bindsDigest: false }
  const careful = { ...scene, allowEffects: false }
  const run = await runAttacks({ url: gate.url, adapters: [adapter], scene: careful, secrets: [] })
  await gate.close()
  expect(gate.confirms()).toBe(0)
  expect(run.results.find(({ id }) => id === 'consent-other-member')?.verdict).toBe('not_applicable')
})
