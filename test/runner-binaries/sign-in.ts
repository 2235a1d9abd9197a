import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type AppScene, appScene } from '../support/connected-app.ts'
import { type Visitor, signedInByMail } from '../support/console.ts'
import { inspectorSignIn, remoteSignIn } from '../support/mcp-programs.ts'
import type { DrivenRunner } from '../support/runner-binaries.ts'
import { type DrivenHome, makeHome, run } from '../support/runner-run.ts'
import { toolCalls } from '../support/runner-settings.ts'
import { type SignInBrowser, signInBrowser } from '../support/sign-in-browser.ts'
import { atTerminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'

// Programs of agents that get nothing but the address, and sign in by the browser that they open.

let scene: AppScene
let ada: Visitor
beforeAll(async () => {
  scene = await appScene()
  // What the makers of two of them say of these at addresses that no test asks.
  const documents: Record<string, [name: string, redirect: string]> = {
    'https://claude.ai/oauth/claude-code-client-metadata': ['Claude Code', 'http://localhost/callback'],
    'https://chatgpt.com/oauth/codex/client.json': ['Codex', 'http://127.0.0.1/callback'],
  }
  Object.assign(scene.gate.deps, {
    appDocuments: {
      read: async (id: string) => ({
        client_id: id,
        client_name: documents[id]![0],
        redirect_uris: [documents[id]![1]],
      }),
    },
  })
  const account = await scene.gate.account()
  await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  ada = await signedInByMail(scene.gate, 'ada@example.com')
})
afterAll(() => scene.stop())

/** How a person has each of them sign in. */
const signIns: Record<
  DrivenRunner,
  (home: DrivenHome, url: string, browser: SignInBrowser) => Promise<void>
> = {
  async claude(home, url, browser) {
    Object.assign(home.env, { ENABLE_TOOL_SEARCH: 'false', MCP_CONNECTION_NONBLOCKING: '0' })
    await ends(home, 'mcp', 'add', '--scope', 'user', '--transport', 'http', 'gate', url)
    await Promise.all([ends(home, 'mcp', 'login', 'gate'), browser.connect()])
  },
  async codex(home, url, browser) {
    const path = join(home.home, '.codex/config.toml')
    writeFileSync(path, `mcp_oauth_credentials_store = "file"\n${readFileSync(path, 'utf8')}`)
    await Promise.all([ends(home, 'mcp', 'add', 'gate', '--url', url), browser.connect()])
  },
  // Only in its own window.
  async gemini(home, url, browser) {
    await ends(home, 'mcp', 'add', '--scope', 'user', '--transport', 'http', 'gate', url)
    const window = atTerminal(home.program, ['-m', 'gemini-2.5-flash'], home)
    const shows = (text: string | RegExp) =>
      until(
        `it shows ${text}`,
        async () => stripVTControlCharacters(window.shown()).search(text) !== -1,
        60_000,
      )
    await shows('Type your message')
    window.type('/mcp auth gate')
    // Its only suggestion, below the line that was typed.
    await shows(/^ gate\s*$/m)
    window.type('\r')
    await shows(/Do you want to continue\?/)
    window.type('\r')
    await browser.connect()
    await shows('Successfully authenticated')
    window.close()
    await window.ended
  },
  async opencode(home, url, browser) {
    const path = join(home.home, '.config/opencode/opencode.json')
    const has = JSON.parse(readFileSync(path, 'utf8')) as object
    writeFileSync(path, JSON.stringify({ ...has, mcp: { gate: { type: 'remote', url } } }))
    await Promise.all([ends(home, 'mcp', 'auth', 'gate'), browser.connect()])
  },
}

/** Runs a command of a program to its end. */
async function ends(home: DrivenHome, ...args: string[]): Promise<void> {
  const program = atTerminal(home.program, args, home)
  expect([args, await program.ended, program.shown()]).toEqual([args, 0, expect.any(String)])
}

test.each(Object.entries(signIns) as [keyof typeof signIns, (typeof signIns)['claude']][])(
  '%s signs in by the address alone, and its model gets the answer of a tool',
  async (runner, signIn) => {
    const home = await makeHome(runner, { command: { ...toolCalls[runner], input: {} }, times: 1 })
    try {
      const browser = signInBrowser(home.home, ada)
      Object.assign(home.env, browser.env)
      await signIn(home, `${scene.base}/mcp`, browser)
      const more = runner === 'claude' ? ['--allowedTools', toolCalls.claude.name] : []
      await run(home, ...more)
      expect(home.models.told.at(-1)).toContain('guarded_write')
    } finally {
      await home.close()
    }
  },
)

/** The address that a program prints; a terminal may write it as a link, between control characters. */
const printed = (text: string) => /http:[!-~]+\/oauth\/authorize\?[!-~]+/.exec(text)?.[0]

test('mcp-remote signs in by the address alone, and lists the tools', async () => {
  const home = mkdtempSync(join(tmpdir(), 'mcp-remote-'))
  const browser = signInBrowser(home, ada)
  const tools = await remoteSignIn(`${scene.base}/mcp`, { HOME: home, ...browser.env }, (shown) =>
    browser.connect(() => printed(shown())),
  )
  rmSync(home, { recursive: true, force: true })
  expect(tools).toContain('request_action')
})

test('the Inspector signs in by the address alone, and lists the tools', async () => {
  const home = mkdtempSync(join(tmpdir(), 'inspector-'))
  const browser = signInBrowser(home, ada)
  const tools = await inspectorSignIn(`${scene.base}/mcp`, { HOME: home, ...browser.env }, (shown) =>
    browser.connect(() => printed(shown())),
  )
  rmSync(home, { recursive: true, force: true })
  expect(tools).toContain('request_action')
})
