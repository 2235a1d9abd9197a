import { freezeMandate } from '../../../src/db/queries/actions/mandates.ts'
import { formOf } from '../../support/form-of.ts'
import { signedForm } from '../../support/passkeys.ts'
import { moneyAccount } from '../system/system.ts'
import type { Scene } from './accounts.ts'
import { useAtOnce } from './agents.ts'
import { outcomeOf } from './administrators.ts'
import { answered } from './answered.ts'
import type { Reply } from './answers.ts'
import { type Holder, sendForm } from './holders.ts'
import type { MandateChange, MandateMade } from './journal.ts'
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
  const does = chance.weighted({ use: 8, sign: 3, freeze: 2, resume: 3, end: 1 })
  const scene = chance.pick(scenes)
  const known = journal.mandates.filter(({ account, id }) => account === scene.account && id !== undefined)
  if (does === 'sign' || known.length === 0) return sign(lane, scene, chance.pick(scene.holders))
  const mandate = chance.pick(known.slice(-4))
  if (does === 'use') return use(lane, mandate)
  await (chance.isTrue(0.7) ? changeInConsole : changeByCommand)(lane, scene, mandate, does)
  // Its agent does not know of that.
  await use(lane, mandate)
}

const use = (lane: Lane, { account, actor, kinds }: MandateMade): Promise<void> =>
  useAtOnce(lane, { account, actor, kind: lane.chance.pick(kinds) })

const isMoney = (kind: MandateKind) => kind === 'payout' || kind === 'refund'

/** One to three kinds that the account has. */
function kindsFor({ chance }: Lane, account: string): MandateKind[] {
  const left = (Object.keys(argumentsOf) as MandateKind[]).filter(
    (kind) => account === moneyAccount || !isMoney(kind),
  )
  return Array.from({ length: chance.int(1, 3) }, () => left.splice(chance.int(0, left.length - 1), 1)[0]!)
}

/** What the form is filled in with for one kind. */
function fieldsOf(kind: MandateKind, n: number, more: string[]): Record<string, string> {
  const behind = n === 0 ? '' : `_${n + 1}`
  return {
    [`kind${behind}`]: kind,
    // No action has an argument of the name in `more`: only the mandate is known by it.
    [`arguments${behind}`]: [...argumentsOf[kind], ...more].join('\n'),
    ...(isMoney(kind) ? { [`each${behind}`]: '100.00' } : {}),
  }
}

async function sign(lane: Lane, scene: Scene, holder: Holder): Promise<void> {
  const { chance, journal } = lane
  const { account, keys, agentKey } = scene
  const kinds = kindsFor(lane, account)
  const made: MandateMade = {
    account,
    actor: holder.email,
    // The newest of the keys that come and go may be revoked while it is used.
    agent: (chance.isTrue(0.8) ? agentKey : keys.at(-1)!).keyId,
    kinds,
    // Beside the numbers of intents, and of calls.
    marker: `mark-${700_000 + journal.mandates.length}-end`,
    proposed: { outcome: 'unknown', status: 0 },
  }
  journal.mandates.push(made)
  const { reply, to } = await sendForm(lane, holder, '/console/mandates/new', {
    agent: made.agent,
    ...Object.assign({}, ...kinds.map((kind, n) => fieldsOf(kind, n, n === 0 ? [`${made.marker} *`] : []))),
    ...(kinds.some(isMoney) ? { currency: 'usd', cents: '500.00', cents_per_day: '400.00' } : {}),
    // Fewer than an agent draws at once.
    uses: String(chance.int(1, 3)),
    uses_per_day: String(chance.int(1, 3)),
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
  made.signed = (await sendForm(lane, holder, to, form)).reply
  answered(lane, { signs: made.id, isSigned, reply: made.signed })
  if (made.signed.outcome !== 'ok') return
  // While all of its budget is left.
  if (chance.isTrue(0.4)) await changeByCommand(lane, scene, made, 'freeze')
  await use(lane, made)
}

async function changeInConsole(
  lane: Lane,
  { account, holders }: Scene,
  { id, actor }: MandateMade,
  verb: MandateChange['verb'],
): Promise<void> {
  const holder = holders.find(({ email }) => email === actor)!
  const { reply } = await sendForm(lane, holder, `/console/mandates/${id}/${verb}`, {})
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
