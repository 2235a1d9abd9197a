/** Words of the names of scripts and targets, such as `test:unit` and `check-types`. What publishes or deploys has none of its own. */
const tasks = words(
  'test tests unit spec integration e2e lint check build compile format fmt types type typecheck typing tsc verify validate ' +
    'coverage cov bench benchmark docs fix all ci js ts css api app web server client core lib src dev debug smoke fast quick full',
)
const firstTasks = words(
  'test tests unit spec lint check build compile format fmt types type typecheck tsc verify validate coverage cov bench benchmark',
)

/** Programs that test, check or build what is in the folder, whatever their arguments. */
const tools = words(
  'jest tsc vue-tsc eslint prettier vitest mocha ava tap c8 nyc oxlint oxfmt biome stylelint tslint knip ' +
    'pytest mypy ruff flake8 black isort pylint pyright unittest py.test ' +
    'rspec rubocop standardrb phpunit pest phpstan ctest golangci-lint staticcheck gofmt goimports rustfmt ktlint swiftlint ' +
    'shellcheck shfmt markdownlint yamllint hadolint clang-format clang-tidy',
)

/** Programs that do so by a subcommand. `task`: it is followed by the name of a script or target. */
const subcommands: Record<string, { plain?: string; task?: string; tool?: string; isTask?: boolean }> = {
  npm: { plain: 'test t', task: 'run run-script' },
  pnpm: { plain: 'test t', task: 'run', tool: 'exec', isTask: true },
  yarn: { plain: 'test', task: 'run', tool: 'exec', isTask: true },
  bun: { plain: 'test', task: 'run' },
  npx: { tool: '' },
  deno: { plain: 'test lint check fmt', task: 'task' },
  node: { plain: '--test' },
  python: { tool: '-m' },
  python3: { tool: '-m' },
  poetry: { tool: 'run' },
  bundle: { tool: 'exec' },
  composer: { plain: 'test', task: 'run-script' },
  make: { isTask: true },
  gmake: { isTask: true },
  just: { isTask: true },
  task: { isTask: true },
  rake: { isTask: true },
  cargo: { plain: 'test check build clippy fmt bench nextest doc' },
  go: { plain: 'test build vet fmt' },
  cmake: { plain: '--build' },
  rails: { plain: 'test' },
  mvn: { plain: 'test compile verify package test-compile' },
  './mvnw': { plain: 'test compile verify package test-compile' },
  gradle: { plain: 'test build check assemble' },
  './gradlew': { plain: 'test build check assemble' },
  dotnet: { plain: 'test build format' },
  swift: { plain: 'test build' },
  mix: { plain: 'test compile format' },
  sbt: { plain: 'test compile' },
  zig: { plain: 'test build fmt' },
  bazel: { plain: 'test build' },
  turbo: { task: 'run', isTask: true },
  nx: { plain: 'test lint build' },
}

/** How one command may look: every word stands for itself in every shell, and names nothing outside of the folder. */
const plainWord = /^[\w./:=,@%+-]{1,200}$/
const leadsAway = /(?:^|[=:,])[/~]|(?<!\.)\.\.(?!\.)|(?:^|[/=:,])\.(?![/.]|$)|^-[^-].*\/|:\//
/** Options that name another program or place, or that go on for ever. */
const farOption =
  /exec|shell|eval|command|script|publish|deploy|upload|push|install|registry|proxy|listen|host|serve|^--?(?:ui|port|open|watch(?!.*=false$))|remote|plugin|prefix|require|import|loader|preload|global|url|token|env/i

/**
 * Whether a command runs a project's own tool: one that tests, checks or builds what is in the folder. Its arguments name nothing
 * outside, and no other program. Pure.
 */
export function isProjectTool(given: string[]): boolean {
  const [program, ...args] = given
  if (program === undefined || given.length > wordsMax) return false
  const isPlain = given.every((word, at) => plainWord.test(word) && (at === 0 || isNear(word)))
  if (!isPlain) return false
  if (tools.has(program)) return true
  const how = Object.hasOwn(subcommands, program) ? subcommands[program]! : null
  if (!how) return false
  const flags = args.findIndex((arg) => !quietFlag.test(arg))
  const rest = flags === -1 ? [] : args.slice(flags)
  const [first = '', second = ''] = rest
  if (how.plain && words(how.plain).has(first)) return true
  if (how.task && words(how.task).has(first) && isTaskName(second)) return true
  if (how.tool !== undefined) {
    const tool = how.tool === '' ? first : first === how.tool ? second : ''
    if (tools.has(tool)) return true
    // `bundle exec rake test`
    if (tool !== '' && tool !== program && how.tool !== '' && isProjectTool(rest.slice(1))) return true
  }
  // All targets of a line: `make lint test`.
  const targets = rest.filter((arg) => !arg.startsWith('-'))
  return how.isTask === true && targets.length > 0 && targets.every(isTaskName) && first === targets[0]
}

const wordsMax = 40

/** Before a subcommand: `make -j4 test`, `mvn -q test`, `pnpm -r test`. */
const quietFlag = /^-(?:[kqrsB]|j\d{0,2})$/

function isNear(word: string): boolean {
  if (leadsAway.test(word)) return false
  if (word.startsWith('-')) return !farOption.test(word)
  // `make CC=x`, and versions of packages: `npx jest@1`.
  return !/[=@]/.test(word)
}

function isTaskName(name: string): boolean {
  const parts = name.split(/[:._-]/)
  return firstTasks.has(parts[0]!) && parts.every((part) => tasks.has(part) || /^\d{1,3}$/.test(part))
}

/**
 * Whether a command only shows a part of what it is given by a pipe: `tail -20`, `grep -c FAIL`. It opens no file. Pure.
 * @param given  its words
 */
export function isFilter([program, ...args]: string[]): boolean {
  switch (program) {
    case 'cat':
    case 'nl':
    case 'rev':
    case 'tac':
      return args.length === 0
    case 'sort':
      return args.every((arg) => /^-[bfnruV]{1,6}$/.test(arg))
    case 'uniq':
      return args.every((arg) => /^-[cdiu]{1,4}$/.test(arg))
    case 'wc':
      return args.every((arg) => /^-[lwcm]{1,4}$/.test(arg))
    case 'head':
    case 'tail':
      return /^(-q )?(-\d{1,5}|(-[nc] ?|--(lines|bytes)[= ])[+-]?\d{1,9}[kKM]?)?$/.test(args.join(' '))
    case 'cut':
      return /^-[bc] ?[\d,-]{1,20}$|^(-d ?\S )?-f ?[\d,-]{1,20}$/.test(args.join(' '))
    case 'grep':
    case 'egrep':
    case 'fgrep':
      return args.length > 0 && args.slice(0, -1).every((arg) => grepOption.test(arg)) && isText(args.at(-1)!)
    default:
      return false
  }
}

const grepOption = /^-[EFacinvwox]{1,6}$|^-[ABCm]\d{1,5}$|^--colou?r=(never|auto|always)$/

const isText = (pattern: string): boolean => !pattern.startsWith('-') && pattern.length <= 200

function words(text: string): Set<string> {
  return new Set(text.split(' '))
}
