import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { filesRunBy } from '../../../src/gate/runner-calls/files/wanted-files.ts'
import type { ToolCall } from '../../../src/gate/runner-calls/tool-call.ts'
import { testRows } from '../../support/rows.ts'
import { toolCall } from './tool-call.ts'

const manifest = JSON.stringify({
  scripts: { build: 'sh scripts/build.sh', pretest: 'node gen.mjs', test: 'npm run build && ./t.sh' },
})

/** What a call runs, as `path`, `path?` where it only may, and reasons in brackets. */
function words(call: Partial<ToolCall>, filesMax = 12): string {
  const { files, unbound } = filesRunBy(
    toolCall(call.tool!, call.input!, call),
    (path) => (path === 'package.json' ? manifest : undefined),
    filesMax,
  )
  const named = files.map(({ path, isSure }) => `${path}${isSure ? '' : '?'}`).sort()
  return [...named, ...(unbound.length === 0 ? [] : [`[${[...unbound].sort().join(' ')}]`])].join(' ')
}

const ofCommand = (command: string, more: Partial<ToolCall> = {}): string =>
  words({ tool: 'Bash', input: { command }, cwd: '/work/project', ...more })

testRows([
  // Shells and their scripts.
  ['sh deploy.sh', 'deploy.sh [loads]'],
  ['sh ./deploy.sh', 'deploy.sh [loads]'],
  ['sh .//a/./deploy.sh', 'a/deploy.sh [loads]'],
  ['/bin/sh /work/project/deploy.sh', 'deploy.sh [loads]'],
  ['/usr/bin/env bash deploy.sh', 'deploy.sh [loads]'],
  ['bash -eux -o pipefail deploy.sh --to prod', 'deploy.sh [loads]'],
  ['bash --rcfile rc.sh -- deploy', 'deploy rc.sh [loads]'],
  ['zsh "my deploy.sh"', 'my deploy.sh [loads]'],
  ['sh \'a b\'/"c d".sh', 'a b/c d.sh [loads]'],
  ['sh < deploy.sh', 'deploy.sh [loads]'],
  ['bash -s prod < deploy.sh', 'deploy.sh [loads]'],
  ['cat deploy.sh | sh', 'deploy.sh [loads unread]'],
  ['sh -c "./a.sh && sh b.sh"', 'a.sh b.sh [loads]'],
  ['bash -lc "cd sub && ./a.sh"', 'a.sh sub/a.sh [loads]'],
  ['eval "sh a.sh"', 'a.sh [loads]'],
  ["sh <<'E'\nsh a.sh\nE", 'a.sh [loads]'],
  ['. ./env.sh', 'env.sh [loads]'],
  ['source env.sh && make', 'GNUmakefile? Makefile? env.sh makefile? [loads]'],
  ['bash <(./gen.sh)', 'gen.sh [loads unread]'],
  ['source <(./gen.sh)', 'gen.sh [loads unread]'],
  ["python <<'E'\nimport x\nE", '[loads]'],
  // Programs by their path.
  ['./build.sh', 'build.sh [loads]'],
  ['bin/run --fast', 'bin/run [loads]'],
  ['CI=1 ./build.sh', 'build.sh [loads]'],
  ['(./a.sh; ./b.sh) & ./c.sh | tee log', 'a.sh b.sh c.sh [loads]'],
  ['if ./a.sh; then ./b.sh; fi', 'a.sh b.sh [loads]'],
  ['for f in a.sh b.sh; do sh $f; done', 'a.sh b.sh [loads]'],
  ['echo "$(./a.sh)"', 'a.sh [loads]'],
  ['F=deploy.sh; sh "$F"', 'deploy.sh [loads]'],
  // Files whose lines are commands.
  ['parallel :::: jobs', 'jobs [loads]'],
  ['parallel -j2 -a jobs', 'jobs [loads]'],
  ['parallel --arg-file=jobs', 'jobs [loads]'],
  ['parallel < jobs', 'jobs [loads]'],
  ['parallel sh ./a.sh :::: names', 'a.sh names [loads open]'],
  ['parallel ./a.sh ::: 1 2 ::::+ names', 'a.sh names [loads open]'],
  ['xargs -a names ./a.sh', 'a.sh names [loads open]'],
  // Programs that others start.
  ['gcc -wrapper ./trace,-v a.c', 'trace [loads]'],
  ['gcc -wrapper sh,run a.c', 'run [loads]'],
  ['bind -x \'"\\C-t": ./a.sh\'', 'a.sh? [loads]'],
  ['fc -e ./editor 1', 'editor? [loads]'],
  // Other programs that start them.
  ['sudo -u root sh deploy.sh', 'deploy.sh [loads]'],
  ['timeout 5 ./a.sh', 'a.sh [loads]'],
  ['nohup nice -n 5 ./a.sh &', 'a.sh [loads]'],
  ['env FOO=1 BAR=2 ./a.sh', 'a.sh [loads]'],
  ['env -S "sh a.sh"', 'a.sh [loads]'],
  ['xargs -n1 sh a.sh', 'a.sh [loads open]'],
  ["find . -name '*.x' -exec sh a.sh {} ';'", 'a.sh [loads open]'],
  ['git bisect run sh test.sh', 'test.sh [loads]'],
  ["git rebase --exec 'sh test.sh' main", 'test.sh [loads]'],
  ['watchexec -- sh a.sh', 'a.sh [loads]'],
  ['concurrently "sh a.sh" "node b.mjs"', 'a.sh b.mjs [loads]'],
  ['dotenv -- ./bin/serve', 'bin/serve? [loads]'],
  // Interpreters.
  ['node x.mjs', 'x.mjs [loads]'],
  ['node --import ./hook.mjs server.js', 'hook.mjs? server.js [loads]'],
  ['node -r./hook.js server.js', 'hook.js? server.js [loads]'],
  ['node server', 'server server.js? server/index.js? server/package.json? [loads]'],
  ['python3.12 -u tool.py in.txt', 'tool.py [loads]'],
  ['python -m tools.run', 'tools/run.py? tools/run/__main__.py? [loads]'],
  ['python -mtools.run', 'tools/run.py? tools/run/__main__.py? [loads]'],
  ['python -c "import x"', '[loads]'],
  ['python < x.py', 'x.py [loads]'],
  ['ruby -r ./a.rb b.rb', 'a.rb? b.rb [loads]'],
  ['awk -f a.awk data', 'a.awk'],
  ['sed -f a.sed data', 'a.sed'],
  ['java -jar app.jar', 'app.jar [loads]'],
  ['pytest tests/test_a.py', 'conftest.py? tests/test_a.py? [loads]'],
  ['npx tsx run.ts', 'package.json? run.ts [loads]'],
  ['npx jest', 'package.json? [loads]'],
  ['go test ./...', 'go.mod? [loads]'],
  ['go version', '[loads]'],
  // Tools that read a file of the folder.
  ['make deploy', 'GNUmakefile? Makefile? makefile? [loads]'],
  ['make -C sub -f rules.mk', 'sub/rules.mk [loads]'],
  ['npm run build', 'package.json scripts/build.sh [loads]'],
  ['npm test', 'gen.mjs package.json scripts/build.sh t.sh [loads]'],
  ['yarn build', 'package.json scripts/build.sh [loads]'],
  ['pnpm -C . run build', 'package.json scripts/build.sh [loads]'],
  ['npm --prefix sub run build', 'sub/package.json [loads]'],
  ['npm run -w app build', 'package.json scripts/build.sh [folder loads]'],
  ['npm ci', 'package.json [loads]'],
  ['npm ls', ''],
  ['cargo test', 'Cargo.toml? build.rs? [loads]'],
  [
    'docker build .',
    'Dockerfile? compose.yaml? compose.yml? docker-compose.yaml? docker-compose.yml? [loads]',
  ],
  // Assignments before a command.
  ['BASH_ENV=./env.sh bash a.sh', 'a.sh env.sh? [loads]'],
  ['PATH=./bin:$PATH deploy', '[loads open]'],
  // Commands whose files cannot be told.
  ['sh *.sh', '[loads open]'],
  ['sh "$SCRIPT"', '[loads open]'],
  ['$TOOL a.sh', 'a.sh? [loads open]'],
  ['sh a.sh `', 'a.sh [loads unread]'],
  ['cd "$X" && sh a.sh', 'a.sh [folder loads]'],
  ['sh ../a.sh', '[loads outside]'],
  ['sh /tmp/a.sh', '[loads outside]'],
  ['sh ~/a.sh', '[loads outside]'],
  ['sh sub/../a.sh', 'sub/../a.sh [loads]'],
  ['sh a.sh\u202e', '[loads outside unread]'],
  ['sh "a\nb.sh"', '[loads outside]'],
  ['unknown-tool --go', '[loads]'],
  ['ssh host < a.sh', 'a.sh? [loads]'],
  ['docker exec -i web sh < a.sh', 'a.sh [loads]'],
  // Commands that run no files.
  ['rm -rf build', ''],
  ['cp a.sh b.sh', ''],
  ['cat deploy.sh', ''],
  ['git push origin main', ''],
  ['/usr/bin/git status', ''],
  ['ls && curl https://example.com', ''],
])('the files that %j runs', (command, expected) => expect(ofCommand(command)).toBe(expected))

testRows<[string, string[] | null]>([
  ['npm test', ['package.json']],
  ['npx jest src/a.test.ts', ['package.json']],
  ['npm test && make lint', ['package.json', 'GNUmakefile', 'makefile', 'Makefile']],
  ['make -f rules.mk lint', ['rules.mk']],
  ['./gradlew test', ['gradlew', 'build.gradle', 'build.gradle.kts']],
  ['node --run test', ['package.json']],
  ['pytest tests/a.py', ['conftest.py']],
  ['npm --prefix sub test', ['sub/package.json']],
  ['node a.mjs', []],
  ['sh a.sh', []],
  ['npm --prefix /tmp/x test', null],
  ['../x test', null],
])('the files that a mandate for %j is pinned to', (command, expected) =>
  expect(
    filesRunBy(toolCall('Bash', { command }, { cwd: '/work/project' }), () => manifest, 12).pinned,
  ).toEqual(expected),
)

test('a mandate is pinned to all of its files or to none', () => {
  const call = toolCall('Bash', { command: 'sh a.sh && make lint' }, { cwd: '/work/project' })
  expect(filesRunBy(call, () => undefined, 4).pinned).toHaveLength(3)
  expect(filesRunBy(call, () => undefined, 3).pinned).toBeNull()
  expect(filesRunBy({ ...call, cwd: null }, () => undefined, 12).pinned).toBeNull()
})

test('a call is bound to no more files than may be asked for, and says so', () => {
  const line = Array.from({ length: 300 }, (_, n) => `sh s${n}.sh`).join('; ')
  expect(words({ tool: 'Bash', input: { command: line }, cwd: '/work/project' }, 3)).toBe(
    's0.sh s1.sh s2.sh [loads many]',
  )
})

test('no file can be bound in a folder that is not known, or is no project', () => {
  expect(ofCommand('sh a.sh', { cwd: null })).toBe('[folder loads]')
  expect(ofCommand('sh a.sh', { cwd: '/home/grace' })).toBe('[loads outside]')
  expect(ofCommand('sh a.sh', { cwd: '/proc/self/cwd' })).toBe('[loads outside]')
  expect(ofCommand('sh a.sh', { cwd: '/work/a"b' })).toBe('[loads outside]')
  expect(ofCommand('sh a.sh', { runner: 'codex' })).toBe('a.sh? [folder loads]')
  expect(ofCommand('sh /work/project/a.sh', { runner: 'codex' })).toBe('a.sh [loads]')
})

test('the files of a call are looked for in the folder that the agent chose', () => {
  const input = { command: 'sh a.sh', workdir: 'sub' }
  expect(words({ runner: 'opencode', tool: 'bash', input, cwd: '/work/project' })).toBe('sub/a.sh [loads]')
})

test('other tools run nothing', () => {
  expect(
    words({ tool: 'Write', input: { file_path: 'a.sh', content: 'sh b.sh' }, cwd: '/work/project' }),
  ).toBe('')
  expect(words({ tool: 'mcp__x__run', mcpServer: 'x', input: { command: 'sh b.sh' }, cwd: '/work' })).toBe('')
})

test('every line is read, also one that was cut anywhere', () => {
  const lines = readFileSync('test/gate/runner-calls/corpus.txt', 'utf8').split('\n')
  for (const line of lines)
    for (const command of [line, line.slice(0, line.length / 2), line.slice(line.length / 3), `sh ${line}`]) {
      const { files } = filesRunBy(toolCall('Bash', { command }), () => manifest, 12)
      expect(files.length).toBeLessThanOrEqual(12)
    }
  for (const command of [
    'sh '.repeat(5_000),
    `sh -c '${'sh a.sh;'.repeat(1_900)}'`,
    'x "a b" '.repeat(1_900),
    '$('.repeat(7_000),
  ])
    expect(filesRunBy(toolCall('Bash', { command }), () => manifest, 12).unbound).not.toEqual([])
})
