import { knowsTeamsBot } from '../../db/queries/integrations/integrations.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type BotCall, BotTokenProblem } from '../../providers/teams-bot/tokens.ts'

/**
 * The call that the token of a request is for: by a service of Microsoft's, to a bot that an account connected.
 * @param authorization  the header
 * @throws GateError `unauthenticated`; `unavailable` where Microsoft's keys cannot be read
 */
export async function verifiedBotCall(deps: Deps, authorization: string | undefined): Promise<BotCall> {
  const [, token] = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '') ?? []
  if (token === undefined) throw botCallNotTaken()
  const { teamsBots } = deps.providers
  const call = await teamsBots.verify(token).catch((error: unknown) => {
    if (!(error instanceof BotTokenProblem)) throw error
    deps.log.info({ code: error.code }, 'a call to a bot in Teams was refused')
    if (error.code !== 'unavailable') throw botCallNotTaken()
    throw new GateError('unavailable', 'The keys of Microsoft could not be read. Try again.', {
      retryAfterSeconds: 5,
    })
  })
  // Anyone can have Microsoft sign calls to a bot of their own.
  const isOurs = teamsBots.isService(call.serviceUrl) && (await knowsTeamsBot(deps.db, call.appId))
  if (!isOurs) throw botCallNotTaken()
  return call
}

export const botCallNotTaken = () =>
  new GateError('unauthenticated', 'The token of the Bot Connector is not valid, or not for this activity.')
