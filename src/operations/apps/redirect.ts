import { isLoopbackHost } from '../../network/loopback.ts'

const charsMax = 500

/**
 * Whether an app may have people sent back to an address: https, or plain http to a program on their own machine. Pure.
 * @source OAuth 2.1, section 2.3; RFC 8252, section 7.3
 */
export function isRedirect(text: string): boolean {
  if (text.length > charsMax || !/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  // Also an empty user name or fragment, which URL does not tell.
  if (username !== '' || password !== '' || /[#\\]|^[a-z]+:\/\/[^/?]*@/i.test(text)) return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

/**
 * Whether an address is one of those that are registered: the same characters. Only the port of a program on the person's own
 * machine may differ, which gets another one at each start. Pure.
 */
export const isRegistered = (asked: string, registered: readonly string[]): boolean =>
  isRedirect(asked) && registered.some((one) => one === asked || isOfSameProgram(one, asked))

function isOfSameProgram(one: string, asked: string): boolean {
  if (!isRedirect(one) || new URL(one).protocol !== 'http:') return false
  return withoutPort(one) === withoutPort(asked)
}

const withoutPort = (text: string): string =>
  text.replace(/^(http:\/\/(?:\[[^\]]*\]|[^:/?]*))(?::\d{1,5})?(?=[/?]|$)/, '$1')

/** The host that a person is sent back to. Pure. */
export const hostOf = (address: string): string => {
  const { hostname, host, protocol } = new URL(address)
  return protocol === 'http:' ? hostname : host
}
