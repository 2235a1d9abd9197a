import type { RunnerRules } from './rules.ts'

/** The rules that an account has until an administrator sets others. */
export const defaultRunnerRules: RunnerRules = {
  record: 'refused',
  rules: [
    {
      tool: '*',
      match: { '@effect': 'credentials' },
      decision: 'deny',
      note: 'Agents do not read or change files with credentials.',
    },
    {
      tool: '*',
      match: { '@effect': 'network' },
      decision: 'deny',
      note: 'Agents do not use the network from tools.',
    },
    {
      tool: '*',
      match: { '@effect': { one_of: ['reads', 'reads_outside'] } },
      decision: 'allow',
      note: 'Reading is allowed.',
    },
    {
      tool: '*',
      match: { '@effect': 'edits_inside' },
      tier: 'guarded_write',
      decision: 'allow',
      note: 'Editing files in the working folder requires guarded_write.',
    },
    {
      tool: '*',
      tier: 'guarded_write',
      decision: 'consent',
      consent: 'chat',
      note: 'Running commands and editing elsewhere requires guarded_write and consent.',
    },
  ],
}
