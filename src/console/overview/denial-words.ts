/** The reason of a denial by its code: what the policy found. A code without words is shown as it is. Pure. */
export const denialWords = (code: string | null): string =>
  code === null ? 'other' : (words[code] ?? code.replaceAll('_', ' '))

const words: Record<string, string> = {
  tier_insufficient: 'tier too low',
  above_last_band: 'amount above the last band',
  currency_without_bands: 'currency without bands',
  velocity: 'daily limit reached',
  key_ceiling: 'daily limit of the API key reached',
  cannot_be_asked: 'member cannot be asked',
  kind_denied: 'kind not allowed by the policy',
}
