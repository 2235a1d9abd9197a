import config from './jest.config.js'

/** What computes and asks nobody: no database, no Temporal, no process, no port. For the inner loop. */
export default {
  ...config,
  globalSetup: undefined,
  globalTeardown: undefined,
  testMatch: [
    'gate/**/*',
    'consent/*',
    'keys/*',
    'executors/{address,name-lookups,signature}',
    'secrets/*',
    'web/*',
    'integrations/*',
    'ledger/authority',
    'actions/{attempt,declared-kind}',
    'previews/link',
    'previews/command/detect',
    'workspaces/{names,text-page}',
    'providers/{content,rate-limiter,retry-outcome,slack-signature}',
    'console/{chart,entry-words,policy-form,policy-words}',
    'operations/action-line',
    'operations/kinds/{kind-document,kind-words}',
    'cli/usage',
    'runners/*',
    'seals/{merkle,note,policy}',
    'bench/*',
    'rooms',
    'module-state',
    'docs/{links,tables}',
    'faults/{model/judge,schedule/derive}',
  ].map((name) => `<rootDir>/test/${name}.test.ts`),
}
