import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessName } from '../../support/supervisor.ts'

/** The clocks of the processes, as their code reads them: `Date`. Timers, the database and Temporal keep the machine's. */
export interface Clocks {
  /** What `node` is given before the file of a process. */
  nodeArgs(name: ProcessName): string[]
  /** Seconds ahead of the machine's clock; 0 heals. */
  step(name: ProcessName, seconds: number): void
}

export function makeClocks(folder: string): Clocks {
  const fileOf = (name: ProcessName) => join(folder, `${name}.clock`)
  return {
    nodeArgs: (name) => ['--import', `data:text/javascript,${encodeURIComponent(stepped(fileOf(name)))}`],
    step: (name, seconds) => writeFileSync(fileOf(name), String(seconds * 1_000)),
  }
}

/** Looked at four times a second: a signal would end a process that has just begun. */
const stepped = (file: string) => `
  import { readFileSync } from 'node:fs'
  let ahead = 0
  const look = () => { try { ahead = Number(readFileSync(${JSON.stringify(file)}, 'utf8')) || 0 } catch {} }
  look()
  setInterval(look, 250).unref()
  const Real = Date
  const now = () => Real.now() + ahead
  globalThis.Date = new Proxy(Real, {
    get: (date, name) => (name === 'now' ? now : Reflect.get(date, name)),
    construct: (date, given, maker) => Reflect.construct(date, given.length === 0 ? [now()] : given, maker),
    apply: () => new Real(now()).toString(),
  })`
