import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { publicLink } from '../../network/public-link.ts'
import { signablePowers } from './powers.ts'

export const mcpPath = '/mcp'
export const authorizePath = '/oauth/authorize'
export const tokenPath = '/oauth/token'
export const registerPath = '/oauth/register'
export const revokePath = '/oauth/revoke'

/** What tokens are for, and who issues them. */
export interface AppAddresses {
  /** The host that alone serves them, with its port. */
  host: string
  /** The only audience of tokens. */
  resource: string
  /** Where the resource says who issues its tokens. */
  resourceMetadata: string
  /** Below a path: at the root of the host, clients that bring a key would be drawn into signing in. */
  issuer: string
}

/** What a person gives to a hosted agent; undefined where OAUTH_URL is not set. */
export const hostedUrl = ({ config: { OAUTH_URL: base } }: Pick<Deps, 'config'>): string | undefined =>
  base && `${base}${mcpPath}`

/** @throws GateError `not_found` where OAUTH_URL is not set */
export function appAddresses({ config }: Pick<Deps, 'config'>): AppAddresses {
  const { OAUTH_URL: base } = config
  if (base === undefined)
    throw new GateError('not_found', 'Not found. See /llms.txt for the available paths.')
  return {
    host: new URL(base).host,
    resource: `${base}${mcpPath}`,
    resourceMetadata: `${base}/.well-known/oauth-protected-resource${mcpPath}`,
    issuer: `${base}/oauth`,
  }
}

/** @source RFC 9728, section 2 */
export function resourceMetadata(deps: Pick<Deps, 'config'>): object {
  const { resource, issuer } = appAddresses(deps)
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: signablePowers.filter((power) => power !== 'confirm'),
    bearer_methods_supported: ['header'],
    resource_name: 'Qualification Gate',
  }
}

/** @source RFC 8414, section 2; RFC 9207, section 3; MCP 2026-07-28, authorization: client id metadata documents */
export function issuerMetadata(deps: Pick<Deps, 'config' | 'publicUrl'>): object {
  const { issuer } = appAddresses(deps)
  const base = deps.config.OAUTH_URL!
  return {
    issuer,
    // Where people have their session.
    authorization_endpoint: publicLink(deps, authorizePath),
    token_endpoint: `${base}${tokenPath}`,
    registration_endpoint: `${base}${registerPath}`,
    revocation_endpoint: `${base}${revokePath}`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
    revocation_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
    scopes_supported: signablePowers,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }
}
