import type { Config } from '../../config.ts'
import type { Db } from '../../db/connect.ts'
import { type TeamsBotRow, listTeamsBots, readConnected } from '../../db/queries/integrations/integrations.ts'
import { secretOf } from '../../integrations/credential-cache.ts'
import type { ProviderFactory } from '../../providers/provider-factory.ts'
import type { KeyProvider } from '../../secrets/key-provider.ts'
import { mapConcurrent } from '../../waiting/map-concurrent.ts'
import { type Check, attention, failingNamedMax, ok } from './check.ts'

/** Bots that are looked at, and for how many a token is asked at once. */
const botsSeenMax = 100
const tokensAtOnce = 8
/** Requests that are counted: those of a day. */
const requestsSinceMs = 86_400_000

/** The bot of an account, and why it gets no token; undefined: it gets one, or nobody asked. */
export interface BotSeen extends TeamsBotRow {
  problem?: string | undefined
}

/** What became lately of the requests that the bot of an account sent; undefined: it has none. */
export const botOf = async (db: Db, account: string): Promise<TeamsBotRow | undefined> =>
  (await listTeamsBots(db, { account, limitRows: 1, sinceMs: requestsSinceMs }))[0]

/** What opens the credentials of bots. `sandboxUrl`: where stand-ins listen, if any. */
export interface BotCredentials {
  keys: KeyProvider | undefined
  sandboxUrl: string | undefined
}

/** The bots of all accounts. Each gets a token from Microsoft, as before it sends something. */
export async function seeTeamsBots(
  db: Db,
  config: Config,
  { keys, sandboxUrl }: BotCredentials,
): Promise<BotSeen[]> {
  const bots = await listTeamsBots(db, { account: null, limitRows: botsSeenMax, sinceMs: requestsSinceMs })
  if (bots.length === 0) return []
  const { providerFactory } = await import('../../providers/provider-factory.ts')
  const providers = providerFactory(config, sandboxUrl)
  return mapConcurrent(tokensAtOnce, bots, async (bot) => ({
    ...bot,
    problem: await tokenProblem(db, bot.account_id, { keys, providers }),
  }))
}

async function tokenProblem(
  db: Db,
  account: string,
  { keys, providers }: Pick<BotCredentials, 'keys'> & { providers: Pick<ProviderFactory, 'checkSender'> },
): Promise<string | undefined> {
  const { integrations } = await readConnected(db, account, 0)
  const bot = integrations.find(({ provider }) => provider === 'teams_bot')
  if (!bot) return undefined
  const secret = await secretOf(keys, account, bot).catch(() => undefined)
  if (secret === undefined) return 'its client secret cannot be decrypted'
  const check = await providers.checkSender('teams_bot', { secret, account })
  if (check === 'ok') return undefined
  return 'refused' in check
    ? `Microsoft gives it no token (${check.refused})`
    : `Microsoft did not answer (${check.unavailable})`
}

/** `3 requests were not certainly sent in 24 hours, the last at … (http_403)`. Pure. */
const botFailureWords = ({ failed, code, failed_at: at }: TeamsBotRow): string =>
  `${failed} ${failed === 1 ? 'request was' : 'requests were'} not certainly sent in 24 hours, the last at ${at!.toISOString()} (${code ?? 'unknown'})`

/** A bot is in trouble that gets no token, or of whose requests none was sent lately. */
export function teamsCheck(bots: BotSeen[]): Check {
  if (bots.length === 0)
    return { item: 'teams', verdict: 'off', detail: 'No account has connected a bot in Microsoft Teams.' }
  const troubles = bots.flatMap((bot) => {
    const { account_id: account, problem, sent, failed } = bot
    if (problem !== undefined) return [`the bot of ${account}: ${problem}`]
    return failed > 0 && sent === 0 ? [`the bot of ${account}: ${botFailureWords(bot)}`] : []
  })
  const named = troubles.slice(0, failingNamedMax)
  const rest = troubles.length - named.length
  if (rest > 0) named.push(`${rest} more`)
  if (named.length > 0)
    return attention('teams', `${named.join('; ')}. Its members are asked by e-mail. See docs/teams.md.`)
  const members = bots.reduce((all, bot) => all + bot.members, 0)
  const last = bots
    .filter(({ failed }) => failed > 0)
    .map((bot) => ` The bot of ${bot.account_id}: ${botFailureWords(bot)}.`)
    .slice(0, failingNamedMax)
  return ok(
    'teams',
    `${bots.length} ${bots.length === 1 ? 'bot' : 'bots'}, ${members} ${members === 1 ? 'member has' : 'members have'} a Teams identity.${last.join('')}`,
  )
}
