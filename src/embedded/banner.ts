import { demoAdmin } from './demo-roster.ts'
import type { DemoFile } from './seed.ts'

export interface BannerFacts {
  addresses: {
    base_url: string
    console_url: string
    temporal_ui_url?: string | undefined
    sandbox_url?: string | undefined
    preview_url?: string | undefined
  }
  demo: DemoFile | undefined
  /** Where `demo` is kept. */
  demoFile: string
  /** Whether a person reads this. What goes to a file or a log must not have the key. */
  isTerminal: boolean
  temporalSource: string
}

/** What `npm start` prints once everything runs: where to look, and lines to paste. */
export function banner(facts: BannerFacts): string {
  const { addresses, demo, temporalSource } = facts
  const { base_url: base, temporal_ui_url: ui, sandbox_url: sandbox, preview_url: preview } = addresses
  const lines = [
    '',
    `  Qualification Gate is ready at ${base}`,
    '',
    `  API description   ${base}/llms.txt  ${base}/api/openapi.json`,
    `  Console           ${addresses.console_url}`,
    ...(ui ? [`  Temporal UI       ${ui}   (${temporalSource})`] : []),
    ...(preview
      ? [`  Previews          ${preview.replace('//', '//<name>.')}   (start_preview answers the link)`]
      : []),
    ...(sandbox ? [`  Sandbox           ${sandbox}   (messages, and what Stripe would have done)`] : []),
    ...(sandbox
      ? [
          '',
          '  SANDBOX: nothing is delivered to anyone and no money moves. Consent here proves nothing: whoever is on this',
          '  machine can read every mailbox.',
        ]
      : []),
    ...(demo ? signIn(demo, sandbox) : []),
    ...(demo ? firstDecision(base, demo, keyLine(demo, facts)) : []),
    '',
    '  Ctrl-C stops everything. `npm run reset` starts over.',
    '',
  ]
  return lines.join('\n')
}

/** How to get into the console: by the mail that the sandbox shows, or by a link that the command line prints. */
function signIn({ account_id: account }: DemoFile, sandbox: string | undefined): string[] {
  return [
    '',
    ...(sandbox
      ? [`  The console: sign in as ${demoAdmin}; the link comes by mail, to ${sandbox}`, '  Or:']
      : ['  The console: make yourself an administrator, and open the link:']),
    '',
    `  npm run -s gate -- admin invite --account ${account} --email ${sandbox ? demoAdmin : 'you@your.example'}`,
  ]
}

function keyLine({ api_key: key }: DemoFile, { isTerminal, demoFile }: BannerFacts): string {
  if (isTerminal) return `KEY=${key}`
  const quoted = `'${demoFile.replaceAll("'", String.raw`'\''`)}'`
  return `KEY=$(node -p 'require(process.argv[1]).api_key' ${quoted})   # the key is in that file`
}

function firstDecision(base: string, demo: DemoFile, key: string): string[] {
  const sender = demo.members.find((member) => member.tier !== 'read_only' && member.email !== null)
  if (!sender) return []
  const actor = JSON.stringify({ email: sender.email })
  return [
    '',
    '  The first decision, line by line:',
    '',
    `  ${key}`,
    `  curl -s -H "Authorization: Bearer $KEY" '${base}/api/v1/capability?email=${sender.email}'; echo`,
    `  curl -s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' ${base}/api/v1/actions \\`,
    `    -d '{"kind":"broadcast","actor":${actor},"payload":{"message":"Lunch is at noon."}}'; echo`,
    '  ID=2   # the id of the row just proposed',
    `  curl -s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' ${base}/api/v1/actions/$ID/confirm \\`,
    `    -d '{"actor":${actor}}'; echo`,
    '',
    '  For an agent:',
    '',
    `  claude mcp add --transport http gate ${base}/api/mcp --header "Authorization: Bearer $KEY"`,
  ]
}
