import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { type AppScene, appScene } from '../support/connected-app.ts'
import { type Visitor, signedInByMail } from '../support/console.ts'
import { connectAgent } from '../support/connect-agent.ts'
import type { DrivenRunner } from '../support/runner-binaries.ts'
import { makeHome, run } from '../support/runner-run.ts'
import { toolCalls } from '../support/runner-settings.ts'
import { signInBrowser } from '../support/sign-in-browser.ts'
import { atTerminal } from '../support/terminal.ts'

// Programs of agents whose key is wrong, at a gate that apps can sign in to: none of them is drawn into signing in.

let scene: AppScene
let ada: Visitor
const logged: string[] = []
beforeAll(async () => {
  const out = new Writable({
    write(line, _encoding, done) {
      logged.push(String(line))
      done()
    },
  })
  scene = await appScene({ log: pino({ level: 'info' }, out) })
  const account = await scene.gate.account()
  await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  ada = await signedInByMail(scene.gate, 'ada@example.com')
})
afterAll(() => scene.stop())

/** What each says of a server that refuses its key, where it lists its servers. Codex does not ask them for that. */
const said: Record<DrivenRunner, string> = {
  claude: 'OAuth fallback is disabled when headers.Authorization is set',
  codex: 'Bearer token',
  gemini: 'Disconnected',
  opencode: 'Non-200 status code (401)',
}

/** What was asked for: the route, and how that was answered. */
const answered = () =>
  logged
    .map((line) => JSON.parse(line) as { route?: string; status?: number })
    .flatMap(({ route, status }) => (status === undefined ? [] : [`${route} ${status}`]))

test.each(Object.entries(said) as [DrivenRunner, string][])(
  '%s with a wrong key is refused, says so, and looks nowhere to sign in',
  async (runner, says) => {
    logged.length = 0
    const home = await makeHome(runner, { command: { ...toolCalls[runner], input: {} }, times: 1 })
    try {
      const browser = signInBrowser(home.home, ada)
      Object.assign(home.env, browser.env)
      await connectAgent(home, { url: scene.base, key: `qgk_${'x'.repeat(38)}` })
      const listing = atTerminal(home.program, ['mcp', 'list'], home)
      await listing.ended
      expect(unbroken(listing.shown())).toContain(unbroken(says))
      await run(home)
      expect(new Set(answered())).toEqual(new Set(['/api/mcp 401']))
      expect(browser.opened()).toBeUndefined()
    } finally {
      await home.close()
    }
  },
)

/** A text without what a terminal does with it: colours, and lines that are broken. */
const unbroken = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  text.replaceAll(/\u001b\[[0-9;?]*[a-zA-Z]/g, '').replaceAll(/\s/g, '')
