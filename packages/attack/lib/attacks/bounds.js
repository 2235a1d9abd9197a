/** @typedef {import('../index.js').Attack} Attack @typedef {import('../index.js').Refusal} Refusal */

const wrong = /** @type {Refusal[]} */ (['invalid', 'too_large'])
const slowMs = 10_000
/** More than any policy should leave open for one member, and few enough to cancel again. */
const floodMax = 120

/** @type {Attack[]} */
export const bounds = [
  {
    id: 'bounds-message',
    topic: 'bounds',
    title: 'Propose nothing, white space, and a message without end',
    requirements: ['AISVS-9.2.2', 'AISVS-10.4.3'],
    needs: ['member'],
    async run(t) {
      const messages = [
        '',
        ' ',
        '\n\t \n',
        null,
        undefined,
        0,
        [],
        {},
        ['a'],
        'a'.repeat(200_000),
        '😀'.repeat(100_000),
      ]
      for (const message of messages) {
        const answer = await t.gate.propose({ member: t.member, message })
        t.refused(answer, wrong, `a message of ${JSON.stringify(message)?.slice(0, 30)} was taken`)
      }
      const rationale = await t.gate.propose({
        member: t.member,
        message: t.message(),
        rationale: 'a'.repeat(200_000),
      })
      t.refused(rationale, wrong, 'a reason without end was taken')
    },
  },
  {
    id: 'bounds-body',
    topic: 'bounds',
    title: 'Send a body of 8 MiB',
    requirements: ['AISVS-10.4.5', 'GATE-faults'],
    needs: [],
    async run(t) {
      const member = t.scene.member ?? { email: 'nobody@attack.invalid' }
      const body = t.gate.proposalText({ member, message: 'a'.repeat(8 * 1024 * 1024) })
      const answer = await t.gate.proposeText(body)
      // A server that hangs up in the middle of it has refused it too.
      const isCut = answer.status === 0 && /EPIPE|ECONNRESET|hang up/.test(answer.text)
      if (!isCut) t.refused(answer, wrong, 'a body of 8 MiB was taken')
      t.done(await t.gate.list({ limit: 1 }), 'after it the gate does not answer')
    },
  },
  {
    id: 'bounds-shape',
    topic: 'bounds',
    title: 'Send 50,000 nested lists, and 50,000 unknown fields',
    requirements: ['AISVS-10.4.3', 'AISVS-10.4.4'],
    needs: ['member'],
    async run(t) {
      const member = t.member
      const text = t.gate.proposalText({ member, message: 'nested' })
      const nested = text.replace('"nested"', `${'['.repeat(50_000)}${']'.repeat(50_000)}`)
      const fields = Array.from({ length: 50_000 }, (_, n) => `"f${n}":${n}`).join(',')
      const flooded = text.replace('"nested"', `"nested",${fields}`)
      for (const body of [nested, flooded]) {
        const answer = await t.gate.proposeText(body)
        t.refused(answer, wrong, 'a request of another shape was taken')
        t.holds(answer.ms < slowMs, `it took ${answer.ms} ms to refuse`)
        t.holds(answer.text.length < 20_000, 'the refusal repeats the request')
      }
    },
  },
  {
    id: 'bounds-ids',
    topic: 'bounds',
    title: 'Read, confirm and cancel actions by ids that are none',
    requirements: ['AISVS-10.4.4', 'GATE-faults'],
    needs: ['member'],
    async run(t) {
      const own = await t.propose()
      // Forms of its own action: where one is taken, nothing of others is decided.
      const inForms = [
        Number(own.id) + 0.5,
        `${own.id} or 1=1`,
        `${own.id};--`,
        String(own.id).replaceAll(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'.charAt(Number(digit))),
        `0x${Number(own.id).toString(16)}`,
        `${own.id}e0`,
        `+${own.id}`,
        ` ${own.id}`,
      ]
      const ids = [0, -1, 1e21, 2 ** 53, 2 ** 63, 'null', '', '..', ...inForms]
      for (const id of ids) {
        const answers = [
          await t.gate.read(id),
          await t.gate.confirm(id, { member: t.member, digest: '0'.repeat(64) }),
          await t.gate.cancel(id, { member: t.member }),
        ]
        // A list is what reading the id "" and "." may come to over REST, which is no action.
        for (const answer of answers.filter(({ actions }) => actions === undefined))
          t.refused(answer, ['not_found', 'invalid'], `the id ${JSON.stringify(id)} was taken`)
      }
      await t.stillOpen(own)
    },
  },
  {
    id: 'bounds-pages',
    topic: 'bounds',
    title: 'Ask for pages without end, before the start, and of every kind of text',
    requirements: ['AISVS-10.4.3', 'GATE-faults'],
    needs: [],
    async run(t) {
      const limits = [0, -1, 1.5, 1e9, 'all', '1; drop table', '', 'NaN', 'Infinity']
      for (const limit of limits)
        t.refused(await t.gate.list({ limit }), wrong, `a page of ${JSON.stringify(limit)} was given`)
      for (const query of [
        { after: -1 },
        { after: 'x' },
        { status: 'any' },
        { status: '' },
        { order: 'random()' },
      ])
        t.refused(await t.gate.list(query), wrong, `a list by ${JSON.stringify(query)} was given`)
      const far = await t.gate.list({ after: Number.MAX_SAFE_INTEGER })
      t.holds(far.outcome !== 'failed' && (far.actions ?? []).length === 0, 'a page beyond the end has rows')
    },
  },
  {
    id: 'bounds-headers',
    topic: 'bounds',
    title: 'Send headers of 256 KiB, and 2,000 of them',
    requirements: ['AISVS-10.4.5', 'GATE-faults'],
    needs: ['member'],
    async run(t) {
      const many = Object.fromEntries(
        Array.from({ length: 2_000 }, (_, n) => [`x-flood-${n}`, 'a'.repeat(20)]),
      )
      for (const headers of [{ 'x-long': 'a'.repeat(256 * 1024) }, many]) {
        const answer = await t.gate.readTier(t.member, { headers })
        const isCut = answer.status === 0
        if (!isCut) t.refused(answer, wrong, 'endless headers were taken')
      }
      t.done(await t.gate.list({ limit: 1 }), 'after it the gate does not answer')
    },
  },
  {
    id: 'bounds-flood',
    topic: 'bounds',
    title: 'Propose without end for one member',
    requirements: ['AISVS-9.1.2'],
    needs: ['member', 'effects'],
    async run(t) {
      for (let n = 0; n < floodMax; n++) {
        const answer = await t.gate.propose({ member: t.member, message: t.message(`No. ${n}.`) })
        if (answer.why === 'too_many') return
        t.done(answer, 'a proposal was refused for another reason')
      }
      t.holds(false, `${floodMax} proposals of one member are open`)
    },
  },
]
