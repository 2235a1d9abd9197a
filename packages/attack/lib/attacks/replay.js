/** @typedef {import('../index.js').Attack} Attack */

/** @type {Attack[]} */
export const replay = [
  {
    id: 'replay-other-request',
    topic: 'replay',
    title: 'Use one idempotency key for two requests',
    requirements: ['ADR-0030-2', 'ADR-0030-4'],
    needs: ['member'],
    async run(t) {
      const idempotencyKey = t.nonce()
      const first = await t.propose({}, { idempotencyKey })
      const second = await t.gate.propose(
        { member: t.member, message: t.message('Another.') },
        { idempotencyKey },
      )
      t.refused(second, ['invalid', 'conflict'], 'the key was taken for another request')
      const reason = await t.gate.propose(
        { member: t.member, message: first.message, rationale: 'Another reason.' },
        { idempotencyKey },
      )
      t.refused(reason, ['invalid', 'conflict'], 'the key was taken for another reason')
    },
  },
  {
    id: 'replay-same-request',
    topic: 'replay',
    title: 'Repeat a proposal under its idempotency key to get it twice',
    requirements: ['ADR-0030-4', 'AISVS-9.2.8'],
    needs: ['member'],
    async run(t) {
      const [idempotencyKey, message] = [t.nonce(), t.message()]
      const first = await t.propose({ message }, { idempotencyKey })
      for (const way of [t.gate, ...t.others]) {
        const again = await way.propose({ member: t.member, message }, { idempotencyKey })
        t.holds(again.action?.id === first.id, `a repeat over ${way.name} made another action`)
      }
    },
  },
  {
    id: 'replay-key-forms',
    topic: 'replay',
    title: 'Send idempotency keys that are empty, endless or not visible',
    requirements: ['AISVS-10.4.3', 'GATE-faults'],
    needs: ['member'],
    async run(t) {
      for (const idempotencyKey of ['a'.repeat(256), 'a'.repeat(10_000), 'a b', 'a\tb', 'é', '\u00ad']) {
        const answer = await t.gate.propose({ member: t.member, message: t.message() }, { idempotencyKey })
        const shown = JSON.stringify(idempotencyKey.slice(0, 12))
        t.refused(answer, ['invalid', 'too_large'], `the idempotency key ${shown} was taken`)
      }
    },
  },
  {
    id: 'replay-other-account',
    topic: 'replay',
    title: 'Repeat a request of one account with the key of another, to get its answer',
    requirements: ['GATE-apart', 'AISVS-9.2.8'],
    needs: ['member', 'secondKey'],
    async run(t) {
      const [idempotencyKey, message] = [t.nonce(), t.message()]
      await t.propose({ message }, { idempotencyKey })
      const stolen = await t.gate.propose(
        { member: t.member, message },
        { idempotencyKey, key: t.scene.secondKey },
      )
      t.refused(stolen, ['not_found', 'forbidden', 'invalid'], 'another account got the answer')
      t.holds(!stolen.text.includes(message), 'another account read the message')
    },
  },
  {
    id: 'replay-cancel',
    topic: 'replay',
    title: 'Cancel twice',
    requirements: ['ADR-0030-4', 'ADR-0030-6.2'],
    needs: ['member'],
    async run(t) {
      const action = await t.propose()
      t.done(await t.gate.cancel(action.id, { member: t.member }), 'the proposer could not cancel')
      t.refused(await t.gate.cancel(action.id, { member: t.member }), ['conflict'], 'cancelled twice')
    },
  },
  {
    id: 'replay-confirm',
    topic: 'replay',
    title: 'Use one consent twice: again, under its key as another member, and for an equal proposal',
    requirements: ['AISVS-9.2.8', 'ADR-0030-6.7', 'ADR-0030-7'],
    needs: ['member', 'effects'],
    confirms: true,
    async run(t) {
      const [idempotencyKey, message] = [t.nonce(), t.message()]
      const action = await t.propose({ message })
      const first = await t.confirm(action, {}, { idempotencyKey })
      if (first.action?.isAsked) t.skip('the policy asks for more than the word of an agent')
      t.done(first, 'the proposer could not confirm')
      t.refused(await t.confirm(action), ['conflict'], 'confirmed twice')
      const { action: after } = await t.gate.read(action.id)
      t.holds(after?.strength !== undefined, 'the record does not say how the action was consented to')
      if (t.scene.other) {
        const other = await t.confirm(action, { member: t.scene.other }, { idempotencyKey })
        t.refused(
          other,
          ['forbidden', 'not_found', 'invalid', 'conflict'],
          'another member repeated the confirm',
        )
      }
      const equal = await t.propose({ message })
      t.holds(equal.id !== action.id, 'an equal proposal is the executed action')
      await t.stillOpen(equal)
    },
  },
]
