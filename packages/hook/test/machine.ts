import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Env, InstallOptions, Runner } from '../lib/index.js'
import { goodKey } from './fake-gate.ts'

export interface Machine {
  home: string
  project: string
  env: Env
  options(runner: Runner, url: string): InstallOptions
  write(path: string, content: string, mode?: number): string
  read(path: string): string
  mode(path: string): string
  remove(): void
}

export const newest = { claude: '2.1.330', codex: '0.169.0', gemini: '0.61.0' }

/** A home folder and a project of their own, and programs that tell a version. */
export function newMachine(versions: Record<string, string> = newest, name = "gate-hook-it's "): Machine {
  const root = mkdtempSync(join(tmpdir(), name))
  const home = join(root, 'home')
  const project = join(root, 'project')
  const programs = join(root, 'programs')
  for (const folder of [home, project, programs]) mkdirSync(folder)
  const write = (path: string, content: string, mode = 0o644) => {
    const full = join(home, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, content)
    chmodSync(full, mode)
    return full
  }
  for (const [name, version] of Object.entries(versions))
    write(`../programs/${name}`, `#!/bin/sh\necho "${version} (${name})"\n`, 0o755)
  const env = { HOME: home, PATH: `${programs}:/usr/bin:/bin` }
  return {
    home,
    project,
    env,
    options: (runner, url) => ({ runner, url, key: goodKey, env, hasCanary: false }),
    write,
    read: (path) => readFileSync(join(home, path), 'utf8'),
    mode: (path) => (statSync(join(home, path)).mode & 0o777).toString(8),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

export const exists = (...path: string[]): boolean => existsSync(join(...path))
