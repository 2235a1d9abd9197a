/** Limits of messages to providers and of calls to them, their units at the end of their names. */
export const providerLimits = {
  /** Columns of a quoted line on a card, with its bar: a phone does not wrap it. */
  quoteColumnsMax: 32,
  /** A card in Slack: characters of a block, blocks without the buttons, characters in all (not documented by Slack). */
  slackBlockCharsMax: 3_000,
  slackBlocksMax: 40,
  slackMessageCharsMax: 12_000,

  /** One call to Slack or Resend, one call to Stripe, and one read of a key's account. */
  providerCallMs: 15_000,
  stripeCallMs: 20_000,
  stripeAccountReadMs: 5_000,
  /** The delay after a failed connection or a failed read. */
  providerConnectRetryMs: 5_000,
  /** The delay where a provider sends a rate limit without one, and the longest delay that is accepted from it. */
  slackRetryAfterMsDefault: 30_000,
  resendRetryAfterMsDefault: 1_000,
  stripeRetryAfterMsDefault: 2_000,
  providerRetryAfterMsMax: 3_600_000,
  /** Recipients of a Slack slice that are sent to concurrently, and conversations whose id is remembered. */
  slackRecipientsAtOnce: 8,
  slackDirectChannelsMax: 20_000,
  /** How long a message with unknown outcome gets to appear in Slack's history. */
  slackReconcileMs: 30_000,
  /** Clocks differ: how much older a message may appear in Slack's history, or an object at Stripe. */
  slackHistorySkewMs: 120_000,
  stripeClockSkewMs: 300_000,
  /** Slack's page size for apps outside its marketplace, pages read, and waits for its rate limit. */
  slackHistoryPageRows: 15,
  slackHistoryPagesMax: 10,
  slackRateLimitWaitsMax: 3,
  slackRateLimitWaitMsMax: 90_000,
  /** Stripe's page size, pages searched, and pages of a subscription's items: it allows twenty items, more by agreement. */
  stripePageRowsMax: 100,
  stripeSearchPagesMax: 10,
  stripeItemPagesMax: 5,
  stripeAccountNameCharsMax: 100,
  /** The URL of a checkout, which is stored in the ledger. */
  checkoutUrlCharsMax: 4_096,
  emailSubjectNameCharsMax: 100,
} as const
