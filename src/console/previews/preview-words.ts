import type { ListedPreview } from '../../operations/previews/list-previews.ts'
import { type Html, type Part, html } from '../../web/html.ts'

type State = ListedPreview['status']

export const stateWords: Record<State, string> = {
  starting: 'starting',
  running: 'running',
  stopping: 'stopping',
  stopped: 'stopped',
  failed: 'failed',
  expired: 'expired',
}

const badgeOf: Record<State, string> = {
  starting: 'running',
  running: 'good',
  stopping: 'running',
  stopped: 'over',
  failed: 'bad',
  expired: 'over',
}

export const stateBadge = (state: State): Html =>
  html`<span class="badge ${badgeOf[state]}">${stateWords[state]}</span>`

/** Whether it can be stopped. */
export const isLive = (state: State): boolean => state === 'starting' || state === 'running'

export const modeWords: Record<ListedPreview['mode'], string> = {
  static: 'static files',
  command: 'isolated command',
}

/** Why it ended; nothing while it runs or where it was stopped. */
export function whyEnded({ error, exit_code: exitCode }: ListedPreview): Part {
  if (error === undefined) return ''
  const exit = exitCode === undefined ? '' : `, exit code ${exitCode}`
  return html`<span class="hint">${reasons[error] ?? error}${exit}</span>`
}

const reasons: Partial<Record<string, string>> = {
  account_suspended: 'the account was suspended',
  boot_timeout: 'it did not start in time',
  exited: 'the command exited',
  dependencies_missing: 'required packages are missing',
  host_lost: 'its worker stopped responding',
  host_stopped: 'its worker was replaced',
  idle: 'no viewers for too long',
  no_command: 'no command to run',
  no_host: 'no worker had capacity',
  not_started: 'it could not be started',
  nothing_to_show: 'no files to show',
  out_of_memory: 'it exceeded its memory limit',
  time_over: 'it reached its time limit',
  too_large: 'the workspace is too large',
  unavailable: 'its worker could not run it',
}
