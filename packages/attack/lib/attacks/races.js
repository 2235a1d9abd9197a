/** @typedef {import('../index.js').Attack} Attack @typedef {import('../index.js').Answer} Answer */

const times = 20
const all = Array.from({ length: times }, (_, n) => n)
const isDone = (/** @type {Answer} */ { outcome }) => outcome === 'done'
const noFault = (/** @type {Answer[]} */ answers) => answers.every(({ outcome }) => outcome !== 'failed')

/** @type {Attack[]} */
export const races = [
  {
    id: 'race-cancels',
    topic: 'races',
    title: `Cancel one action ${times} times at once`,
    requirements: ['ADR-0030-4', 'ADR-0030-6.7'],
    needs: ['member'],
    async run(t) {
      const action = await t.propose()
      const answers = await Promise.all(all.map(() => t.gate.cancel(action.id, { member: t.member })))
      t.holds(noFault(answers), 'a cancel ended in a fault')
      t.holds(answers.filter(isDone).length === 1, `${answers.filter(isDone).length} cancels won, not one`)
    },
  },
  {
    id: 'race-same-key',
    topic: 'races',
    title: `Propose ${times} times at once under one idempotency key`,
    requirements: ['ADR-0030-4', 'ADR-0030-6.7'],
    needs: ['member'],
    async run(t) {
      const [idempotencyKey, message] = [t.nonce(), t.message()]
      const answers = await Promise.all(
        all.map(() => t.gate.propose({ member: t.member, message }, { idempotencyKey })),
      )
      t.holds(noFault(answers), 'a proposal ended in a fault')
      const ids = new Set(answers.filter(isDone).map(({ action }) => action?.id))
      t.holds(ids.size === 1, `one request made ${ids.size} actions`)
    },
  },
  {
    id: 'race-confirms',
    topic: 'races',
    title: `Confirm one action ${times} times at once`,
    requirements: ['AISVS-9.2.8', 'ADR-0030-6.7'],
    needs: ['member', 'effects'],
    confirms: true,
    async run(t) {
      const action = await t.propose()
      const answers = await Promise.all(all.map(() => t.confirm(action)))
      if (answers.some((answer) => answer.action?.isAsked))
        t.skip('the policy asks for more than the word of an agent')
      t.holds(noFault(answers), 'a confirm ended in a fault')
      t.holds(answers.filter(isDone).length === 1, `${answers.filter(isDone).length} confirms won, not one`)
    },
  },
  {
    id: 'race-confirm-and-cancel',
    topic: 'races',
    title: 'Confirm and cancel one action at once, to have it both ways',
    requirements: ['ADR-0030-6.2', 'ADR-0030-6.7'],
    needs: ['member', 'effects'],
    confirms: true,
    async run(t) {
      const action = await t.propose()
      const pairs = await Promise.all(
        all.map((n) => (n % 2 === 0 ? t.confirm(action) : t.gate.cancel(action.id, { member: t.member }))),
      )
      if (pairs.some((answer) => answer.action?.isAsked))
        t.skip('the policy asks for more than the word of an agent')
      t.holds(noFault(pairs), 'a decision ended in a fault')
      const winners = pairs.flatMap((answer, n) =>
        isDone(answer) ? [n % 2 === 0 ? 'executed' : 'cancelled'] : [],
      )
      t.holds(winners.length === 1, `${winners.length} decisions won, not one`)
      const { action: after } = await t.gate.read(action.id)
      t.holds(
        after?.status === winners[0] || after?.isRunning === true,
        `${winners[0]} won, but it is ${after?.status}`,
      )
    },
  },
  {
    id: 'race-transports',
    topic: 'races',
    title: 'Confirm one action over two transports at once',
    requirements: ['AISVS-9.2.8', 'ADR-0030-6.7'],
    needs: ['member', 'effects'],
    confirms: true,
    async run(t) {
      const [other] = t.others
      if (!other) return t.skip('needs both transports')
      const action = await t.propose()
      const answers = await Promise.all(all.map((n) => t.confirm(action, n % 2 === 0 ? {} : { gate: other })))
      if (answers.some((answer) => answer.action?.isAsked))
        t.skip('the policy asks for more than the word of an agent')
      t.holds(noFault(answers), 'a confirm ended in a fault')
      t.holds(answers.filter(isDone).length === 1, `${answers.filter(isDone).length} confirms won, not one`)
    },
  },
]
