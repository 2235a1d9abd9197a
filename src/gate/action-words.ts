/**
 * An action as the subject of a sentence, with its amount if it has one: "This 45.00 USD refund". Pure.
 * @param amount  as `formatAmount` writes it
 */
export function subjectOf(kind: string, amount?: string): string {
  const sized = amount === undefined ? '' : `${amount} `
  return phrases.get(kind)?.one(sized) ?? `This ${sized}${kind}`
}

/** Any action of a kind, as the subject of a sentence: "A refund". Pure. */
export function anyOf(kind: string): string {
  return phrases.get(kind)?.any ?? `A ${kind}`
}

const phrases = new Map<string, { one: (sized: string) => string; any: string }>([
  [
    'subscription_cancellation',
    { one: (sized) => `Cancelling this ${sized}subscription`, any: 'Cancelling a subscription' },
  ],
  ['upstream_tool', { one: (sized) => `This ${sized}tool call`, any: 'A tool call' }],
  ['integration', { one: () => 'Connecting this integration', any: 'Connecting an integration' }],
  ['preview', { one: () => 'Starting this preview', any: 'Starting a preview' }],
])
