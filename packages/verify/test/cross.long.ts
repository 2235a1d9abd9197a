import { expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verifyFile } from '../lib/verify.mjs'
import {
  append,
  exportLines,
  exportText,
  leavesOf,
  newAccount,
  newGate,
  policyOf,
  rootOf,
  sealer,
  vkeyOf,
} from './log.ts'

const hasGo = process.env['CI'] !== undefined || spawnSync('go', ['version']).status === 0
const program = fileURLToPath(new URL('cross', import.meta.url))

// Go's own transparency log is the second opinion. Without Go, the test is skipped; with CI set it fails.
const ifGo = hasGo ? test : test.skip
ifGo(
  'an export and a proof that we accept are accepted by the transparency log of Go as well, and changed ones by neither',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cross-'))
    const gate = newGate('gate.example.com', 0)
    const account = newAccount(70)
    const { seal, proof } = sealer(gate)
    const vkey = vkeyOf({ ...gate.key, name: `${gate.host}/ledger/${account.account}` })
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    try {
      const lines = exportLines(account, [seal(account)])
      const sealed = file('ledger.jsonl', exportText(lines))
      const entry = file('entry.tlog-proof', proof(account, 17))
      const go = (...args: string[]) => spawnSync(join(folder, 'cross'), args, { encoding: 'utf8' })
      const built = spawnSync('go', ['build', '-o', join(folder, 'cross'), '.'], {
        cwd: program,
        encoding: 'utf8',
      })
      expect(built.stderr.replace(/^go: downloading .*\n/gm, '')).toBe('')
      const root = rootOf(leavesOf(account)).toString('base64')
      expect(go(sealed, entry, vkey)).toMatchObject({ status: 0, stdout: `size 70 root ${root} index 16\n` })

      const other = newAccount(69)
      append(other, 'denied', 23)
      const changed = {
        entry: [exportText(lines.with(17, lines[17]!.replace('mem_0', 'mem_1'))), proof(account, 17)],
        root: [
          exportText([...lines.slice(0, 71), JSON.stringify({ seal: seal(other) })]),
          proof(account, 17),
        ],
        path: [exportText(lines), proof(account, 17).replace('index 16', 'index 17')],
      }
      for (const [what, [ledger, one]] of Object.entries(changed)) {
        expect({ what, status: go(file('l', ledger!), file('p', one!), vkey).status }).toEqual({
          what,
          status: 1,
        })
        const policy = policyOf(gate)
        const verdicts = await Promise.all(
          [ledger!, one!].map((text) => verifyFile(bytesOf(text), { policy })),
        )
        expect({ what, ok: verdicts.every(({ ok }) => ok) }).toEqual({ what, ok: false })
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
