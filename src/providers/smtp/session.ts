import { type Socket, connect } from 'node:net'
import { Readable } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { limits } from '../../limits.ts'
import { timeLimit } from '../../waiting/time-limit.ts'
import type { Envelope } from './message.ts'
import type { SmtpServer } from '../../network/smtp-server.ts'

/** The most bytes of one reply: a real one has some hundred. */
const replyBytesMax = 16_384
const closeMs = 1_000

export interface SmtpOptions {
  server: SmtpServer
  /** The name by which this client greets. */
  clientName: string
  /** Opens the connection. Absent: to the address that the system resolves. */
  dial?: (server: SmtpServer, signal: AbortSignal) => Promise<Socket>
  /** The certificates of authorities to trust. Absent: those of Node. */
  ca?: SecureContextOptions['ca']
  /** The time to connect, secure and sign in. */
  connectMs?: number
  /** The time for one message. */
  messageMs?: number
}

/** A signed-in connection. */
export interface Session {
  /**
   * Sends a message to one recipient.
   * @returns the server's words about it
   * @throws SmtpFailure
   */
  send(envelope: Envelope, bytes: Buffer, signal?: AbortSignal): Promise<string>
  /** Whether another message can be sent on it. */
  isOpen(): boolean
  close(): void
}

/** A failure to connect or to send. `isPerhapsSent`: the message was being handed over, and no refusal of it came back. */
export class SmtpFailure extends Error {
  readonly isPerhapsSent: boolean

  constructor(cause: unknown, isPerhapsSent: boolean) {
    super('the mail server did not take the message', { cause })
    this.isPerhapsSent = isPerhapsSent
  }
}

/** Connects, secures and signs in. @throws SmtpFailure */
export async function openSession(options: SmtpOptions, stop?: AbortSignal): Promise<Session> {
  const { server, dial = dialSystem, connectMs = limits.providerCallMs } = options
  const { signal, clear } = timeLimit(connectMs, stop)
  try {
    const socket = await dial(server, signal)
    const connection = new SMTPConnection({
      connection: socket,
      host: server.host,
      port: server.port,
      secure: server.tls === 'implicit',
      requireTLS: server.tls === 'starttls',
      ignoreTLS: server.tls === 'off',
      name: options.clientName,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: options.messageMs ?? limits.smtpMessageMs,
      socketCloseTimeout: closeMs,
      maxResponseSize: replyBytesMax,
      tls: { minVersion: 'TLSv1.2', ...(options.ca === undefined ? {} : { ca: options.ca }) },
    })
    // An error outside of a call leaves the connection destroyed, which `isOpen` tells.
    connection.on('error', () => undefined)
    try {
      await settled(connection, signal, (done) => connection.connect(done))
      if (server.login) {
        const { user, password } = server.login
        await settled(connection, signal, (done) => connection.login({ user, pass: password }, done))
      }
    } catch (error) {
      connection.close()
      throw error
    }
    return sessionOn(connection, options)
  } catch (error) {
    throw error instanceof SmtpFailure ? error : new SmtpFailure(error, false)
  } finally {
    clear()
  }
}

function sessionOn(connection: SMTPConnection, { messageMs = limits.smtpMessageMs }: SmtpOptions): Session {
  /** After a refusal the session goes on: RFC 5321 4.1.1.5. */
  const reset = (signal: AbortSignal) =>
    settled(connection, signal, (done) => connection.reset(done)).catch(() => connection.close())
  return {
    async send(envelope, bytes, stop) {
      const { signal, clear } = timeLimit(messageMs, stop)
      let isBegun = false
      // Read once the server has taken the envelope. From then on its last byte may be on its way.
      const message = new Readable({
        read() {
          isBegun = true
          this.push(bytes)
          this.push(null)
        },
      })
      try {
        const { response } = await settled<{ response: string }>(connection, signal, (done) =>
          connection.send({ ...envelope, size: bytes.length }, message, done),
        )
        if (!/^2\d\d(?:[ -]|$)/.test(response)) throw new Error('no reply of SMTP')
        return response
      } catch (error) {
        if (isRefusal(error)) await reset(signal)
        else connection.close()
        throw new SmtpFailure(error, isBegun && !isRefusal(error))
      } finally {
        clear()
        message.destroy()
      }
    },
    isOpen: () => !connection.destroyed,
    close: () => connection.close(),
  }
}

/** Whether the server refused, for now or for good: it keeps nothing of the message then. @source RFC 5321 4.2.1, 4.2.5 */
function isRefusal(error: unknown): boolean {
  const { response } = error as { response?: unknown }
  return typeof response === 'string' && /^[45]\d\d(?:[ -]|$)/.test(response)
}

/** A call of the connection as a promise, which also an end of the connection or of the time settles. */
function settled<T>(
  connection: SMTPConnection,
  signal: AbortSignal,
  call: (done: (error?: Error | null, result?: T) => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => fail(Object.assign(new Error('no time left'), { code: 'ETIMEDOUT' }))
    // A reply that ends the connection is told after the end.
    const end = () =>
      void setImmediate(() => fail(Object.assign(new Error('the connection ended'), { code: 'ECONNECTION' })))
    const over = () => {
      signal.removeEventListener('abort', abort)
      connection.removeListener('error', fail)
      connection.removeListener('end', end)
    }
    const fail = (error: Error) => {
      over()
      reject(error)
    }
    if (signal.aborted) return abort()
    if (connection.destroyed) return end()
    signal.addEventListener('abort', abort, { once: true })
    connection.once('error', fail)
    connection.once('end', end)
    call((error, result) => {
      if (error) return fail(error)
      over()
      resolve(result as T)
    })
  })
}

/** As the system resolves the name: for a server that the operator named. */
function dialSystem({ host, port }: SmtpServer, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.removeListener('error', reject)
      resolve(socket)
    })
  })
}
