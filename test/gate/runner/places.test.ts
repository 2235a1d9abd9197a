import { expect } from '@jest/globals'
import { effectOf } from '../../../src/gate/runner/effect.ts'
import type { ToolCall } from '../../../src/gate/runner/tool-call.ts'
import { testRows } from '../../support/rows.ts'

const callOf = (tool: string, input: ToolCall['input'], cwd = '/work/app'): ToolCall => ({
  runner: 'claude',
  runnerVersion: null,
  session: null,
  callId: null,
  agentId: null,
  tool,
  input,
  cwd,
  mcpServer: null,
})

testRows([
  '/home/me',
  '/home/me/.config',
  '/home/me/.codex',
  '/home/me/.claude/plans',
  '/home/me/.local/share',
  '/home/me/.local/share/app',
  '/home/me/Library',
  '/home2/me/.config/autostart',
  '/data/home/me',
  '/data/home/me/.local/bin',
  '/export/home/me/.config',
  '/var/home/me',
  '/usr/home/me/.profile.d',
  '/mnt/nfs/home/me/bin',
  '/homes/me',
  '/data/Users/me',
  '/Users/me/Library/LaunchAgents',
  '/USERS/me/.claude',
  '/root',
  '/root/.config/systemd',
  '/private/var/root/Library',
  '/System/Volumes/Data/Users/me',
  '/System/Volumes/Data/Users/me/Library/LaunchAgents',
  '/System/Volumes/Data/private/etc',
  '/Volumes/Macintosh HD',
  '/Volumes/Macintosh HD/Users/me/.config',
  '/Volumes/Macintosh HD/etc',
  '/System/Library/LaunchDaemons',
  '/private/etc/periodic',
  '/weird/place/me/.config/autostart',
  '/var/lib/jenkins/.ssh',
  '/data/data/com.termux/files/home',
  '/mnt/c/Users/me',
  '/mnt/c/Users/me/AppData/Roaming',
  '/mnt/host/c/Users/me/.config',
  '/cygdrive/d/Users/me',
  '/c/Users/me/AppData/Local',
  '/mnt/c/Windows/System32',
  '/proc/self/cwd',
  '/opt',
  '/srv',
  'C:\\Users\\me',
  'D:\\Users\\me\\.config',
  'C:\\Documents and Settings\\me',
  'C:\\Documents and Settings\\me\\Application Data\\x',
  'C:\\Users\\me\\Local Settings\\x',
  'C:\\PROGRA~1\\x',
  'C:\\$Recycle.Bin\\x',
  '\\\\?\\C:\\Users\\me\\app',
  '//?/C:/Users/me/app',
  '//work/app',
])('in a folder of a home, of settings or of the system nothing is inside', (cwd) => {
  expect(effectOf(callOf('Write', { file_path: 'a.txt' }, cwd))).toMatch(
    /^(edits_outside|unknown|credentials)$/,
  )
  expect(effectOf(callOf('Bash', { command: 'echo x > a.txt' }, cwd))).toMatch(
    /^(edits_outside|runs|credentials)$/,
  )
  expect(effectOf(callOf('Grep', { pattern: 'x' }, cwd))).toMatch(/^(unknown|credentials)$/)
})

testRows([
  '/work/app',
  '/home/me/app',
  '/home/me/src/app/home/pages',
  '/home2/me/app',
  '/data/home/me/app',
  '/export/home/me/work/app',
  '/var/home/me/app',
  '/Users/me/Documents/app',
  '/System/Volumes/Data/Users/me/app',
  '/Volumes/Work/app',
  '/Volumes/Macintosh HD/Users/me/app',
  '/private/tmp/app',
  '/tmp/app',
  '/root/app',
  '/srv/app',
  '/opt/app',
  '/mnt/c/Users/me/app',
  '/mnt/data/app',
  '/c/Users/me/app',
  '/workspaces/app',
  '/systematic/app',
  '/work/.worktrees/app',
  '/work/app/.git-worktrees/x',
  'C:\\Users\\me\\app',
  'D:\\work\\app',
])('in the folder of a project its files are inside', (cwd) => {
  expect(effectOf(callOf('Write', { file_path: 'a.txt' }, cwd))).toBe('edits_inside')
  expect(effectOf(callOf('Grep', { pattern: 'x' }, cwd))).toBe('reads')
})

testRows([
  '/System/Volumes/Data/Users/me/Library/x',
  '/Volumes/Macintosh HD/Users/me/Library/x',
  '/data/home/me/Library/x',
  '/private/var/root/Library/x',
  '/mnt/c/Users/me/Local Settings/x',
  '/mnt/host/c/Users/me/AppData/x',
  '/export/home/me/.config/x',
  '~me/Library/x',
])('the settings of programs are found by every name of a home', (file_path) => {
  expect(effectOf(callOf('Read', { file_path }))).toBe('unknown')
})
