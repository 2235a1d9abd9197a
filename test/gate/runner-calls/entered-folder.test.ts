import { expect, test } from '@jest/globals'
import { effectOf } from '../../../src/gate/runner-calls/effect.ts'
import { enteredFolder } from '../../../src/gate/runner-calls/entered-folder.ts'
import type { ToolCall } from '../../../src/gate/runner-calls/tool-call.ts'
import { testRows } from '../../support/rows.ts'
import { toolCall } from './tool-call.ts'

const bash = (command: string, over?: Partial<ToolCall>) => toolCall('Bash', { command }, over)

testRows<[string, string]>([
  ['cd src && ls', 'src'],
  ['cd ./packages/api; cat package.json', 'packages/api'],
  ['cd /work/app/server && ls src', 'server'],
  ['cd src', 'src'],
  ['cd -- "my docs" && ls', 'my docs'],
  ['cd src && ls; (cd lib && ls)', 'src'],
  ['cd .storybook && ls', '.storybook'],
])('the folder in which a call leaves the shell', (command, folder) => {
  expect(enteredFolder(bash(command))?.path).toBe(folder)
  expect(effectOf(bash(command, { ordinaryFolder: 'other' }))).toBe('runs')
  expect(effectOf(bash(command, { ordinaryFolder: folder }))).not.toBe('runs')
})

test('a folder is looked at with all folders on the way to it', () => {
  expect(enteredFolder(bash('cd a/b && ls'))).toEqual({
    path: 'a/b',
    folders: ['a', 'a/b'],
    missing: ['a/.git', 'a/HEAD', 'a/b/.git', 'a/b/HEAD'],
  })
})

testRows([
  'ls',
  '(cd src && ls)',
  'cd . && ls',
  'cd .. && ls',
  'cd ../other && ls',
  'cd src/../../other && ls',
  'cd /srv/other && ls',
  'cd && ls',
  'cd ~/work && ls',
  'cd - && ls',
  'cd "$X" && ls',
  'cd s* && ls',
  'cd a && cd b && ls',
  'cd a || cd b',
  'cd a/b/c/d/e && ls',
  'cd .git && ls',
  'cd .claude/hooks && ls',
  'cd .venv/bin && ls',
  'for d in a b; do cd $d; done',
  'cd "a\nb" && ls',
])('no folder, one elsewhere, and more than one', (command) => {
  const found = enteredFolder(bash(command))
  expect(found).toBeNull()
})

test('no folder where nothing counts as inside, or where the runner does not report the folder next time', () => {
  const line = 'cd src && ls'
  expect(enteredFolder(bash(line, { cwd: '/home/grace' }))).toBeNull()
  expect(enteredFolder(bash('cd project && ls', { cwd: '/home/grace' }))).toBeNull()
  expect(enteredFolder(bash(line, { cwd: '/' }))).toBeNull()
  expect(enteredFolder(bash(line, { cwd: null }))).toBeNull()
  expect(enteredFolder(bash(line, { cwd: '/work/"app' }))).toBeNull()
  for (const [runner, tool] of [
    ['cursor', 'Shell'],
    ['copilot', 'bash'],
    ['codex', 'Bash'],
    ['gemini', 'run_shell_command'],
  ] as const)
    expect(enteredFolder(toolCall(tool, { command: line }, { runner }))).toBeNull()
})

testRows([
  ['cd src && npm test', 'runs'],
  ['cd src && git status', 'runs'],
  ['cd src && cat .env', 'credentials'],
  ['cd src && curl https://example.com', 'network'],
  ['cd src && echo x > .git/hooks/pre-commit', 'edits_outside'],
  ['cd src && echo x > HEAD', 'edits_outside'],
  ['cd src && cat /etc/hosts', 'reads_outside'],
  ['cd src && echo x > a.ts', 'edits_inside'],
])('what else a line does counts as before', (command, effect) => {
  expect(effectOf(bash(command, { ordinaryFolder: 'src' }))).toBe(effect)
})
