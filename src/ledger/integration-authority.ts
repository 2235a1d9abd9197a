import type { Handler } from './authority.ts'
import type { Link } from './chain.ts'
import type { Authority } from './recorded-authority.ts'

type Data = Record<string, unknown>

/** What entries about the providers of an account change. */
export const integrationHandlers: Partial<Record<string, Handler>> = {
  executed(authority, data, link) {
    const { integrations } = authority
    const id = textOf(data['integration_id'])
    if (id === null) return
    takeStripe(authority, data, link, 'connected')
    integrations.set(id, {
      seq: link.seq,
      isSeen: false,
      provider: String(data['provider']),
      isConnected: true,
      action: link.action_id,
      admin: null,
      isDisconnected: integrations.get(id)?.isDisconnected ?? false,
    })
  },

  integration_connected(authority, data, link, actor) {
    const { integrations } = authority
    takeStripe(authority, data, link, 'connected')
    integrations.set(String(data['integration']), {
      seq: link.seq,
      isSeen: false,
      provider: String(data['provider']),
      isConnected: true,
      action: null,
      admin: actor.startsWith('admin:') ? actor.slice('admin:'.length) : null,
      isDisconnected: false,
    })
  },

  // The connection may have been disconnected before its execution was recorded.
  integration_disconnected(authority, data, link) {
    const { integrations } = authority
    takeStripe(authority, data, link, 'disconnected')
    const id = String(data['integration'])
    const known = integrations.get(id)
    if (known) known.isDisconnected = true
    else
      integrations.set(id, {
        seq: 0,
        isSeen: false,
        provider: String(data['provider']),
        isConnected: false,
        action: null,
        admin: null,
        isDisconnected: true,
      })
  },
}

function takeStripe(authority: Authority, data: Data, link: Link, change: string): void {
  if (data['provider'] !== 'stripe') return
  const isSurely = change === 'disconnected' || authority.stripe.at(-1)?.change !== 'connected'
  const told = { at: Date.parse(link.at), change }
  authority.stripe = isSurely ? [told] : [...authority.stripe, told]
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
