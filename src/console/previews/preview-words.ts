import type { ListedPreview } from '../../operations/admin/list-previews.ts'
import { type Html, type Part, html } from '../../web/html.ts'

type State = ListedPreview['status']

export const stateWords: Record<State, string> = {
  starting: 'starting',
  running: 'running',
  stopping: 'ending',
  stopped: 'stopped',
  failed: 'failed',
  expired: 'over',
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

/** Whether it can still be stopped. */
export const isLive = (state: State): boolean => state === 'starting' || state === 'running'

export const modeWords: Record<ListedPreview['mode'], string> = {
  static: 'files as they are',
  command: 'what was built, run in its walls',
}

/** Why it ended, for people; nothing where it was stopped, or lives. */
export function whyEnded({ error, exit_code: exitCode }: ListedPreview): Part {
  if (error === undefined) return ''
  const exit = exitCode === undefined ? '' : `, exit code ${exitCode}`
  return html`<span class="hint">${reasons[error] ?? error}${exit}</span>`
}

const reasons: Partial<Record<string, string>> = {
  account_suspended: 'the account was suspended',
  boot_timeout: 'it did not answer in time',
  exited: 'it ended by itself',
  dependencies_missing: 'packages that it needs are not there',
  host_lost: 'its worker is gone',
  host_stopped: 'its worker was replaced',
  idle: 'nobody looked at it',
  no_command: 'nothing to run',
  no_host: 'no worker had room',
  not_started: 'it could not be started',
  nothing_to_show: 'nothing to show',
  out_of_memory: 'it took more memory than it may',
  time_over: 'its time was over',
  too_large: 'it is too large to be shown',
  unavailable: 'its worker could not run it',
}
