import { z } from 'zod'
import { environmentSubjects } from '../../src/environment/environment.ts'

type Meta = { description?: string; unset?: string; form?: string } | undefined

/** The text of `docs/configuration.md`, made from the schema of the environment. */
export function configurationPage(): string {
  return [
    intro,
    ...Object.entries(environmentSubjects).map(([subject, variables]) =>
      [`## ${subject}`, '', ...notes(subject), tableOf(variables)].join('\n'),
    ),
    compose,
  ].join('\n\n')
}

const intro = `# Configuration

<!-- Made by \`npm run docs:tables\` from src/environment. Edit the schema there, not this page. -->

For operators. The service reads environment variables, once, when a process starts. A malformed value stops the start and names
the variable. An empty value counts as unset.

\`npm start\` needs none of them. To set some, copy \`.env.example\`; Docker Compose reads \`.env\` by itself, and a shell with
\`set -a; . ./.env; set +a\`.

| To | Set |
|---|---|
| run separate processes | \`DATABASE_URL\`, \`TEMPORAL_ADDRESS\`, for \`gate migrate\` also \`DATABASE_OWNER_URL\` |
| put it on the internet | \`PUBLIC_URL\`, \`TRUST_PROXY\`, \`NODE_ENV=production\` |
| send messages | \`SLACK_BOT_TOKEN\` or \`RESEND_API_KEY\` with \`MAIL_FROM\` |
| move money | \`STRIPE_SECRET_KEY\` |
| ask members in Slack | \`SLACK_SIGNING_SECRET\` |
| let accounts connect their own providers | \`SECRETS_KEYS\`, for Slack also \`SLACK_CLIENT_ID\` and \`SLACK_CLIENT_SECRET\` |

[Operating](operating.md) explains how.`

const notesOf: Record<string, string> = {
  Temporal:
    "`TEMPORAL_API_KEY` and `TEMPORAL_TLS_*` work too, as in every Temporal tool: Temporal's SDK reads them.",
  Sandbox:
    'The first provider credential (`SLACK_BOT_TOKEN`, `RESEND_API_KEY`, `SMTP_URL`, `STRIPE_SECRET_KEY` or `SLACK_CLIENT_SECRET`) ends the sandbox for all providers. [Know the sandbox](quickstart.md#know-the-sandbox)',
  Slack: 'See [Set up the Slack app](operating.md#set-up-the-slack-app).',
  Previews: 'See [Previews](previews.md).',
}

const compose = `## Docker Compose

Only \`docker-compose.yml\` reads these. They are the logins of its databases: letters and digits only. They are stored when the
database is first created, so change them before the first start.

| Variable | Meaning |
|---|---|
| \`POSTGRES_PASSWORD\` | the superuser, which migrates |
| \`GATE_DB_PASSWORD\` | the role of the service |
| \`TEMPORAL_DB_PASSWORD\` | Temporal's own login |
`

const notes = (subject: string): string[] => (notesOf[subject] ? [notesOf[subject], ''] : [])

function tableOf(variables: Record<string, z.ZodType>): string {
  const rows = Object.entries(variables).map(([name, schema]) => {
    const meta = schema.meta() as Meta
    if (!meta?.description) throw new Error(`${name} does not say what it means`)
    return `| \`${name}\` | ${formOf(schema)} | ${defaultOf(name, schema, meta)} | ${meta.description} |`
  })
  return ['| Variable | Form | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function formOf(schema: z.ZodType): string {
  const form = (schema.meta() as Meta)?.form
  if (form !== undefined) return form
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => `\`${option}\``).join(', ')
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return formOf(schema.unwrap() as z.ZodType)
  throw new Error(`no form is known for a ${schema.def.type}`)
}

function defaultOf(name: string, schema: z.ZodType, { unset }: NonNullable<Meta>): string {
  if (!(schema instanceof z.ZodDefault)) {
    if (unset === undefined) throw new Error(`${name} does not say what holds where it is not set`)
    return unset
  }
  const value = schema.def.defaultValue as unknown
  return `\`${typeof value === 'boolean' ? Number(value) : Array.isArray(value) ? value.join(',') : String(value)}\``
}
