import { z } from 'zod'
import { ruleDocument } from '../upstreams/rule-document.ts'
import {
  commandName,
  headerLine,
  reviewDigest,
  toolName,
  upstreamName,
  upstreamUrl,
} from '../upstreams/fields.ts'
import { upstreamSettings } from '../upstreams/refresh-tools.ts'
import { approveReview, listTools, readReview, setToolRule } from '../upstreams/review.ts'
import {
  addUpstream as add,
  listUpstreams as list,
  readUpstream,
  removeUpstream as remove,
} from '../upstreams/servers.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { defineAdmin } from './admin-operation.ts'
import { Document, listOf } from './parts.ts'

const path = '/api/v1/admin/upstreams'
const github = { name: 'github' }

const listUpstreams = defineAdmin({
  name: 'list_upstreams',
  title: 'List MCP servers',
  summary: 'Lists the MCP servers behind the gate.',
  http: { method: 'GET', path },
  power: 'admin:upstreams.read',
  input: z.strictObject({}),
  output: listOf('upstreams'),
  errors: ['forbidden'],
  example: { input: {}, output: { upstreams: [{ upstream: 'github', url: 'https://mcp.example.com/mcp' }] } },
  run: async (context) => ({ upstreams: await list(context) }),
})

const getUpstream = defineAdmin({
  name: 'get_upstream',
  title: 'Read an MCP server',
  summary: 'Reads an MCP server and the rule of each of its tools.',
  http: { method: 'GET', path: `${path}/{name}` },
  power: 'admin:upstreams.read',
  input: z.strictObject({ name: upstreamName }),
  output: Document,
  errors: ['forbidden', 'not_found', 'invalid'],
  example: { input: github, output: { upstream: 'github', tools: [] } },
  run: async (context, { name }) => ({
    ...(await readUpstream(context, name)),
    tools: await listTools(context, name),
  }),
})

const addUpstream = defineAdmin({
  name: 'add_upstream',
  title: 'Add an MCP server',
  summary:
    'Puts an MCP server behind the gate. The worker reads its tools within minutes; none is served before a review.',
  http: { method: 'POST', path },
  power: 'admin:upstreams.write',
  input: z.strictObject({
    name: upstreamName,
    url: upstreamUrl.optional(),
    command: commandName.optional().meta({ description: 'A command of the file in UPSTREAM_COMMANDS.' }),
    headers: z.array(headerLine).max(limits.upstreamHeadersMax).default([]),
  }),
  output: Document,
  errors: ['forbidden', 'conflict', 'invalid'],
  example: { input: { ...github, url: 'https://mcp.example.com/mcp' }, output: { upstream: 'github' } },
  async run(context, { name, url, command, headers }) {
    if ((url === undefined) === (command === undefined) || (command !== undefined && headers.length > 0))
      throw new GateError('invalid', 'Give url, with headers if it needs them, or command.', { param: 'url' })
    const server = command === undefined ? { name, url: url!, headers } : { name, command }
    await add(context, upstreamSettings(context.deps), server)
    return { upstream: name }
  },
})

const showReview = defineAdmin({
  name: 'show_review',
  title: 'Review the tools of an MCP server',
  summary: 'Shows new and changed tools of an MCP server, with the digest that approves exactly them.',
  http: { method: 'GET', path: `${path}/{name}/review` },
  power: 'admin:upstreams.read',
  input: z.strictObject({ name: upstreamName, tool: toolName.optional() }),
  output: Document,
  errors: ['forbidden', 'not_found', 'invalid'],
  example: { input: github, output: { upstream: 'github', tools: [], digest: 'a'.repeat(64) } },
  run: async (context, { name, tool }) => ({ upstream: name, ...(await readReview(context, name, tool)) }),
})

const approveTools = defineAdmin({
  name: 'approve_tools',
  title: 'Approve tools of an MCP server',
  summary: 'Approves what a review showed: all of it, or nothing where anything changed since.',
  http: { method: 'POST', path: `${path}/{name}/review` },
  power: 'admin:upstreams.write',
  input: z.strictObject({ name: upstreamName, tool: toolName.optional(), digest: reviewDigest }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: {
    input: { ...github, digest: 'a'.repeat(64) },
    output: { upstream: 'github', approved: ['create_issue'] },
  },
  run: async (context, { name, tool, digest }) => ({
    upstream: name,
    approved: await approveReview(context, name, { only: tool, digest }),
  }),
})

const setRule = defineAdmin({
  name: 'set_tool_rule',
  title: 'Set the rule of a tool',
  summary: 'Allows, confirms or denies the calls of a tool.',
  http: { method: 'POST', path: `${path}/{name}/rule` },
  power: 'admin:upstreams.write',
  input: z.strictObject({ name: upstreamName, tool: toolName, rule: ruleDocument }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: {
    input: { ...github, tool: 'create_issue', rule: { rule: 'deny' } },
    output: { upstream: 'github', tools: ['create_issue'], rule: { rule: 'deny' } },
  },
  async run(context, { name, tool, rule }) {
    await setToolRule(context, { upstream: name, tool, rule })
    return { upstream: name, tools: [tool], rule }
  },
})

const removeUpstream = defineAdmin({
  name: 'remove_upstream',
  title: 'Remove an MCP server',
  summary: 'Removes an MCP server with its reviews, rules and credentials.',
  http: { method: 'POST', path: `${path}/{name}/remove` },
  power: 'admin:upstreams.write',
  input: z.strictObject({ name: upstreamName }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: github, output: { removed: 'github' } },
  async run(context, { name }) {
    await remove(context, name)
    return { removed: name }
  },
})

export const upstreamOperations = {
  listUpstreams,
  getUpstream,
  addUpstream,
  showReview,
  approveTools,
  setRule,
  removeUpstream,
}
