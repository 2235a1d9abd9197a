export const upstreamsPath = '/console/mcp-servers'
/** No server has a name with a `_`. */
export const newUpstreamPath = `${upstreamsPath}/new_server`

/** The page of one server. */
export const upstreamPathOf = (upstream: string): string => `${upstreamsPath}/${upstream}`

/** The page of one tool. */
export const toolPathOf = (upstream: string, tool: string): string =>
  `${upstreamPathOf(upstream)}/tools/${tool}`
