import { setTimeout as sleep } from 'node:timers/promises'
import { readLog } from '../db/queries/ledger/sealing.ts'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'
import { beginLog } from '../seals/begin-log.ts'
import { witnessesOf } from '../seals/cosigning/witness-policy.ts'
import { type LogKeys, readLogKeys, rotateLogKey } from '../seals/log-keys.ts'
import { logPlace } from '../seals/log-place.ts'
import { type ShownKeys, shownKeys } from '../seals/published-policy.ts'
import { type SealReport, sealLedgers } from '../seals/sealer.ts'
import type { CliContext } from './context.ts'

const sealTurnPollMs = 250

/** What `gate ledger seal` and `gate ledger keys` do. Apart from the verbs, so that `gate ledger verify` loads little. */

/**
 * Seals in turn with the workers: where another process is first, what is left is sealed once that is done.
 * @throws GateError `unavailable` if others seal all the time
 */
export async function seal(context: CliContext, archive: string | undefined): Promise<SealReport> {
  const deps = { ...sealerOf(context), archive }
  const until = performance.now() + limits.sealTurnWaitMs
  const sealed = new Map<string, number>()
  for (;;) {
    const report = await sealLedgers(deps)
    for (const { account, seq } of report.accounts) sealed.set(account, seq)
    if (report.state !== 'elsewhere')
      return { ...report, accounts: [...sealed].map(([account, seq]) => ({ account, seq })) }
    if (performance.now() >= until) throw notItsTurn()
    await sleep(sealTurnPollMs)
  }
}

const notItsTurn = () =>
  new GateError(
    'unavailable',
    `Other processes were sealing for ${limits.sealTurnWaitMs / 1_000} seconds, so new entries may not be sealed yet. Run \`gate ledger seal\` again.`,
  )

/** What a sealer needs of the command line. */
const sealerOf = (context: CliContext) => ({
  db: context.db(),
  config: context.config(),
  publicUrl: () => context.publicUrl(),
  cosigners: witnessesOf(context.config()),
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
})

export type KeyChange = 'rotate' | 'replace'

export async function keys(context: CliContext, change: KeyChange | undefined): Promise<ShownKeys> {
  return shownKeys(await changed(context, change), context.publicUrl(), context.config())
}

async function changed(context: CliContext, change: KeyChange | undefined): Promise<LogKeys> {
  const [db, config, now] = [context.db(), context.config(), new Date()]
  if (change === 'replace') return beginLog({ db, config, now })
  const place = logPlace(config, (await readLog(db)).log)
  if (change === 'rotate') return rotateLogKey(place, now)
  const known = readLogKeys(place)
  if (known) return known
  throw new GateError(
    'not_found',
    'DATA_DIR has no key of the log. If nothing was sealed yet, run `gate ledger seal`. Otherwise run this with the DATA_DIR of the service.',
  )
}
