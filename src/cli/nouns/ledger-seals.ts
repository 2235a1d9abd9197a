import { z } from 'zod'
import type { ShownKeys } from '../../seals/published-policy.ts'
import type { SealReport } from '../../seals/sealer.ts'
import type { KeyChange } from '../sealing.ts'
import { defineVerb, optional } from '../verb.ts'

export const sealVerb = defineVerb({
  summary: 'Seal the new entries of all ledgers now: sign checkpoints, and have witnesses cosign them',
  options: {
    archive: optional(
      'FOLDER',
      z.string().min(1, 'must name a folder'),
      'Entries that were archived before they were sealed',
      '/backup/ledgers',
    ),
  },
  run: async (context, { archive }) => (await import('../sealing.ts')).seal(context, archive),
  isReport: true,
  text: ({ state, epoch, accounts, why, cosigned }: SealReport) =>
    [
      state === 'attention' ? 'Not everything was sealed.' : sealedWords(accounts.length, epoch),
      ...(cosigned === undefined ? [] : [`Epoch ${epoch} was cosigned by ${cosigned.join(', ')}.`]),
      ...(why === undefined ? [] : [why]),
    ].join('\n'),
  refusal: ({ state, faults, why }: SealReport) => {
    if (state === 'off') return why ?? 'Nothing is sealed.'
    const lines = faults.map(({ account, problem }) => `${account === '' ? 'log' : account}: ${problem}.`)
    return lines.length === 0 ? null : lines.join('\n')
  },
})

const sealedWords = (accounts: number, epoch: number): string =>
  accounts === 0
    ? `Nothing new to seal. The last epoch is ${epoch}.`
    : `Sealed ${accounts} ${accounts === 1 ? 'ledger' : 'ledgers'}, up to epoch ${epoch}.`

const changes = ['rotate', 'replace'] as const satisfies KeyChange[]

export const keysVerb = defineVerb({
  summary:
    'List the keys that sign seals, and the trust policy for outside verifiers. rotate: make a new key, which signs beside the old one for a week. replace: begin a new log if the key or its record is lost',
  options: {
    change: optional(
      'CHANGE',
      z.enum(changes, `must be ${changes.join(' or ')}`),
      'Changes the keys: rotate or replace',
      'rotate',
    ),
  },
  word: 'change',
  run: async (context, { change }) => (await import('../sealing.ts')).keys(context, change),
  text: ({ keys, policy }: ShownKeys) =>
    [
      ...keys.map(
        ({ vkey, id, since, signs_until: until }) =>
          `${vkey}\n  id ${id}, ${since === null ? 'from LEDGER_KEY' : `since ${since}`}${until === null ? '' : `, signs until ${until}`}`,
      ),
      '',
      'Trust policy for outside verifiers:',
      policy,
    ].join('\n'),
})
