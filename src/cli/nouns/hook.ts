import {
  type Managed,
  type Removal,
  type Report,
  doctor,
  install,
  installKey,
  managed,
  managedText,
  removalText,
  reportText,
  runners,
  scopes,
  uninstall,
  writeManaged,
} from '#hook'
import { z } from 'zod'
import { UsageError, defineVerb, flag, optional, required } from '../verb.ts'

const oneOf = (names: readonly string[]) => `must be one of ${names.join(', ')}`
const file = z.string().min(1, 'must name a file')
const folder = z.string().min(1, 'must name a folder')

const place = {
  runner: required(
    'RUNNER',
    z.enum(runners, oneOf(runners)),
    'The agent runner: claude, codex, gemini, cursor, copilot or opencode',
    'claude',
  ),
  scope: optional(
    'SCOPE',
    z.enum(scopes, oneOf(scopes)),
    'Whose settings: user, project, or local for Claude Code; if absent: user',
    'project',
  ),
  dir: optional('FOLDER', folder, 'Folder in which the runner works; if absent: this folder', 'my-project'),
}

const checked = {
  binary: optional('FILE', file, 'Program of the runner, if it is not on the PATH', '/opt/claude/claude'),
  live: flag('Also drive the runner itself with a model on this machine (Claude Code, Codex)'),
}

export const hookVerbs = {
  install: defineVerb({
    summary: 'Put the gate before every tool call of an agent runner, and check that calls are blocked',
    options: {
      ...place,
      url: required('URL', z.string(), 'Address of the gate', 'https://gate.example.com'),
      key: optional(
        'KEY',
        z.string(),
        'API key of the runner; needed without --managed',
        'qgk_7hQ2mWzX0aLk4RtY',
      ),
      ca: optional(
        'FILE',
        file,
        'Certificates to trust for the gate instead of those of the system',
        '/etc/ssl/gate.pem',
      ),
      wait: optional(
        'SECONDS',
        z.coerce.number('must be a whole number'),
        'How long a call waits for a person, 0 to 50; if absent: as the runner allows',
        '50',
      ),
      headless: flag('For Claude Code without a terminal (claude -p): end the run while the member decides'),
      ...checked,
      'no-canary': flag('Do not check after installing'),
      managed: flag('Print the files of an administrator; nothing is installed'),
      out: optional('FOLDER', folder, 'With --managed: write the files into this folder', 'managed'),
    },
    shown: ['key'],
    async run(_, { key, live, managed: isManaged, out, 'no-canary': isUnchecked, ...given }) {
      if (isManaged) {
        const files = managed(given)
        return out === undefined ? files : { ...files, written: writeManaged(files, out) }
      }
      if (key === undefined) throw new UsageError('--key is required')
      return install({ ...given, key, isLive: live, hasCanary: !isUnchecked })
    },
    isReport: true,
    text: (answer: Report | (Managed & { written?: string[] })) => {
      if ('findings' in answer) return reportText(answer)
      return answer.written?.join('\n') ?? managedText(answer)
    },
    refusal: (answer: Report | Managed) => ('findings' in answer ? notGating(answer) : null),
  }),

  key: defineVerb({
    summary: 'Write the runner key of a member, for a hook that an administrator installed for the machine',
    options: {
      runner: place.runner,
      key: required('KEY', z.string(), 'API key of the runner', 'qgk_7hQ2mWzX0aLk4RtY'),
    },
    run: async (_, given) => installKey(given),
    text: (written: Removal) => removalText(written),
  }),

  uninstall: defineVerb({
    summary: 'Take the gate out of the settings of an agent runner, and restore what was there before',
    options: place,
    run: async (_, given) => uninstall(given),
    text: (removal: Removal) => removalText(removal),
  }),

  doctor: defineVerb({
    summary:
      'Check that the gate is before every tool call of an agent runner: what blocks and what does not',
    options: { ...place, ...checked, managed: flag('Check what an administrator installed for the machine') },
    run: async (_, { live, managed: isManaged, ...given }) => doctor({ ...given, isLive: live, isManaged }),
    isReport: true,
    text: (report: Report) => reportText(report),
    refusal: (report: Report) => notGating(report),
  }),
}

const notGating = ({ is_gating: isGating, findings }: Report): string | null =>
  isGating
    ? null
    : findings
        .filter(({ verdict }) => verdict === 'fails')
        .map(({ check, detail }) => `${check}: ${detail}`)
        .join('\n')
