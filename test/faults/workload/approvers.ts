import { endDelegation } from '../../../src/db/queries/members/delegations.ts'
import type { Scene } from './accounts.ts'
import { leaveAWhile, outcomeOf } from './administrators.ts'
import { adminWrite } from '../../../src/db/admin-write.ts'
import { answered } from './answered.ts'
import type { Reply } from './answers.ts'
import { type Holder, sendForm } from './holders.ts'
import { signedForm } from '../../support/passkeys.ts'
import { digestShown } from './decision-page.ts'
import type { DelegationMade, GlassBreak } from './journal.ts'
import type { Lane } from './load.ts'
import { answerRequest, memberRequests } from './members.ts'
import { declaredKinds } from './own-kinds.ts'

const path = '/console/delegations'

/** A turn of those who must approve what is proposed for others: they approve or decline, name deputies, and end that again. */
export async function approverTurn(lane: Lane): Promise<void> {
  const does = lane.chance.weighted({ vote: 36, delegate: 3, end: 3, glass: 4 })
  if (does === 'vote') return vote(lane)
  const scene = lane.chance.pick(lane.scenes)
  if (does === 'glass') return breakGlass(lane, scene)
  const holder = lane.chance.pick(scene.holders)
  await (does === 'delegate' ? delegate : endOne)(lane, scene, holder)
}

/** Has approvers name deputies, before any fault: without one nobody counts beside another. */
export async function nameDeputies(lane: Lane): Promise<void> {
  for (const scene of lane.scenes)
    for (const holder of scene.holders.slice(0, 3)) await delegate(lane, scene, holder)
}

/** Answers one request to approve, or all about the same action at once: a deputy races with the one they approve for. */
async function vote(lane: Lane): Promise<void> {
  const { chance, scenes } = lane
  const asked = memberRequests().take(lane, 'approver')
  if (!asked) return
  const beside = chance.isTrue(0.7) ? memberRequests().takeBeside(asked) : []
  const scene = scenes.find(({ account }) => account === asked.account)!
  const ends = chance.isTrue(0.05) ? [endOne(lane, scene, chance.pick(scene.holders))] : []
  if (chance.isTrue(0.04)) ends.push(leaveAWhile(lane, scene))
  const votes = [asked, ...beside].map((one) => answerRequest(lane, one, { confirms: 0.94, edits: 0.1 }))
  await Promise.all([...votes, ...ends])
}

/** Has the one whom the rule names execute an action alone, mostly once its member has consented. */
async function breakGlass(lane: Lane, { account, members, holders }: Scene): Promise<void> {
  const { chance, journal, open, anyApi } = lane
  const ids = [...open].flatMap(([intent, id]) =>
    intent.account === account && intent.kind === declaredKinds.approvedWebhook ? [id] : [],
  )
  if (ids.length === 0) return
  const id = chance.pick(ids.slice(-10))
  const { memberId, email } = members[3]!
  const holder = holders.find((one) => one.email === email)!
  const path = `/console/proposals/${id}/break-glass`
  const page = await holder.browser.open(anyApi() + path).catch(() => undefined)
  if (page?.status !== 200 || !page.html.includes('data-nonce=')) return
  const form = {
    ...signedForm(page.html, holder.passkey),
    reason: `Nobody answers, attempt ${chance.int(1, 999)}.`,
  }
  const made: GlassBreak = { account, id, by: memberId, shown: digestShown(page.text), outcome: 'unknown' }
  journal.glassBreaks.push(made)
  const { reply } = await sendForm(lane, holder, path, form)
  made.outcome = reply.outcome
  answered(lane, { breaksGlass: made, reply })
}

/** Names a deputy: mostly somebody whom no rule names. */
async function delegate(lane: Lane, { account, members }: Scene, holder: Holder): Promise<void> {
  const { chance, journal } = lane
  const from = members.find(({ email }) => email === holder.email)!
  const others = members.filter((one) => one !== from)
  const to = chance.isTrue(0.7) ? chance.pick(others.slice(-2)) : chance.pick(others)
  const made: DelegationMade = {
    account,
    from: from.memberId,
    to: to.memberId,
    reason: `Away, the time ${journal.delegations.length + 1}.`,
    outcome: 'unknown',
  }
  journal.delegations.push(made)
  const { reply } = await sendForm(lane, holder, path, {
    deputy: to.email!,
    until: new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10),
    kinds: chance.isTrue(0.5) ? declaredKinds.approvedWebhook : '',
    reason: made.reason,
  })
  made.outcome = reply.outcome
  answered(lane, { delegates: made, reply })
}

/** Ends a delegation of a member or to them: by themselves at the console, or by an administrator. */
async function endOne(lane: Lane, { account }: Scene, holder: Holder): Promise<void> {
  const { chance, anyApi, system } = lane
  const page = await holder.browser.open(anyApi() + path).catch(() => undefined)
  const ids = [...(page?.html ?? '').matchAll(/delegations\/(dlg_\w+)\/end/g)].map(([, id]) => id!)
  if (ids.length === 0) return
  const id = chance.pick(ids)
  const reply = chance.isTrue(0.6)
    ? (await sendForm(lane, holder, `${path}/${id}/end`, {})).reply
    : await endByCommand(system, account, id)
  lane.journal.delegationEnds.push({ account, id, outcome: reply.outcome })
  answered(lane, { ends: id, reply })
}

const endByCommand = ({ adminDb }: Lane['system'], account: string, delegationId: string): Promise<Reply> =>
  outcomeOf(async () => {
    const outcome = await endDelegation(adminDb, { ...adminWrite(account), delegationId })
    return outcome === 'missing' ? null : {}
  })
