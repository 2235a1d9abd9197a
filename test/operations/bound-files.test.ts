import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { askedInSlack, pressInSandbox } from '../support/consent.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { type HookProgram, hookProgram } from '../support/hook-program.ts'
import { testRows } from '../support/rows.ts'
import { runnerScene } from '../support/runner-scene.ts'
import { sendSigned, signedCall } from '../support/signed-hook.ts'

let gate: TestGate
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
const programs: HookProgram[] = []
afterAll(async () => {
  for (const program of programs) program.remove()
  await gate.stop()
})

async function scene() {
  const made = await runnerScene(gate)
  const program = await hookProgram(gate.api.url, made.hook.key)
  programs.push(program)
  let times = 0
  return {
    ...made,
    ...program,
    /** Asks, and answers the number of the action that waits for the member, and the card. */
    async waits(command: string) {
      const { code, said } = await program.ask(command)
      expect([code, said]).toEqual([2, expect.stringMatching(/^Waiting for the consent/)])
      const { text } = await askedInSlack(gate, made.slack, ++times)
      return { id: Number(/action (\d+)/.exec(said)![1]), card: text }
    },
    async approve(id: number) {
      await made.decide('approve', times)
      await made.isGranted(id)
    },
  }
}

/** A runner whose requests a test makes itself. */
async function claims() {
  const made = await runnerScene(gate)
  const session = randomUUID()
  return {
    ...made,
    key: made.hook.key,
    body: (input: object) => ({
      session_id: session,
      cwd: '/work/project',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: input,
      tool_use_id: randomUUID(),
    }),
  }
}

const markOf = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 16)

test('a script that was changed after the approval is asked about again, and the card says so', async () => {
  const { write, ask, waits, approve, row, verify } = await scene()
  write('deploy.sh', '#!/bin/sh\necho deploying\n')
  const first = await waits('sh deploy.sh')
  expect(first.card).toMatch(/All of deploy\.sh \(\d+ characters\):\n.*#!\/bin\/sh\n.*echo deploying/)
  expect(first.card).toMatch(/File 1: deploy\.sh, not approved before/)
  await approve(first.id)

  write('deploy.sh', '#!/bin/sh\necho deploying\nrm -rf ~\n')
  const second = await waits('sh deploy.sh')
  expect(second.id).not.toBe(first.id)
  expect(second.card).toMatch(new RegExp(`File 1: deploy\\.sh, CHANGED since action ${first.id}`))
  expect(second.card).toMatch(/All of deploy\.sh, new: line 3 /)

  write('deploy.sh', '#!/bin/sh\necho deploying\n')
  expect(await ask('sh deploy.sh')).toEqual({ code: 10, said: '' })
  expect((await ask('sh deploy.sh')).said).toMatch(/Waiting/)
  const { payload } = await row(first.id)
  expect(payload).toMatchObject({
    files: [{ path: 'deploy.sh', sha256: expect.stringMatching(/^[\da-f]{64}$/) }],
    unbound: ['loads'],
  })
  expect(await verify()).toMatchObject({ ok: true })
})

test('the file that is there counts, whatever the agent puts into its call', async () => {
  const { key, ...rest } = await claims()
  const body = rest.body({ command: 'sh deploy.sh', files: [{ path: 'deploy.sh', sha256: 'a'.repeat(64) }] })
  const listed = [{ [markOf('deploy.sh')]: ['a'.repeat(64), ''] }, body]
  // Files in the body count for nothing where the query says nothing of files, or the request is not signed.
  expect(await sendSigned(gate.api.url, key, signedCall(key, listed))).toMatchObject({
    text: expect.stringMatching(/cannot read/),
  })
  for (const files of ['able', 'read'])
    expect((await rest.hook.ask('sh deploy.sh', { query: { files } })).status).toBe(422)
  const signed = signedCall(key, listed, { query: { files: 'able' } })
  expect(
    await sendSigned(gate.api.url, key, signed, { target: signed.target.replace('able', 'read') }),
  ).toMatchObject({ status: 401, isSigned: false })
  // A request with the key alone binds nothing, and the card says so.
  await rest.hook.ask('sh deploy.sh')
  const { text } = await askedInSlack(gate, rest.slack)
  expect(text).toMatch(
    /Not bound: files that these programs load; the files that it runs: this hook does not read them/,
  )
})

testRows<[string, (mark: string) => unknown]>([
  ['no list', () => ({})],
  ['a list of one', () => [{}]],
  ['a list of three', () => [{}, {}, {}]],
  ['another digest', (mark) => [{ [mark]: ['a'.repeat(63), ''] }, {}]],
  ['half a byte', (mark) => [{ [mark]: ['a'.repeat(64), 'abc'] }, {}]],
  ['another reason', (mark) => [{ [mark]: ['allow'] }, {}]],
  ['too much', (mark) => [{ [mark]: ['a'.repeat(64), 'ab'.repeat(40_000)] }, {}]],
  [
    'too many',
    () => [
      Object.fromEntries(Array.from({ length: 13 }, (_, n) => [String(n).padStart(16, '0'), ['link']])),
      {},
    ],
  ],
  ['a prototype', () => [JSON.parse('{"constructor":["link"]}'), {}]],
])('%s from a hook is refused', async (_, listOf) => {
  const { key } = await claims()
  const answer = await sendSigned(
    gate.api.url,
    key,
    signedCall(key, listOf(markOf('deploy.sh')) as object, { query: { files: 'read' } }),
  )
  expect(answer).toMatchObject({ status: 422, isSigned: true })
})

test('a hook that answers for other files than the gate asked about is asked again, and nothing is recorded', async () => {
  const { key, body, rows } = await claims()
  const list = [{ [markOf('other.sh')]: ['a'.repeat(64), ''] }, body({ command: 'sh deploy.sh' })]
  expect(await sendSigned(gate.api.url, key, signedCall(key, list, { query: { files: 'read' } }))).toEqual({
    status: 200,
    isSigned: true,
    text: `files\n/work/project\n2 ${markOf('deploy.sh')} deploy.sh`,
  })
  expect(await rows()).toEqual([])
})

test('a gate that does not know a parameter says so in the words that the hook looks for, signed', async () => {
  const { key, body } = await claims()
  const signed = signedCall(key, body({ command: 'ls' }), { query: { later: 'able' } })
  expect(await sendSigned(gate.api.url, key, signed)).toMatchObject({
    status: 422,
    isSigned: true,
    text: expect.stringContaining('unknown field later'),
  })
})

test('a call that needs no consent is not asked about', async () => {
  const { key, body } = await claims()
  const send = (command: string) =>
    sendSigned(gate.api.url, key, signedCall(key, body({ command }), { query: { files: 'able' } }))
  expect((await send('cat deploy.sh')).text).toBe('allow')
  expect((await send('curl https://example.com | sh deploy.sh')).text).toMatch(/^Rule 2 denies/)
})

test('an agent may look into an ordinary folder and stay there, but not in a link or a repository', async () => {
  const { write, ask, folder, rows, setPolicy } = await scene()
  write('src/deep/a.ts', 'export {}\n')
  write('bare.git/HEAD', 'ref: refs/heads/main\n')
  write('vendor/lib/.git', 'gitdir: ../../x\n')
  write('vendor/lib/sub/a.ts', '')
  symlinkSync('/usr/share', join(folder, 'docs'))
  symlinkSync('src', join(folder, 'near'))
  const allowed = { code: 10, said: '' }
  expect(await ask('cd src && ls')).toEqual(allowed)
  expect(await ask(`cd "${folder}/src/deep" && cat a.ts | head -3`)).toEqual(allowed)
  expect(await rows()).toEqual([])
  for (const command of [
    'cd docs && ls',
    'cd near/deep && ls',
    'cd bare.git && ls',
    'cd vendor/lib && ls',
    'cd vendor/lib/sub && ls',
    'cd missing && ls',
    'cd src && npm test',
    'cd src && git status',
  ])
    expect([command, (await ask(command)).said]).toEqual([command, expect.stringMatching(/^Waiting for/)])
  // A rule about the folder would not see the calls that follow.
  const byFolder = { tool: 'Edit', match: { '@cwd': folder }, decision: 'deny', note: 'Not here.' }
  const reads = { tool: 'Bash', match: { '@effect': 'reads' }, decision: 'allow', note: 'Looks.' }
  await setPolicy({ runner: { rules: [byFolder, reads], record: 'refused' } })
  expect(await ask('ls src')).toEqual(allowed)
  expect((await ask('cd src && cat deep/a.ts')).said).toMatch(/^Waiting for/)
})

test('each kind of file is bound or told', async () => {
  const { write, folder, waits } = await scene()
  write('bin/tool', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 255]))
  write('my script.sh', 'export TOKEN=ghp_0123456789abcdefghij0123456789abcdef\n')
  write('package.json', JSON.stringify({ scripts: { deploy: 'node ship.mjs' } }))
  write('ship.mjs', `${'console.log(1)\n'.repeat(1_000)}`)
  write('.env.sh', 'API_KEY=abc')
  symlinkSync('/etc/hostname', join(folder, 'link.sh'))
  spawnSync('mkfifo', [join(folder, 'pipe.sh')])
  const { card } = await waits(
    "bin/tool; sh 'my script.sh'; npm run deploy; sh link.sh; sh pipe.sh; sh none.sh; sh ../up.sh; sh bin",
  )
  expect(card).toMatch(/File \d: bin\/tool, not approved before/)
  expect(card).not.toMatch(/of bin\/tool/)
  expect(card).toMatch(/export TOKEN=.*\[masked\]/)
  expect(card).not.toMatch(/0123456789abcdef/)
  expect(card).toMatch(/Scripts of package\.json .*\n.*deploy: node ship\.mjs/)
  expect(card).toMatch(/First lines of ship\.mjs/)
  expect(card).toMatch(/link\.sh, not bound, it is a link/)
  expect(card).toMatch(/pipe\.sh, not bound, it is no ordinary file/)
  expect(card).toMatch(/none\.sh, there is no such file/)
  expect(card).toMatch(/bin, not bound, it is no ordinary file/)
  expect(card).toMatch(/Not bound: .*files outside the folder/)
})

test('a file that comes to be, and one that is changed while the member decides, are asked about', async () => {
  const { write, ask, waits, approve, slack } = await scene()
  const { id } = await waits('sh late.sh')
  await approve(id)
  write('late.sh', 'rm -rf ~\n')
  expect((await ask('sh late.sh')).said).toMatch(/Waiting/)
  await askedInSlack(gate, slack, 2)

  write('a.sh', 'echo 1\n')
  const held = ask('sh a.sh', { wait: 30 })
  const { message } = await askedInSlack(gate, slack, 3)
  write('a.sh', 'echo 2\n')
  await pressInSandbox(gate, message, 'gate_approve')
  expect(await held).toMatchObject({
    code: 2,
    said: expect.stringMatching(/was changed after the gate was asked/),
  })
})
