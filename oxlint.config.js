import { modules, processes, restrictedPackages, rooms } from './rooms.js'

// The rules of every file; then the walls between rooms, made from the table in rooms.js.

const outsideSrc = ['activities', 'workflows', 'test', 'bench']
/** How many folders deep a room may be. */
const depths = [1, 2, 3]

const packagePatterns = (allowed = []) =>
  Object.entries(restrictedPackages)
    .filter(([name]) => !allowed.includes(name))
    .map(([name, { regex, at }]) => ({ regex, message: `${name}: only in ${at}.` }))

const restrict = (patterns) => ({ 'no-restricted-imports': ['error', { patterns }] })

/** What a file of a room, `depth` folders below src, may not import: a relative path says exactly which room it leads to. */
function roomPatterns(name, depth) {
  const { imports, packages } = rooms[name]
  const closed = [...Object.keys(rooms), ...modules].filter(
    (other) => other !== name && !imports.includes(other),
  )
  const outside = outsideSrc.filter((other) => !imports.includes(other))
  return [
    {
      regex: `^(\\.\\./){${depth}}(${closed.join('|')})(/|\\.ts$)`,
      message: `src/${name} may import of src: ${imports.join(', ') || 'nothing'} (see rooms.js).`,
    },
    {
      regex: `^(\\.\\./){${depth + 1}}(${outside.join('|')})/`,
      message: `src/${name} imports nothing outside src.`,
    },
    ...packagePatterns(packages),
  ]
}

const roomWalls = Object.keys(rooms).flatMap((name) =>
  depths.map((depth) => ({
    files: [`src/${name}/${'*/'.repeat(depth - 1)}*.ts`],
    rules: restrict(roomPatterns(name, depth)),
  })),
)

/** Inside a room with floors: each folder and file imports only what stands below it. */
const floorWalls = Object.entries(rooms).flatMap(([room, { floors = [] }]) =>
  floors.flatMap((floor, n) => floor.flatMap((own) => floorPatterns(room, own, floors.slice(n).flat()))),
)

function floorPatterns(room, own, notBelow) {
  const closed = notBelow.filter((other) => other !== own).join('|')
  const message = `src/${room}/${own} may import of its room what stands on a lower floor (see rooms.js).`
  const walls = (depth) =>
    restrict([
      { regex: `^\\.{${depth}}/(${closed || '-'})(/|\\.ts$)`, message },
      ...roomPatterns(room, depth),
    ])
  return [
    { files: [`src/${room}/${own}.ts`], rules: walls(1) },
    { files: [`src/${room}/${own}/*.ts`], rules: walls(2) },
  ]
}

/** The processes: only those of the table start what production has no use for. */
const processWalls = Object.entries({ 'src/*.ts': [], ...processes }).map(([file, allowed]) => ({
  files: [file],
  rules: restrict([
    {
      regex: `^\\./(${['embedded', 'sandbox'].filter((room) => !allowed.includes(room)).join('|') || '-'})/`,
      message: 'Production imports neither the embedded servers nor the stand-ins.',
    },
    ...packagePatterns(),
  ]),
}))

export default {
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'node'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['dist/', 'build/', 'coverage/', '.data/', 'test/histories/'],
  rules: {
    // From the categories, but against how this code is written.
    'no-shadow': 'off',
    // Fastify's handlers, which the rule takes for Express ones, are awaited.
    'oxc/no-async-endpoint-handlers': 'off',
    'no-underscore-dangle': 'off',
    'import/no-unassigned-import': 'off',
    'import/no-named-as-default-member': 'off',
    'typescript/consistent-return': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/restrict-template-expressions': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/require-post-message-target-origin': 'off',

    // Worth having from the other categories.
    'array-callback-return': 'error',
    'default-case-last': 'error',
    eqeqeq: 'error',
    'guard-for-in': 'error',
    'max-depth': ['error', 4],
    'no-console': 'error',
    'no-constructor-return': 'error',
    'no-else-return': 'error',
    'no-empty': 'error',
    'no-fallthrough': 'error',
    'no-labels': 'error',
    'no-lonely-if': 'error',
    'no-new-func': 'error',
    'no-return-assign': 'error',
    'no-self-compare': 'error',
    'no-sequences': 'error',
    'no-throw-literal': 'error',
    'no-useless-return': 'error',
    'no-var': 'error',
    'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'], location: 'start' }],
    'object-shorthand': 'error',
    'prefer-const': 'error',
    'prefer-promise-reject-errors': 'error',
    'import/no-commonjs': 'error',
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'import/no-duplicates': 'error',
    'import/no-mutable-exports': 'error',
    'node/no-new-require': 'error',
    'oxc/no-accumulating-spread': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-dynamic-delete': 'error',
    'typescript/no-empty-object-type': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-require-imports': 'error',
    'unicorn/no-abusive-eslint-disable': 'error',
    'unicorn/no-process-exit': 'error',
    'unicorn/no-typeof-undefined': 'error',
    'unicorn/no-useless-promise-resolve-reject': 'error',
    'unicorn/no-useless-switch-case': 'error',
    'unicorn/prefer-at': 'error',
    'unicorn/prefer-node-protocol': 'error',
    'unicorn/prefer-number-properties': 'error',
    'unicorn/prefer-string-slice': 'error',
    'unicorn/prefer-type-error': 'error',
    'unicorn/throw-new-error': 'error',

    // An import of types alone leaves no import at run time.
    'typescript/no-import-type-side-effects': 'error',
    'node/no-process-env': 'error',
    'no-restricted-properties': [
      'error',
      { property: 'begin', message: 'Every database call is one statement: no transactions.' },
      { property: 'reserve', message: 'Every database call is one statement: no reserved connections.' },
    ],
    ...restrict(packagePatterns()),
  },
  overrides: [
    ...roomWalls,
    ...floorWalls,
    ...processWalls,
    ...['mcp.ts', 'mcp/*.ts'].map((files, n) => ({
      files: [`src/transports/${files}`],
      rules: restrict(
        roomPatterns('transports', n + 1).filter(({ regex }) => regex !== restrictedPackages.mcp.regex),
      ),
    })),
    {
      files: ['src/embedded/**'],
      rules: { 'node/no-process-env': 'off', 'no-console': 'off' },
    },
    {
      files: ['src/gate/**'],
      rules: {
        'no-restricted-globals': [
          'error',
          { name: 'process', message: 'Decisions are pure.' },
          { name: 'fetch', message: 'Decisions are pure.' },
          { name: 'crypto', message: 'Decisions are pure.' },
          { name: 'setTimeout', message: 'Decisions are pure.' },
          { name: 'performance', message: 'Decisions are pure.' },
        ],
        'no-restricted-properties': [
          'error',
          { object: 'Date', property: 'now', message: 'The time comes in as an argument.' },
          { object: 'Math', property: 'random', message: 'Decisions are pure.' },
        ],
        'no-restricted-imports': [
          'error',
          { patterns: [{ group: ['*', '!./**'], message: 'src/gate imports nothing outside itself.' }] },
        ],
      },
    },
    ...[1, 2].map((depth) => ({
      files: [`src/gate/${'*/'.repeat(depth)}*.ts`],
      rules: restrict([
        {
          regex: `^[^.]|^(\\.\\./){${depth + 1}}`,
          message: 'src/gate imports nothing outside itself.',
        },
      ]),
    })),
    {
      files: ['activities/**'],
      rules: restrict([
        {
          regex: '^(\\.\\./)+src/(transports|link-pages|web|console|cli|workers|embedded|sandbox|data-dir)/',
          message: 'Activities call operations, kinds and the database.',
        },
        ...packagePatterns(),
      ]),
    },
    {
      files: ['workflows/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                group: [
                  '**',
                  '!./**',
                  '!@temporalio/workflow',
                  '!@temporalio/common',
                  '!../src/temporal/names.ts',
                  '!../src/temporal/workflow-limits.ts',
                ],
                allowTypeImports: true,
                message:
                  "Workflows import only Temporal's workflow packages, types, and src/temporal's names.ts and workflow-limits.ts, which import nothing.",
              },
            ],
          },
        ],
      },
    },
    {
      files: ['src/config.ts'],
      rules: { 'node/no-process-env': 'off' },
    },
    {
      files: ['src/**'],
      excludeFiles: ['src/limits.ts'],
      rules: { 'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }] },
    },
    {
      files: ['src/**', 'workflows/**', 'activities/**'],
      rules: {
        'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
        'max-params': ['error', { max: 4 }],
      },
    },
    {
      files: ['src/*.ts', 'src/cli/**', 'src/process/shutdown.ts', 'bin/**'],
      rules: { 'no-console': 'off', 'unicorn/no-process-exit': 'off' },
    },
    {
      // A package of its own: it runs on machines without this repository.
      files: ['packages/*/{assets,bin,lib}/**'],
      rules: {
        'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
        'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
        'max-params': ['error', { max: 4 }],
        'node/no-process-env': 'off',
      },
    },
    {
      // One file, which an outside verifier copies and reads whole.
      files: ['packages/verify/lib/verify.mjs'],
      rules: { 'max-lines': ['error', { max: 1_300, skipBlankLines: true, skipComments: true }] },
    },
    {
      files: ['test/**', 'bench/**', '*.js', 'packages/*/test/**', 'docs/examples/**'],
      rules: {
        'no-console': 'off',
        'no-restricted-imports': 'off',
        'node/no-process-env': 'off',
        'typescript/no-explicit-any': 'off',
        'unicorn/no-array-reverse': 'off',
        'unicorn/no-array-sort': 'off',
        'unicorn/no-process-exit': 'off',
      },
    },
    {
      files: ['*.js', 'test/support/global-*.ts'],
      rules: { 'import/no-default-export': 'off' },
    },
    {
      files: ['test/**', 'packages/*/test/**'],
      plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'node', 'jest'],
      rules: {
        'jest/expect-expect': [
          'error',
          { assertFunctionNames: ['expect', 'expect*', 'assert*', 'fc.assert'] },
        ],
        'jest/no-commented-out-tests': 'error',
        'jest/no-disabled-tests': 'error',
        'jest/no-focused-tests': 'error',
        'jest/no-identical-title': 'error',
        'jest/no-test-prefixes': 'error',
        'jest/valid-expect': 'error',
        'jest/valid-expect-in-promise': 'error',
        'jest/valid-title': 'error',
      },
    },
  ],
}
