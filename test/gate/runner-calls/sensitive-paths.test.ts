import { describe, expect, test } from '@jest/globals'
import { defaultRunnerRules } from '../../../src/gate/runner-calls/default-rules.ts'
import { effectOf } from '../../../src/gate/runner-calls/effect.ts'
import { applyRules } from '../../../src/gate/runner-calls/rules.ts'
import type { RunnerRule } from '../../../src/gate/runner-calls/rules.ts'
import type { ToolCall } from '../../../src/gate/runner-calls/tool-call.ts'
import { testRows } from '../../support/rows.ts'
import { toolCall } from './tool-call.ts'

const callOf = (tool: string, input: ToolCall['input'], cwd = '/home/me/app') =>
  toolCall(tool, input, { cwd })
const reading = (file_path: string, cwd?: string) => callOf('Read', { file_path }, cwd)
const printing = (path: string, cwd?: string) => callOf('Bash', { command: `cat '${path}'` }, cwd)
const decisionOn = (call: ToolCall) => applyRules(defaultRunnerRules, call, 'guarded_write').decision

describe('hidden files outside the working folder', () => {
  test('a rule by the start of their path allows them, and no others', () => {
    const [credentials, ...others] = defaultRunnerRules.rules
    const plans: RunnerRule = {
      tool: 'Read',
      match: { file_path: { prefix: '/home/me/.claude/plans/' } },
      decision: 'allow',
      note: 'Plans.',
    }
    const skills: RunnerRule = {
      tool: 'Bash',
      match: { command: 'cat /home/me/.codex/skills/*' },
      decision: 'allow',
      note: 'Skills.',
    }
    const rules = [credentials!, plans, skills, ...others]
    const decided = (call: ToolCall) => applyRules({ rules, record: 'refused' }, call, 'write').decision
    expect(decided(reading('/home/me/.claude/plans/a.md'))).toBe('allow')
    expect(decided(reading('/home/me/.claude/plans/.env'))).toBe('deny')
    expect(decided(reading('/home/me/.claude/plans/../projects/a.jsonl'))).toBe('consent')
    expect(decided(reading('/home/me/.claude/projects/a.jsonl'))).toBe('consent')
    const command = 'cat /home/me/.codex/skills/a/SKILL.md'
    expect(decided(callOf('Bash', { command }))).toBe('allow')
    expect(decided(callOf('Bash', { command: `${command}; cat ~/.config/x` }))).toBe('consent')
    expect(decided(callOf('Bash', { command: `${command} ~/.codex/auth.json` }))).toBe('deny')
  })

  testRows([
    '/home/me/.config/configstore/firebase-tools.json',
    '/home/me/.codex/config.toml',
    '/home/me/.cursor/mcp.json',
    '/home/me/.bashrc',
    '/home/me/.zshrc',
    '/home/me/other/.notes/a.txt',
    '/root/.config/x',
    '/Users/me/.config/x',
    '/Users/me/Library/Application Support/x/config.json',
    '/users/me/library/x',
    '/private/var/root/Library/x',
    '/home/me/AppData/Roaming/x/config.json',
    '/mnt/c/Users/me/AppData/Roaming/x/config.json',
    '/mnt/c/Users/me/CONFIG~1/x',
    '/var/lib/jenkins/.config/x',
    '/home/me/app/../.config/x',
    '/home/me/\uff0econfig/x',
    '../.config/x',
  ])('reading one needs consent', (path) => {
    expect(effectOf(reading(path))).toBe('unknown')
    expect(effectOf(printing(path))).toBe('runs')
    expect(decisionOn(reading(path))).toBe('consent')
    expect(decisionOn(printing(path))).toBe('consent')
  })

  testRows([
    'cat ~/.config/x',
    'cat $HOME/.config/x',
    'cat "${HOME}/.config/x"',
    'cat ~me/.config/x',
    'cat ~/Library/x',
    'cat < ~/.config/x',
    'cat notes.txt ~/.config/x',
    '(cd ~/.config && cat x)',
    'ls ~/.config',
    'diff a.txt ~/.config/x',
  ])('a command that reads one needs consent', (command) => {
    expect(decisionOn(callOf('Bash', { command }))).toBe('consent')
  })

  test.each(['C:\\Users\\me\\.config\\x', 'C:\\Users\\me\\AppData\\Local\\x', 'C:\\Users\\me\\CONFIG~1\\x'])(
    'reading %s needs consent',
    (path) => {
      expect(effectOf(reading(path, 'C:\\Users\\me\\app'))).toBe('unknown')
    },
  )

  testRows([
    '/home/me/notes.txt',
    '/home/me/other/src/a.ts',
    '/home/me/other/Library/a.ts',
    '/Library/Developer/a.h',
    '/usr/include/stdio.h',
    '~/notes.txt',
  ])('reading any other does not', (path) => {
    expect(effectOf(reading(path))).toBe('reads_outside')
  })

  testRows([
    ['/home/me/app', '.config/x', 'reads'],
    ['/home/me/app', '.bashrc', 'reads'],
    ['/home/me/.worktrees/app', 'src/a.ts', 'reads_outside'],
    ['/home/me/.codex/worktrees/app', '/home/me/.codex/worktrees/app/.github/a.yml', 'reads_outside'],
    ['/home/me/.codex/worktrees/app', '/home/me/.codex/worktrees/app/.env', 'credentials'],
    ['/home/me/.codex/worktrees/app', '/home/me/.codex/config.toml', 'unknown'],
    ['/home/me/.codex/worktrees/app', '/home/me/.config/x', 'unknown'],
    ['/Users/me/Library/Work/app', 'src/a.ts', 'reads_outside'],
    ['/home/me', '.config/x', 'unknown'],
    ['/', '/home/me/.config/x', 'unknown'],
  ])('the working folder itself may be hidden', (cwd, path, effect) => {
    expect(effectOf(reading(path, cwd))).toBe(effect)
  })
})

testRows([
  '.config/git/credentials',
  '.config/glab-cli/config.yml',
  '.terraform.d/credentials.tfrc.json',
  '.config/containers/auth.json',
  '.config/cursor/auth.json',
  '.config/stripe/config.toml',
  '.cache/huggingface/token',
  '.cache/huggingface/stored_tokens',
  '.config/sops/age/keys.txt',
  '.config/pypoetry/auth.toml',
  '.databrickscfg',
  '.s3cfg',
  '.boto',
  '.kaggle/kaggle.json',
  '.fly/config.yml',
  'app/AuthKey_1.p8',
  'notes/AuthKey_1.P8',
])('a file of credentials is denied', (path) => {
  expect(effectOf(reading(`/home/me/${path}`))).toBe('credentials')
  expect(effectOf(printing(`/home/me/${path}`))).toBe('credentials')
  expect(effectOf(callOf('Bash', { command: `cat ~/${path}` }))).toBe('credentials')
  expect(decisionOn(reading(`/home/me/${path}`))).toBe('deny')
})

test('the login of podman is credentials', () => {
  expect(effectOf(reading('/run/user/1000/containers/auth.json'))).toBe('credentials')
})

test.each(['*.p8', 'src/*.p8', 'a/*.p8'])('a search in %s is one of credentials', (glob) => {
  expect(decisionOn(callOf('Grep', { pattern: 'x', glob }))).toBe('deny')
})

testRows([
  '.gitlab-ci.yml',
  '.gitlab/ci/build.yml',
  '.circleci/config.yml',
  '.gitea/workflows/a.yml',
  '.forgejo/workflows/a.yml',
  '.woodpecker.yml',
  '.woodpecker/build.yaml',
  '.buildkite/pipeline.yml',
  '.drone.yml',
  '.drone.star',
  'azure-pipelines.yml',
  'ci/azure-pipelines.release.yaml',
  'bitbucket-pipelines.yml',
  '.travis.yml',
  '.cirrus.yml',
  'Jenkinsfile',
  'deploy/Jenkinsfile.release',
  'appveyor.yml',
  '.appveyor.yml',
  'mise.toml',
  '.mise.toml',
  'mise.local.toml',
  '.mise.dev.local.toml',
  'mise/config.toml',
  '.mise/config.toml',
  '.tool-versions',
  '.python-version',
  'env/bin/python',
  'env/Scripts/python.exe',
])('a file that a build runs may be read, and an edit of it needs consent', (file_path) => {
  expect(effectOf(reading(file_path))).toBe('reads')
  expect(effectOf(callOf('Write', { file_path }))).toBe('edits_outside')
  expect(effectOf(callOf('Bash', { command: `echo x > ${file_path}` }))).toBe('edits_outside')
})

test('an edit of .envrc is denied', () => {
  expect(effectOf(callOf('Write', { file_path: '.envrc' }))).toBe('credentials')
})

testRows(['src/pipelines.yml', 'src/env/config.ts', 'src/mise.ts', 'travis.yml', 'docs/versions.md'])(
  'an edit of a file with a similar name needs no consent',
  (file_path) => {
    expect(effectOf(callOf('Write', { file_path }))).toBe('edits_inside')
  },
)
