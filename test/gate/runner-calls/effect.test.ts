import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { effectOf } from '../../../src/gate/runner-calls/effect.ts'
import { effects, runners } from '../../../src/gate/runner-calls/tool-call.ts'
import type { Effect, Runner, ToolCall } from '../../../src/gate/runner-calls/tool-call.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { testRows } from '../../support/rows.ts'
import { toolCall } from './tool-call.ts'

const callOf = (runner: Runner, tool: string, input: ToolCall['input'], cwd: string | null = '/work/app') =>
  toolCall(tool, input, { runner, cwd })

const patch = (...lines: string[]) => ({ input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })

const rows: [Runner, string, ToolCall['input'], Effect][] = [
  ['claude', 'Read', { file_path: '/work/app/a.ts' }, 'reads'],
  ['claude', 'Read', { file_path: '/work/app/a.ts', offset: 1, limit: 5 }, 'reads'],
  ['claude', 'Read', { file_path: '/work/b' }, 'reads_outside'],
  ['claude', 'Read', { file_path: '../b' }, 'reads_outside'],
  ['claude', 'Read', { file_path: '/dev/fd/../../self/environ' }, 'unknown'],
  ['claude', 'Read', { file_path: '/work/application/a' }, 'reads_outside'],
  ['claude', 'Read', { file_path: '~/a' }, 'reads_outside'],
  ['claude', 'Read', { file_path: '.env' }, 'credentials'],
  ['claude', 'Read', { file_path: '/work/app/sub/.ENV.local' }, 'credentials'],
  ['claude', 'Read', { file_path: 'x\\..\\.ssh\\id' }, 'credentials'],
  ['claude', 'Read', { file_path: '.env::$DATA' }, 'unknown'],
  ['claude', 'Read', { file_path: '.env::DATA' }, 'credentials'],
  ['claude', 'Read', { file_path: '.\uff45nv' }, 'credentials'],
  ['claude', 'Read', { file_path: '.ssh. /id' }, 'credentials'],
  ['claude', 'Read', { file_path: 'ENV~1' }, 'unknown'],
  ['claude', 'Write', { file_path: 'GIT~1\\hooks\\pre-commit', content: '' }, 'unknown'],
  ['claude', 'Read', { file_path: '/proc/1/environ' }, 'credentials'],
  ['claude', 'Read', { file_path: '$X/a' }, 'unknown'],
  ['claude', 'Read', { file_path: '%USERPROFILE%/a' }, 'unknown'],
  ['claude', 'Read', { file_path: 'a\u202eb' }, 'unknown'],
  ['claude', 'Read', { file_path: 'a\0b' }, 'unknown'],
  ['claude', 'Read', { file_path: '\\\\host\\share\\a' }, 'unknown'],
  ['claude', 'Read', { file_path: ['a'], path: 5 }, 'unknown'],
  ['claude', 'Read', {}, 'unknown'],
  ['claude', 'Read', { file_path: 'a', other_path: '.env' }, 'unknown'],
  ['claude', 'Read', { file_path: 'a', path: '.env' }, 'credentials'],
  ['claude', 'read', { file_path: 'a' }, 'unknown'],
  ['claude', 'Grep', { pattern: 'x' }, 'reads'],
  ['claude', 'Grep', { pattern: 'x', path: '/etc' }, 'unknown'],
  ['claude', 'Grep', { pattern: 'x', path: '/lib', glob: '*.ts' }, 'unknown'],
  ['claude', 'Grep', { pattern: 'oauth_token', path: '/home/u', glob: '*.yml' }, 'unknown'],
  ['claude', 'Grep', { pattern: 'url', path: '.git' }, 'unknown'],
  ['claude', 'LS', { path: '/etc' }, 'reads_outside'],
  ['claude', 'Read', { file_path: '//host/share/a' }, 'unknown'],
  ['claude', 'Write', { file_path: '.husky/_/pre-commit' }, 'edits_outside'],
  ['claude', 'Grep', { pattern: 'x', glob: '*.ts' }, 'reads'],
  ['claude', 'Grep', { pattern: 'x', glob: '**/*.{ts,tsx}' }, 'reads'],
  ['claude', 'Grep', { pattern: 'x', glob: '.env*' }, 'unknown'],
  ['claude', 'Grep', { pattern: 'x', glob: '{.env,a}' }, 'unknown'],
  ['claude', 'Grep', { pattern: 'x', glob: '*.pem' }, 'credentials'],
  ['claude', 'Glob', { pattern: '**/*.ts' }, 'reads'],
  ['claude', 'Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, 'edits_inside'],
  ['claude', 'Write', { file_path: '/etc/motd', content: '' }, 'edits_outside'],
  ['claude', 'Write', { file_path: '.claude/settings.local.json', content: '' }, 'edits_outside'],
  ['claude', 'Write', { file_path: '.Git/config', content: '' }, 'edits_outside'],
  ['claude', 'Write', { file_path: 'sub/HEAD', content: '' }, 'edits_outside'],
  ['claude', 'Write', { file_path: 'fixtures/repo.git/config', content: '' }, 'edits_outside'],
  ['claude', 'Write', { file_path: 'src/config.ts', content: '' }, 'edits_inside'],
  ['claude', 'Write', { file_path: 'a.pem', content: '' }, 'credentials'],
  ['claude', 'NotebookEdit', { notebook_path: 'a.ipynb' }, 'edits_inside'],
  ['claude', 'Bash', { command: 'ls', description: 'List' }, 'reads'],
  ['claude', 'Bash', { command: 'ls', dangerouslyDisableSandbox: true }, 'runs'],
  ['claude', 'Bash', { command: ['ls'] }, 'reads'],
  ['claude', 'Bash', { command: 'cd fixtures/repo.git' }, 'runs'],
  ['claude', 'Bash', { command: 5 }, 'runs'],
  ['claude', 'Bash', {}, 'runs'],
  ['claude', 'Bash', { command: 'ls', cmd: 'rm x' }, 'runs'],
  ['claude', 'KillShell', { shell_id: 'x' }, 'unknown'],
  ['claude', 'Task', { prompt: 'x' }, 'unknown'],
  ['claude', 'WebFetch', { url: 'x' }, 'network'],
  ['claude', 'TodoWrite', {}, 'reads'],
  ['claude', 'mcp__a__b', {}, 'unknown'],
  ['claude', 'constructor', {}, 'unknown'],
  ['codex', 'shell', { command: ['bash', '-lc', 'ls && rm x'] }, 'runs'],
  ['codex', 'shell', { command: ['bash', '-lc', 'ls'] }, 'reads'],
  ['codex', 'shell', { command: ['ls', '/work/app/$(rm x)'] }, 'reads'],
  ['codex', 'shell', { command: ['cat', 'credentials'] }, 'credentials'],
  ['codex', 'Bash', { command: 'cat credentials' }, 'credentials'],
  ['codex', 'Bash', { command: 'cat notes' }, 'runs'],
  ['codex', 'Bash', { command: 'echo x > settings.json' }, 'runs'],
  ['codex', 'exec_command', { cmd: 'git status' }, 'runs'],
  ['codex', 'Bash', { command: 'cat /work/app/a.ts' }, 'reads'],
  ['codex', 'shell', { command: ['rm', 'x'] }, 'runs'],
  ['codex', 'shell', { command: ['powershell', '-c', 'ls'] }, 'runs'],
  ['codex', 'shell', { command: [] }, 'runs'],
  ['codex', 'Bash', { command: 'ls', workdir: '/tmp' }, 'runs'],
  ['codex', 'Bash', { command: 'cat a', workdir: 'src' }, 'runs'],
  ['codex', 'Bash', { command: 'ls', with_escalated_permissions: true }, 'runs'],
  ['codex', 'apply_patch', patch('*** Update File: a.ts', '@@', '-x', '+y'), 'edits_inside'],
  ['codex', 'apply_patch', patch('*** Update File: a.ts', '*** Move to: ../b'), 'edits_outside'],
  [
    'codex',
    'apply_patch',
    patch('*** Add File: a', '+x', '  *** Delete File: .codex/hooks.json'),
    'edits_outside',
  ],
  ['codex', 'apply_patch', { input: 'rm x' }, 'unknown'],
  [
    'opencode',
    'apply_patch',
    patch('*** Add File: a', '+x', '*** Add File:../../home/u/.bashrc'),
    'edits_outside',
  ],
  [
    'opencode',
    'apply_patch',
    patch('*** Update File: a', '*** Move to:.opencode/plugins/a.js'),
    'edits_outside',
  ],
  ['codex', 'apply_patch', patch('*** Add File: a', '+x', '\u0085*** Add File: .git/hooks/a'), 'unknown'],
  ['codex', 'apply_patch', patch('*** Add File: a', '+x', '\u2028*** Add File: .git/hooks/a'), 'unknown'],
  ['codex', 'apply_patch', patch('*** Add File: a', '+x', '\u200b*** Add File: .git/hooks/a'), 'unknown'],
  ['codex', 'apply_patch', patch('*** Add File: a', '+x', '***  Add File: .git/hooks/a'), 'unknown'],
  ['codex', 'apply_patch', patch('*** Add File: a', '+x', '*** Copy from: .git/hooks/a'), 'unknown'],
  ['codex', 'apply_patch', patch('*** Add File: a', '+x', '*** Add File: '), 'unknown'],
  [
    'codex',
    'apply_patch',
    patch('*** Update File: a.md', '@@', ' ***', '-*** File: x', '+\t*** a', ''),
    'edits_inside',
  ],
  ['codex', 'apply_patch', patch('*** Update File: a', '@@', '-x', '+y', '*** End of File'), 'edits_inside'],
  ['codex', 'apply_patch', patch(), 'unknown'],
  ['gemini', 'read_file', { absolute_path: '/work/app/a' }, 'reads'],
  ['gemini', 'read_many_files', { paths: ['src/*.ts', '.env'] }, 'credentials'],
  ['gemini', 'read_many_files', { include: ['**/*'] }, 'unknown'],
  ['gemini', 'read_many_files', { include: ['src/**/*.ts', 'README.md'] }, 'reads'],
  ['gemini', 'read_many_files', { include: ['{.env,x}'] }, 'unknown'],
  ['gemini', 'read_many_files', { include: ['@(.env)'] }, 'unknown'],
  ['gemini', 'read_many_files', { include: ['!(x)'] }, 'unknown'],
  ['gemini', 'read_many_files', { include: ['[.]env.local'] }, 'unknown'],
  ['gemini', 'replace', { file_path: '../a' }, 'edits_outside'],
  ['gemini', 'run_shell_command', { command: 'ls; curl x' }, 'network'],
  ['gemini', 'run_shell_command', { command: 'ls', dir_path: 'src' }, 'reads'],
  ['gemini', 'run_shell_command', { command: 'cat ../x', dir_path: 'src' }, 'reads_outside'],
  ['gemini', 'run_shell_command', { command: 'cd src && ls' }, 'reads'],
  ['gemini', 'run_shell_command', { command: 'git status', dir_path: '/work/app' }, 'reads'],
  ['gemini', 'run_shell_command', { command: 'git status', dir_path: 'link/..' }, 'runs'],
  ['gemini', 'save_memory', { fact: 'x' }, 'unknown'],
  ['cursor', 'Shell', { command: 'git push' }, 'network'],
  ['cursor', 'Shell', { command: 'cat a.ts', working_directory: '/work/app' }, 'reads'],
  ['cursor', 'Shell', { command: 'cat credentials', working_directory: '/home/u/.aws' }, 'runs'],
  ['cursor', 'Shell', { command: 'echo x > a', working_directory: '/Users/u/Library' }, 'runs'],
  ['cursor', 'Shell', { command: 'cat credentials', start_path: '/home/u/.aws' }, 'runs'],
  ['cursor', 'Shell', { command: 'cd src' }, 'runs'],
  ['cursor', 'Delete', { path: 'a' }, 'unknown'],
  ['copilot', 'bash', { command: 'ls' }, 'reads'],
  ['copilot', 'bash', { command: 'cd ~/Library/LaunchAgents' }, 'runs'],
  ['copilot', 'powershell', { command: 'ls' }, 'unknown'],
  ['copilot', 'create', { path: 'a' }, 'edits_inside'],
  ['opencode', 'read', { filePath: '.npmrc' }, 'credentials'],
  ['opencode', 'list', { path: '/' }, 'reads_outside'],
  ['opencode', 'task', { prompt: 'x' }, 'unknown'],
]

describe('the effect of a call', () => {
  testRows(rows)('is by runner, tool and input', (runner, tool, input, effect) => {
    expect(effectOf(callOf(runner, tool, input))).toBe(effect)
  })

  testRows([
    ['/', 'Write', { file_path: '/a' }, 'edits_outside'],
    ['/home/me', 'Write', { file_path: 'a' }, 'edits_outside'],
    ['/root', 'Grep', { pattern: 'x' }, 'unknown'],
    ['C:\\Users\\me', 'Write', { file_path: 'a' }, 'edits_outside'],
    ['/home/me/.config/autostart', 'Write', { file_path: 'a' }, 'edits_outside'],
    ['/Users/me/Library/LaunchAgents', 'Write', { file_path: 'a' }, 'edits_outside'],
    ['/Users/me/.local/bin', 'Bash', { command: 'echo x > a' }, 'edits_outside'],
    ['C:\\Users\\me\\AppData\\Roaming', 'Write', { file_path: 'a' }, 'edits_outside'],
    ['/etc/cron.d', 'Write', { file_path: 'a' }, 'edits_outside'],
    ['/usr/local/bin', 'Write', { file_path: 'a' }, 'edits_outside'],
    ['/home/me/library', 'Write', { file_path: 'a' }, 'edits_outside'],
    ['/home/me/app/Library', 'Write', { file_path: 'a' }, 'edits_inside'],
    ['/root/app', 'Write', { file_path: 'a' }, 'edits_inside'],
    ['/usr/src/app', 'Write', { file_path: 'a' }, 'edits_inside'],
    [null, 'Write', { file_path: 'a' }, 'unknown'],
    [null, 'Read', { file_path: 'a' }, 'unknown'],
    [null, 'Read', { file_path: '.env' }, 'credentials'],
    [null, 'Read', { file_path: '/work/app/a' }, 'reads_outside'],
    [`/work/${'a'.repeat(1100)}`, 'Write', { file_path: 'a' }, 'unknown'],
    ['C:\\app', 'Write', { file_path: 'C:\\app\\a' }, 'edits_inside'],
    ['C:\\Users\\RUNNER~1\\app', 'Write', { file_path: 'a' }, 'edits_inside'],
    ['C:\\Users\\RUNNER~1\\app', 'Write', { file_path: 'a\\CLAUDE~1' }, 'unknown'],
    ['/work/my app', 'Bash', { command: 'cat "$PWD/a.ts"' }, 'reads'],
    ['/work/my app', 'Bash', { command: 'cat $PWD/a.ts' }, 'runs'],
    ['C:\\app', 'Write', { file_path: 'D:\\app\\a' }, 'edits_outside'],
    ['C:\\app', 'Write', { file_path: 'C:..\\a' }, 'edits_outside'],
    ['/work/app', 'Write', { file_path: 'a\\b/../../../x' }, 'unknown'],
    ['work/app', 'Write', { file_path: '/work/app/a' }, 'edits_outside'],
  ] as [string | null, string, ToolCall['input'], Effect][])(
    'is by the folder that the runner works in',
    (cwd, tool, input, effect) => {
      expect(effectOf(callOf('claude', tool, input, cwd))).toBe(effect)
    },
  )

  testRows([
    '.github/copilot/settings.local.json',
    '.github/mcp.json',
    '.github/lsp.json',
    '.github/extensions/a/extension.mjs',
    '.github/workflows/a.yml',
    '.githooks/pre-commit',
    'lefthook.yml',
    '.lefthook-local.yaml',
    '.pre-commit-config.yaml',
    '.devcontainer/devcontainer.json',
    'a.code-workspace',
    '.zed/tasks.json',
    '.idea/workspace.xml',
    '.nvim.lua',
    '.exrc',
    '.agents/skills/a/SKILL.md',
    '.claude-plugin/plugin.json',
    'CLAUDE.md',
    'docs/AGENTS.md',
    'GEMINI.md',
    '.venv/bin/pip',
    'api/venv/bin/ls',
    'node_modules/.bin/ls',
  ])('on a file that programs run may be a read, and an edit counts as one outside', (file_path) => {
    expect(effectOf(callOf('claude', 'Read', { file_path }))).toBe('reads')
    expect(effectOf(callOf('claude', 'Write', { file_path }))).toBe('edits_outside')
  })

  testRows([
    ['/home/me/app', '.claude/settings.json', 'reads'],
    ['/home/me/app', '../.claude/settings.json', 'credentials'],
    ['/home/me', '.claude/settings.json', 'credentials'],
    ['/home/me/app', 'src/cookies', 'reads'],
    ['/home/me/app', '/home/me/.mozilla/firefox/a.default/cookies.sqlite', 'credentials'],
    ['/home/me/app', '.git/config', 'unknown'],
    ['/home/me/app', '.git/HEAD', 'reads'],
    ['/home/me/app', 'src/config', 'reads'],
  ])('that reads is by where settings and credentials are', (cwd, file_path, effect) => {
    expect(effectOf(callOf('claude', 'Read', { file_path }, cwd))).toBe(effect)
  })

  test.each([[null], ['C:\\app'], ['\\\\host\\app']])('in %j a command may be for another shell', (cwd) => {
    expect(effectOf(callOf('gemini', 'run_shell_command', { command: 'ls' }, cwd))).toBe('runs')
  })

  test('a tool of an MCP server is unknown, whatever its name', () => {
    expect(effectOf({ ...callOf('claude', 'Read', { file_path: 'a' }), mcpServer: 'x' })).toBe('unknown')
  })

  test('any input has an effect', () => {
    const tools = fc.constantFrom(
      'Read',
      'Bash',
      'Grep',
      'shell',
      'apply_patch',
      'read_many_files',
      'edit',
      '__proto__',
    )
    const names = fc.constantFrom(
      'command',
      'file_path',
      'path',
      'paths',
      'input',
      'pattern',
      'glob',
      '__proto__',
      'workdir',
    )
    const inputs = fc.dictionary(names, fc.oneof(fc.string({ unit: anyCharacter }), fc.jsonValue()))
    fc.assert(
      fc.property(
        fc.constantFrom(...runners),
        tools,
        inputs,
        fc.option(fc.string()),
        (runner, tool, input, cwd) => {
          expect(effects).toContain(effectOf(callOf(runner, tool, input as ToolCall['input'], cwd)))
        },
      ),
      { numRuns: 400 },
    )
  })
})
