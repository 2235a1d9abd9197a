import { guardedSocket } from '../../executors/guarded-socket.ts'
import { limits } from '../../limits.ts'
import { smtpServerOf } from '../../network/smtp-server.ts'
import type { ChannelProvider, Place, Sender } from '../channel-provider.ts'
import { rateLimiter } from '../rate-limiter.ts'
import { resend } from '../resend/provider.ts'
import { type SmtpChannelOptions, smtpChannel } from './channel.ts'
import { checkSmtpServer } from './check.ts'

/** E-mail by a mail server. */
export const smtp: ChannelProvider = {
  channel: 'email',
  ofEnvironment: ({ SMTP_URL: secret, MAIL_FROM: from }) =>
    secret === undefined ? undefined : { secret, from },
  open: (sender, place) =>
    place.sandboxUrl === undefined
      ? smtpChannel({
          ...optionsOf(sender, place),
          rateLimiter: rateLimiter({ perSecond: place.config.SMTP_RATE_PER_SECOND }),
        })
      : // The sandbox has one mailbox for all e-mail, behind the API of Resend.
        resend.open({ ...sender, secret: 're_sandbox' }, place),
  check: async (sender, place) =>
    place.sandboxUrl === undefined
      ? checkSmtpServer({ ...optionsOf(sender, place), connectMs: limits.credentialCheckMs })
      : 'ok',
}

/** The service's own server may be anywhere. One that an account named is reached as executors are, and never without TLS. */
function optionsOf({ secret, from, account }: Sender, { config, network }: Place): SmtpChannelOptions {
  if (account === undefined) return { server: smtpServerOf(secret, config.SMTP_TLS === 'off'), from: from! }
  return {
    server: smtpServerOf(secret),
    from: from!,
    ca: network.ca,
    dial: ({ host, port }, signal) => guardedSocket(network, { account, host, port }, signal),
  }
}
