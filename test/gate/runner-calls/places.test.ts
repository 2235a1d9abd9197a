import { expect, test } from '@jest/globals'
import { effectOf } from '../../../src/gate/runner-calls/effect.ts'
import { testRows } from '../../support/rows.ts'
import { toolCall } from './tool-call.ts'

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
  expect(effectOf(toolCall('Write', { file_path: 'a.txt' }, { cwd }))).toMatch(
    /^(edits_outside|unknown|credentials)$/,
  )
  expect(effectOf(toolCall('Bash', { command: 'echo x > a.txt' }, { cwd }))).toMatch(
    /^(edits_outside|runs|credentials)$/,
  )
  expect(effectOf(toolCall('Grep', { pattern: 'x' }, { cwd }))).toMatch(/^(unknown|credentials)$/)
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
  expect(effectOf(toolCall('Write', { file_path: 'a.txt' }, { cwd }))).toBe('edits_inside')
  expect(effectOf(toolCall('Grep', { pattern: 'x' }, { cwd }))).toBe('reads')
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
  expect(effectOf(toolCall('Read', { file_path }))).toBe('unknown')
})

test('credentials are found from a folder with two slashes', () => {
  expect(effectOf(toolCall('Read', { file_path: 'a' }, { cwd: '//home/me/.ssh' }))).toBe('credentials')
})

testRows([
  'echo x > /dev/tty',
  'echo x >> /dev/tty',
  'ls | tee /dev/tty',
  'cat a.ts > /dev/pts/0',
  'echo x > /dev/console',
  'echo x > /dev/vcs1',
  'echo x > /dev/tty1',
  'cat /dev/tty',
  'cat < /dev/tty',
  'head -1 /dev/pts/3',
  "printf '\\033]52;c;eA==\\a'",
  "printf '\\33[2J'",
  "printf '\\x1b]0;x'",
  "printf '\\u001b[2J'",
  "printf '\\e]8;;x'",
  "printf '\\u{1b}[2J'",
  "printf '\\233?1049h'",
  "printf '%b' x",
  "echo -e '\\e]52;c;eA=='",
  "echo -e '\\033[8mhidden'",
  "echo '\\0033[2J'",
  "echo '\\x9b2J'",
  "echo -e a'\\E'b",
  "echo A | tr A '\\033'",
  "echo A | tr 'A-Z' '\\r- '",
  "stat --printf='\\x1b]52;c;x' a.ts",
  "stat --printf '\\033[2J' a.ts",
  "git log --format='%x1b]52;c;x'",
  "git for-each-ref --format='%1b]52;c;x'",
  "git branch --list --format='%1b[2J'",
  "find . -printf '\\033[2J'",
  "find src -name x -printf '%p\\x1b]0;x'",
  "sed 's/a/\\x1b[31m]/' a.ts",
  'jq -r \'"\\u001b[2J"\' a.json',
  "jq -rn '[27,91]|implode'",
  "jq -j '.a|@base64d' a.json",
  "jq --raw-output '.a|fromjson' a.json",
  'tput clear',
  'reset',
  'clear',
])(
  'a command that prints what a terminal obeys, or reads what a person types, does more than read',
  (command) => {
    expect(effectOf(toolCall('Bash', { command }))).toBe('runs')
  },
)

test('a tool does not read from the terminal', () => {
  expect(effectOf(toolCall('Read', { file_path: '/dev/tty' }))).toBe('unknown')
})

testRows([
  'echo x > /dev/null',
  'ls > /dev/stderr',
  'ls | tee /dev/null',
  'cat /dev/stdin',
  "printf 'a\\n'",
  "find src -printf '%p\\n'",
  "sed 's/\\x1b\\[[0-9;]*m//g' a.log",
  "jq '.a|fromjson' a.json",
  "jq -r '.a.implode_at' a.json",
  "printf 'a\\tb\\0c\\n'",
  "printf '%s\\n' a b",
  "printf '\\x41\\n'",
  "printf '\\101\\012'",
  "printf '\\\\n'",
  "echo 'a\\nb'",
  "echo -e 'a\\tb'",
  "echo 'C:\\\\work\\app'",
  "echo '\\bfoo\\b \\d+ \\w'",
  "echo '50% off 100%'",
  "cat a.txt | tr '\\n' ' '",
  "cat a.txt | tr -d '\\r'",
  "cat a.txt | tr '\\000' '\\n'",
  'cat a.txt | tr a-z A-Z',
  "cat a.txt | tr -s ' '",
  "stat -c '%n %s' a.ts",
  "stat --printf='%n\\n' a.ts",
  "git log --format='%h %an %ad%n%s'",
  "git for-each-ref --format='%(refname)' ",
])('plain output needs no question', (command) => {
  expect(effectOf(toolCall('Bash', { command }))).toBe('reads')
})

testRows([
  'git show HEAD:.env',
  'git show HEAD~2:config/.env.production',
  'git show :.env',
  'git show stash@{0}:secrets.yml',
  'git show HEAD:./.dev.vars',
  'git cat-file -p HEAD:.env',
  'git cat-file blob :.env',
  'git cat-file -p main:config/credentials.json',
  'git log -p -- .env',
  'git log -p --follow -- prod.tfvars',
  'git diff -- .env',
  'git diff HEAD~1 HEAD -- terraform.tfstate',
  'git blame .env',
  'git grep x -- .env',
  'git grep TOKEN main -- config/secrets.yml',
  'git archive HEAD .env',
  'git stash show -p -- .env',
  "git log -p -- ':(icase).ENV'",
  "git log -p -- ':/.env'",
  "git diff -- ':(top)secrets.json'",
  "git log -p -- '*.pem'",
])('credentials that git keeps are credentials', (command) => {
  expect(effectOf(toolCall('Bash', { command }))).toBe('credentials')
})

testRows([
  "git log -p -- '.e*'",
  "git diff -- '.[e]nv'",
  "git diff HEAD -- ':(glob)**/.e*'",
  "git log -p -- ':(icase)*SECRET*'",
  "git grep '' -- '.en?'",
  "git show HEAD -- 'id_*'",
  "git log -p -- 'cred*.json'",
  'git show HEAD:.secrets',
  'git show :0:.secrets',
  "git show 'HEAD^{/fix: x}:deploy/token'",
  "git log -p -- ':/.e*'",
  "git log -p -- '.*'",
  "git log -p -- '.*/*'",
  'git show main:deploy/token',
  'git show HEAD:db_password',
  'git show HEAD:.vault-pass',
  'git cat-file -p 1a2b3c4d',
  'git cat-file blob 1a2b3c4d5e6f',
  'git archive HEAD',
  'git fast-export HEAD',
  'git bundle create x HEAD',
  'git format-patch -1',
  'git cat-file --batch',
  'git show HEAD:/etc/shadow',
  'git checkout HEAD -- config.yml',
])('a command that may show credentials that git keeps is not allowed', (command) => {
  expect(effectOf(toolCall('Bash', { command }))).toMatch(/^(runs|credentials)$/)
})

testRows([
  'git show HEAD',
  'git show 1a2b3c4d',
  'git show HEAD:src/a.ts',
  'git show HEAD~1:./src/secrets.ts',
  'git show v1.2:docs/token.md',
  'git show HEAD:.env.example',
  'git show HEAD:',
  'git log -p',
  'git log -p -- src',
  "git log -p -- 'src/*'",
  "git log -p -- 'src/*/**'",
  "git show 'HEAD^{/fix: x}:src/a.ts'",
  "git diff -- '*'",
  "git diff -- '*.json'",
  "git diff -- 'src/**/*.ts'",
  "git diff -- src ':!package-lock.json'",
  "git diff -- src ':(exclude)*.lock'",
  "git diff HEAD -- ':(top)src/a.ts'",
  "git grep -n foo -- '*.ts'",
  'git grep -n access_token',
  'git stash show -p',
  'git blame src/a.ts',
  'git cat-file -t 1a2b3c4d',
  'git cat-file -p HEAD:src/a.ts',
  'git cat-file -p HEAD',
  "git branch --list 'feature/*'",
  "git tag -l 'v1.*'",
  'git ls-files src/secrets',
  'git ls-tree HEAD src/token',
])('git shows commits and other files without a question', (command) => {
  expect(effectOf(toolCall('Bash', { command }))).toBe('reads')
})

testRows([
  "grep -r x --include='*.npmrc' .",
  "grep -rn x --include='*.local' src",
  "grep -r x --include='*.env' .",
  'grep -r x --include=.env .',
  "grep -r x --include='*.{ts,netrc}' .",
  "grep -rn x --include='*.token' .",
  "grep -rn x --include='*.vars' .",
  "grep -rn x --include='*.bak' .",
  "rg x -g '*.npmrc'",
  "rg x --iglob '*.NPMRC'",
  "rg x -g '.env*'",
  "rg x --glob='*.production'",
  "rg x -g '*.tfstate'",
  'rg -tyaml x',
  'rg -t json x',
  'rg --type=all x',
  "rg --type-add 'e:.env' -te x",
  'rg -uuu x',
  'rg --hidden x',
  'rg -. x',
  'rg --no-ignore x',
  'rg --pre cat x',
  'rg --ignore-file a x',
  'fd -H x',
  'md5sum -c list',
  'sha256sum --check list',
  'wc --files0-from=list',
  'sort --files0-from=list',
  'du --files0-from list',
  'tar cf x -T list',
  'xargs -a list cat',
  'file -f list',
  'find -files0-from list',
])('options that reach hidden files, or files that a list names, are not allowed', (command) => {
  expect(effectOf(toolCall('Bash', { command }))).toMatch(/^(runs|credentials)$/)
})

testRows([
  "grep -rn x --include='*.ts' .",
  "grep -rn x --include='*.{ts,tsx}' src",
  "grep -rn x --include='*.json' src",
  "grep -rn x --include='*.md' --include='*.yml' .",
  "rg x -g '*.ts'",
  "rg x -g '!*.test.ts'",
  "rg x -g '!node_modules' src",
  "rg x --glob '*.{js,mjs}'",
  "rg x -g 'src/**/*.py'",
  'rg -tts x',
  'rg -t py x src',
  'rg --type rust x',
  'rg -Tjson x',
  'rg --type-list',
  'rg --files src',
  'md5sum a.ts b.ts',
  'sha256sum --binary a.ts',
  'cksum a.ts',
  'wc -l a.ts',
  'sort a.txt',
])('searches of code and figures of named files need no question', (command) => {
  expect(effectOf(toolCall('Bash', { command }))).toBe('reads')
})

testRows([
  ['*.npmrc', 'unknown'],
  ['*.local', 'unknown'],
  ['**/*.tfstate', 'credentials'],
  ['*.vault-token', 'unknown'],
  ['*.{ts,pgpass}', 'unknown'],
  ['*.{ts,tsx}', 'reads'],
  ['src/**/*.vue', 'reads'],
  ['*.yml', 'reads'],
])('a glob of a search tool is judged by its endings', (glob, effect) => {
  expect(effectOf(toolCall('Grep', { pattern: 'x', glob }))).toBe(effect)
})
