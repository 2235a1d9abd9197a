import type { CredentialCheck } from '../channel-provider.ts'
import type { SmtpChannelOptions } from './channel.ts'
import { domainOf, senderAddress } from './message.ts'
import { smtpFailure } from './outcome.ts'
import { openSession } from './session.ts'

/** Checks a server, its certificate and its login by signing in. Sends nothing. */
export async function checkSmtpServer(options: SmtpChannelOptions): Promise<CredentialCheck> {
  try {
    const session = await openSession({ ...options, clientName: domainOf(senderAddress(options.from)!) })
    session.close()
    return 'ok'
  } catch (error) {
    const outcome = smtpFailure(error)
    const says = outcome.state === 'not_done' && outcome.says !== undefined ? { says: outcome.says } : {}
    return outcome.state === 'not_done' &&
      (outcome.retryAfterMs === undefined || outcome.code === 'not_secure')
      ? { refused: outcome.code, ...says }
      : { unavailable: outcome.code, ...says }
  }
}
