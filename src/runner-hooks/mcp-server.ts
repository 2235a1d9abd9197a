/**
 * The MCP server in a tool's name, where the name leaves no doubt: a server may have the separator in its own name. Pure.
 * @param form  what stands before and between server and tool: `mcp__server__tool` or `mcp_server_tool`
 */
export function mcpServerOf(tool: string, form: '__' | '_'): string | null {
  const [prefix, server, name, ...more] = tool.split(form)
  return prefix === 'mcp' && server && name && more.length === 0 ? server : null
}
