import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import { type JsonObject, jsonSchema } from './json-schema.ts'
import {
  checkpointPath,
  consistencyPath,
  consistencyQuery,
  epochConsistencyPath,
  epochConsistencyQuery,
  proofPath,
  proofQuery,
  tilePath,
} from './ledger-routes.ts'
import { describedAside } from './openapi-parameters.ts'
import { errorResponses, headersOf } from './openapi-responses.ts'

export const ledgerTag = {
  name: 'Ledger',
  description:
    'What outside verifiers check a ledger with: checkpoints, proofs and tiles, in the forms of C2SP.',
}

const text = (value: string) => ({
  'text/plain': { schema: { type: 'string' }, examples: { found: { value } } },
})
const hash = `${'4w'.repeat(21)}A=`
/** Raw bytes have no schema in OpenAPI 3.1, and no text can show them. Generators open an `externalValue`, which needs a key here. */
const hashes = {
  'application/octet-stream': {
    examples: {
      found: { summary: 'Hashes of 32 bytes each, one after the other; here one, in Base64.', value: hash },
    },
  },
}
const checkpoint = `gate.example/epochs\n42\n${hash}\n\n— gate.example/epochs AAAAAA==\n`
const proof = `c2sp.org/tlog-proof@v1\nextra eyJlbnRyeSI6IuKApiJ9\nindex 16\n${hash}\n\n${checkpoint.replace('epochs', 'ledger/acct_0000000000000000')}`

/** The addresses of proofs. They are no operations, because they serve no JSON. Pure. */
export const ledgerPaths = (): Record<string, JsonObject> => ({
  ...epochPaths(),
  [proofPath]: {
    get: {
      ...described('ledger_proof', 'Prove an entry', [
        'The proof of a ledger entry, a C2SP tlog-proof: its text, and that signed checkpoints have it.',
        '409 `not_sealed` until the next seal; 410 where the entry is archived.',
      ]),
      parameters: [
        {
          name: 'seq',
          in: 'path',
          required: true,
          description: 'The number of the entry.',
          schema: { type: 'integer', minimum: 1 },
          example: 17,
        },
        ...inQuery(proofQuery, {}),
      ],
      responses: answers(text(proof), ['forbidden', 'not_found', 'conflict', 'gone', 'invalid']),
    },
  },
  [consistencyPath]: {
    get: {
      ...described('ledger_consistency', 'Prove that a ledger only grew', [
        'That the ledger of `to` entries begins with the one of `from`: a hash a line, in base64 (RFC 9162, section 2.1.4).',
      ]),
      parameters: inQuery(consistencyQuery, { from: 12, to: 17 }),
      responses: answers(text(`${hash}\n`), ['forbidden', 'conflict', 'invalid']),
    },
  },
  [tilePath]: {
    get: {
      ...described('ledger_tile', 'Read a tile', [
        "256 hashes of the account's tree, one after the other; fewer with `.p/WIDTH`. Never changes.",
      ]),
      parameters: [
        {
          name: 'tile',
          in: 'path',
          required: true,
          description:
            '`LEVEL/N` or `LEVEL/N.p/WIDTH`, with N in groups of three digits, such as `x001/234`.',
          schema: { type: 'string' },
          example: '0/000.p/17',
        },
      ],
      responses: answers(hashes, ['forbidden', 'not_found', 'conflict', 'invalid']),
    },
  },
})

const epochPaths = (): Record<string, JsonObject> => ({
  [checkpointPath]: {
    get: {
      ...described('ledger_checkpoint', 'Read the checkpoint', [
        'The last signed checkpoint of the tree of epochs, which covers the seals of all accounts, with its cosignatures.',
        'It needs no key.',
      ]),
      security: [],
      parameters: [],
      responses: answers(text(checkpoint), ['not_found']),
    },
  },
  [epochConsistencyPath]: {
    get: {
      ...described('epoch_consistency', 'Prove that the epochs only grew', [
        'That the epochs of size `to` begin with those of `from`: a hash a line, in base64 (RFC 9162, section 2.1.4).',
        'With two checkpoints of those sizes anyone can check that the gate showed one history. It needs no key.',
      ]),
      security: [],
      parameters: inQuery(epochConsistencyQuery, { from: 31, to: 42 }),
      responses: answers(text(`${hash}\n`), ['not_found', 'invalid', 'too_many', 'unavailable']),
    },
  },
})

const described = (operationId: string, summary: string, sentences: string[]): JsonObject => ({
  operationId,
  tags: [ledgerTag.name],
  summary,
  description: sentences.join(' '),
})

const answers = (content: JsonObject, errors: ErrorCode[]): JsonObject => ({
  200: { description: 'Found.', headers: headersOf('X-Request-Id'), content },
  ...errorResponses('GET', errors),
})

function inQuery(query: z.ZodObject, examples: Record<string, number>): JsonObject[] {
  const schema = jsonSchema(query)
  const required = (schema['required'] ?? []) as string[]
  return Object.entries(schema['properties'] as Record<string, JsonObject>).map(([name, given]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...describedAside(given),
    ...(examples[name] === undefined ? {} : { example: examples[name] }),
  }))
}
