/** The app that the stand-in of Slack knows. */
export const sandboxApp = {
  clientId: 'sandbox-client',
  clientSecret: 'sandbox-secret',
  /** Of stand-ins alone: a process that reaches Slack takes no interaction signed with it. */
  signingSecret: 'sandbox-signing-secret',
}
