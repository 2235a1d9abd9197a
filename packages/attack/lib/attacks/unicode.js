/** @typedef {import('../index.js').Attack} Attack @typedef {import('../index.js').Refusal} Refusal */

const wrong = /** @type {Refusal[]} */ (['invalid', 'not_found', 'forbidden'])
/** Letters of other scripts that look like these. @type {Record<string, string>} */
const twins = { a: 'а', c: 'с', e: 'е', i: 'і', o: 'о', p: 'р', s: 'ѕ', x: 'х', y: 'у' }
const invisible = ['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u202e', '\u{e0041}', '\u034f']

/** @type {Attack[]} */
export const unicode = [
  {
    id: 'unicode-twin-member',
    topic: 'unicode',
    title: 'Act for a member by letters that look like theirs, or that fold to theirs',
    requirements: ['AISVS-9.5.2', 'ADR-0030-5'],
    needs: ['member'],
    async run(t) {
      const email = emailOf(t)
      const twin = email.replaceAll(/[a-z]/g, (letter) => twins[letter] ?? letter)
      const wide = email.replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))
      const kelvin = email.replace('k', '\u212a').replace('s', '\u017f').replace('i', '\u0131')
      const names = [twin, wide, kelvin, email.replace('@', '＠'), email.replace('.', '。'), `${email}.`]
      for (const name of names.filter((name) => name !== email)) {
        t.refused(await t.gate.readTier({ email: name }), wrong, `${name} is the member`)
        t.refused(
          await t.gate.propose({ member: { email: name }, message: t.message() }),
          wrong,
          `${name} proposed`,
        )
      }
    },
  },
  {
    id: 'unicode-invisible-member',
    topic: 'unicode',
    title: 'Act for a member by an address with characters that nobody sees',
    requirements: ['AISVS-9.5.2', 'GATE-text'],
    needs: ['member'],
    async run(t) {
      const email = emailOf(t)
      for (const sign of invisible)
        for (const name of [`${sign}${email}`, `${email}${sign}`, email.replace('@', `${sign}@`)])
          t.refused(await t.gate.readTier({ email: name }), wrong, `${JSON.stringify(name)} is the member`)
    },
  },
  {
    id: 'unicode-no-text',
    topic: 'unicode',
    title: 'Send NUL, halves of characters and control characters',
    requirements: ['GATE-text', 'GATE-faults'],
    needs: ['member'],
    async run(t) {
      const signs = ['\0', '\ud800', '\udfff', '\u0007', '\u001b[31m', '\u0085', '\u007f', '\b']
      for (const sign of signs) {
        const shown = JSON.stringify(sign)
        const message = await t.gate.propose({ member: t.member, message: t.message(`a${sign}b`) })
        t.refused(message, ['invalid'], `a message with ${shown} was taken`)
        const reason = await t.gate.propose({
          member: t.member,
          message: t.message(),
          rationale: `a${sign}b`,
        })
        t.refused(reason, ['invalid'], `a reason with ${shown} was taken`)
        const name = await t.gate.readTier({ email: `${emailOf(t)}${sign}` })
        t.refused(name, wrong, `a member with ${shown} was taken`)
      }
    },
  },
  {
    id: 'unicode-bytes',
    topic: 'unicode',
    title: 'Send bytes that are not UTF-8, overlong ones, and a byte order mark',
    requirements: ['GATE-text', 'AISVS-10.4.4'],
    needs: ['member'],
    async run(t) {
      const text = t.gate.proposalText({ member: t.member, message: 'BYTES' })
      const [before = '', after = ''] = text.split('BYTES')
      const sequences = [
        [0xff, 0xfe],
        [0xc0, 0xaf],
        [0xed, 0xa0, 0x80],
        [0xf8, 0x88, 0x80, 0x80, 0x80],
        [0xc3],
      ]
      for (const bytes of sequences) {
        const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
        const answer = await t.gate.proposeText(body)
        t.refused(answer, ['invalid'], `the bytes ${Buffer.from(bytes).toString('hex')} were taken`)
      }
    },
  },
  {
    id: 'unicode-kind',
    topic: 'unicode',
    title: 'Name a kind of action in another form, to be judged by another rule',
    requirements: ['AISVS-9.5.1', 'AISVS-10.2.5'],
    needs: ['member'],
    async run(t) {
      const kinds = [
        'Broadcast',
        'BROADCAST',
        'broadcast ',
        'broadcast\u200b',
        'ｂroadcast',
        'brоadcast',
        '__proto__',
      ]
      for (const kind of [...kinds, 'constructor', 'toString', '', null, ['broadcast'], 0]) {
        const answer = await t.gate.propose({ member: t.member, message: t.message(), kind })
        t.refused(answer, ['invalid', 'forbidden', 'not_found'], `the kind ${JSON.stringify(kind)} was taken`)
      }
    },
  },
  {
    id: 'unicode-digest',
    topic: 'unicode',
    title: 'Find two messages that look alike and have one digest',
    requirements: ['AISVS-9.2.2', 'AISVS-9.2.8', 'ADR-0030-2'],
    needs: ['member'],
    async run(t) {
      const message = t.message('Pay é 100')
      const looks = [
        message,
        message.normalize('NFD'),
        message.replace('1', '1\u200b'),
        message.replace('a', 'а'),
      ]
      const digests = new Set()
      let taken = 0
      for (const look of looks) {
        const { action, outcome } = await t.gate.propose({ member: t.member, message: look })
        t.holds(outcome !== 'failed', 'a fault')
        if (!action) continue
        taken += 1
        digests.add(action.digest)
        t.holds(action.message === look, 'the message was changed to another form')
      }
      t.holds(digests.size === taken, 'two messages have one digest')
    },
  },
]

/** @param {import('../index.js').Trial} t @returns {string} */
function emailOf({ member, skip }) {
  if ('email' in member) return member.email
  return skip('the member has no address')
}
