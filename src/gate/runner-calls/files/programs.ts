import type { Word } from '../command/cursor.ts'
import { readCommands } from '../reading/read-commands.ts'

// Programs that run files, and how they name them.

/** A file that is likely to be run where a program is given it. Pure. */
export const isCode = (path: string): boolean =>
  /\.(sh|bash|zsh|ksh|fish|[cm]?[jt]sx?|py|pyw|rb|pl|pm|php|lua|r|jl|exs?|awk|sed|tcl|groovy|kts?|java|jar|cs|csx|fsx|go|rs|swift|scala|clj|ps1|mk|sql|bats|nix|hs)$/i.test(
    path,
  )

interface Interpreter {
  /** Options whose value, the next argument, is a file. */
  valued?: string
  /** The option whose value is a module. */
  module?: string
  /** Options that hold the program itself. */
  inline?: RegExp
  /** Endings that may follow the name of a program. */
  endings?: string[]
  /** Words after the program are its own arguments, and no files to run. */
  isFirstOnly?: boolean
}

const node: Interpreter = {
  valued: '-r --require --import --loader --experimental-loader --env-file -C --conditions',
  inline: /^(-[a-z]*[ep]|--eval|--print)$/,
  endings: ['.js', '/index.js', '/package.json'],
}

export const interpreters: Record<string, Interpreter> = {
  node,
  nodejs: node,
  tsx: node,
  'ts-node': node,
  electron: node,
  python: { module: '-m', inline: /^-[A-Za-z]*c$/, endings: ['/__main__.py'], valued: '-W -X' },
  pypy: { module: '-m', inline: /^-[A-Za-z]*c$/, endings: ['/__main__.py'] },
  ruby: { inline: /^-[a-z]*e$/, valued: '-r -I' },
  perl: { inline: /^-[a-zA-Z]*[eE]$/ },
  php: { inline: /^-r$/, valued: '-f -c -t' },
  lua: { inline: /^-e$/, valued: '-l' },
  luajit: { inline: /^-e$/, valued: '-l' },
  Rscript: { inline: /^-e$/ },
  rscript: { inline: /^-e$/ },
  julia: { inline: /^(-e|-E|--eval)$/, valued: '-L --load' },
  elixir: { inline: /^-e$/, valued: '-r' },
  osascript: { inline: /^-e$/ },
  pwsh: { inline: /^-(c|command)$/i, valued: '-f -File' },
  java: { valued: '-jar -cp -classpath --class-path', isFirstOnly: true },
  groovy: { inline: /^-e$/ },
  dotnet: {},
  expect: { inline: /^-c$/, valued: '-f' },
  tclsh: {},
  bats: {},
  swift: {},
}

/** A program that does what a file of its folder says. */
export interface Manifest {
  /** One of these names, or several. */
  names: string[]
  /** Files that it reads too, if they are there. */
  optional?: string[]
  folderOptions?: string[]
  /** Options that name another file in place of these. */
  fileOptions?: string[]
  /** Names the scripts of a `package.json` that run. */
  scripts?: (args: Word[]) => string[]
  /** Whether it runs anything at all. Absent: always. */
  runs?: (args: string[]) => boolean
  /** It runs files that it is given, too. */
  alsoOperands?: boolean
}

const packageOf = (folderOptions: string[]): Manifest => ({
  names: ['package.json'],
  folderOptions,
  scripts: scriptsOfPackage,
  runs: (args) =>
    !/^(-v|--version|ls|list|view|info|why|outdated|config|help|search|whoami)$/.test(args[0] ?? ''),
  alsoOperands: true,
})
const make: Manifest = {
  names: ['GNUmakefile', 'makefile', 'Makefile'],
  folderOptions: ['-C', '--directory'],
  fileOptions: ['-f', '--file', '--makefile'],
  runs: (args) => args[0] !== '--version',
}
const gradle: Manifest = {
  names: ['build.gradle', 'build.gradle.kts'],
  folderOptions: ['-p', '--project-dir'],
  fileOptions: ['-b', '--build-file'],
}
const maven: Manifest = { names: ['pom.xml'], fileOptions: ['-f', '--file'] }
const just: Manifest = {
  names: ['justfile', 'Justfile', '.justfile'],
  folderOptions: ['-d', '--working-directory'],
  fileOptions: ['-f', '--justfile'],
}
const compose: Manifest = {
  names: ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'],
  fileOptions: ['-f', '--file'],
}

export const manifests: Record<string, Manifest> = {
  npm: packageOf(['--prefix', '-C']),
  pnpm: packageOf(['-C', '--dir']),
  yarn: packageOf(['--cwd']),
  bun: packageOf(['--cwd']),
  make,
  gmake: make,
  just,
  task: {
    names: ['Taskfile.yml', 'Taskfile.yaml'],
    folderOptions: ['-d', '--dir'],
    fileOptions: ['-t', '--taskfile'],
  },
  rake: { names: ['Rakefile', 'rakefile'], fileOptions: ['-f', '--rakefile'] },
  go: { names: ['go.mod'], alsoOperands: true, runs: (args) => args[0] !== 'version' && args[0] !== 'env' },
  mix: { names: ['mix.exs'] },
  turbo: { names: ['turbo.json'], optional: ['package.json'] },
  nx: { names: ['nx.json'], optional: ['package.json'] },
  cargo: { names: ['Cargo.toml'], optional: ['build.rs'], fileOptions: ['--manifest-path'] },
  gradle,
  gradlew: gradle,
  mvn: maven,
  mvnw: maven,
  ant: { names: ['build.xml'], fileOptions: ['-f', '-file', '-buildfile'] },
  composer: { names: ['composer.json'], folderOptions: ['-d', '--working-dir'] },
  deno: { names: ['deno.json', 'deno.jsonc'], fileOptions: ['-c', '--config'], alsoOperands: true },
  cmake: { names: ['CMakeLists.txt'], folderOptions: ['-S'], fileOptions: ['-P'] },
  ninja: { names: ['build.ninja'], folderOptions: ['-C'], fileOptions: ['-f'] },
  tox: { names: ['tox.ini'], fileOptions: ['-c'] },
  nox: { names: ['noxfile.py'], fileOptions: ['-f', '--noxfile'] },
  pytest: { names: [], optional: ['conftest.py'], fileOptions: ['-c'], alsoOperands: true },
  invoke: { names: ['tasks.py'] },
  fab: { names: ['fabfile.py'] },
  'docker-compose': compose,
  docker: {
    ...compose,
    names: ['Dockerfile', ...compose.names],
    runs: (args) => args.some((arg) => /^(build|buildx|compose)$/.test(arg)),
  },
}

const builtIns =
  /^(install|i|ci|add|remove|rm|uninstall|update|up|upgrade|init|create|link|unlink|publish|pack|version|audit|cache|dlx|exec|x|why|ls|list)$/
const lifecycle = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
]

/** The scripts of a `package.json` that a command such as `npm run build` runs, if the manifest has them. Pure. */
export function scriptsOfPackage(args: Word[]): string[] {
  const operands = args
    .filter(({ text, isOpen }) => isOpen === 'no' && !text.startsWith('-'))
    .map(({ text }) => text)
  const at = args.findIndex(({ text }) => /^(run|run-script|rum|urn|--run)$/.test(text))
  const [verb, next] =
    at >= 0 ? ['run', args.slice(at + 1).find(({ text }) => !text.startsWith('-'))?.text] : operands
  if (verb === undefined || verb === 'install' || verb === 'i' || verb === 'ci') return lifecycle
  const name = verb === 'run' ? next : /^(t|tst)$/.test(verb) ? 'test' : verb
  if (name === undefined || (verb !== 'run' && builtIns.test(name))) return lifecycle
  if (name === 'restart') return ['prerestart', 'stop', 'restart', 'start', 'postrestart']
  // A value of an option may stand before the name.
  return [...new Set([name, ...operands.filter((word) => /^[\w:.-]{1,64}$/.test(word))])].flatMap(
    (script) => [`pre${script}`, script, `post${script}`],
  )
}

/** Programs that do something to files, but run none of them. */
const doers = new Set(
  (
    'cp mv rm rmdir ln chmod chown chgrp touch mkdir mktemp install dd tee truncate shred kill pkill killall wait jobs fg bg ' +
    'tar zip unzip gzip gunzip bzip2 bunzip2 xz unxz zstd 7z ar rsync scp curl wget ping ssh-keygen ' +
    'git gh glab hg svn less more open xdg-open code df umask ulimit return break continue shift unset alias ' +
    'unalias export declare typeset local readonly printenv history [ [[ sync sleep clear tput stty brew apt apt-get dnf yum systemctl launchctl'
  ).split(' '),
)

/** Whether a program runs no files that its arguments or the folder name. Pure. */
export const runsNoFiles = (name: string): boolean =>
  doers.has(name) || (Object.hasOwn(readCommands, name) && !readCommands[name]!.startsOthers)
