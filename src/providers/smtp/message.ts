import { createHash } from 'node:crypto'
import addressparser from 'nodemailer/lib/addressparser'
import MailComposer from 'nodemailer/lib/mail-composer'
import { asciiAddress } from '../../text/mail-address.ts'
import { isOneAddress } from '../email-content.ts'
import type { FrozenMessage } from '../ports.ts'

/** Who a message is from and to, as the server is told. */
export interface Envelope {
  from: string
  to: string
}

/**
 * The address of a sender, `Name <address>` or the address alone. Pure.
 * @returns undefined where it is not one address in ASCII
 */
export function senderAddress(from: string): string | undefined {
  const [one, ...others] = addressparser(from, { flatten: true })
  const address = asciiAddress(one?.address ?? '')
  return others.length === 0 && isOneAddress(address) && isAscii(address) ? address : undefined
}

/** The address of a recipient as every server takes it: its domain in ASCII. Undefined where it would need SMTPUTF8. Pure. */
export function recipientAddress(address: string): string | undefined {
  const ascii = asciiAddress(address)
  return isAscii(ascii) ? ascii : undefined
}

/**
 * The message of one recipient. The same delivery always has the same bytes and the same Message-ID, by which mailboxes
 * recognise a second copy. Pure.
 * @source RFC 5322; RFC 3834: no program answers an Auto-Submitted message
 */
export async function messageOf(
  message: FrozenMessage,
  { to, deliveryId, at }: { to: string; deliveryId: string; at: Date },
): Promise<{ id: string; bytes: Buffer }> {
  const { from = '', subject = '', text = '', html = '', action_number: number } = message
  const digest = createHash('sha256').update(`message ${deliveryId} ${to}`).digest('hex').slice(0, 40)
  const id = `${digest}@${domainOf(senderAddress(from)!)}`
  const bytes = await new MailComposer({
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    date: at,
    messageId: `<${id}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(number === undefined ? {} : { 'X-Gate-Action': number }),
    },
    baseBoundary: digest,
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
  return { id, bytes }
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

// eslint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text)
