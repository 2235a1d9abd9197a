import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answerApp } from './connected-app.ts'
import type { Visitor } from './console.ts'
import { until } from './until.ts'

/** The browser that a program opens: a member is signed in there, who connects what asks. */
export interface SignInBrowser {
  /** For the environment of the program. */
  env: Record<string, string>
  /** What was opened; undefined: nothing was. */
  opened(): string | undefined
  /** Waits for an address, and connects what asks there. @param address  that was opened, or that the program printed */
  connect(address?: () => string | undefined): Promise<void>
}

export function signInBrowser(home: string, person: Visitor): SignInBrowser {
  const folder = join(home, 'browser')
  const [file, part] = [join(folder, 'opened'), join(folder, 'part')]
  mkdirSync(folder)
  for (const name of ['xdg-open', 'browser']) {
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s' "$1" > '${part}' && mv '${part}' '${file}'\n`)
    chmodSync(join(folder, name), 0o755)
  }
  const opened = () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
  return {
    // Without a screen, some would print the address instead.
    env: { PATH: `${folder}:${process.env['PATH']}`, BROWSER: join(folder, 'browser'), DISPLAY: ':9' },
    opened,
    async connect(address = opened) {
      const { pathname, search } = new URL(
        await until('a program asks to be connected', async () => address(), 60_000),
      )
      const answer = await answerApp(person, `${pathname}${search}`)
      const back = answer.headers.get('location')
      if (back === null) throw new Error(`It was not connected: ${answer.status} ${answer.text}`)
      await fetch(back)
    },
  }
}
