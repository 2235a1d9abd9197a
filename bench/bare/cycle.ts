import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import type { BareCycle } from './names.ts'

/**
 * What the plain cycle does between its signal and its end: three bare HTTP calls to the stand-in, and a plain insert for
 * each. Nothing is written before a call, so that a crash may send twice.
 */
export function cycleActivities(sandboxUrl: string, databaseUrl: string): BareCycle {
  const sql = postgres(databaseUrl, { max: 10 })
  const deliver = async (proposal: string, to: string, send: () => Promise<string>) => {
    const sent = await send()
    await sql`insert into bare.delivery (proposal, recipient, provider_id) values (${proposal}, ${to}, ${sent})`
  }
  const post = async (path: string, headers: Record<string, string>, body: string) => {
    const answer = await fetch(new URL(path, sandboxUrl), { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
    return answer.json() as Promise<{ ts?: string; data?: { id: string }[] }>
  }
  const postInSlack = (user: string) => async () => {
    const headers = {
      authorization: 'Bearer xoxb-bare',
      'content-type': 'application/x-www-form-urlencoded',
    }
    const body = new URLSearchParams({ channel: `D${user}`, text: 'Lunch is at noon.' })
    return (await post('/slack/api/chat.postMessage', headers, body.toString())).ts!
  }
  const mail = (to: string) => async () => {
    const headers = {
      authorization: 'Bearer re_bare',
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    }
    const mails = [
      { from: 'gate@sandbox.example', to, subject: 'Message from Ada', text: 'Lunch is at noon.' },
    ]
    return (await post('/resend/emails/batch', headers, JSON.stringify(mails))).data![0]!.id
  }
  return {
    async deliverToThree(proposal) {
      await Promise.all([
        deliver(proposal, 'UBARE1', postInSlack('UBARE1')),
        deliver(proposal, 'UBARE2', postInSlack('UBARE2')),
        deliver(proposal, 'bare@example.com', mail('bare@example.com')),
      ])
    },
  }
}
