import { freezeMandate } from '../../../src/db/queries/actions/mandates.ts'
import { formOf } from '../../support/form-of.ts'
import { signedForm } from '../../support/passkeys.ts'
import { moneyAccount } from '../system/system.ts'
import type { Key, Scene } from './accounts.ts'
import { outcomeOf } from './administrators.ts'
import { answered } from './answered.ts'
import { type Reply, replyOf } from './answers.ts'
import type { Holder } from './holders.ts'
import type { Intent, MandateChange, MandateMade } from './journal.ts'
import type { Lane } from './load.ts'

/** What a mandate of each kind lets the arguments be: all that the agents of this workload send. */
const argumentsOf = {
  broadcast: ['message ~ mark-{number}-end to everybody.'],
  deployment: ['version ~ mark-{number}-end', 'note ~ For everybody.', 'refused *', 'long *', 'lost *'],
  signing: ['contract ~ mark-{number}-end'],
  payout: ['description ~ Payout {number}'],
  refund: ['payment ~ pi_{number}', 'customer ~ cus_{number}'],
} as const
type MandateKind = keyof typeof argumentsOf

/** A member's turn at the console: signs a mandate, or freezes, resumes or ends one. An administrator does that, too. */
export async function mandateTurn(lane: Lane): Promise<void> {
  const { chance, journal, scenes } = lane
  const does = chance.weighted({ sign: 3, freeze: 2, resume: 3, end: 1, nothing: 3 })
  if (does === 'nothing') return
  const scene = chance.pick(scenes)
  const known = journal.mandates.filter(({ account, id }) => account === scene.account && id !== undefined)
  if (does === 'sign' || known.length === 0) return sign(lane, scene, chance.pick(scene.holders))
  const mandate = chance.pick(known.slice(-6))
  await (chance.isTrue(0.7) ? changeInConsole : changeByCommand)(lane, scene, mandate, does)
}

/** The key that an agent acts with: mostly that of the agent for which its member signed a mandate, where there is one. */
export function keyFor({ chance, journal }: Lane, scene: Scene, { account, actor, kind }: Intent): Key {
  const mandate = journal.mandates.findLast(
    (one) =>
      one.account === account &&
      one.actor === actor &&
      one.kind === kind &&
      one.signed !== undefined &&
      one.signed.outcome !== 'refused',
  )
  const key = scene.keys.find(({ keyId }) => keyId === mandate?.agent)
  return key && chance.isTrue(0.8) ? key : chance.pick(scene.keys)
}

async function sign(lane: Lane, { account, keys }: Scene, holder: Holder): Promise<void> {
  const { chance, journal } = lane
  const kinds = Object.keys(argumentsOf) as MandateKind[]
  const isMoney = (kind: MandateKind) => kind === 'payout' || kind === 'refund'
  const kind = chance.pick(account === moneyAccount ? kinds : kinds.filter((one) => !isMoney(one)))
  const made: MandateMade = {
    account,
    actor: holder.email,
    agent: keys.at(-1)!.keyId,
    kind,
    // Beside the numbers of intents, and of calls.
    marker: `mark-${700_000 + journal.mandates.length}-end`,
    proposed: { outcome: 'unknown', status: 0 },
  }
  journal.mandates.push(made)
  const amounts = { currency: 'usd', each: '100.00', cents: '500.00', cents_per_day: '400.00' }
  const { reply, to } = await send(lane, holder, '/console/mandates/new', {
    agent: made.agent,
    kind,
    // No action has an argument of this name: only the mandate is known by it.
    arguments: [...argumentsOf[kind], `${made.marker} *`].join('\n'),
    ...(isMoney(kind) ? amounts : {}),
    uses: String(chance.int(2, 8)),
    uses_per_day: String(chance.int(2, 8)),
    days: '2',
  })
  made.proposed = reply
  made.id = to === undefined ? undefined : Number(/\/(\d+)$/.exec(to)?.[1])
  answered(lane, { mandate: made, reply })
  if (to === undefined) return
  const page = await holder.browser.open(lane.anyApi() + to).catch(() => undefined)
  if (page?.status !== 200 || !page.html.includes('name="shown"')) return
  const isSigned = page.html.includes('data-nonce=')
  const form = isSigned ? signedForm(page.html, holder.passkey) : { ...formOf(page.html), does: 'confirm' }
  made.signed = (await send(lane, holder, to, form)).reply
  answered(lane, { signs: made.id, isSigned, reply: made.signed })
}

/** Sends a form of the console. @returns with where it leads, if it was taken */
async function send(
  { anyApi }: Lane,
  { browser }: Holder,
  path: string,
  form: Record<string, string>,
): Promise<{ reply: Reply; to?: string | undefined }> {
  let to: string | undefined
  const reply = await replyOf(async () => {
    const { status, headers, text } = await browser.send(anyApi() + path, form)
    if (status === 303) to = headers.get('location') ?? undefined
    const code = text.includes('Outcome unknown') ? 'outcome_unknown' : 'unavailable'
    return {
      status: status === 303 ? 200 : status,
      headers,
      body: { code: status === 503 ? code : undefined },
    }
  })
  return { reply, to }
}

async function changeInConsole(
  lane: Lane,
  { account, holders }: Scene,
  { id, actor }: MandateMade,
  verb: MandateChange['verb'],
): Promise<void> {
  const holder = holders.find(({ email }) => email === actor)!
  const { reply } = await send(lane, holder, `/console/mandates/${id}/${verb}`, {})
  note(lane, { account, id: id!, verb }, reply)
}

async function changeByCommand(
  lane: Lane,
  { account }: Scene,
  { id }: MandateMade,
  verb: MandateChange['verb'],
): Promise<void> {
  if (verb === 'end') return
  const isFrozen = verb === 'freeze'
  const reply = await outcomeOf(async () => {
    const outcome = await freezeMandate(lane.system.adminDb, account, id!, { session: null, isFrozen })
    return outcome === 'done' ? {} : null
  })
  note(lane, { account, id: id!, verb }, reply)
}

function note(lane: Lane, change: Omit<MandateChange, 'outcome'>, reply: Reply): void {
  lane.journal.mandateChanges.push({ ...change, outcome: reply.outcome })
  answered(lane, { ...change, reply })
}
