import type { IntegrationProvider } from '../gate/integration-provider.ts'
import { type RejectedForm, field } from '../web/fields.ts'
import { type Html, html } from '../web/html.ts'

/** The fields of a provider's credential. A key is never shown again; the other values are, when the key was wrong. */
export const credentialFields = (provider: IntegrationProvider, rejected?: RejectedForm): Html =>
  ({
    slack: () => html``,
    resend: () =>
      html`${field({
        name: 'key',
        label: 'Resend API key',
        type: 'password',
        hint: html`It starts with <code>re_</code>. A key with sending access is enough.`,
        rejected,
      })}
      ${field({
        name: 'sender',
        label: 'Sender',
        placeholder: 'Acme <gate@example.com>',
        hint: 'An address on a domain that you verified at Resend.',
        rejected,
      })}`,
    smtp: () => mailServerFields(rejected),
    teams: () =>
      html`${field({
        name: 'key',
        label: 'URL of the workflow',
        type: 'password',
        hint: html`In Teams, at the room: <em>Workflows</em>, then the template
          <em>Send webhook alerts to a channel</em> or <em>to a chat</em>. It shows the URL at its end.`,
        rejected,
      })}
      ${field({
        name: 'room',
        label: 'Room',
        placeholder: 'Announcements',
        hint: 'What people call it. Administrators and members read this name.',
        rejected,
      })}`,
    teams_bot: () => botFields(rejected),
    stripe: () =>
      html`${field({
        name: 'key',
        label: 'Stripe key',
        type: 'password',
        hint: html`We recommend a restricted key (<code>rk_…</code>) that can read the balance, payments and
        subscriptions, and write what the gate should do. A secret key (<code>sk_…</code>) also works.`,
        rejected,
      })}
      ${field({
        name: 'return_url',
        label: 'Return page for customers',
        type: 'url',
        placeholder: 'https://shop.example/thanks',
        hint: 'Where a customer returns after a checkout. Empty: a simple page of this service.',
        isRequired: false,
        rejected,
      })}`,
  })[provider]()

const botFields = (rejected?: RejectedForm): Html =>
  html`${field({
    name: 'tenant',
    label: 'Tenant ID',
    placeholder: '00000000-0000-0000-0000-000000000000',
    hint: 'The directory of your organization in Microsoft Entra, in which the bot was registered.',
    rejected,
  })}
  ${field({
    name: 'app_id',
    label: 'App ID',
    placeholder: '00000000-0000-0000-0000-000000000000',
    hint: 'The application (client) ID of the bot.',
    rejected,
  })}
  ${field({
    name: 'key',
    label: 'Client secret',
    type: 'password',
    hint: 'The value of the secret, not its ID.',
    rejected,
  })}`

const mailServerFields = (rejected?: RejectedForm): Html =>
  html`${field({
    name: 'server',
    label: 'Mail server',
    placeholder: 'smtp.example.com:587',
    hint: 'Port 465 where you enter none. The connection is always encrypted.',
    rejected,
  })}
  ${field({ name: 'user', label: 'User', rejected })}
  ${field({ name: 'key', label: 'Password', type: 'password', rejected })}
  ${field({
    name: 'sender',
    label: 'Sender',
    placeholder: 'Acme <gate@example.com>',
    hint: 'An address that this user may send from.',
    rejected,
  })}`
