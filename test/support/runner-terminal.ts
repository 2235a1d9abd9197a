import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endGroup } from './runner-run.ts'
import type { DrivenHome } from './runner-run.ts'
import { until } from './until.ts'

/**
 * Runs Claude Code as a person does, at a terminal, until the model has the result of its call.
 * @returns whether the tool ran
 */
export async function runAtTerminal(place: DrivenHome): Promise<boolean> {
  const { home, work, env, program, models, file } = place
  // The person has confirmed these before: the folder, and the key of the model.
  const project = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
  const state = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    projects: { [work]: project },
    customApiKeyResponses: { approved: [env['ANTHROPIC_API_KEY']], rejected: [] },
  }
  writeFileSync(join(home, '.claude.json'), JSON.stringify(state))
  // It is alone in a session of its own, which `script` ends with.
  const pidFile = join(home, 'pid')
  const command = `echo $$ > ${pidFile}; stty cols 120 rows 40; exec nice -n 10 ${program} --permission-mode default go`
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: work,
    env: { ...env, SHELL: '/bin/sh' },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = once(child, 'close')
  try {
    await until('the model was told', async () => models.told.length >= 2, 60_000)
    return existsSync(file)
  } finally {
    endGroup(Number(readFileSync(pidFile, 'utf8')))
    await ended
  }
}
