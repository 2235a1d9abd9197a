import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { canonical, payloadSha256, verifyReceipt } from '../lib/index.js'
import { made } from '../vectors/make.js'
import { testRows } from '../../../test/support/rows.ts'

interface Vector {
  name: string
  code: string | null
  receipt: string
  options?: object
  jwks?: any
  now?: string
}
const file: { vectors: Vector[]; jwks: any; now: string; options: any; canonical: any } = JSON.parse(
  readFileSync(new URL('../vectors/receipts.json', import.meta.url), 'utf8'),
)

/** The code of the refusal; null: the receipt is valid. */
const verdict = ({ receipt, options, jwks, now }: Vector): Promise<string | null> =>
  verifyReceipt(receipt, {
    ...(options ?? file.options),
    jwks: jwks ?? file.jwks,
    now: new Date(now ?? file.now),
  }).then(
    () => null,
    (error: Error & { code?: string }) => error.code ?? error.message,
  )

test('the vectors are those that the script makes', () => {
  expect(file).toEqual(JSON.parse(JSON.stringify(made)))
})

describe('every vector is answered as it says', () => {
  testRows(file.vectors.map((vector): [string, Vector] => [vector.name, vector]))(
    'every vector is answered as it says',
    async (_, vector) => {
      expect(await verdict(vector)).toBe(vector.code)
    },
  )
})

test('every reason but that of an unreachable address has a vector', () => {
  const declared = readFileSync(new URL('../lib/index.d.ts', import.meta.url), 'utf8')
  const [, list] = /type ReceiptErrorCode =([^]*?)\n\n/.exec(declared)!
  const codes = [...list!.matchAll(/'(\w+)'/g)].map(([, code]) => code!)
  const told = new Set(file.vectors.map(({ code }) => code))
  expect(codes.filter((code) => !told.has(code))).toEqual(['jwks_unavailable'])
})

test('the payload hashes to what the vectors say', async () => {
  expect(canonical(file.canonical.value)).toBe(file.canonical.text)
  expect(await payloadSha256(file.canonical.value)).toBe(file.canonical.sha256)
})

test('not one bit of a receipt can be changed', async () => {
  const { receipt } = file.vectors[0]!
  const accepted: number[] = []
  for (let at = 0; at < receipt.length; at++)
    for (let bit = 0; bit < 7; bit++) {
      const changed = String.fromCharCode(receipt.charCodeAt(at) ^ (1 << bit))
      const answer = await verdict({
        name: '',
        code: null,
        receipt: receipt.slice(0, at) + changed + receipt.slice(at + 1),
      })
      if (answer === null) accepted.push(at)
    }
  expect(accepted).toEqual([])
}, 60_000)
