import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type Server, createServer } from 'node:net'
import { join } from 'node:path'
import { limits } from '../../src/limits.ts'
import { openExactly, pathProof } from '../../src/workspaces/open-exactly.ts'
import { type TestWorkspace, freshWorkspace, secret } from '../support/workspace-tree.ts'

let tree: TestWorkspace
beforeEach(async () => {
  tree = await freshWorkspace()
  tree.write({ 'index.html': 'inside', 'docs/guide.md': 'inside too' })
})
afterEach(() => tree.remove())

const honest = ['docs/guide.md', 'index.html']

describe('a link is neither listed nor followed', () => {
  test.each<[string, () => string, string]>([
    ['to a file outside', () => join(tree.outside, 'secret.txt'), 'link'],
    ['to a file outside, relative', () => '../../../outside/secret.txt', 'link'],
    ['to a file inside', () => 'index.html', 'link'],
    ['to a folder outside', () => tree.outside, 'link/secret.txt'],
    ['to the folder above', () => '..', 'link/site/index.html'],
    ['to a folder inside', () => 'docs', 'link/guide.md'],
    ['to the root of everything', () => '/', 'link/etc/passwd'],
    ['to itself', () => 'link', 'link'],
    ['to nothing', () => 'nowhere', 'link'],
    ['to what this process holds open', () => '/proc/self/cwd', 'link/package.json'],
  ])('%s', async (_what, target, path) => {
    symlinkSync(target(), tree.path('link'))
    expect(await tree.paths()).toEqual(honest)
    expect(await tree.store.stat(path)).toBeUndefined()
    expect(await tree.text(path)).toBeUndefined()
  })

  test('in the middle of a path', async () => {
    symlinkSync(tree.outside, tree.path('docs/more'))
    expect([await tree.text('docs/more/secret.txt'), await tree.paths()]).toEqual([undefined, honest])
  })

  test('where the folder of the workspace itself is one', async () => {
    renameSync(tree.folder, join(tree.root, 'moved'))
    symlinkSync(join(tree.root, 'moved'), tree.folder)
    expect([await tree.paths(), await tree.text('index.html')]).toEqual([[], undefined])
  })

  test('a .gitignore that is one has no rules', async () => {
    writeFileSync(join(tree.outside, 'rules'), '*')
    symlinkSync(join(tree.outside, 'rules'), tree.path('.gitignore'))
    expect(await tree.paths()).toEqual(honest)
  })

  test('but the root of all workspaces may be one: the operator put it there', async () => {
    const { localWorkspaces } = await import('../../src/workspaces/local-workspaces.ts')
    symlinkSync(tree.root, join(tree.outside, 'root'))
    const id = { account: 'acct_0000000000000000', conversationId: 'site' }
    const store = localWorkspaces(join(tree.outside, 'root')).open(id)
    expect((await store.list({ after: '', limitFiles: 9 })).files).toHaveLength(2)
  })
})

describe('a thing that is no regular file is neither listed nor opened:', () => {
  let server: Server | undefined
  afterEach(() => void server?.close())

  const expectAbsent = async (path: string) => {
    expect(await tree.paths()).toEqual(honest)
    expect(await tree.text(path)).toBeUndefined()
  }

  test('a pipe, which nobody waits for', async () => {
    expect(spawnSync('mkfifo', [tree.path('pipe'), tree.path('.gitignore')]).status).toBe(0)
    await expectAbsent('pipe')
  })

  test('a socket', async () => {
    server = createServer().listen(tree.path('socket'))
    await once(server, 'listening')
    await expectAbsent('socket')
  })

  test('a device', async () => {
    // To make one takes rights that not everybody has; one that is there must do then.
    const isMade = spawnSync('mknod', [tree.path('null'), 'c', '1', '3']).status === 0
    await expectAbsent(isMade ? 'null' : 'nothing')
    expect(await openExactly('/dev/null', 'file')).toBeUndefined()
  })

  test('a folder', async () => {
    expect([await tree.text('docs'), await tree.store.stat('docs')]).toEqual([undefined, undefined])
  })

  test('a file as a folder', async () => expectAbsent('index.html/x'))
})

describe('a path leads to nothing outside', () => {
  test.each([
    '../../outside/secret.txt',
    'docs/../../../outside/secret.txt',
    '..',
    '.',
    './index.html',
    'docs/../index.html',
    '/etc/passwd',
    '//etc/passwd',
    'docs//guide.md',
    'index.html/',
    'index.html\0.txt',
    'INDEX.HTML',
    'Docs/guide.md',
    '%2e%2e/outside/secret.txt',
    'docs%2fguide.md',
    'docs\\guide.md',
    '',
    'x'.repeat(300),
    '\ud800',
  ])('%j', async (path) => {
    expect(await tree.text(path)).toBeUndefined()
    expect(await tree.store.stat(path)).toBeUndefined()
  })

  test('or to nothing at all, where it is too long or too deep', async () => {
    const [long, deep] = [`${'x'.repeat(200)}/`.repeat(6), 'a/'.repeat(64)]
    tree.write({ [`${long}b`]: '', [`${deep}b`]: '' })
    expect([await tree.text(`${long}b`), await tree.text(`${deep}b`)]).toEqual([undefined, undefined])
  })
})

test('odd names are names: they are listed and read as they are', async () => {
  const names = [
    '-rf',
    ' a ',
    'a\nb',
    '"quoted"',
    'ü/日本語/😀.txt',
    '$(x)',
    '*',
    '...',
    'C:',
    'a\\b',
    '%2e%2e',
    '\u202eabc',
  ]
  tree.write(Object.fromEntries(names.map((name) => [name, name])))
  const found = await tree.paths()
  for (const name of names) {
    expect(found).toContain(name)
    expect(await tree.text(name)).toBe(name)
  }
})

test('a name that is no UTF-8 cannot be told, so it is not listed, and hides nothing else', async () => {
  const folder = Buffer.from(`${tree.folder}/`)
  writeFileSync(Buffer.concat([folder, Buffer.from([0x61, 0xff])]), 'x')
  writeFileSync(Buffer.concat([folder, Buffer.from([0x61, 0xfe])]), 'x')
  expect(await tree.paths()).toEqual(honest)
  tree.write({ 'a\ufffd': 'real' })
  expect(await tree.paths()).toEqual(['a\ufffd', ...honest])
})

test('a second name of a file inside is a file: installers of packages make many', async () => {
  linkSync(tree.path('index.html'), tree.path('same.html'))
  expect([await tree.paths(), await tree.text('same.html')]).toEqual([[...honest, 'same.html'], 'inside'])
})

describe('hidden files', () => {
  test.each([
    '.env',
    '.git/config',
    'deep/.git/HEAD',
    'node_modules/x/index.js',
    'tls/server.key',
    '.ssh/id_rsa',
  ])('%s is not listed and cannot be read', async (path) => {
    tree.write({ [path]: 'hidden' })
    expect([await tree.paths(), await tree.text(path)]).toEqual([honest, undefined])
  })

  test('rules of .gitignore hold, the nested ones too, and folders above decide first', async () => {
    tree.write({
      '.gitignore': '*.log\n/dist/\n',
      'a.log': '',
      'dist/app.js': '',
      'dist/.gitignore': '!*',
      'docs/.gitignore': '!kept.log\nprivate',
      'docs/kept.log': '',
      'docs/other.log': '',
      'docs/private/x': '',
      'src/dist/app.js': '',
    })
    const shown = await tree.paths()
    const expected = [
      '.gitignore',
      'docs/.gitignore',
      'docs/guide.md',
      'docs/kept.log',
      'index.html',
      'src/dist/app.js',
    ]
    expect(shown).toEqual(expected)
    for (const path of ['a.log', 'dist/app.js', 'docs/other.log', 'docs/private/x']) {
      expect([path, await tree.text(path)]).toEqual([path, undefined])
    }
    for (const path of expected) expect(await tree.store.stat(path)).toBeDefined()
  })

  test('a rule that stands behind the bound is not there, and none is cut in half', async () => {
    const filler = '# '.padEnd(limits.ignoreFileBytesMax - 2, 'x')
    tree.write({ '.gitignore': `${filler}\n*.md\n` })
    expect(await tree.paths()).toEqual(['.gitignore', ...honest])
  })

  test('a preview sees what .gitignore and node_modules hide, and no secret', async () => {
    tree.write({
      '.gitignore': 'dist',
      'dist/a.js': '',
      'node_modules/x/i.js': '',
      '.env': '',
      '.git/config': '',
    })
    const { files } = await tree.open('built').list({ after: '', limitFiles: 9 })
    const expected = ['.gitignore', 'dist/a.js', 'docs/guide.md', 'index.html', 'node_modules/x/i.js']
    expect(files.map(({ path }) => path)).toEqual(expected)
  })
})

/** A process that goes on swapping what lies at a path, until it is told to stop. */
function swapping(steps: string): { stop(): Promise<void> } {
  const program = `const fs = require('node:fs'); process.on('SIGTERM', () => process.exit());
    (function go() { for (let i = 0; i < 50; i++) { ${steps} } setImmediate(go) })()`
  const child: ChildProcess = spawn(process.execPath, ['-e', program], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return {
    async stop() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

const raceMs = 2_500

describe('while somebody goes on swapping', () => {
  /** Asks as often as time allows. Returns how often each answer came. */
  async function ask(question: () => Promise<string | undefined>): Promise<Map<string | undefined, number>> {
    const answers = new Map<string | undefined, number>()
    const count = async () => {
      const answer = await question()
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
    for (const until = Date.now() + raceMs; Date.now() < until;)
      await Promise.all([count(), count(), count()])
    return answers
  }

  // Either lies there for a moment of its own length, so that every step of a request meets a swap now and then.
  const swapWithLink = (name: string, target: string) => `
    const [there, aside, link] = ${JSON.stringify([tree.path(name), join(tree.outside, 'aside'), join(tree.outside, 'link')])}
    const rest = (until = performance.now() + Math.random() / 2) => { while (performance.now() < until); }
    if (!fs.existsSync(link)) fs.symlinkSync(${JSON.stringify(target)}, link)
    fs.renameSync(there, aside); fs.renameSync(link, there); rest()
    fs.renameSync(there, link); fs.renameSync(aside, there); rest()`

  test('a folder with a link to another, no file of the other is ever read', async () => {
    tree.write({ 'docs/secret.txt': 'inside' })
    const swapper = swapping(swapWithLink('docs', tree.outside))
    const answers = await ask(() => tree.text('docs/secret.txt'))
    await swapper.stop()
    expect([...answers.keys()].toSorted()).toEqual(['inside', undefined])
  })

  test('a file with a link to another, the other is never read', async () => {
    const swapper = swapping(swapWithLink('index.html', join(tree.outside, 'secret.txt')))
    const answers = await ask(() => tree.text('index.html'))
    await swapper.stop()
    expect([...answers.keys()].toSorted()).toEqual(['inside', undefined])
  })

  test('a folder with a link to another, no name or size of the other is ever listed', async () => {
    tree.write({ 'docs/secret.txt': 'four' })
    for (let n = 0; n < 20; n++) writeFileSync(join(tree.outside, `other-${n}`), secret)
    const swapper = swapping(swapWithLink('docs', tree.outside))
    const answers = await ask(async () =>
      (await tree.listAll()).map(({ path, sizeBytes }) => `${path} ${sizeBytes}`).join(),
    )
    await swapper.stop()
    const seen = [...answers.keys()].join()
    expect(seen).toContain('docs/secret.txt 4')
    expect(seen).not.toMatch(new RegExp(`other-|docs/secret.txt ${secret.length}`))
    expect(answers.size).toBeGreaterThan(1)
  })

  test('a file with a new one, as editors save, it is always there and whole', async () => {
    const file = JSON.stringify(tree.path('index.html'))
    const swapper = swapping(
      `fs.writeFileSync(${file} + '~', i % 2 ? 'new' : 'inside'); fs.renameSync(${file} + '~', ${file});`,
    )
    const answers = await ask(() => tree.text('index.html'))
    await swapper.stop()
    expect([...answers.keys()].toSorted()).toEqual(['inside', 'new'])
  })
})

describe('where the system does not tell where an open file lies', () => {
  const open = async (path: string, kind: 'file' | 'folder' = 'file') => {
    const opened = await openExactly(path, kind, pathProof)
    await opened?.handle.close()
    return opened !== undefined
  }

  test('a file at its path is opened, and nothing that lies behind a link or is no file', async () => {
    symlinkSync(join(tree.outside, 'secret.txt'), tree.path('link'))
    symlinkSync(tree.outside, tree.path('folder'))
    expect(spawnSync('mkfifo', [tree.path('pipe')]).status).toBe(0)
    const absent = ['link', 'folder/secret.txt', 'pipe', 'docs', 'nothing']
    for (const name of absent) expect([name, await open(tree.path(name))]).toEqual([name, false])
    expect([await open(tree.path('index.html')), await open(tree.path('docs'), 'folder')]).toEqual([
      true,
      true,
    ])
    expect(await open(tree.path('folder'), 'folder')).toBe(false)
  })
})

test('a folder that the service may not enter is as one that is not there', async () => {
  mkdirSync(tree.path('closed'))
  writeFileSync(tree.path('closed/a'), '')
  chmodSync(tree.path('closed'), 0o000)
  // Root may enter everywhere.
  const expected = asRoot ? ['closed/a', ...honest] : honest
  expect(await tree.paths()).toEqual(expected)
  chmodSync(tree.path('closed'), 0o700)
})

test('a workspace that nothing was written to has no files', async () => {
  rmSync(tree.root, { recursive: true })
  expect([await tree.paths(), await tree.text('index.html')]).toEqual([[], undefined])
})

const asRoot = process.getuid?.() === 0

test('a workspace that the service may not enter is a fault in the log, not an empty workspace', async () => {
  chmodSync(tree.folder, 0o000)
  // Root may enter everywhere.
  const outcome = await tree.paths().catch((error: NodeJS.ErrnoException) => error.code)
  expect(outcome).toEqual(asRoot ? honest : 'EACCES')
  chmodSync(tree.folder, 0o700)
})

const tellsOfOpenFiles = existsSync('/proc/self/fd')

test('whatever was asked for and however it ended, nothing stays open', async () => {
  const openFiles = () => (tellsOfOpenFiles ? readdirSync('/proc/self/fd').length : 0)
  tree.write({ '.gitignore': 'x', 'a/b/c/d': '', 'a/b/e': '', x: '', '.env': '' })
  symlinkSync(tree.outside, tree.path('link'))
  const ask = async () => {
    await tree.store.list({ after: '', limitFiles: 1 })
    await tree.paths(2)
    for (const path of ['a/b/c/d', 'x', '.env', 'link/secret.txt', 'a', 'nothing', 'index.html/x']) {
      await Promise.all([tree.text(path), tree.store.stat(path)])
    }
  }
  await ask()
  const before = openFiles()
  for (let n = 0; n < 10; n++) await ask()
  expect(openFiles()).toBe(before)
})
