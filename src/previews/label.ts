import { randomBytes } from 'node:crypto'

/** The form of a preview id. The part after `prev_` is a DNS label: the name of its origin. */
export const previewIdForm = /^prev_[0-9a-z]{20}$/

const labelForm = /^[0-9a-z]{20}$/
const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** A new id: 103 random bits. */
export function newPreviewId(): string {
  let id = 'prev_'
  while (id.length < 25) {
    for (const byte of randomBytes(25)) if (byte < 252 && id.length < 25) id += alphabet[byte % 36]
  }
  return id
}

/**
 * The origin of one preview. Two previews must not share an origin.
 * @param gatewayUrl  the address of its host's gateway, such as `http://localhost:8789`
 */
export function previewOrigin(gatewayUrl: string, previewId: string): string {
  const { protocol, host } = new URL(gatewayUrl)
  return `${protocol}//${previewId.slice('prev_'.length)}.${host}`
}

/** The preview in a request's `Host` header; undefined if there is none, or it belongs to another gateway. */
export function previewOfHost(gatewayUrl: string, host: string | undefined): string | undefined {
  const [label = '', ...below] = (host ?? '').toLowerCase().split('.')
  if (below.join('.') !== new URL(gatewayUrl).host || !labelForm.test(label)) return undefined
  return `prev_${label}`
}
