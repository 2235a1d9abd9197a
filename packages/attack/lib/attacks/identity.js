/** @typedef {import('../index.js').Attack} Attack */

const wrong = /** @type {import('../index.js').Refusal[]} */ (['invalid', 'not_found', 'forbidden'])

/** @type {Attack[]} */
export const identity = [
  {
    id: 'identity-unknown',
    topic: 'identity',
    title: 'Act for members who do not exist, and for patterns that match some',
    requirements: ['AISVS-9.5.2', 'ADR-0030-5'],
    needs: [],
    async run(t) {
      const names = [
        'nobody@attack.invalid',
        '%',
        '%@%',
        '_',
        '*',
        '.*',
        '@',
        "' or '1'='1",
        'null',
        'undefined',
      ]
      for (const email of names) {
        const read = await t.gate.readTier({ email })
        t.refused(read, wrong, `a tier was told of ${email}`)
        const proposed = await t.gate.propose({ member: { email }, message: t.message() })
        t.refused(proposed, wrong, `proposed for ${email}`)
      }
    },
  },
  {
    id: 'identity-two-names',
    topic: 'identity',
    title: 'Name two members in one request',
    requirements: ['AISVS-9.5.2', 'ADR-0030-5'],
    needs: ['member', 'other'],
    async run(t) {
      const { member, other } = t.scene
      const both = [
        { ...member, provider: 'email', external_id: emailOf(other) },
        { ...member, provider: 'slack', external_id: 'U00000000' },
        [member, other],
        { ...member, actor: other },
      ]
      for (const two of both) {
        const answer = await t.gate.propose({ member: two, message: t.message() })
        t.refused(answer, wrong, `proposed for ${JSON.stringify(two)}`)
      }
      const extra = await t.gate.propose(
        { member, message: t.message() },
        { extra: { member: other, on_behalf_of: other } },
      )
      if (extra.outcome === 'done')
        t.holds(extra.action?.member === emailOf(member), 'another field changed the member')
    },
  },
  {
    id: 'identity-forms',
    topic: 'identity',
    title: 'Send an operator, a list, a number or nothing as the member',
    requirements: ['AISVS-10.4.4', 'GATE-faults'],
    needs: [],
    async run(t) {
      const forms = [
        undefined,
        null,
        true,
        0,
        '',
        'admin',
        [],
        {},
        { email: { $ne: null } },
        { email: ['a', 'b'] },
      ]
      const more = [
        { email: null },
        { email: 1 },
        { email: '' },
        { provider: 'email' },
        { external_id: 'U1' },
      ]
      for (const member of [...forms, ...more]) {
        const answer = await t.gate.propose({ member, message: t.message() })
        t.refused(answer, wrong, `proposed for ${JSON.stringify(member)}`)
      }
    },
  },
  {
    id: 'identity-tier-claimed',
    topic: 'identity',
    title: 'Claim a tier, a role or a policy for a member who may not propose',
    requirements: ['AISVS-9.5.1', 'AISVS-9.5.3'],
    needs: ['low'],
    async run(t) {
      const member = t.scene.low
      const claims = [
        { tier: 'write' },
        { tier_at_request: 'write' },
        { role: 'admin' },
        { policy: { kinds: {} } },
      ]
      for (const extra of claims) {
        const answer = await t.gate.propose({ member, message: t.message() }, { extra })
        t.holds(answer.action?.status !== 'proposed', `proposed with ${JSON.stringify(extra)}`)
        t.holds(answer.outcome !== 'failed', `a fault by ${JSON.stringify(extra)}`)
      }
      const inside = await t.gate.propose({ member: { ...member, tier: 'write' }, message: t.message() })
      t.holds(inside.action?.status !== 'proposed', 'proposed with a tier inside the member')
    },
  },
  {
    id: 'identity-in-headers',
    topic: 'identity',
    title: 'Name the member, the account or an administrator by headers of a proxy',
    requirements: ['ADR-0030-5', 'AISVS-9.4.1'],
    needs: ['member'],
    async run(t) {
      const email = emailOf(t.member)
      const headers = {
        'x-forwarded-user': email,
        'x-forwarded-email': email,
        'x-auth-request-email': email,
        'x-remote-user': 'admin',
        'x-actor': email,
        'x-account-id': 'acct_00000000',
        'x-original-url': '/console',
        'x-rewrite-url': '/console',
      }
      const unnamed = await t.gate.propose({ member: undefined, message: t.message() }, { headers })
      t.refused(unnamed, wrong, 'the member was taken from a header')
      const keyless = await t.gate.readTier(t.member, { headers, key: null })
      t.refused(keyless, ['unauthenticated'], 'headers stood for a key')
    },
  },
  {
    id: 'identity-named-twice',
    topic: 'identity',
    title: 'Repeat a parameter, so that two readers of it read two members',
    requirements: ['AISVS-10.4.4', 'AISVS-9.5.2'],
    needs: ['member', 'other'],
    transports: ['rest'],
    async run(t) {
      const [one, two] = [emailOf(t.member), emailOf(t.scene.other)].map(encodeURIComponent)
      for (const query of [
        `email=${one}&email=${two}`,
        `email[]=${one}`,
        `email[0]=${one}&email[1]=${two}`,
      ]) {
        const answer = await t.gate.raw({ method: 'GET', path: `/api/v1/capability?${query}` })
        t.refused(answer, wrong, `a tier was told for ${query}`)
      }
      const body = t.gate.proposalText({ member: t.member, message: t.message() })
      const path = `/api/v1/actions?actor=${two}`
      t.refused(await t.gate.raw({ path, body }), wrong, 'a proposal took a member from its address')
    },
  },
]

/** @param {any} member @returns {string} */
const emailOf = (member) => member?.email ?? `slack:${member?.external_id}`
