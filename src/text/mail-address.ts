import { domainToASCII, domainToUnicode } from 'node:url'

/**
 * A mail address as it is stored and sent to: an international domain in its ASCII form, `ada@xn--bcher-kva.example`. A text that
 * has none, or is no address, stays as it is. Pure.
 * @source RFC 5890, RFC 3492; UTS #46
 */
export function asciiAddress(text: string): string {
  const { local, domain } = partsOf(text)
  if (domain === undefined || isAscii(domain)) return text
  // A character that a domain cannot hold would be cut off, or read as an address of a network.
  const ascii = letters.test(domain) ? domainToASCII(domain.normalize('NFC')) : ''
  return isReadAs(ascii, domain) ? `${local}@${ascii}` : text
}

/**
 * Whether a domain in ASCII reads as what was written, apart from the case and the form of its dots. What is not seen is left out of a
 * domain, and letters of full width become others: two texts would be one address.
 */
const isReadAs = (ascii: string, domain: string): boolean =>
  ascii !== '' && domainToUnicode(ascii) === withPlainDots(domain.normalize('NFC').toLowerCase())

const withPlainDots = (domain: string): string => domain.replaceAll(/[\u3002\uFF0E\uFF61]/g, '.')
const shownDomain = (domain: string): string => domainToUnicode(domain) || domain

/** An address for people: with what its domain reads as, where that differs. Pure. */
export function shownAddress(address: string): string {
  const { domain } = partsOf(address)
  if (domain === undefined || !hasPunycode(domain)) return address
  const shown = domainToUnicode(domain)
  return shown === '' || shown === domain.toLowerCase() ? address : `${address} (${shown})`
}

/** Whether an address has a domain in ASCII that stands for no international one: `xn--a.example`. Pure. */
export function hasBrokenDomain(address: string): boolean {
  const { domain = '' } = partsOf(address)
  return hasPunycode(domain) && domainToASCII(domain) === ''
}

/** Why a text is no address that mail can be sent to, after the name of its field. Pure. */
export function addressProblem(text: string): string {
  const { local, domain } = partsOf(text)
  if (domain === undefined || local === '' || domain === '') return noAddress
  const foreign = Array.from(local).find((character) => !isAscii(character))
  if (foreign !== undefined)
    return `must have only ASCII characters before the @, and ${JSON.stringify(foreign)} is none. Enter an address of the same mailbox without it`
  if (/^\.|\.\.|\.$/.test(withPlainDots(domain)))
    return `must have a domain after the @ with a name on each side of every dot, and ${JSON.stringify(shownDomain(domain))} has a dot too many`
  const ascii = asciiAddress(text)
  if (ascii !== text) return `${noAddress} in ASCII: write its domain as ${partsOf(ascii).domain}`
  if (!isAscii(domain) || hasBrokenDomain(text))
    return `must have a domain after the @ that exists in the DNS, and ${JSON.stringify(domain)} cannot`
  return noAddress
}

const noAddress = 'must be an e-mail address'
const hasPunycode = (domain: string): boolean => /(?:^|\.)xn--/i.test(domain)
const letters = /^[\p{L}\p{M}\p{N}.\u3002\uFF0E\uFF61\u00B7\u30FB-]+$/u

// eslint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text)

function partsOf(text: string): { local: string; domain: string | undefined } {
  const at = text.lastIndexOf('@')
  return at === -1
    ? { local: text, domain: undefined }
    : { local: text.slice(0, at), domain: text.slice(at + 1) }
}
