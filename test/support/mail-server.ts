import { type AddressInfo, type Socket, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { SmtpServer } from '../../src/network/smtp-server.ts'
import { ofThisMachine } from './mail-certificates.ts'

/** A mail as a server took it. */
export interface TakenMail {
  from: string
  to: string[]
  /** What was declared with MAIL FROM and RCPT TO, and who signed in. */
  user: string | undefined
  isSecure: boolean
  /** Header and body as they came over the wire. */
  raw: string
}

export interface MailServer {
  /** Where it is, for a client that signs in as `gate`. */
  at: SmtpServer
  mails: TakenMail[]
  /** Connections that were made to it. */
  connected: number
  stop(): Promise<void>
}

export const password = 'pass word:%40✓'

/**
 * A mail server of the protocol's own implementation, on loopback.
 * @param tls  as the client is told to reach it
 */
export async function startMailServer(
  tls: SmtpServer['tls'] = 'starttls',
  options: SMTPServerOptions & {
    /** Called with what ends the connection that a mail came by, at once and without a word. */
    onTaken?: (breakConnection: () => void, taken: number) => unknown
    listens?: { host: string; port: number }
  } = {},
): Promise<MailServer> {
  const { onTaken, listens = { host: '127.0.0.1', port: 0 }, ...given } = options
  const mails: TakenMail[] = []
  const server: SMTPServer = new SMTPServer({
    ...ofThisMachine,
    secure: tls === 'implicit',
    hideSTARTTLS: tls === 'off',
    allowInsecureAuth: tls === 'off',
    logger: false,
    closeTimeout: 100,
    onAuth: ({ username, password: tried }, _session, done) =>
      username === 'gate' && tried === password ? done(null, { user: username }) : done(new Error('no')),
    onConnect(_session, done) {
      seen.connected++
      done()
    },
    async onData(stream, { id, envelope, user, secure }, done) {
      const raw = await text(stream)
      const { mailFrom, rcptTo } = envelope
      mails.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        user: user === undefined ? undefined : String(user),
        isSecure: secure,
        raw,
      })
      onTaken?.(() => breakConnection(server, id), mails.length)
      done(null, 'queued as 4711')
    },
    ...given,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(listens.port, listens.host, resolve))
  const { port } = server.server.address() as AddressInfo
  const seen: MailServer = {
    at: { host: 'localhost', port, tls, login: { user: 'gate', password } },
    mails,
    connected: 0,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return seen
}

function breakConnection(server: SMTPServer, session: string): void {
  const connections = [...server.connections] as unknown as { id: string; _socket: Socket }[]
  connections.find(({ id }) => id === session)!._socket.destroy()
}

export type Stage = 'greeting' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'end' | 'RSET' | 'QUIT'

/** What a server does at a stage: it says something, hangs, or closes; `silently` after it said something. */
export type Reply = string | { close: string } | 'hangs' | 'closes'

const usual: Record<Stage, string> = {
  greeting: '220 mail.example ESMTP',
  EHLO: '250 mail.example',
  MAIL: '250 2.1.0 Ok',
  RCPT: '250 2.1.5 Ok',
  DATA: '354 End data with <CR><LF>.<CR><LF>',
  end: '250 2.0.0 Ok: queued as 4711',
  RSET: '250 2.0.0 Ok',
  QUIT: '221 2.0.0 Bye',
}

/** A mail server without TLS that says at each stage what it is told to, true or not. */
export async function startScriptedServer(script: Partial<Record<Stage, Reply>>) {
  const commands: string[] = []
  /** Messages that came to their last dot. */
  const messages: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    let received = ''
    let isData = false
    const reply = (stage: Stage) => {
      const told = script[stage] ?? usual[stage]
      if (told === 'hangs') return
      if (told === 'closes') return void socket.destroy()
      if (typeof told === 'object') return void socket.end(told.close)
      socket.write(`${told}\r\n`)
      isData = stage === 'DATA' && /^[23]/.test(told)
    }
    reply('greeting')
    socket.on('data', (part) => {
      received += part.toString('latin1')
      for (;;) {
        const end = isData ? received.indexOf('\r\n.\r\n') : received.indexOf('\r\n')
        if (end === -1) return
        const line = received.slice(0, end)
        received = received.slice(end + (isData ? 5 : 2))
        if (isData) {
          isData = false
          messages.push(line)
          reply('end')
          continue
        }
        commands.push(line)
        reply(line.split(' ')[0]!.toUpperCase() as Stage)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at: SmtpServer = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, tls: 'off' }
  return {
    at,
    commands,
    messages,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** The variables by which a gate sends its own mail through a server that was started without TLS. */
export const ownMail = ({ at: { port, login } }: MailServer) => ({
  SMTP_URL: `smtp://gate:${encodeURIComponent(login!.password)}@127.0.0.1:${port}`,
  SMTP_TLS: 'off',
  MAIL_FROM: 'gate@service.example',
})
