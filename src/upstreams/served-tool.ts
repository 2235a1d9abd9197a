import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { UpstreamPlace } from '../db/queries/upstreams/upstreams.ts'
import type { ToolRule } from '../gate/declared/tool-rule.ts'

/**
 * A tool of an MCP server behind the gate. Only a reviewed one may be shown to a model and called. Everything in its
 * definition was written by the server: names, descriptions, schemas and annotations.
 */
export interface ServedTool extends CalledTool {
  /** The name that agents call it by: `github__create_issue`. */
  name: string
  /** As the administrator reviewed it; of an unreviewed tool, only its name. */
  definition: Tool
  rule: ToolRule
  /** unreviewed: new. quarantined: the server changed it after the review. */
  state: ToolState
  /** A call of unknown outcome may be repeated. */
  isIdempotent: boolean
  amount?: ToolRule['amount']
  subject?: ToolRule['subject']
}

/** What a call needs to know of a tool. */
export interface CalledTool {
  account: string
  /** The name of the server in the account. */
  upstream: string
  /** Where the server is, as `addressOf` writes it. */
  address: string
  /** The tool's name at its server. */
  tool: string
  /** SHA-256 of its definition in its RFC 8785 form, hex: as reviewed, and as the member was asked about. */
  hash: string
}

/** Begins the address of a server that is a command: no URL begins so. */
export const ofCommand = 'command:'

/** Where a server is: its URL without the query, or the command of the operator that starts it. Pure. */
export const addressOf = ({ url, command }: UpstreamPlace): string => url ?? `${ofCommand}${command}`

export type ToolState = 'reviewed' | 'unreviewed' | 'quarantined'

/** The name by which agents call a tool. Names of servers have no underscore, so the first two end the server's name. */
export const servedName = (upstream: string, tool: string): string => `${upstream}__${tool}`
