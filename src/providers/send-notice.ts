import type { DeliveryChannel, DeliveryOutcome, FrozenMessage } from './ports.ts'

/**
 * Sends one notice to one person, once.
 * @param notice.key  unique per notice, stable across retries; an e-mail repeated under it within a day is sent once
 * @param notice.message as created by `freezeNotice`: a retry must send the same message
 * @returns the outcome; never throws
 */
export async function sendNotice(
  channel: DeliveryChannel,
  notice: { key: string; message: FrozenMessage; address: string; attemptedAt: Date; signal?: AbortSignal },
): Promise<DeliveryOutcome> {
  const { key, message, address, attemptedAt, signal } = notice
  const { outcomes } = await channel.send({
    key,
    message,
    recipients: [{ deliveryId: key, address }],
    attemptedAt,
    ...(signal ? { signal } : {}),
  })
  return outcomes[0]!
}
