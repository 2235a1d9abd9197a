import { z } from 'zod'
import { limits } from '../limits.ts'
import { accountId, decimal, flag, httpUrl, says, smtpUrl, text, whole } from './forms.ts'

// The variables of the providers, and of the stand-ins in their place.

export const sandbox = {
  SANDBOX: flag
    .default(false)
    .meta(
      says(
        '1: use the stand-ins in any case, also in production and beside credentials. Anyone on the machine can read what they receive, so consent proves nothing there. Without it, a production start with neither a channel nor `SECRETS_KEYS` is refused.',
      ),
    ),
  SANDBOX_PORT: whole(0, 65_535)
    .default(8799)
    .meta(says('Where the stand-ins listen and show what they received.')),
  SANDBOX_URL: httpUrl
    .optional()
    .meta(
      says(
        'Where this process reaches the stand-ins, if another process runs them. The image does not contain them.',
        'the worker runs them',
      ),
    ),
  SANDBOX_GATE_URL: httpUrl
    .optional()
    .meta(says('Where the stand-ins reach the API with a button that was pressed there.', '`PUBLIC_URL`')),
}

export const slack = {
  SLACK_BOT_TOKEN: text
    .optional()
    .meta(says('Token of the Slack app, for accounts without an integration of their own.', 'no Slack')),
  SLACK_SIGNING_SECRET: z
    .string()
    .min(16, 'must be the signing secret of the Slack app')
    .meta({ form: 'text, 16 characters or more' })
    .optional()
    .meta(says("Verifies presses of the Slack app's buttons.", 'nobody gets a consent request in Slack')),
  SLACK_CLIENT_ID: text
    .optional()
    .meta(
      says(
        'Client id of the Slack app that workspaces install. Set it together with `SLACK_CLIENT_SECRET`.',
        'accounts cannot connect Slack',
      ),
    ),
  SLACK_CLIENT_SECRET: text.optional().meta(says('Client secret of that app.', 'as `SLACK_CLIENT_ID`')),
  SLACK_RATE_PER_SECOND: decimal
    .default(limits.slackRatePerSecond)
    .meta(
      says(
        'Messages a second, and conversations opened in proportion: 48 a minute with the default, and never more. 0: no limit of ours. Off in the sandbox.',
      ),
    ),
  SLACK_API_URL: httpUrl
    .optional()
    .meta(says('Another address for the Slack API.', '`https://slack.com/api/`')),
}

export const mail = {
  RESEND_API_KEY: text
    .optional()
    .meta(
      says('E-mail: broadcasts of accounts without their own, sign-in links, consent requests.', 'no e-mail'),
    ),
  MAIL_FROM: z
    .string()
    .min(3)
    .max(320)
    .meta({ form: 'address, 3 to 320 characters' })
    .optional()
    .meta(
      says(
        'The sender, `Gate <gate@example.com>`. Required with `RESEND_API_KEY` and with `SMTP_URL`.',
        'none',
      ),
    ),
  RESEND_RATE_PER_SECOND: decimal.default(2).meta(says('Calls a second, each of up to 100 e-mails.')),
  RESEND_BASE_URL: httpUrl
    .optional()
    .meta(says('Another address for the Resend API.', '`https://api.resend.com`')),
  SMTP_URL: smtpUrl
    .optional()
    .meta(
      says(
        'A mail server in place of Resend: `smtps://user:password@host:465`, or `smtp://user:password@host:587`, which must offer STARTTLS. User and password percent-encoded; without them no login.',
        'no mail server',
      ),
    ),
  SMTP_TLS: z
    .enum(['required', 'off'], 'must be required or off')
    .default('required')
    .meta({ form: '`required` or `off`' })
    .meta(
      says(
        '`off`: mail and login go to the server without TLS. Only for an `smtp://` server on this machine.',
      ),
    ),
  SMTP_RATE_PER_SECOND: decimal
    .default(limits.smtpRatePerSecond)
    .meta(says('E-mails a second by a mail server, for each that is in use. 0: no limit of ours.')),
}

export const stripe = {
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_\w+$/, 'must be a secret or restricted key (sk_… or rk_…)')
    .meta({ form: '`sk_…` or `rk_…`' })
    .optional()
    .meta(
      says(
        'Money of one account: see `ENVIRONMENT_PROVIDERS_ACCOUNT`. A restricted key is best: Checkout Sessions, Subscriptions, Charges and Refunds, Payouts write; PaymentIntents, Prices, Balance read.',
        'no money',
      ),
    ),
  ENVIRONMENT_PROVIDERS_ACCOUNT: accountId
    .optional()
    .meta(
      says(
        'The account whose money is at `STRIPE_SECRET_KEY`. Every other account must connect its own Stripe.',
        'the only account; with more than one, none',
      ),
    ),
  STRIPE_API_BASE: httpUrl
    .optional()
    .meta(says('Another address for the Stripe API.', '`https://api.stripe.com`')),
}
