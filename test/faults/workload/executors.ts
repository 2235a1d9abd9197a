import type { ApiClient } from '../../support/api-client.ts'
import { answered } from './answered.ts'
import { replyOf } from './answers.ts'
import type { ClaimMade } from './journal.ts'
import type { Lane } from './load.ts'
import { declaredKinds } from './own-kinds.ts'

/** A turn of an executor that fetches its work: claims an action, executes it and reports. Sometimes it dies in between. */
export async function executorTurn(lane: Lane): Promise<void> {
  const { chance } = lane
  const scene = chance.pick(lane.scenes)
  const client = lane.clientOf(scene.executorKey.key)
  const query = `kind=${declaredKinds.claim}&status=proposed&order=desc&limit=20`
  const listed = await replyOf(() => client.request('GET', `/api/v1/actions?${query}`))
  answered(lane, { list: scene.account, reply: { ...listed, body: undefined } })
  if (listed.outcome !== 'ok') return
  const found = listed.body.actions as { id: number; execution?: { claim?: string } }[]
  const open = found.filter(({ execution }) => execution?.claim === 'open')
  // Actions that cannot be claimed are tried too: without consent, or held by another.
  const tried = open.length > 0 && chance.isTrue(0.75) ? open : found
  if (tried.length === 0) return
  await claim(lane, client, { account: scene.account, id: chance.pick(tried).id })
}

async function claim(
  lane: Lane,
  client: ApiClient,
  { account, id }: Pick<ClaimMade, 'account' | 'id'>,
): Promise<void> {
  const { chance, journal } = lane
  const path = `/api/v1/actions/${id}`
  const reply = await replyOf(() => client.request('POST', `${path}/claim`))
  const made: ClaimMade = { account, id, reply, reports: [] }
  journal.claims.push(made)
  answered(lane, { claim: id, account, reply })
  if (reply.outcome !== 'ok' || chance.isTrue(0.1)) return
  const outcome = chance.weighted({ done: 6, refused: 1, failed: 1, unknown: 1 })
  const report = { claim: reply.body.claim, outcome, result: { signed: id } }
  for (let again = 0; again < 3; again++) {
    const told = await replyOf(() => client.request('POST', `${path}/outcome`, { body: report }))
    made.reports.push({ outcome, result: report.result, reply: told })
    answered(lane, { report: id, account, outcome, reply: told })
    if (told.outcome !== 'unknown' && !chance.isTrue(0.1)) return
  }
}
