import { type Scene, mcpAdapter, restAdapter } from '#attack'
import { type TestGate, startGate } from '../support/gate.ts'
import { testPort } from '../support/test-port.ts'
import { makeConversation, writeFiles } from '../support/site.ts'

export interface AttackedGate {
  gate: TestGate
  scene: Scene
  adapters: ReturnType<typeof restAdapter>[]
  key: string
  /** Every key of the scene: none of them may be in a report. */
  secrets: string[]
}

/** A real gate with two accounts, and everything in it that attacks may need. */
export async function attackedGate(): Promise<AttackedGate> {
  const port = await testPort()
  const gate = await startGate({
    env: { PORT: String(port), OAUTH_URL: `http://127.0.0.1:${port}` },
  })
  const [own, foreign] = [await gate.account(), await gate.account()]
  const ada = await own.addMember({ name: 'Ada', email: 'ada.skip@example.com', tier: 'guarded_write' })
  const grace = await own.addMember({ name: 'Grace', email: 'grace@example.com', tier: 'write' })
  await own.addMember({ name: 'Alan', email: 'alan@example.com', tier: 'read_only' })
  await foreign.addMember({ name: 'Eve', email: 'eve@example.com', tier: 'write' })
  await makeConversation(gate, own.account, 'site', [ada])
  await makeConversation(gate, own.account, 'secret-site', [grace])
  writeFiles(gate, own.account, 'site', { 'index.html': '<h1>Ada</h1>', '.env': 'KEY=1' })
  writeFiles(gate, own.account, 'secret-site', { 'index.html': '<h1>Grace</h1>' })
  const limited = await own.mintKey({ powers: ['read', 'propose'] })
  const runner = await own.mintKey({ powers: ['runner'], actors: [ada] })
  const revoked = await own.mintKey()
  await own.revokeKey(revoked.keyId)
  const scene: Scene = {
    member: { email: 'ada.skip@example.com' },
    other: { email: 'grace@example.com' },
    low: { email: 'alan@example.com' },
    secondKey: foreign.key,
    secondMember: { email: 'eve@example.com' },
    limitedKey: limited.key,
    revokedKey: revoked.key,
    runnerKey: runner.key,
    conversation: 'site',
    foreignConversation: 'secret-site',
    allowEffects: true,
  }
  const connection = { url: gate.api.url, key: own.key }
  return {
    gate,
    scene,
    adapters: [restAdapter(connection), mcpAdapter(connection)],
    key: own.key,
    secrets: [own.key, foreign.key, limited.key, revoked.key, runner.key],
  }
}
