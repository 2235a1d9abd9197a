import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program at a terminal of its own. */
export interface AtTerminal {
  /** What it has printed. */
  shown(): string
  /** Types into it. */
  type(text: string): void
  /** Closes it, as somebody does who closes the window. */
  close(): void
  /** How it ended. */
  ended: Promise<number | null>
}

export function atTerminal(
  program: string,
  args: string[],
  place: { env: Record<string, string>; work: string },
): AtTerminal {
  const words = [program, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qfec', `stty cols 200 rows 50; exec ${words}`, '/dev/null'], {
    cwd: place.work,
    env: { ...place.env, SHELL: '/bin/sh' },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (text += bytes.toString()))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    shown: () => text,
    type: (keys) => void child.stdin.write(keys),
    close: () => void child.kill('SIGKILL'),
    ended,
  }
}
