import { type Service, type ServiceAccount, until } from '../support/supervisor.ts'

export interface Sender {
  account: ServiceAccount
  actor: { email: string }
  /** Proposes a broadcast with a text of its own. @returns its id and text */
  propose(): Promise<{ id: number; text: string }>
}

/** An account with that many recipients, every so many by e-mail and the others on Slack. The first may send. */
export async function senderTo(service: Service, recipients: number, emailEvery = 2): Promise<Sender> {
  const account = await service.account()
  const actor = { email: 'member0@example.com' }
  await account.addMember({ name: 'Ada', email: actor.email, tier: 'guarded_write' })
  const others = Array.from({ length: recipients - 1 }, (_, index) => index + 1)
  await Promise.all(others.map((n) => account.addMember({ name: `Member ${n}`, ...address(n, emailEvery) })))
  let texts = 0
  return {
    account,
    actor,
    async propose() {
      const text = `Broadcast ${++texts} of ${account.account}.`
      const answer = await account.api.propose(actor, text)
      if (answer.status !== 201) throw new Error(`proposing failed: ${JSON.stringify(answer.body)}`)
      return { id: answer.body.id as number, text }
    },
  }
}

const address = (n: number, emailEvery: number) =>
  n % emailEvery === 0 ? { email: `member${n}@example.com` } : { slack: `U${String(n).padStart(6, '0')}` }

/** Waits until a row has ended, looking into the database itself. @returns the row as it then is, and how long it took */
export async function ended(service: Service, account: string, id: number, boundMs: number) {
  const read = async () =>
    (await service.sql(`select * from gate.action where account_id = '${account}' and id = ${id}`))[0]
  const ms = await until(
    `action ${id} has ended`,
    boundMs,
    async () => (await read())?.['status'] !== 'proposed',
  )
  return { row: (await read())!, ms }
}

/** Waits until a decision stands in the database. */
export async function claimed(service: Service, account: string, id: number): Promise<void> {
  await until(`action ${id} is claimed`, 60_000, async () => {
    const rows = await service.sql(
      `select decision from gate.action where account_id = '${account}' and id = ${id}`,
    )
    return rows[0]?.['decision'] !== null
  })
}

/** How long recovery took, said where it is asked for. */
export function sayRecovery(what: string, ms: number): void {
  if (process.env['TEST_SAY_RECOVERY']) process.stderr.write(`recovery: ${what}: ${ms} ms\n`)
}
