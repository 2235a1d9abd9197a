import { devRooms, modules, restrictedPackages, rooms, standInsLoader } from './rooms.js'

// The walls between rooms, made from the table in rooms.js; then the rules of every file, and where they differ.

const list = (text) => text.trim().split(/\s+/)
const every = (names, setting) => Object.fromEntries(list(names).map((name) => [name, setting]))
const restrict = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] })
const wall = (file, ...patterns) => ({ files: [file], rules: restrict(...patterns) })

const packages = (allowed = []) =>
  Object.entries(restrictedPackages)
    .filter(([name]) => !allowed.includes(name))
    .map(([name, { regex, at }]) => ({ regex, message: `${name}: only in ${at}.` }))

const ofSrc = [...Object.keys(rooms), ...modules]
const ofDev = [...Object.keys(devRooms), ...list('start reset whole-service')]
const besides = list('activities workflows dev test bench')
const depths = [1, 2, 3].map((depth) => ({ depth, files: `${'*/'.repeat(depth - 1)}*.ts` }))
const activities = 'Activities call operations, kinds and the database.'
const gate = 'src/gate is pure: it imports nothing outside itself, and what it needs comes in as an argument.'

/** What a room may import. Each of `places` is where relative paths lead to that begin so, and the names that are there. */
function roomWall(files, name, { imports, packages: allowed, message }, places) {
  const may = `${name} may import of src: ${imports.join(', ') || 'nothing'} (see rooms.js).`
  const patterns = places.map(([start, names]) => {
    const closed = names.filter((other) => other !== name && !imports.includes(other))
    return { regex: `^${start}(${closed.join('|')})(/|\\.ts$)`, message: message ?? may }
  })
  return wall(files, ...patterns, ...packages(allowed))
}

/** A relative path says exactly which room it leads to, once it is known how deep below its room a file is. */
const srcWall = (name, { depth, files }, room = rooms[name], inside = []) =>
  roomWall(`src/${name}/${files}`, name, room, [
    [`(\\.\\./){${depth}}`, ofSrc],
    [`(\\.\\./){${depth + 1}}`, besides],
    ...inside,
  ])

/** Inside a room with floors, a folder or file imports only what stands on a lower floor. */
const floorWalls = (name, floors) =>
  floors.flatMap((floor, n) =>
    floor.flatMap((own) => {
      const notBelow = floors
        .slice(n)
        .flat()
        .filter((other) => other !== own)
      return [
        srcWall(name, { depth: 1, files: `${own}.ts` }, rooms[name], [['\\./', notBelow]]),
        srcWall(name, { depth: 2, files: `${own}/*.ts` }, rooms[name], [['\\.\\./', notBelow]]),
      ]
    }),
  )

const walls = [
  ...Object.keys(rooms).flatMap((name) => depths.map((place) => srcWall(name, place))),
  ...Object.entries(rooms).flatMap(([name, { floors = [] }]) => floorWalls(name, floors)),
  ...[
    { depth: 1, files: 'mcp.ts' },
    { depth: 2, files: 'mcp/*.ts' },
  ].map((place) => srcWall('transports', place, { ...rooms.transports, packages: ['mcp'] })),
  ...depths.map(({ depth, files }) =>
    wall(`src/gate/${files}`, { regex: `^[^.]|^(\\.\\./){${depth}}`, message: gate }),
  ),
  ...Object.entries(devRooms).map(([name, room]) =>
    roomWall(`dev/${name}/**`, name, room, [
      ['(\\.\\./)+src/', ofSrc],
      ['(\\.\\./)+', [...ofDev, ...besides]],
    ]),
  ),
  ...[
    { file: 'src/*.ts', imports: [], message: 'Production imports nothing of dev.' },
    { file: standInsLoader, imports: ['sandbox'], message: 'Of dev, the worker loads only the stand-ins.' },
  ].map((one) => roomWall(one.file, one.file, one, [['\\.\\./dev/', ofDev]])),
  roomWall('activities/**', 'activities', { imports: [], message: activities }, [
    ['(\\.\\./)+', ['dev']],
    ['(\\.\\./)+src/', list('transports link-pages web console cli workers data-dir')],
  ]),
  wall('workflows/**', {
    group: ['**', ...list('./** @temporalio/workflow @temporalio/common').map((name) => `!${name}`)].concat(
      list('names workflow-limits').map((name) => `!../src/temporal/${name}.ts`),
    ),
    allowTypeImports: true,
    message: 'Workflows import types, Temporal, and the two files of src/temporal that import nothing.',
  }),
]

const countingCode = (max) => ['error', { max, skipBlankLines: true, skipComments: true }]
const shortFunctions = { 'max-lines-per-function': countingCode(70), 'max-params': ['error', { max: 4 }] }
const plugins = list('eslint typescript unicorn oxc import node')

export default {
  plugins,
  categories: { correctness: 'error', suspicious: 'error' },
  options: { reportUnusedDisableDirectives: 'error' },
  ignorePatterns: list('dist/ build/ coverage/ .data/ test/histories/ packages/client/lib/api.d.ts'),
  rules: {
    // From the categories, but against how this code is written. Fastify's handlers, which a rule takes for Express ones, are awaited.
    ...every(
      `no-shadow no-underscore-dangle oxc/no-async-endpoint-handlers import/no-unassigned-import
      import/no-named-as-default-member typescript/consistent-return typescript/no-unsafe-type-assertion
      typescript/restrict-template-expressions unicorn/consistent-function-scoping
      unicorn/require-post-message-target-origin`,
      'off',
    ),
    // Worth having from the other categories.
    ...every(
      `array-callback-return default-case-last eqeqeq guard-for-in no-console no-constructor-return no-else-return no-empty
      no-fallthrough no-labels no-lonely-if no-new-func no-return-assign no-self-compare no-sequences no-throw-literal
      no-useless-return no-var object-shorthand prefer-const prefer-promise-reject-errors import/no-commonjs import/no-cycle
      import/no-default-export import/no-duplicates import/no-mutable-exports node/no-new-require node/no-process-env
      oxc/no-accumulating-spread typescript/ban-ts-comment typescript/consistent-type-imports
      typescript/no-dynamic-delete typescript/no-empty-object-type typescript/no-explicit-any
      typescript/no-import-type-side-effects typescript/no-require-imports unicorn/no-abusive-eslint-disable
      unicorn/no-process-exit unicorn/no-typeof-undefined unicorn/no-useless-promise-resolve-reject
      unicorn/no-useless-switch-case unicorn/prefer-at unicorn/prefer-node-protocol unicorn/prefer-number-properties
      unicorn/prefer-string-slice unicorn/prefer-type-error unicorn/throw-new-error`,
      'error',
    ),
    'max-depth': ['error', 4],
    'no-warning-comments': ['error', { terms: list('todo fixme xxx'), location: 'start' }],
    'no-restricted-properties': [
      'error',
      ...list('begin reserve').map((property) => ({
        property,
        message: 'Every database call is one statement: no transactions, no reserved connections.',
      })),
    ],
    ...restrict(...packages()),
  },
  overrides: [
    ...walls,
    { files: ['dev/embedded/**'], rules: every('node/no-process-env no-console', 'off') },
    {
      files: ['src/gate/**'],
      rules: {
        'no-restricted-globals': ['error', ...list('process fetch crypto setTimeout performance')],
        'no-restricted-properties': [
          'error',
          { object: 'Date', property: 'now', message: gate },
          { object: 'Math', property: 'random', message: gate },
        ],
      },
    },
    { files: ['src/config.ts'], rules: every('node/no-process-env', 'off') },
    {
      files: list('src/** dev/**'),
      excludeFiles: ['src/limits.ts'],
      rules: { 'max-lines': countingCode(250) },
    },
    { files: list('src/** workflows/** activities/** dev/**'), rules: shortFunctions },
    {
      files: list('src/*.ts src/cli/** src/process/shutdown.ts dev/*.ts dev/sandbox/serve.ts bin/**'),
      rules: every('no-console unicorn/no-process-exit', 'off'),
    },
    {
      // Packages of their own: they run on machines without this repository.
      files: ['packages/*/{assets,bin,lib}/**'],
      rules: { 'max-lines': countingCode(250), ...shortFunctions, 'node/no-process-env': 'off' },
    },
    // One file, which an outside verifier copies and reads whole.
    { files: ['packages/verify/lib/verify.mjs'], rules: { 'max-lines': countingCode(1_700) } },
    {
      files: list('test/** bench/** *.js packages/*/test/** docs/examples/**'),
      rules: every(
        `no-console no-restricted-imports node/no-process-env typescript/no-explicit-any unicorn/no-array-reverse
        unicorn/no-array-sort unicorn/no-process-exit`,
        'off',
      ),
    },
    { files: list('*.js test/support/global-*.ts'), rules: every('import/no-default-export', 'off') },
    {
      files: list('test/** packages/*/test/**'),
      plugins: [...plugins, 'jest'],
      rules: {
        'jest/expect-expect': ['error', { assertFunctionNames: list('expect expect* assert* fc.assert') }],
        ...every(
          `jest/no-commented-out-tests jest/no-disabled-tests jest/no-focused-tests jest/no-identical-title
          jest/no-test-prefixes jest/valid-expect jest/valid-expect-in-promise jest/valid-title`,
          'error',
        ),
      },
    },
  ],
}
