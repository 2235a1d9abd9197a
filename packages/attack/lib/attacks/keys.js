/** @typedef {import('../index.js').Attack} Attack @typedef {import('../index.js').Trial} Trial */

const apart = /** @type {import('../index.js').Refusal[]} */ (['not_found', 'forbidden', 'invalid'])

/** What each operation answers to a key. @param {Trial} t @param {string | null} key */
const withKey = (t, key) => {
  const member = t.scene.member ?? { email: 'nobody@attack.invalid' }
  const digest = '0'.repeat(64)
  return Promise.all([
    t.gate.readTier(member, { key }),
    t.gate.list({ limit: 1 }, { key }),
    t.gate.read(1, { key }),
    t.gate.propose({ member, message: t.message() }, { key }),
    t.gate.confirm(1, { member, digest }, { key }),
    t.gate.cancel(2 ** 40, { member }, { key }),
  ])
}

/** @type {Attack[]} */
export const keys = [
  {
    id: 'key-missing',
    topic: 'keys',
    title: 'Call every operation without a key, and with one that never existed; compare what they tell',
    requirements: ['AISVS-10.2.1', 'GATE-outside'],
    needs: [],
    async run(t) {
      const kept = new Set()
      for (const key of [null, 'x', `qgk_${'0'.repeat(38)}`])
        for (const answer of await withKey(t, key)) {
          t.refused(answer, ['unauthenticated'], 'served without a key')
          kept.add(answer.text.replaceAll(/"request_id":\s*"[^"]*"|[\da-f]{8}-[\da-f-]{27}/g, ''))
        }
      t.holds(kept.size <= 1, 'the refusals differ by what was wrong with the key')
    },
  },
  {
    id: 'key-altered',
    topic: 'keys',
    title: 'Change one character of a key, its case, its end',
    requirements: ['AISVS-10.2.1', 'AISVS-9.4.1'],
    needs: ['secondKey'],
    async run(t) {
      // The key of the other account, so that the agent's own is never sent in another form.
      const key = /** @type {string} */ (t.scene.secondKey)
      const last = key.at(-1) === 'A' ? 'B' : 'A'
      const turned = key.replaceAll(/[A-Za-z]/g, (c) =>
        c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase(),
      )
      const forms = [
        `${key.slice(0, -1)}${last}`,
        key.slice(0, -1),
        `${key}A`,
        turned,
        `${key},${key}`,
        `${key} x`,
      ]
      for (const form of forms)
        t.refused(
          await t.gate.list({ limit: 1 }, { key: form }),
          ['unauthenticated'],
          'an altered key was taken',
        )
    },
  },
  {
    id: 'key-elsewhere',
    topic: 'keys',
    title: 'Send a key in the address, a cookie, another header or another scheme, or beside another key',
    requirements: ['AISVS-10.2.1', 'AISVS-9.5.4'],
    needs: ['secondKey'],
    async run(t) {
      const key = /** @type {string} */ (t.scene.secondKey)
      const basic = Buffer.from(`${key}:`).toString('base64')
      const places = [
        { authorization: `Basic ${basic}` },
        { authorization: key },
        { authorization: `Token ${key}` },
        { 'x-auth-token': key },
        { authorization: `Bearer ${key}`, 'x-api-key': `${key}x` },
        { cookie: `key=${key}; session=${key}` },
        { 'proxy-authorization': `Bearer ${key}` },
      ]
      for (const headers of places) {
        const answer = await t.gate.list({ limit: 1 }, { key: null, headers })
        t.refused(answer, ['unauthenticated'], `a key in ${Object.keys(headers)[0]} was taken`)
      }
      for (const name of ['key', 'api_key', 'access_token', 'authorization']) {
        const answer = await t.gate.list({ limit: 1 }, { key: null, extra: { [name]: key } })
        t.refused(answer, ['unauthenticated'], `a key as ${name} was taken`)
      }
    },
  },
  {
    id: 'key-hides-paths',
    topic: 'keys',
    title: 'Learn without a key which addresses and methods exist',
    requirements: ['GATE-outside', 'AISVS-10.2.1'],
    needs: [],
    async run(t) {
      const answers = []
      for (const [method, path] of [
        ['GET', '/api/v1/actions'],
        ['GET', '/api/v1/nothing'],
        ['DELETE', '/api/v1/actions/1'],
        ['POST', '/api/v1/runner/tool-calls'],
        ['POST', '/api/v2/actions'],
        ['PUT', '/api/mcp'],
        ['GET', '/api/'],
      ])
        answers.push(await t.gate.raw({ method, path, key: null }))
      const broken = await t.gate.raw({ key: null, body: '{"broken' })
      for (const answer of [...answers, broken])
        t.refused(answer, ['unauthenticated'], `${answer.request} told more than that a key is missing`)
    },
  },
  {
    id: 'key-not-repeated',
    topic: 'keys',
    title: 'Make a fault or a refusal repeat the key',
    requirements: ['GATE-secrets', 'AISVS-9.5.4'],
    needs: ['secondKey'],
    async run(t) {
      const key = /** @type {string} */ (t.scene.secondKey)
      const answers = [
        await t.gate.list({ limit: 1 }, { key: `${key}x` }),
        await t.gate.list({ limit: 'x' }, { key }),
        await t.gate.read('x', { key }),
        await t.gate.proposeText('{', { authorization: `Bearer ${key}` }),
        await t.gate.raw({ method: 'OPTIONS', key }),
        await t.gate.raw({ method: 'TRACE', key }),
      ]
      for (const { text, headers, request } of answers)
        t.holds(!`${text}${JSON.stringify(headers)}`.includes(key), `${request} repeats the key`)
    },
  },
  {
    id: 'key-limited',
    topic: 'keys',
    title: 'Confirm with a key that may only propose, also under the idempotency key of one that may',
    requirements: ['AISVS-9.5.1', 'AISVS-9.5.2', 'AISVS-10.2.5'],
    needs: ['member', 'limitedKey'],
    confirms: true,
    async run(t) {
      const action = await t.propose()
      const key = t.scene.limitedKey
      for (const idempotencyKey of [undefined, t.nonce()])
        t.refused(
          await t.confirm(action, {}, { key, idempotencyKey }),
          ['forbidden'],
          'a limited key confirmed',
        )
      await t.stillOpen(action)
    },
  },
  {
    id: 'key-tools',
    topic: 'keys',
    title: 'See and call tools that the key may not use',
    requirements: ['AISVS-10.2.4', 'AISVS-10.2.5'],
    needs: ['limitedKey'],
    transports: ['mcp'],
    async run(t) {
      const own = await t.gate.listTools?.()
      const limited = await t.gate.listTools?.({ key: t.scene.limitedKey })
      if (!own?.tools || !limited?.tools) return t.skip('tools are not listed')
      t.holds(own.tools.includes('confirm_action'), 'the agent does not see the tool that it may call')
      t.holds(!limited.tools.includes('confirm_action'), 'a key that may not confirm sees the tool')
    },
  },
  {
    id: 'key-other-account',
    topic: 'keys',
    title: 'Read, list, confirm and cancel the action of another account, and act for its members',
    requirements: ['GATE-apart', 'AISVS-9.5.2'],
    needs: ['member', 'secondKey'],
    confirms: true,
    async run(t) {
      const action = await t.propose()
      const key = t.scene.secondKey
      const answers = [
        await t.gate.read(action.id, { key }),
        await t.gate.cancel(action.id, { member: t.member }, { key }),
        await t.confirm(action, {}, { key }),
        await t.gate.readTier(t.member, { key }),
        await t.gate.propose({ member: t.member, message: t.message() }, { key }),
        await t.gate.list({ limit: 200, order: 'desc' }, { key }),
      ]
      const mark = String(action.message).split(' ').at(3) ?? ''
      for (const { text } of answers)
        t.holds(!text.includes(mark.slice(0, 18)), 'another account read the message')
      // The same number may be an action of their own.
      for (const answer of answers.slice(1, 5))
        t.refused(answer, [...apart, 'conflict'], 'another account acted')
      await t.stillOpen(action)
    },
  },
  {
    id: 'key-runner',
    topic: 'keys',
    title: 'Propose, read and decide with the key of an agent runner',
    requirements: ['AISVS-9.5.1', 'AISVS-9.2.9'],
    needs: ['member', 'runnerKey'],
    async run(t) {
      const answers = await withKey(t, /** @type {string} */ (t.scene.runnerKey))
      for (const answer of answers)
        t.refused(answer, ['forbidden', 'unauthenticated'], 'a runner’s key was served')
    },
  },
  {
    id: 'key-revoked',
    topic: 'keys',
    title: 'Use a key after it was revoked',
    requirements: ['AISVS-10.2.1', 'AISVS-9.5.6'],
    needs: ['revokedKey'],
    async run(t) {
      const answers = await withKey(t, /** @type {string} */ (t.scene.revokedKey))
      for (const answer of answers) t.refused(answer, ['unauthenticated'], 'a revoked key was served')
    },
  },
]
