import { PolicyError, type Verdict, verifyFile } from '#verify'
import { createReadStream } from 'node:fs'
import { z } from 'zod'
import { consentStrengths } from '../../gate/consent.ts'
import { instant } from '../../operations/entered-fields.ts'
import { accountId } from '../../operations/ids.ts'
import { isOfFile, readBytesOption, readFileOption, reasonOf } from '../read-file-option.ts'
import { UsageError, defineVerb, flag, optional, repeatable, required } from '../verb.ts'

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
    consistency: optional(
      'FILE',
      path,
      'For checkpoints and proofs: the path between the file and the checkpoint that you kept',
      'path.txt',
    ),
    action: optional(
      'ID',
      z.coerce.number('must be a number').int('must be a whole number').min(1, 'must be 1 or more'),
      'For exports: say who consented to this action. For proofs: the action that it must be about',
      '5',
    ),
    unsealed: flag('For exports: also tell what comes after its last seal, which anyone can have added'),
    jwks: optional('FILE', path, 'The keys of the gate: for receipts', 'gate-receipts.json'),
    payload: optional(
      'FILE',
      path,
      'For receipts: the payload that the member must have consented to',
      'payload.json',
    ),
    issuer: optional(
      'URL',
      path,
      'For receipts: the gate that must have signed it',
      'https://gate.example.com',
    ),
    account: optional(
      'ACCOUNT',
      accountId,
      'For receipts: the account that it must be for',
      'acct_0a1B2c3D4e5F6g7H',
    ),
    kind: optional('KIND', path, 'For receipts: the kind of action that it must be for', 'refund'),
    'min-strength': optional(
      'STRENGTH',
      z.enum(consentStrengths, `must be one of ${consentStrengths.join(', ')}`),
      'For receipts: the weakest consent that suffices',
      'page',
    ),
    at: optional(
      'ISO',
      instant,
      'For receipts: verify as of this time; if absent: now',
      '2030-01-31T12:00:00Z',
    ),
  },
  word: 'file',
  shown: ['policy'],
  async run(_, { file, policy, checkpoint, consistency, jwks, payload, ...given }): Promise<Verdict> {
    const { action, unsealed, issuer, account, kind, 'min-strength': minStrength, at: now } = given
    const options = {
      ...(policy === undefined ? {} : { policy: readFileOption('policy', policy) }),
      ...(consistency === undefined ? {} : { consistency: readFileOption('consistency', consistency) }),
      ...(jwks === undefined ? {} : { jwks: readFileOption('jwks', jwks) }),
      ...(payload === undefined ? {} : { payload: readBytesOption('payload', payload) }),
      ...(unsealed ? { unsealed } : {}),
      ...presentOf({ action, issuer, account, kind, minStrength, now }),
      checkpoints: checkpoint.map((kept) => readFileOption('checkpoint', kept)),
    }
    try {
      const verdict = await verifyFile(createReadStream(file), options)
      if (verdict.ok || !verdict.unreadable) return verdict
      if (verdict.place === 'payload')
        throw new UsageError(`--payload ${payload} cannot be read: ${verdict.problem}`)
      throw new UsageError(`${file} cannot be checked: ${verdict.problem}`)
    } catch (error) {
      if (error instanceof PolicyError) throw new UsageError(error.message)
      if (isOfFile(error)) throw new UsageError(`${file} cannot be read: ${reasonOf(error)}`)
      throw error
    }
  },
  text: (verdict: Verdict) => (verdict.ok ? verdict.words.join('\n') : ''),
  refusal: (verdict: Verdict) => (verdict.ok ? null : `${verdict.place}: ${verdict.problem}.`),
})

/** Without the options that were not given. */
const presentOf = <T extends object>(given: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never
