import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type IntegrationProvider, providerName } from '../gate/integration-provider.ts'

const returnUrlCharsMax = 1_000
const credentialCharsMax = 255
const senderCharsMax = 320

type Keyed = Exclude<IntegrationProvider, 'slack' | 'smtp' | 'teams' | 'teams_bot'>

/** Known key prefixes and their meaning; the first match applies. */
const forms: { prefix: RegExp; what: string; of?: IntegrationProvider; isUsable?: boolean }[] = [
  { prefix: /^rk_/, what: 'a restricted Stripe key', of: 'stripe', isUsable: true },
  { prefix: /^sk_/, what: 'a secret Stripe key', of: 'stripe', isUsable: true },
  { prefix: /^pk_/, what: 'a publishable Stripe key, which is only for browsers', of: 'stripe' },
  { prefix: /^whsec_/, what: 'a webhook signing secret' },
  { prefix: /^re_/, what: 'a Resend key', of: 'resend', isUsable: true },
  { prefix: /^xox|^xapp-/, what: 'a Slack token', of: 'slack' },
  { prefix: /^qgk_/, what: 'a key of this service' },
]

const wanted: Record<Keyed, string> = {
  stripe: 'a restricted key (rk_…), or a secret one (sk_…), from the API keys page of Stripe',
  resend: 'an API key (re_…) from the API keys page of Resend',
}

/**
 * The key a person pasted, without surrounding white space. Pure.
 * @param isSandbox  if true, live keys are refused, since the sandbox does not use them
 * @throws GateError `invalid` with the problem and what to paste; never repeats the key
 */
export function readPastedKey(provider: Keyed, pasted: string, isSandbox: boolean): string {
  const key = pasted.trim()
  if (key === '') throw refused('Nothing was pasted.', provider)
  const form = forms.find(({ prefix }) => prefix.test(key))
  if (form && !(form.of === provider && form.isUsable)) {
    const name = providerName[provider]
    throw refused(`This is ${form.what}, but this page connects ${name}.`, provider)
  }
  if (!form || !/^\w+$/.test(key) || key.length > credentialCharsMax)
    throw refused('This is not a complete key of a known form.', provider)
  if (isSandbox && /^[rs]k_live_/.test(key)) {
    throw new GateError(
      'invalid',
      'This is a live key, but this service runs in the sandbox. Paste a test key (…_test_…).',
      { param: 'key' },
    )
  }
  return key
}

/**
 * The sender of e-mails: an address, or `Name <address>`. Pure.
 * @throws GateError `invalid`
 */
export function readSender(given: string, of = 'of a domain that Resend has verified for you'): string {
  const sender = given.trim()
  const address = /^(?:[^\p{Cc}<>",;:\\@]{1,100} <([^<>]+)>|([^<>\s]+))$/u.exec(sender)
  const bare = address?.[1] ?? address?.[2] ?? ''
  if (sender.length <= senderCharsMax && isAddress(bare)) return sender
  throw new GateError(
    'invalid',
    `The sender must be an address ${of}, such as gate@example.com or Acme <gate@example.com>.`,
    { param: 'sender' },
  )
}

/**
 * The page that a checkout's customer returns to, if the account has one. Pure.
 * @throws GateError `invalid`
 */
export function readReturnUrl(given: string): { return_url?: string } {
  const text = given.trim()
  if (text === '') return {}
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isGood = url?.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === ''
  if (isGood && text.length <= returnUrlCharsMax) return { return_url: url.href }
  throw new GateError(
    'invalid',
    'The page for customers must be a complete https address, such as https://shop.example/thanks.',
    { param: 'return_url' },
  )
}

const refused = (sentence: string, provider: Keyed) =>
  new GateError('invalid', `${sentence} Paste ${wanted[provider]}.`, { param: 'key' })

function isAddress(text: string): boolean {
  return (
    text.length <= limits.emailCharsMax &&
    /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(text)
  )
}
