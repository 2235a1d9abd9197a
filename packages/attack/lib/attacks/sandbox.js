/** @typedef {import('../index.js').Attack} Attack */

const paths = [
  '../../../../etc/passwd',
  '/etc/passwd',
  '..\\..\\etc\\passwd',
  '%2e%2e%2fetc%2fpasswd',
  './../..',
  '.env',
  '.git/config',
  '.ssh/id_rsa',
  'node_modules/.package-lock.json',
  'a\0b',
  '',
  '.',
  '/',
  'con/../../x',
]

/** @type {Attack[]} */
export const sandbox = [
  {
    id: 'sandbox-files',
    topic: 'sandbox',
    title: 'Read outside a workspace, and what is hidden in it',
    requirements: ['AISVS-9.3.1', 'AISVS-10.2.5'],
    needs: ['member', 'conversation'],
    async run(t) {
      const conversation = /** @type {string} */ (t.scene.conversation)
      for (const path of paths) {
        const answer = await t.gate.readFile?.({ conversation, path, member: t.member })
        if (!answer) return t.skip('files cannot be read')
        t.refused(answer, ['not_found', 'invalid'], `the file ${JSON.stringify(path)} was read`)
      }
    },
  },
  {
    id: 'sandbox-foreign',
    topic: 'sandbox',
    title: 'Read a conversation of others, or learn that it exists',
    requirements: ['GATE-apart', 'GATE-outside', 'AISVS-9.5.2'],
    needs: ['member', 'foreignConversation'],
    async run(t) {
      const read = (/** @type {string} */ conversation) =>
        t.gate.readFile?.({ conversation, path: 'index.html', member: t.member })
      const [foreign, none] = [
        await read(/** @type {string} */ (t.scene.foreignConversation)),
        await read('attack-no-such-conversation'),
      ]
      if (!foreign || !none) return t.skip('files cannot be read')
      t.refused(foreign, ['not_found'], 'a conversation of others was read')
      t.refused(none, ['not_found'], 'a conversation that does not exist was read')
      const plain = (/** @type {string} */ text) => text.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '')
      const told = plain(foreign.text).replaceAll(/** @type {string} */ (t.scene.foreignConversation), '')
      t.holds(
        told === plain(none.text).replaceAll('attack-no-such-conversation', ''),
        'the answers tell them apart',
      )
    },
  },
  {
    id: 'sandbox-inside',
    topic: 'sandbox',
    title: 'Find what is meant for operators: metrics, debuggers, files, the console, the stand-ins',
    requirements: ['GATE-outside', 'AISVS-9.2.9'],
    needs: [],
    transports: ['rest'],
    async run(t) {
      const hidden = [
        '/metrics',
        '/debug/pprof',
        '/.env',
        '/.git/config',
        '/admin',
        '/api/v1/internal',
        '/api/v1/keys',
      ]
      const ofPeople = [
        '/console/keys',
        '/console/members',
        '/console/policies',
        '/console/ledger',
        '/sandbox',
        '/messages',
      ]
      for (const path of [...hidden, ...ofPeople]) {
        const answer = await t.gate.raw({ method: 'GET', path })
        const isSentToSignIn = answer.status >= 300 && answer.status < 400
        if (!isSentToSignIn) t.refused(answer, undefined, `${path} is open`)
      }
      for (const path of ['/console/keys', '/console/members', '/console/sign-in/code']) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        const answer = await t.gate.raw({ method: 'POST', path, headers, body: 'name=attack' })
        t.refused(answer, undefined, `a form of the console was taken: ${path}`)
      }
    },
  },
]
