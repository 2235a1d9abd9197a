import { createHash } from 'node:crypto'
import type { TestGate } from './gate.ts'
import type { TestHook } from './runner.ts'
import { sendSigned, signedCall } from './signed-hook.ts'

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex')

/**
 * The same hook as a program that signs its requests, and reads the files about which the gate asks.
 * @param files  those of the working folder, by path; they may be changed later
 */
export const readingHook = (gate: TestGate, hook: TestHook, files: Record<string, string>): TestHook => ({
  ...hook,
  async ask(input, given = {}) {
    const { query, wait = 0 } = given
    const body = hook.bodyOf(input, given)
    const send = (told: 'able' | 'read', sent: object) =>
      sendSigned(
        gate.api.url,
        hook.key,
        signedCall(hook.key, sent, { query: { ...query, wait: String(wait), files: told } }),
      )
    let { status, text } = await send('able', body)
    while (text.startsWith('files\n')) {
      const wanted = text.split('\n').slice(2)
      const report = wanted.map((line) => {
        const [kib, mark, path] = /^(\d+) (\w+) (.*)$/.exec(line)!.slice(1) as [string, string, string]
        return [mark, readAs(files[path], Number(kib))]
      })
      ;({ status, text } = await send('read', [Object.fromEntries(report), body]))
    }
    const isAllowed = text === 'allow'
    const action = isAllowed
      ? await lastAction(gate, hook)
      : [...text.matchAll(/\baction (\d+)/g)].map(([, id]) => Number(id)).at(-1)
    return { status, decision: isAllowed ? 'allow' : 'deny', reason: text, action, body: text }
  },
})

const readAs = (content: string | undefined, kib: number): [string, string] | ['missing'] =>
  content === undefined
    ? ['missing']
    : [
        sha256(content),
        Buffer.from(content)
          .subarray(0, kib * 1_024)
          .toString('hex'),
      ]

/** `allow` says nothing of the action that allowed it. */
async function lastAction(gate: TestGate, { keyId }: TestHook): Promise<number | undefined> {
  const [call] = await gate.database.asSuperuser(
    `select action_id::int as id from gate.tool_call where key_id = '${keyId}' order by n desc limit 1`,
  )
  return call?.['id'] as number | undefined
}
