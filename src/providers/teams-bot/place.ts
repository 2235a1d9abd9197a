/** Where Microsoft is called, and calls from. */
export interface BotPlace {
  /** Where a bot of the tenant gets its token. */
  tokenUrl(tenant: string): string
  /** Where conversations are; it ends with a slash. */
  serviceUrl: string
  /** Where the keys of Microsoft's own calls are found. */
  metadataUrl: string
  /** Whether a call may come from there. */
  isService(url: string): boolean
}

/**
 * The service of the commercial cloud. Others have other issuers, keys and addresses.
 * @source https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication
 */
export const microsoft: BotPlace = {
  tokenUrl: (tenant) => `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`,
  serviceUrl: 'https://smba.trafficmanager.net/teams/',
  metadataUrl: 'https://login.botframework.com/v1/.well-known/openidconfiguration',
  isService: (url) => URL.canParse(url) && new URL(url).origin === 'https://smba.trafficmanager.net',
}

/** The stand-in at an address. */
export function standIn(base: string): BotPlace {
  const at = (path: string) => new URL(`/teams-bot/${path}`, base).href
  return {
    tokenUrl: (tenant) => at(`${tenant}/oauth2/v2.0/token`),
    serviceUrl: at('service/'),
    metadataUrl: at('.well-known/openidconfiguration'),
    isService: (url) => url === at('service/'),
  }
}
