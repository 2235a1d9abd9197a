import { agentClients } from '../../src/keys/agent-clients.ts'
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
  /** The Temporal UI with the workflows that people look for. */
  workflowsUrl?: string | undefined
  demo: DemoFile | undefined
  /** The file that stores `demo`. */
  demoFile: string
  /** Whether the output is a terminal. Output to a file or a log must not contain the key. */
  isTerminal: boolean
  temporalSource: string
}

/** What `npm start` prints once everything runs: addresses, and commands to paste. */
export function banner(facts: BannerFacts): string {
  const { addresses, demo, temporalSource } = facts
  const { base_url: base, temporal_ui_url: ui, sandbox_url: sandbox, preview_url: preview } = addresses
  const lines = [
    '',
    `  Qualification Gate is ready at ${base}`,
    '',
    `  API description   ${base}/llms.txt  ${base}/api/openapi.json`,
    `  Console           ${addresses.console_url}`,
    ...(ui ? [`  Temporal UI       ${facts.workflowsUrl ?? ui}   (${temporalSource})`] : []),
    ...(preview
      ? [`  Previews          ${preview.replace('//', '//<name>.')}   (start_preview returns the link)`]
      : []),
    ...(sandbox ? [`  Sandbox           ${sandbox}   (messages, and simulated Stripe payments)`] : []),
    ...(sandbox
      ? [
          '',
          '  SANDBOX: nothing is delivered and no money moves. Consent proves nothing here, because anyone on this machine',
          '  can read every mailbox.',
        ]
      : []),
    ...(demo ? signIn(demo, sandbox) : []),
    ...(demo ? firstDecision(base, demo, keyLine(demo, facts)) : []),
    '',
    '  Press Ctrl-C to stop everything. Run `npm run reset` to start over.',
    '',
  ]
  return lines.join('\n')
}

/** How to sign in to the console: with the mail in the sandbox, or with a link from the command line. */
function signIn({ account_id: account }: DemoFile, sandbox: string | undefined): string[] {
  return [
    '',
    ...(sandbox
      ? [
          `  To sign in to the console, enter ${demoAdmin}; the mail with the link is at ${sandbox}`,
          '  Or run:',
        ]
      : ['  To sign in to the console, add yourself as an administrator and open the link:']),
    '',
    `  npm run -s gate -- admin invite --account ${account} --email ${sandbox ? demoAdmin : 'you@your.example'}`,
  ]
}

function keyLine({ api_key: key }: DemoFile, { isTerminal, demoFile }: BannerFacts): string {
  if (isTerminal) return `KEY=${key}`
  const quoted = `'${demoFile.replaceAll("'", String.raw`'\''`)}'`
  return `KEY=$(node -p 'require(process.argv[1]).api_key' ${quoted})   # the key is in this file`
}

function firstDecision(base: string, demo: DemoFile, key: string): string[] {
  const sender = demo.members.find((member) => member.tier !== 'read_only' && member.email !== null)
  if (!sender) return []
  const actor = JSON.stringify({ email: sender.email })
  return [
    '',
    '  Your first decision, line by line:',
    '',
    `  ${key}`,
    `  curl -s -H "Authorization: Bearer $KEY" '${base}/api/v1/capability?email=${sender.email}'; echo`,
    `  PROPOSAL=$(curl -s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' ${base}/api/v1/actions \\`,
    `    -d '{"kind":"broadcast","actor":${actor},"payload":{"message":"Lunch is at noon."}}'); echo "$PROPOSAL"`,
    `  ID=$(echo "$PROPOSAL" | node -p 'JSON.parse(require("fs").readFileSync(0)).id')`,
    `  curl -s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' ${base}/api/v1/actions/$ID/confirm \\`,
    `    -d '{"actor":${actor}}'; echo`,
    '',
    '  To connect an agent:',
    '',
    `  ${agentClients['claude-code'].lines({ url: base, key: '$KEY' })[0]!.text}`,
    '',
    `  Other agents, and their first call: ${base}/console/connect`,
  ]
}
