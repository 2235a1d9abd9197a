import { z } from 'zod'
import { headerLines, upstreamName, upstreamUrl } from '../../operations/upstreams/fields.ts'
import { refreshTools, upstreamSettings } from '../../operations/upstreams/refresh-tools.ts'
import { addUpstream, changeUpstream, removeUpstream } from '../../operations/upstreams/servers.ts'
import { limits } from '../../limits.ts'
import { type Html, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import {
  type PageContext,
  type Redirect,
  type RejectedForm,
  accountOf,
  asAdmin,
  definePage,
} from '../page.ts'
import { confirmation, facts, field, formProblem, textArea } from '../parts.ts'
import { placeOf } from './list-page.ts'
import { newUpstreamPath, upstreamPathOf, upstreamsPath } from './paths.ts'
import { nameIn, serverIn } from './server-page.ts'

/** With the headers of the server. */
const upstreamFormBytesMax = 262_144

const formBytesMax = upstreamFormBytesMax

/** Adds a server, and reads its tools. */
export const addUpstreamPage = definePage({
  path: newUpstreamPath,
  role: 'admin',
  formBytesMax,
  form: z.strictObject({ name: upstreamName, url: upstreamUrl, headers: headerLines }),
  show: async (_context, _query, rejected) => ({
    title: 'Add an MCP server',
    body: html`${formProblem(rejected)}
      <p>The gate reads the tools of the server. Agents see none of them before you reviewed it.</p>
      <form method="post">
        ${field({
          name: 'name',
          label: 'Name',
          hint: '1 to 20 lower-case letters, digits and -. Agents call its tools as <name>__<tool>.',
          charsMax: 20,
          rejected,
        })}
        ${urlField(rejected)} ${headersField(rejected)}
        <p class="actions">
          <button type="submit">Add MCP server</button>
          <a class="button" href="${upstreamsPath}">Go back</a>
        </p>
      </form>
      <p class="hint">
        A server that is a program of its own is added by the operator, with <code>gate upstream add</code>.
      </p>`,
  }),
  async send(context, given) {
    await addUpstream(asAdmin(context), upstreamSettings(context.deps), given)
    return readNow(context, given.name)
  },
})

/** Replaces the headers of a server, and the query of its address. */
export const upstreamHeadersPage = definePage({
  path: `${upstreamPathOf(':upstream')}/headers`,
  role: 'admin',
  formBytesMax,
  form: z.strictObject({ url: optionally(upstreamUrl), headers: headerLines }),
  async show(context, _query, rejected) {
    const server = await serverIn(context)
    return {
      title: `Headers of ${server.upstream}`,
      body: html`${formProblem(rejected)}
        ${facts([
          ['Address', placeOf(server)],
          ['Headers now', server.headers.length === 0 ? 'none' : server.headers.join(', ')],
        ])}
        <p>
          What you enter replaces all headers, and the query of the address. The rest of the address stays.
        </p>
        <form method="post">
          ${field({
            name: 'url',
            label: 'Address with its query',
            hint: 'Enter the same address, with the query to send. Empty: no query is sent.',
            type: 'url',
            isRequired: false,
            charsMax: limits.upstreamUrlCharsMax,
            rejected: withoutSecrets(rejected),
          })}
          ${headersField(rejected)}
          <p class="actions">
            <button type="submit">Replace headers</button>
            <a class="button" href="${upstreamPathOf(server.upstream)}">Go back</a>
          </p>
        </form>`,
    }
  },
  async send(context, { url, headers }) {
    const name = nameIn(context)
    await changeUpstream(asAdmin(context), upstreamSettings(context.deps), { name, url, headers })
    return readNow(context, name)
  },
})

/** Reads the tools of a server now. */
export const refreshUpstreamPage = definePage({
  path: `${upstreamPathOf(':upstream')}/refresh`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { upstream } = await serverIn(context)
    return {
      title: `Read the tools of ${upstream}?`,
      body: html`${formProblem(rejected)}
        <p>
          The worker reads them every few minutes. A tool that changed since its review goes into quarantine.
        </p>
        ${confirmation({ button: 'Read tools now', back: upstreamPathOf(upstream), isHarmless: true })}`,
    }
  },
  send: (context) => readNow(context, nameIn(context)),
})

/** Confirms before a server is removed. */
export const removeUpstreamPage = definePage({
  path: `${upstreamPathOf(':upstream')}/remove`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const server = await serverIn(context)
    return {
      title: `Remove ${server.upstream}?`,
      body: html`${formProblem(rejected)}
        ${facts([
          ['Address', placeOf(server)],
          ['Tools', server.tools],
        ])}
        <p>
          Its tools, reviews, rules and headers are deleted, and calls of its tools are refused. If you add it
          again, everything is reviewed again.
        </p>
        ${confirmation({ button: 'Remove MCP server', back: upstreamPathOf(server.upstream) })}`,
    }
  },
  async send(context) {
    await removeUpstream(asAdmin(context), nameIn(context))
    return { to: upstreamsPath, flash: 'upstream_removed' }
  },
})

/** Reads the tools of a server, and leads to its page, which says more. */
async function readNow(context: PageContext, upstream: string): Promise<Redirect> {
  const done = await refreshTools(accountOf(context), context.deps.upstreams, upstream)
  const to = upstreamPathOf(upstream)
  if (done.state === 'failed') return { to, flash: 'upstream_unread' }
  if (done.state === 'skipped') return { to, flash: 'upstream_skipped' }
  return { to, flash: done.quarantined.length === 0 ? 'upstream_read' : 'upstream_changed' }
}

const urlField = (rejected: RejectedForm | undefined): Html =>
  field({
    name: 'url',
    label: 'Address',
    hint: 'A server that speaks Streamable HTTP, such as https://mcp.example.com/mcp. The query after ? is encrypted and never shown again.',
    type: 'url',
    charsMax: limits.upstreamUrlCharsMax,
    rejected: withoutSecrets(rejected),
  })

const headersField = (rejected: RejectedForm | undefined): Html =>
  textArea({
    name: 'headers',
    label: 'Headers',
    hint: `Sent with every request, one a line, such as Authorization: Bearer … They are encrypted and never shown again${rejected ? ': enter them again' : ''}.`,
    isRequired: false,
    rejected: withoutSecrets(rejected),
  })

/** Leaves secrets out of a refused form too: they are never shown again. */
function withoutSecrets(rejected: RejectedForm | undefined): RejectedForm | undefined {
  if (!rejected) return undefined
  const { headers: _, url = '', ...values } = rejected.values
  return { ...rejected, values: { ...values, url: url.split('?')[0]! } }
}
