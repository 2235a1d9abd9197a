import type { IntegrationSettings } from '../gate/integration-provider.ts'

/** What a person filled in on the page of a link. */
export interface ConnectForm {
  key: string
  /** Only a mail server has them: `host` or `host:port`, and the user. */
  server: string
  user: string
  /** Teams alone has it: what people call the room. */
  room: string
  /** A bot in Teams alone has them: the ids of its tenant and of its app. */
  tenant: string
  app: string
  /** Mail alone has it. */
  sender: string
  /** Only Stripe has it; empty: none. */
  returnUrl: string
}

/** A credential that its provider has accepted. Each has one secret field. */
export interface Credential {
  field: 'api_key' | 'bot_token' | 'server' | 'url' | 'bot'
  secret: string
  /** What tells it from another: where two differ, messages and keys of one mean nothing to the other. */
  identity: string
  settings: IntegrationSettings
}
