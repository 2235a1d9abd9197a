import { PolicyError, type Verdict, verifyFile } from '#verify'
import { createReadStream, readFileSync } from 'node:fs'
import { z } from 'zod'
import { UsageError, defineVerb, optional, repeatable, required } from '../verb.ts'

const path = z.string().min(1, 'must name a file')

export const verify = defineVerb({
  summary:
    'Check a sealed export, a proof, a checkpoint or a receipt against the keys you trust. Needs no database and no service',
  options: {
    file: required(
      'FILE',
      path,
      'A sealed export, a .tlog-proof, a checkpoint or a receipt',
      '17.tlog-proof',
    ),
    policy: optional(
      'FILE',
      path,
      'A trust policy: the logs and witnesses you trust (C2SP tlog-policy). For exports, proofs and checkpoints',
      'policy.txt',
    ),
    checkpoint: repeatable(
      'FILE',
      path,
      'A checkpoint that you kept: the file must continue its history',
      'old.txt',
    ),
    consistency: optional('FILE', path, 'Of a checkpoint: the path from the one that you kept', 'path.txt'),
    action: optional(
      'ID',
      z.coerce.number('must be a number').int('must be a whole number').min(1, 'must be 1 or more'),
      'Of an export: say who consented to this action',
      '5',
    ),
    jwks: optional('FILE', path, 'The keys of the gate: for receipts', 'gate-receipts.json'),
    payload: optional(
      'FILE',
      path,
      'Of a receipt: the payload that the member must have consented to',
      'payload.json',
    ),
  },
  word: 'file',
  shown: ['policy'],
  async run(_, { file, policy, checkpoint, consistency, action, jwks, payload }): Promise<Verdict> {
    const options = {
      ...(policy === undefined ? {} : { policy: readFileSync(policy, 'utf8') }),
      ...(consistency === undefined ? {} : { consistency: readFileSync(consistency, 'utf8') }),
      ...(action === undefined ? {} : { action }),
      ...(jwks === undefined ? {} : { jwks: readFileSync(jwks, 'utf8') }),
      ...(payload === undefined ? {} : { payload: readFileSync(payload) }),
      checkpoints: checkpoint.map((kept) => readFileSync(kept, 'utf8')),
    }
    try {
      return await verifyFile(createReadStream(file), options)
    } catch (error) {
      if (error instanceof PolicyError) throw new UsageError(error.message)
      throw error
    }
  },
  text: (verdict: Verdict) => (verdict.ok ? verdict.words.join('\n') : ''),
  refusal: (verdict: Verdict) => (verdict.ok ? null : `${verdict.place}: ${verdict.problem}.`),
})
