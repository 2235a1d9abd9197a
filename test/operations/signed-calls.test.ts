import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { startApi } from '../../src/api.ts'
import { makeDeps } from '../../src/deps.ts'
import { storeKey } from '../../src/db/queries/accounts/keys.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { hashKey, mintKey, randomBase62 } from '../../src/keys/api-key.ts'
import { signingOf } from '../../src/keys/hook-signature.ts'
import { allRights } from '../../src/keys/rights.ts'
import { limits } from '../../src/limits.ts'
import { rotateKey } from '../../src/operations/keys/rotate-key.ts'
import { rewrapSecrets } from '../../src/operations/maintenance/rewrap-secrets.ts'
import { mintRunnerKey } from '../../src/operations/runner-calls/runner-keys.ts'
import { newKeyRing, parseKeyRing } from '../../src/secrets/key-ring.ts'
import { startGate } from '../support/gate.ts'
import { useGate } from '../support/use-gate.ts'
import { runnerScene } from '../support/runner-scene.ts'
import { type SignedCall, sendSigned, signedCall } from '../support/signed-hook.ts'
import { until } from '../support/until.ts'

const ring = newKeyRing()
const gate = useGate({ env: { SECRETS_KEYS: ring } })

const reading = { tool: 'Read', input: { file_path: '/work/project/README.md' } }
const removing = { tool: 'Bash', input: { command: 'rm -rf build' } }

async function scene() {
  const made = await runnerScene(gate)
  const { key } = made.hook
  const session = randomUUID()
  const bodyOf = ({ tool, input }: { tool: string; input: object }, id: string | null = randomUUID()) => ({
    session_id: session,
    cwd: '/work/project',
    hook_event_name: 'PreToolUse',
    tool_name: tool,
    tool_input: input,
    ...(id === null ? {} : { tool_use_id: id }),
  })
  return {
    ...made,
    key,
    bodyOf,
    call: (
      of: { tool: string; input: object },
      given?: Parameters<typeof signedCall>[2],
      id?: string | null,
    ) => signedCall(key, bodyOf(of, id), given),
    send: (call: SignedCall, changed?: Parameters<typeof sendSigned>[3]) =>
      sendSigned(gate.api.url, key, call, changed),
  }
}

describe('a signed request', () => {
  test('is decided as one with the key is, and its answer is signed for it alone', async () => {
    const { call, send, rows } = await scene()
    const allowed = await send(call(reading))
    expect(allowed).toEqual({ status: 200, text: 'allow', isSigned: true })
    const denied = await send(call({ tool: 'Read', input: { file_path: '/root/.ssh/id_ed25519' } }))
    expect(denied).toMatchObject({
      status: 200,
      isSigned: true,
      text: expect.stringMatching(/^Rule 1 denies/),
    })
    expect(await rows()).toHaveLength(1)
  })

  test('reports an outcome', async () => {
    const { bodyOf, call, send, key } = await scene()
    const id = randomUUID()
    await send(call(reading, {}, id))
    const report = { ...bodyOf(reading, id), hook_event_name: 'PostToolUse', tool_response: {} }
    expect(await send(signedCall(key, report, { path: 'outcomes' }))).toEqual({
      status: 200,
      text: 'ok',
      isSigned: true,
    })
  })

  test('with anything changed on its way is refused, unsigned where the head was changed', async () => {
    const { call, send, bodyOf, hook } = await scene()
    const given = call(reading)
    const other = call(removing)
    const changes: Parameters<typeof send>[1][] = [
      { target: given.target.replace('wait=0', 'wait=1') },
      { target: given.target.replace('claude', 'codex') },
      { target: given.target.replace('tool-calls', 'outcomes').replace('&wait=0', '') },
      { authorization: given.authorization.replace(/time=\d/, 'time=2') },
      { authorization: given.authorization.replace(/nonce=../, 'nonce=00') },
      { authorization: given.authorization.replace(/mac=.*/, `mac=${other.mac}`) },
      { authorization: given.authorization.replace(/mac=.*/, `mac=${'0'.repeat(64)}`) },
      { authorization: given.authorization.replace('Gate-Hook-1', 'Gate-Hook-2') },
      { authorization: `${given.authorization}, key=x` },
      { authorization: given.authorization.toUpperCase() },
    ]
    for (const changed of changes) {
      const answer = await send(given, changed)
      expect([changed, answer]).toMatchObject([changed, { status: 401, isSigned: false }])
    }
    for (const body of [JSON.stringify(bodyOf(removing)), `${given.body} `, '{}', '']) {
      const answer = await send(call(reading), { body })
      expect(answer).toMatchObject({
        status: 400,
        isSigned: true,
        text: expect.stringMatching(/not the one that was signed|valid JSON/),
      })
    }
    expect(await send(call(reading), { headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
      isSigned: true,
    })
    expect((await hook.ask('ls')).status).toBe(200)
  })

  test('at another time than now is refused, and told the time of the gate', async () => {
    const { call, send } = await scene()
    for (const off of [-290, 290])
      expect(await send(call(reading, { off }))).toMatchObject({ status: 200, text: 'allow' })
    for (const off of [-320, 320, -1e9, 9e11]) {
      const year = new Date().getUTCFullYear()
      expect(await send(call(reading, { off }))).toMatchObject({
        status: 403,
        isSigned: true,
        text: expect.stringMatching(new RegExp(`at the gate it is ${year}-`)),
      })
    }
  })

  test('is answered as text alone, and its refusals are signed text, too', async () => {
    const { call, send, account, hook } = await scene()
    expect(await send(call(reading, { query: { as: 'json' } }))).toMatchObject({
      status: 422,
      isSigned: true,
    })
    expect(await send(call(reading, { query: { wait: '99' } }))).toEqual({
      status: 422,
      isSigned: true,
      text: expect.stringMatching(/^wait must be at most 50/),
    })
    await gate.deps.db.read(
      (sql) => sql`select gate.revoke_key(${account}, null, ${hook.keyId}, ${randomUUID()})`,
    )
    expect(await send(call(reading))).toMatchObject({ status: 401, isSigned: true })
  })

  test('is taken nowhere else', async () => {
    const { call, send } = await scene()
    const given = call(reading)
    for (const target of ['/api/v1/actions', '/api/mcp', '/api/v1/broadcasts'])
      expect(await send(given, { target })).toMatchObject({ status: 401, isSigned: false })
  })

  test('of Claude Code without a terminal is deferred by a signed variable, not by a header', async () => {
    const { call, send } = await scene()
    const query = { headless: '1' }
    const deferred = await send(call(removing, { query: { ...query, entrypoint: 'sdk-cli' } }))
    expect(deferred).toEqual({ status: 200, isSigned: true, text: expect.stringMatching(/^defer \d+$/) })
    const headers = { 'x-runner-entrypoint': 'sdk-cli' }
    expect((await send(call(removing, { query }), { headers })).text).toMatch(/^Waiting for the consent/)
    expect(
      (await send(call(removing, { query: { ...query, entrypoint: 'cli' } }), { headers })).text,
    ).toMatch(/^Waiting/)
  })

  test('of the canary is denied, also where it is a command', async () => {
    const { call, send } = await scene()
    const command = "true gate_canary && touch '/tmp/x'"
    expect((await send(call({ tool: 'Bash', input: { command } }))).text).toMatch(
      /^This is the test call of a hook/,
    )
  })
})

describe('a request that was seen and is sent again', () => {
  /** Another API process on the same database. */
  async function anotherProcess() {
    const deps = makeDeps(gate.config, { log: gate.deps.log })
    const api = await startApi(deps)
    const close = async () => {
      await api.stop()
      await deps.close()
    }
    return { url: api.url, close }
  }

  test('is refused', async () => {
    const { call, send, counted } = await scene()
    const given = call(reading)
    await send(given)
    expect(await send(given)).toMatchObject({ status: 409, isSigned: true })
    expect(await counted()).toMatchObject({ allowed: 1 })
  })

  test('does not get the consent that came after it, and leaves it for the next call', async () => {
    const { call, send, key, decide, isGranted } = await scene()
    const first = call(removing, {}, 'toolu_1')
    const waiting = await send(first)
    const id = Number(/action (\d+)/.exec(waiting.text)![1])
    await decide('approve')
    await isGranted(id)
    const other = await anotherProcess()
    try {
      for (const url of [gate.api.url, other.url]) {
        const again = await sendSigned(url, key, first)
        expect(again).toMatchObject({ status: 409, isSigned: true })
      }
      expect(await sendSigned(other.url, key, call(removing, {}, 'toolu_1'))).toMatchObject({ text: 'allow' })
    } finally {
      await other.close()
    }
  })

  test('is refused by another process, where it would be a call of its own', async () => {
    const { call, key, passed, counted } = await scene()
    const other = await anotherProcess()
    try {
      const given = call(reading, {}, null)
      expect(await sendSigned(gate.api.url, key, given)).toMatchObject({ text: 'allow' })
      await passed('1 minute')
      expect(await sendSigned(other.url, key, given)).toMatchObject({ status: 409, isSigned: true })
      expect(await counted()).toMatchObject({ allowed: 1 })
    } finally {
      await other.close()
    }
  })

  test('is recorded once by another process, where the call has an id', async () => {
    const { call, key, counted } = await scene()
    const other = await anotherProcess()
    try {
      const given = call(reading)
      for (const url of [gate.api.url, other.url]) await sendSigned(url, key, given)
      expect(await counted()).toMatchObject({ allowed: 1 })
    } finally {
      await other.close()
    }
  })

  test('at the same time is answered once', async () => {
    const { call, send, counted } = await scene()
    const given = call(removing, {}, null)
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(given)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    await until('it is counted', async () => (await counted())?.asked === 1)
  })
})

describe('wrong signatures', () => {
  test('count as wrong keys do, and a key that works goes on working from the same address', async () => {
    const own = await startGate({ workers: false })
    try {
      const account = await own.account()
      const grace = await account.addMember({ name: 'Grace', email: 'grace@example.com', tier: 'write' })
      const { key } = await account.mintKey({ powers: ['runner'], actors: [grace] })
      const body = {
        session_id: 's',
        cwd: '/w',
        hook_event_name: 'PreToolUse',
        tool_name: 'Read',
        tool_input: { file_path: '/w/a' },
      }
      const send = (call: SignedCall, changed?: object) => sendSigned(own.api.url, key, call, changed)
      expect(await send(signedCall(key, body))).toMatchObject({ text: 'allow' })
      const statuses = new Set<number>()
      for (let n = 0; n < limits.failedAuthenticationsPerMinute + 10; n++) {
        const call = signedCall(key, body)
        const known = n % 2 === 0
        const changed = known
          ? { authorization: call.authorization.replace(/mac=.*/, `mac=${'0'.repeat(64)}`) }
          : { authorization: signedCall(mintKey(), body).authorization }
        statuses.add((await send(call, changed)).status)
      }
      expect([...statuses]).toEqual([401, 429])
      expect(await send(signedCall(key, { ...body, tool_use_id: 'b' }))).toMatchObject({ text: 'allow' })
    } finally {
      await own.stop()
    }
  }, 60_000)
})

describe('what a runner key signs with', () => {
  const admin = (account: string, db = gate.database.db) => ({ db, account, session: null })
  const body = {
    session_id: 's',
    cwd: '/w',
    hook_event_name: 'PreToolUse',
    tool_name: 'Read',
    tool_input: { file_path: '/w/a' },
  }
  const works = async (key: string) =>
    (await sendSigned(gate.api.url, key, signedCall(key, { ...body, tool_use_id: randomUUID() }))).text ===
    'allow'
  const stored = (keyId: string) =>
    gate.database.asSuperuser(`select * from gate_private.runner_signing where key_id = '${keyId}'`)

  test('is stored encrypted, follows a rotation, and can be encrypted under another key', async () => {
    const { account, grace } = await scene()
    const { secretsKeys } = gate.deps
    const given = {
      label: 'laptop',
      member: { email: grace.email! },
      expiresAt: null,
      networks: [],
      secretsKeys,
    }
    const { apiKey, keyId } = await mintRunnerKey(admin(account), given)
    expect(await works(apiKey)).toBe(true)
    const [row] = await stored(keyId)
    const { name, secret } = signingOf(apiKey)
    expect(row).toMatchObject({ kid: 'k1', name })
    for (const bytes of [row!['ciphertext'], row!['wrapped_key']] as Buffer[]) {
      expect(bytes.includes(secret)).toBe(false)
      expect(bytes.includes(secret.toString('base64'))).toBe(false)
    }

    const rotated = await rotateKey(admin(account), keyId, { secretsKeys })
    expect([await works(apiKey), await works(rotated.apiKey)]).toEqual([true, true])
    expect(await stored(rotated.keyId)).toHaveLength(1)

    const next = parseKeyRing(`${newKeyRing().replace('k1', 'k2')},${ring}`)
    for await (const { failures } of rewrapSecrets(gate.database.db, next)) expect(failures).toEqual([])
    expect(await stored(keyId)).toMatchObject([{ kid: 'k2', ciphertext: row!['ciphertext'] }])
  })

  test('is stored as it is where the service has no SECRETS_KEYS, and encrypted once it has', async () => {
    const { account, grace } = await scene()
    const given = { label: 'laptop', member: { email: grace.email! }, expiresAt: null, networks: [] }
    const { apiKey, keyId } = await mintRunnerKey(admin(account), { ...given, secretsKeys: undefined })
    expect(await stored(keyId)).toMatchObject([
      { kid: null, wrapped_key: null, ciphertext: signingOf(apiKey).secret },
    ])
    for await (const { failures } of rewrapSecrets(gate.database.db, gate.deps.secretsKeys!))
      expect(failures.filter(({ place }) => place.includes(keyId))).toEqual([])
    const [row] = await stored(keyId)
    expect(row).toMatchObject({ kid: 'k1' })
    expect((row!['ciphertext'] as Buffer).includes(signingOf(apiKey).secret)).toBe(false)
    expect(await works(apiKey)).toBe(true)
  })

  test('is in no table that the service can read', async () => {
    for (const table of ['runner_signing', 'runner_nonce'])
      await expect(
        gate.deps.db.read((sql) => sql`select * from ${sql.unsafe(`gate_private.${table}`)}`),
      ).rejects.toThrow(/permission denied/)
  })

  test('is missing for a key of a former version, which works by its bearer header', async () => {
    const { account, grace, hook } = await scene()
    const key = mintKey()
    await storeKey(gate.database.db, {
      ...adminWrite(account),
      keyId: `key_${randomBase62(16)}`,
      name: 'old',
      last4: key.slice(-4),
      hash: hashKey(key),
      ...allRights,
      powers: ['runner'],
      actors: [grace.memberId],
      expiresAt: null,
    })
    const answer = await sendSigned(gate.api.url, key, signedCall(key, body))
    expect(answer).toMatchObject({ status: 401, isSigned: false })
    const byBearer = await fetch(`${gate.api.url}/api/v1/runner/tool-calls?runner=claude`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(byBearer.status).toBe(200)
    expect((await hook.ask('ls')).status).toBe(200)
  })
})
