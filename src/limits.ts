/** Every bound of the service, its unit at the end of its name. */
export const limits = {
  bodyBytesMax: 1_048_576,
  /** Node's own bound, which holds for the address too. */
  headersBytesMax: 16_384,
  pageRowsDefault: 50,
  pageRowsMax: 200,
  kindCharsMax: 64,
  nameCharsMax: 200,
  emailCharsMax: 254,
  identityCharsMax: 254,
  messageCodePointsMax: 4_000,
  idempotencyKeyCharsMax: 255,
  slugCharsMax: 64,
  titleCharsMax: 200,
  modulesMax: 100,
  validDaysMax: 3_650,
  reasonCharsMax: 500,
  policyDocumentCharsMax: 100_000,
  bandsMax: 20,
  expiresAfterHoursMax: 8_760,
  openPerMemberMax: 10_000,
  /** How long the policy may hold back what a changed e-mail or Slack identity decides. */
  settlesAfterHoursMax: 720,
  /** Confirmed actions of a member's day that are counted; more are too many under any policy. */
  velocityRowsMax: 10_000,
  velocityActionsMax: 9_999,
  amountCentsMax: 99_999_999_999,
  paymentsDefault: 20,
  paymentsMax: 100,
  returnUrlCharsMax: 1_000,
  quantityMax: 1_000_000,
  descriptionCharsMax: 250,
  providerIdCharsMax: 255,

  /** A key that was read longer ago is read again once the body of its request is there. */
  authenticationFreshMs: 100,
  /** Members that one key is bound to, kinds that it is for, and networks that it is used from. */
  keyActorsMax: 100,
  keyKindsMax: 50,
  keyNetworksMax: 20,
  /** How long a key that was rotated goes on working. */
  keyOverlapHoursDefault: 24,
  keyOverlapHoursMax: 168,

  /** Members who are made participants together with their conversation: they stand in one ledger entry. */
  participantsAtOnceMax: 100,

  /** One page of a file, and of a listing. */
  fileBytesPerPage: 65_536,
  filesPerPage: 1_000,
  /** A file's path in its workspace. Longer ones are not listed and cannot be read. */
  workspacePathBytesMax: 1_024,
  workspaceDepthMax: 64,
  /** A folder with more entries is left out of a listing. */
  folderEntriesMax: 100_000,
  /** Names of a folder that a listing holds in memory at once. */
  folderEntriesHeldMax: 5_000,
  /** What one page of a listing looks through before it ends early. */
  listingEntriesMax: 200_000,
  listingFoldersMax: 1_000,
  /** Files whose sizes are asked for at once. */
  filesStatedAtOnce: 128,
  /** Of a .gitignore that much is read, of all that hold for a file so many rules, of a rule so many characters. */
  ignoreFileBytesMax: 65_536,
  ignoreRulesMax: 2_000,
  ignoreRuleCharsMax: 256,
  /** Characters compared to find out what is ignored, in one request: about a tenth of a second. */
  ignoreStepsMax: 20_000_000,
  /** Times a file is opened or read anew because it moved or changed meanwhile. */
  fileTriesMax: 3,
  /** A copy of a workspace, for who runs what was built in it. */
  copyFilesMax: 50_000,
  copyEntriesMax: 500_000,
  copyBytesMax: 536_870_912,

  /** A file of anchors, read whole: about 100,000 heads. */
  anchorsFileBytesMax: 16_777_216,
  anchorsPerPage: 1_000,

  /** One group of checks appended by one statement. */
  checksPerAppendMax: 100,
  /** Checks of one account that may wait for their group; more are answered 503. */
  checksWaitingMax: 10_000,
  /** Times a decision is made anew because its facts moved. */
  staleTriesMax: 3,
  /** The same because others of the member's day were confirmed meanwhile. */
  movedTriesMax: 200,
  /** Recipient sets kept in memory, by account and roster version. */
  recipientSetsCachedMax: 200,

  databaseConnectionsMax: 10,
  databaseStatementMs: 15_000,
  databaseConnectSeconds: 5,
  databaseCallMs: 20_000,

  /** An outbox row falls due this long after it was written: the inline path had its chance. */
  outboxDueMs: 2_000,
  outboxAgainMs: 5_000,
  outboxPollMs: 1_000,
  outboxBatchRows: 200,
  outboxOverdueMs: 30_000,
  claimUnendedMs: 120_000,
  /** After which doctor names an action that is still being executed. */
  executionLongMs: 3_600_000,
  reconcileEverySeconds: 60,
  /** Rows the reconciler reads at a time, and how many of them it mends at once. */
  reconcileRowsMax: 1_000,
  reconcileRowsAtOnce: 8,
  /** How long each of its five parts begins further rows: together they end before the 50 seconds that a pass has. */
  reconcilePartMs: 7_000,
  idempotencyForgetRows: 10_000,

  /** Workflow starts a process has under way behind its answers; the rest is the relay's. */
  inlineStartsMax: 64,
  temporalConnectMs: 1_000,
  temporalSignalMs: 1_000,
  temporalStartMs: 5_000,
  temporalRelayMs: 5_000,
  confirmSignalMsMax: 30_000,
  confirmWaitMsMax: 120_000,
  /** A confirm that waits for its end looks by itself this often, should it not hear of it. */
  endingLookMs: 1_000,

  workflowTasksMax: 40,
  workflowsCachedMax: 300,
  ledgerActivitiesMax: 100,
  deliveryActivitiesMax: 16,
  /** Steps of one action under way at once. */
  stepsWindow: 8,
  /** Recipients in a slice: what is claimed, sent and recorded together. Resend takes 100 in a batch. */
  sliceRecipientsMax: { slack: 20, email: 100 },
  /** Slices a broadcast step works through, and how many of them are under way at once. */
  slicesPerStepMax: 50,
  slicesInFlight: 3,
  heartbeatEveryMs: 5_000,
  /** Inside a workflow task, how long a delivery waits for its turn under the rate limit. */
  briefTurnMs: 5_000,
  /** Times a slice that was certainly not delivered (429) is sent again. */
  sliceRoundsMax: 6,
  sliceRetryAfterMsMax: 120_000,
  /** When an idempotent slice of unknown fate is sent again under its key, and how old that key may be. */
  sliceUnknownAgainMs: 1_000,
  sliceKeyAgeMsMax: 72_000_000,
  /** How long an execution waits for a credential that cannot be opened; then what it was needed for has failed. */
  credentialUnreadableMs: 72_000_000,

  /** Calls to a payment provider under way in a process. */
  billingActivitiesMax: 64,
  /** Times a call of unknown fate is repeated under its key, the waits between them, and how old that key may be. */
  billingTriesMax: 20,
  /** After that many it is no longer looked for either. */
  billingLooksMax: 25,
  billingAgainMs: 1_000,
  /** The waits double up to so many times the first. */
  billingBackoffMax: 64,
  billingRetryAfterMsMax: 120_000,
  billingKeyAgeMsMax: 72_000_000,

  /** How long a link to connect a provider works, and how many credentials may be tried with it. */
  connectLinkMs: 900_000,
  connectTriesMax: 5,
  connectFormBytesMax: 8_192,
  /** Of one address. */
  connectPagesPerMinute: 240,
  /** How long the page waits for the connection to be in use. */
  connectWaitMs: 10_000,
  /** How long after a change of the account that money moves through each member consents themselves to moving money. */
  providerChangeGuardMs: 86_400_000,
  /** Administrators who are told of a change by mail. */
  adminsToldMax: 50,
  /** Links that are long over, forgotten at once. */
  connectLinksForgetRows: 1_000,
  /** A member is asked again about the same row no sooner than this, and reminded once after that long, or half of the time. */
  consentAskEveryMs: 600_000,
  /** Requests to one member within an hour, about whatever: more would be answered without a look. */
  consentAsksPerHourMax: 30,
  /** The same within 24 hours. Of both, one key has half while other keys may act for the member. */
  consentAsksPerDayMax: 100,
  consentRemindMs: 86_400_000,
  /** How long a request that a provider does not take is tried again. */
  consentSendMs: 21_600_000,
  /** How long the page and the message wait for the end of what was approved. */
  decideWaitMs: 10_000,
  /** A click in Slack is answered after this, whatever else is under way: Slack waits three seconds. */
  slackAckMs: 2_000,
  slackClockSkewMs: 300_000,
  slackInteractionBytesMax: 262_144,
  consentTokensForgetRows: 1_000,
  credentialCheckMs: 10_000,
  credentialCharsMax: 255,
  senderCharsMax: 320,
  /** Accounts whose own providers a process keeps open. */
  accountsOpenedMax: 100,
  integrationsListedMax: 200,
  secretsKeysMax: 10,
  /** Secrets wrapped anew by one statement. */
  rewrapRows: 100,

  /** Previews that live at once, unless configured otherwise, and what may be configured. */
  previewsPerAccount: 2,
  previewsPerAccountMax: 100,
  previewsPerHost: 10,
  previewsPerHostMax: 100,
  /** How long a preview may take to run, how long nobody may look at it, and how long it runs; with configured bounds. */
  previewBootMs: 60_000,
  previewBootMsMax: 600_000,
  previewIdleMs: 900_000,
  previewHardMs: 3_600_000,
  /** However often it is asked for again, and the most that may be configured of the two before. */
  previewTotalMs: 28_800_000,
  /** How often a host says that it lives, and how long it waits to be heard. */
  previewBeatMs: 2_000,
  previewBeatWaitMs: 4_000,
  /** After which silence a host is dead; one that is not heard ends its previews itself, well before. */
  previewHostDeadMs: 20_000,
  previewUnheardMs: 12_000,
  /** How long a host's queue may leave a task lying, and how long an activity there may be silent. */
  previewReachMs: 10_000,
  previewHeartbeatMs: 10_000,
  /** A preview that no workflow watches for so long is ended. */
  previewUnwatchedMs: 60_000,
  /** Activities of a host at once, beside one that watches each preview. */
  previewActivitiesMax: 20,
  /** How long start waits for `running` and stop for `stopped`, and status for the workflow. */
  previewStartWaitMs: 8_000,
  previewStopWaitMs: 5_000,
  previewLookMs: 1_000,
  previewQueryMs: 500,
  /** When the reconciler starts a workflow that has not been heard of, and ends what is past its time. */
  previewDueMs: 10_000,
  previewLateMs: 60_000,
  previewLinkMs: 900_000,
  /** Of what a preview printed, what an answer shows. */
  previewLogShownChars: 8_192,
  previewHostCharsMax: 200,
  previewsListedMax: 100,
  /** Where a further page of them begins, as an address has it. */
  previewPlaceCharsMax: 64,
  /** Of the gateway: connections, silence of a viewer, and what is held of a file while it is sent. */
  previewConnectionsMax: 1_000,
  previewSilenceMs: 60_000,
  previewPieceBytes: 262_144,
  /** What is held of a preview's small files, so that they are not read for every look. */
  previewHeldFileBytesMax: 131_072,
  previewHeldBytesMax: 4_194_304,
  previewHeldFilesMax: 500,
  /** How often a host looks for what dead ones left. */
  previewSweepMs: 60_000,
  /** A folder of a host that does not say whose it is belongs to one that is starting, for so long. */
  previewFolderUnclaimedMs: 60_000,
  /** The end of what a preview printed that is kept, and how often what it prints is handed on. */
  previewLogBytesMax: 65_536,
  previewLogEveryMs: 100,
  /** All that runs in a preview in command mode: its memory with what it wrote, and of that what it may write. */
  previewMemoryMiBMin: 192,
  previewMemoryMiBMax: 65_536,
  previewScratchBytesMax: 268_435_456,
  previewFileBytesMax: 134_217_728,
  /** Of each of its processes. */
  previewCpuSecondsMax: 86_400,
  previewOpenFilesMax: 1_024,
  /** Processes and threads, of which a Node process has about a dozen. */
  previewTasksMax: 256,
  /** How often its memory is looked at: what it takes in between is beyond its bound. */
  previewMemoryLookMs: 100,
  previewAppConnectionsMax: 128,
  /** How often a starting preview is asked whether it answers. */
  previewReadyLookMs: 250,
  previewStopMs: 10_000,
  previewProbeMs: 10_000,
  packageJsonBytesMax: 1_048_576,
  packagesDeclaredMax: 1_000,
  scriptHopsMax: 3,
  /** A request to a preview in command mode, and its answer. */
  previewRequestsMax: 64,
  previewRequestBytesMax: 10_485_760,
  previewRequestMs: 60_000,
  previewAnswerBytesMax: 52_428_800,
  previewAnswerHeadersBytesMax: 16_384,
  previewAnswerSilenceMs: 30_000,

  /** What a new policy is tried on before it is set: the account's own proposals of the last days, of each kind so many. */
  dryRunDays: 30,
  dryRunRowsPerPage: 1_000,
  dryRunRowsPerKindMax: 5_000,
  dryRunListedMax: 25,
  /** New policies that a process tries on past proposals at once. */
  dryRunsAtOnceMax: 4,
  policyVersionsPerPage: 20,
  /** Keys that are revoked or expired. */
  keysOverShownMax: 50,
  /** A policy as a form: every kind with its bands, and empty rows for new ones. */
  policyFormBytesMax: 262_144,
  policyFormRowsMax: 300,
  policyFieldCharsMax: 100,
  emptyBandRows: 2,

  /** Entries and recipients of one row that its page shows. */
  storyEntriesMax: 500,
  storyRefusalsMax: 50,
  storyRecipientsMax: 100,
  /** Reasons by channel and outcome, and calls to a payment provider. */
  storyTalliesMax: 200,
  storyCallsMax: 100,
  /** Longer ledgers are verified by the command line, where nobody waits for a page. */
  verifyOnPageEntriesMax: 25_000,
  /** Verifications that a process makes for pages at once. */
  verifiesAtOnceMax: 1,

  /** How members decide is told over so many days; confirms so soon after the proposal, so many, are worth a look. */
  habitsDays: 30,
  habitsMembersMax: 200,
  hastyDecisionMs: 5_000,
  hastyConfirmsMin: 20,
  hastySharePercentMin: 80,

  /** How long a link to sign in works. */
  signInLinkMs: 900_000,
  /** Links that one mailbox and account is sent within an hour because one visitor's network asked for them. */
  signInMailsPerAskerMax: 5,
  /** The same for all networks together from which nobody has signed in to that mailbox. */
  signInMailsOfStrangersMax: 10,
  /** Beyond both, one link whenever none was mailed for so long: less than a link works, so the last one is still good. */
  signInStandingMs: 600_000,
  /** Mails with links that a process sends within an hour: more than a company's morning, and less than a provider's quota. */
  signInMailsPerHourMax: 300,
  /** Of those, what networks may have from which nobody has signed in to the mailbox: all together, and each. */
  signInMailsPerHourOfStrangersMax: 200,
  signInMailsPerHourOfStrangerMax: 100,
  /** Accounts of one mailbox that a mail has links for. */
  signInAccountsMax: 20,
  /** Of one address of a visitor. */
  signInsPerMinute: 10,
  /** Times a mail that was certainly not sent, or perhaps not, is sent under its key, and the longest wait between. */
  signInMailTriesMax: 3,
  signInMailAgainMsMax: 10_000,
  /** A session ends when it is not used for the first, and at the latest after the second. */
  sessionIdleMs: 43_200_000,
  sessionMs: 604_800_000,
  sessionsListedMax: 100,
  /** Links and sessions that are long over, forgotten at once. */
  signInsForgetRows: 1_000,
  /** Of one address of a visitor. */
  consolePagesPerMinute: 600,
  consoleFormBytesMax: 65_536,
  consoleRowsPerPage: 50,
  /** Denials of a day that the overview counts, and those it shows. */
  denialsCountedMax: 1_000,
  denialsShownMax: 5,
  /** Messages about changed identities: how often they are looked for, how many are sent at a time, and how often each is tried; the waits double. */
  identityNoticePollMs: 1_000,
  identityNoticesAtOnce: 10,
  identityNoticeTriesMax: 8,
  identityNoticeAgainMs: 60_000,
  identityNoticeSendMs: 30_000,
  /** Work that goes on behind answers of a process; more is dropped, and the log says so. */
  behindMax: 200,

  shutdownGraceMs: 10_000,
  startReadyMs: 60_000,
  failedAuthenticationsPerMinute: 120,
  /** Keys that a process knows to have been good, so that failures of others at their address do not bear on them. */
  goodKeysRememberedMax: 10_000,
  /** Who asks whether a process is ready within that time gets the same answer. */
  readinessKeptMs: 1_000,
} as const
