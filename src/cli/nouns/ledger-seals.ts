import { createPublicKey } from 'node:crypto'
import { z } from 'zod'
import { readLog } from '../../db/queries/ledger/seals.ts'
import { GateError } from '../../errors.ts'
import { beginLog } from '../../seals/begin-log.ts'
import { epochOrigin } from '../../seals/epoch.ts'
import { type LogKeys, readLogKeys, rotateLogKey } from '../../seals/log-keys.ts'
import { logPlace } from '../../seals/log-place.ts'
import { noteKey, vkeyOf } from '../../seals/note.ts'
import { type SealReport, sealLedgers } from '../../seals/sealer.ts'
import { witnessesOf, witnessLines } from '../../seals/witness-policy.ts'
import type { CliContext } from '../context.ts'
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
  run: (context, { archive }) => sealLedgers({ ...sealerOf(context), archive }),
  isReport: true,
  text: ({ state, epoch, accounts, why }: SealReport) =>
    [
      state === 'attention' ? 'Not everything was sealed.' : sealedWords(accounts.length, epoch),
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

/** What a sealer needs of the command line. */
export const sealerOf = (context: CliContext) => ({
  db: context.db(),
  config: context.config(),
  publicUrl: () => context.publicUrl(),
  cosigners: witnessesOf(context.config()),
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
})

interface ShownKeys {
  keys: { vkey: string; id: string; since: string | null; signs_until: string | null }[]
  /** For the policy of a stranger. */
  policy: string
}

const words = ['rotate', 'replace'] as const

export const keysVerb = defineVerb({
  summary:
    'List the keys that sign seals, and the policy for those who check them. rotate: make a new key, which signs beside the old one for a week. replace: begin a new log, where the key or its record is lost',
  options: {
    change: optional(
      'CHANGE',
      z.enum(words, `must be ${words.join(' or ')}`),
      'Changes the keys: rotate or replace',
      'rotate',
    ),
  },
  word: 'change',
  async run(context, { change }): Promise<ShownKeys> {
    return shown(await changed(context, change), context.publicUrl(), witnessLines(context.config()))
  },
  text: ({ keys, policy }: ShownKeys) =>
    [
      ...keys.map(
        ({ vkey, id, since, signs_until: until }) =>
          `${vkey}\n  id ${id}, ${since === null ? 'from LEDGER_KEY' : `since ${since}`}${until === null ? '' : `, signs until ${until}`}`,
      ),
      '',
      'Policy for those who check:',
      policy,
    ].join('\n'),
})

async function changed(context: CliContext, change: (typeof words)[number] | undefined): Promise<LogKeys> {
  const [db, config, now] = [context.db(), context.config(), new Date()]
  if (change === 'replace') return beginLog({ db, config, now })
  const place = logPlace(config, (await readLog(db)).log)
  if (change === 'rotate') return rotateLogKey(place, now)
  const known = readLogKeys(place)
  if (known) return known
  throw new GateError(
    'not_found',
    'This DATA_DIR has no key of the log. `gate ledger seal` makes it where nothing has been sealed yet; otherwise run this where the service keeps its DATA_DIR.',
  )
}

function shown({ all }: LogKeys, url: string, witnesses: string[]): ShownKeys {
  const keys = all.map(({ privateKey, since, until }) => {
    const key = noteKey(epochOrigin(url), 0x01, createPublicKey(privateKey))
    return { vkey: vkeyOf(key), id: key.id.toString('hex'), since, signs_until: until }
  })
  return { keys, policy: [...keys.map(({ vkey }) => `log ${vkey}`), ...witnesses].join('\n') }
}
