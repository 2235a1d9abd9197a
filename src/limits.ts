/** All limits of the service. The unit is at the end of each name. */
export const limits = {
  bodyBytesMax: 1_048_576,
  /** Node's own limit, which includes the request line. */
  headersBytesMax: 16_384,
  /** The time to receive a request, and to keep an idle connection: longer than load balancers usually do. */
  requestMs: 30_000,
  keepAliveMs: 72_000,
  pageRowsDefault: 50,
  pageRowsMax: 200,
  /** Invalid fields that one error names. */
  inputIssuesNamedMax: 5,
  /** Kinds that one error names. */
  kindsNamedMax: 20,
  kindCharsMax: 64,
  /** The beginning of the year 1: the calendar of PostgreSQL has no year 0. */
  instantMsMin: Date.parse('0001-01-01T00:00:00Z'),
  /** The end of the year 9999: later times are written in another form, which PostgreSQL does not read. */
  instantMsMax: Date.UTC(9999, 11, 31, 23, 59, 59, 999),
  /** Kinds that one filter of a list can exclude. */
  kindsExcludedMax: 20,
  nameCharsMax: 200,
  /** Passkeys of a member, the name of one, and what a browser sends of one. */
  passkeysMax: 10,
  passkeyNameCharsMax: 60,
  passkeyFieldCharsMax: 8_192,
  /** How recently a member must have signed in to add a passkey. */
  freshSignInMs: 600_000,
  /** Devices of a member that are told by Web Push, and the address of one at its push service. */
  pushDevicesMax: 5,
  pushEndpointCharsMax: 1_024,
  /** How long a push service may take, and how long a mail waits for the decision of a member whose device was told. */
  pushMs: 3_000,
  pushMailHeldMs: 15_000,
  emailCharsMax: 254,
  identityCharsMax: 254,
  idempotencyKeyCharsMax: 255,
  slugCharsMax: 64,
  titleCharsMax: 200,
  /** A year, as the longest expiry. */
  approvalMinutesMax: 525_600,
  approversNamedMax: 50,
  /** Approvers who are asked by message about one action at a time. Others find it where they sign in. */
  approversAskedMax: 30,
  groupsMax: 200,
  /** Members whom the company's directory manages. */
  directoryUsersMax: 10_000,
  groupMembersMax: 10_000,
  /** In one change of a group: one entry names them all. */
  groupChangesMax: 1_000,
  modulesMax: 100,
  validDaysMax: 3_650,
  reasonCharsMax: 500,
  rationaleCharsMax: 500,
  /** Kinds that an account can declare, and the document of one. */
  declaredKindsMax: 50,
  kindDocumentCharsMax: 20_000,
  kindDocumentDepthMax: 20,
  declaredTitleCharsMax: 60,
  declaredDescriptionCharsMax: 1_000,
  cardLabelCharsMax: 40,
  cardLinesMax: 20,
  pointerCharsMax: 300,
  /** The payload of a declared kind: its fields in all, how deep they can be, and what one holds where its schema says nothing. */
  declaredFieldsMax: 60,
  declaredDepthMax: 4,
  declaredValuesMax: 100,
  declaredTextDefault: 500,
  declaredTextMax: 4_000,
  declaredListDefault: 20,
  declaredListMax: 100,
  /** The longest subject: it is indexed, so it must be short. */
  declaredSubjectCharsMax: 255,
  /** A payload as it is stored: its card must be readable. */
  declaredPayloadCharsMax: 10_000,
  claimLeaseMinutesMax: 1_440,
  kindVersionMax: 2_000_000_000,
  /** The agent's text on the page after a decision. */
  aboutTextCharsMax: 160,
  policyDocumentCharsMax: 100_000,
  bandsMax: 20,
  expiresAfterHoursMax: 8_760,
  openPerMemberMax: 10_000,
  /** The longest time for which a policy can treat decisions through a changed identity as agent_attested. */
  settlesAfterHoursMax: 720,
  velocityActionsMax: 9_999,
  amountCentsMax: 99_999_999_999,
  descriptionCharsMax: 250,
  /** A key that was checked longer ago is checked again once the body of its request has arrived. */
  authenticationFreshMs: 100,
  /** Members, kinds and networks of one key. */
  /** Calls of the administration API by a key in 24 hours, unless its administrator says otherwise; and the most they can say. */
  adminCallsPerDayDefault: 1_000,
  adminCallsPerDayMax: 99_999,
  keyActorsMax: 100,
  keyKindsMax: 50,
  keyNetworksMax: 20,
  /** How long a rotated key keeps working. */
  keyOverlapHoursDefault: 24,
  keyOverlapHoursMax: 168,
  /** One page of a file. */
  fileBytesPerPage: 65_536,
  /** Path length and depth in a workspace. Files beyond that are not listed and cannot be read. */
  workspacePathBytesMax: 1_024,
  workspaceDepthMax: 64,
  /** A folder with more entries is left out of listings. */
  folderEntriesMax: 100_000,
  /** Names of a folder that a listing keeps in memory. */
  folderEntriesBufferedMax: 5_000,
  /** Folders that one page of a listing examines before it ends early. */
  listingFoldersMax: 1_000,
  /** The size of one .gitignore, the rules that apply to a file, and the length of a rule. */
  ignoreFileBytesMax: 65_536,
  ignoreRulesMax: 2_000,
  ignoreRuleCharsMax: 256,
  /** Character comparisons for .gitignore rules in one request: about a tenth of a second. */
  ignoreStepsMax: 20_000_000,
  /** Attempts to open or read a file that changes meanwhile. */
  fileTriesMax: 3,
  /** The most that a preview copies of a workspace. */
  copyBytesMax: 536_870_912,
  /** Pages of a verification and of an export. */
  ledgerEntriesPerPage: 1_000,
  verifyActionsPerPage: 500,
  /** One file of an archive: one step, which deletes these entries from the database. gate_private.archive_entries has the same. */
  archiveEntriesPerFile: 10_000,
  /** How often ledgers are sealed. */
  sealEveryMs: 10_000,
  /** When a sealer looks again after a look that failed. */
  sealLookAgainMs: 60_000,
  /** Requests for them, of one address: a witness needs one for each epoch. */
  epochPathsPerMinute: 240,
  /** How long a request for a proof can wait for the next seal. */
  sealWaitSeconds: 25,
  /** How long `gate ledger seal` waits for its turn while other processes seal. */
  sealTurnWaitMs: 30_000,
  /** Tool calls of agent runners: how long the gate takes to decide one, its body, and the input that a row keeps. */
  toolCallMs: 15_000,
  toolCallBytesMax: 2_097_152,
  toolInputKeptCharsMax: 20_000,
  /** A rule reads the input of a past call again in a dry run, if it is not longer. */
  toolInputReadAgainCharsMax: 4_096,
  /** Nonces of signed requests: for how long they are known, twice as long as their time may be off and some; and how many a process knows. */
  hookNonceMs: 660_000,
  hookNoncesKeptMax: 20_000,
  /** How long a call without an id of its own counts as the same one. */
  toolCallSameMs: 10_000,
  /** How long a member's consent to a call can be used. */
  grantMs: 1_800_000,
  /** The files that a consent to a tool call is bound to. */
  boundFilesMax: 12,
  /** Mandates: how long one is in force, its commands, and those that are listed. */
  mandateMs: 2_592_000_000,
  mandateCommandsMax: 20,
  mandatesShownMax: 100,
  /** Bounded mandates: their uses, the values of an argument, and the characters of a template. */
  mandateUsesMax: 1_000,
  mandateUsesDefault: 100,
  mandateUsesPerDayDefault: 20,
  mandateValuesMax: 50,
  mandateTemplateCharsMax: 1_000,
  mandateValueCharsMax: 200,
  mandateNameCharsMax: 100,
  mandateArgumentsMax: 20,
  mandateKindsMax: 5,
  /** Decisions that are read to suggest mandates to a member. */
  mandateDecisionsReadMax: 1_000,
  /** How long a hook can wait for a member. */
  hookWaitSecondsMax: 50,
  /** After this time without a report, a call that was allowed is unreported. */
  toolOutcomeMs: 600_000,
  toolCallsPerAppendMax: 100,
  toolCallsWaitingMax: 10_000,
  /** How long calls are kept. */
  toolCallsKeptDays: 30,
  /** Entries of counts, and thousands of old calls to delete, of an account in one round of the reconciler. */
  toolCountRoundsMax: 20,
  /** The console's page of runners: keys, calls without a report. */
  runnerKeysShownMax: 100,
  unreportedCountedMax: 10_000,
  /** The rules about tool calls. */
  rulesMax: 200,
  rulePatternCharsMax: 500,
  ruleValuesMax: 100,
  ruleFieldsMax: 10,
  ruleFieldCharsMax: 100,
  ruleNoteCharsMax: 200,
  /** When a recipient set is stored again: sets are forgotten 90 days after they were last stored. */
  recipientSetKeptMs: 3_600_000,
  databaseConnectionsMax: 10,
  databaseStatementMs: 15_000,
  databaseConnectSeconds: 5,
  databaseCallMs: 20_000,
  /** Proposals of an account that one statement records: it holds the end of the ledger, about two milliseconds for each. */
  proposalsPerAppendMax: 16,
  proposalsWaitingMax: 1_000,
  /** When an outbox row is due: the direct call had enough time before. */
  outboxDueMs: 2_000,
  outboxBatchRows: 200,
  outboxOverdueMs: 30_000,
  claimUnendedMs: 120_000,
  /** A workflow in which nothing is under way is replaced this long after its action should have ended or gone on. */
  workflowStalledMs: 300_000,
  /** How long after the consent a confirmed action can be claimed, and what is reported of it beside the outcome. */
  claimWindowMs: 86_400_000,
  reportedResultBytesMax: 65_536,
  /** How often a page of the console is loaded again while it waits: at first soon, and not for ever. */
  pageRefreshesSoonMax: 20,
  pageRefreshesMax: 120,
  /** After which administrators are told that an executor or a provider fails. */
  failingNoticeMs: 300_000,
  /** Expired proposals that a worker reads at a time. */
  expiryRowsMax: 200,
  /** Rows the reconciler reads at a time, and how many of them it mends at once. */
  reconcileRowsMax: 1_000,
  reconcileRowsAtOnce: 8,
  /** How long each of its four parts begins further rows: together they end before the 50 seconds that a pass has. */
  reconcilePartMs: 7_000,
  /** Old rows that one statement forgets, and how many statements of an account there are in a pass of the reconciler. */
  idempotencyForgetRows: 10_000,
  recipientSetsForgetRows: 100,
  forgetStepsMax: 10,
  /** Workflow starts that a process runs in the background; the relay does the rest. */
  inlineStartsMax: 64,
  /** A proposal that is decided within this time needs no start of its own. Less than `outboxDueMs`. */
  startAfterMs: 250,
  /** A later start waits no longer than this in all. */
  startLatestMs: 1_000,
  temporalConnectMs: 1_000,
  temporalSignalMs: 1_000,
  temporalStartMs: 5_000,
  temporalRelayMs: 5_000,
  confirmSignalMsMax: 30_000,
  confirmWaitMsMax: 120_000,
  /** How often a waiting confirm polls for the end of its action, in case a notification is lost. */
  executionPollMs: 1_000,
  /** How long a request can wait for an action to end, how often it reads the action, and how many requests of a key can wait. */
  awaitSecondsMax: 50,
  awaitPollMs: 5_000,
  awaitsPerKeyMax: 20,
  workflowTasksMax: 40,
  workflowsCachedMax: 300,
  ledgerActivitiesMax: 100,
  deliveryActivitiesMax: 16,
  /** Parallel steps of one action. */
  stepsWindow: 8,
  /** Recipients in a slice, which is claimed, sent and recorded together. Resend accepts 100 in a batch. */
  sliceRecipientsMax: { slack: 20, email: 100, teams: 1 },
  /** Slices of a broadcast step that run in parallel. */
  slicesInFlight: 3,
  heartbeatEveryMs: 5_000,
  /** The delay before an idempotent slice with an unknown outcome is sent again. */
  sliceUnknownAgainMs: 1_000,
  /** Attempts of a call with an unknown outcome under its key. */
  billingTriesMax: 20,
  /** The delays double up to this factor. */
  billingBackoffMax: 64,
  billingKeyAgeMsMax: 72_000_000,
  /** How long a connect link works, and how many credentials can be tried with it. */
  connectLinkMs: 900_000,
  connectTriesMax: 5,
  connectFormBytesMax: 8_192,
  /** A form with the texts of a proposal, which a browser writes with up to twelve bytes a character. */
  decisionFormBytesMax: 131_072,
  /** Per client address. */
  connectPagesPerMinute: 240,
  /** How long the page waits for the connection to become active. */
  connectWaitMs: 10_000,
  /** How long after a change of the payment provider connection page consent is required for money. */
  providerChangeGuardMs: 86_400_000,
  /** Ended links that are deleted at once. */
  connectLinksForgetRows: 1_000,
  /** Consent requests to one member in an hour: more would be approved without a review. */
  consentAsksPerHourMax: 30,
  /** The same in 24 hours. One key can use half of both while other keys can act for the member. */
  consentAsksPerDayMax: 100,
  /** How long a request that a provider does not accept is retried. */
  consentSendMs: 21_600_000,
  /** How long the page and the message wait for the end of an approved action. */
  decideWaitMs: 10_000,
  consentTokensForgetRows: 1_000,
  credentialCheckMs: 10_000,
  /** Accounts whose own providers a process caches. */
  accountsOpenedMax: 100,
  /** How long a receipt of consent can be used. */
  receiptLastsMs: 2_592_000_000,
  /** A new key of receipts is published so long before it signs. Longer than `receiptKeysKeptMs` and `jwksKeptSeconds`. */
  receiptKeyLeadMs: 900_000,
  /** Keys of receipts at a time, so that the published set stays small. */
  receiptKeysMax: 20,
  /** How long a process keeps the keys of receipts, and how long it waits after it could not read them. */
  receiptKeysKeptMs: 60_000,
  receiptKeysAgainMs: 2_000,
  /** How old the published ones may be: a rotated key is there at once, and a flood of requests reads little. */
  receiptKeysPublishedMs: 100,
  /** How long others may keep the published keys. */
  jwksKeptSeconds: 300,
  /** Secrets that one statement rewraps. */
  rewrapRows: 100,
  /** Parallel previews: the defaults, and the highest values that can be configured. */
  previewsPerAccount: 2,
  previewsPerAccountMax: 100,
  previewsPerHost: 10,
  previewsPerHostMax: 100,
  /** The time to start, the time without viewers, and the lifetime of a preview: defaults, and the highest start time. */
  previewBootMs: 60_000,
  previewBootMsMax: 600_000,
  previewIdleMs: 900_000,
  previewHardMs: 3_600_000,
  /** The lifetime of a preview with all extensions, and the highest value that can be configured for the two before. */
  previewTotalMs: 28_800_000,
  /** How often a host sends a heartbeat, and how long it waits for the answer. */
  previewBeatMs: 2_000,
  previewBeatWaitMs: 4_000,
  /** After this time without a heartbeat a host is dead; before that it ends its previews itself. */
  previewHostDeadMs: 20_000,
  previewHeartbeatLostMs: 12_000,
  /** A preview that no workflow watches for this time is ended. */
  previewUnwatchedMs: 60_000,
  /** How long stop waits for `stopped`. */
  previewStopWaitMs: 5_000,
  /** When the reconciler ends an expired preview. */
  previewLateMs: 60_000,
  previewHostCharsMax: 200,
  /** The gateway: connections, and the piece of a file in memory while it is sent. */
  previewConnectionsMax: 1_000,
  previewPieceBytes: 262_144,
  /** The cache of a preview's small files. */
  previewCachedFileBytesMax: 131_072,
  previewCachedBytesMax: 4_194_304,
  /** A host folder without an owner file belongs to a starting host for this time. */
  previewFolderUnclaimedMs: 60_000,
  /** The stored end of a preview's output. */
  previewLogBytesMax: 65_536,
  /** A preview in command mode: the memory of all processes including written files, and of that the files alone. */
  previewMemoryMiBMin: 192,
  previewMemoryMiBMax: 65_536,
  previewScratchBytesMax: 268_435_456,
  previewFileBytesMax: 134_217_728,
  /** Per process. */
  previewCpuSecondsMax: 86_400,
  previewOpenFilesMax: 1_024,
  /** Processes and threads; a Node process has about a dozen. */
  previewTasksMax: 256,
  /** Answers to requests to a preview in command mode. */
  previewAnswerHeadersBytesMax: 16_384,
  /** The past proposals that a new policy is tried on. */
  dryRunDays: 30,
  dryRunRowsPerKindMax: 5_000,
  dryRunListedMax: 25,
  /** Policy dry runs in parallel. */
  dryRunsAtOnceMax: 4,
  policyVersionsPerPage: 20,
  /** The longest note of an administrator about a change of the policy. */
  policyNoteCharsMax: 300,
  /** Lines that approvers of a rule about approvals read before they agree to another one. */
  ruleChangeLinesMax: 60,
  /** The policy form: every kind with its bands, and empty rows for new ones. */
  policyFormBytesMax: 262_144,
  policyFormRowsMax: 300,
  policyFieldCharsMax: 100,
  /** The tool, input and folder of an example tool call in a policy test. */
  exampleInputCharsMax: 2_000,
  emptyBandRows: 2,
  emptyTogetherRows: 2,
  /** Its filter by text: actions that are read at once, and that are searched for one page. */
  ledgerSearchRows: 200,
  ledgerSearchedMax: 2_000,
  /** Changes of calls to a payment provider. */
  timelineCallChangesMax: 200,
  /** Longer ledgers must be verified on the command line. */
  verifyOnPageEntriesMax: 25_000,
  /** Approval statistics: their period, and the thresholds for approvals that are too fast to have been reviewed. */
  habitsDays: 30,
  habitsMembersMax: 200,
  hastyDecisionMs: 5_000,
  hastyConfirmsMin: 20,
  hastySharePercentMin: 80,
  /** How long a sign-in link works. */
  signInLinkMs: 900_000,
  /** Sign-in links per hour for one mailbox and account that one network requests. */
  signInMailsPerAskerMax: 5,
  /** The same for all networks together that have never signed in with that mailbox. */
  signInMailsOfStrangersMax: 10,
  /** Above both, one link per this time: shorter than a link works, so the last link is still valid. */
  signInStandingMs: 600_000,
  /** Sign-in mails of a process per hour requested by all networks that have never signed in with the mailbox. */
  signInMailsPerHourOfStrangersMax: 200,
  /** Per client address. */
  signInsPerMinute: 10,
  /** The idle time and the lifetime of a session. */
  /** Connected apps: how long a code, an access token, and a refresh token that is not used last. */
  appCodeMs: 60_000,
  appTokenMs: 3_600_000,
  appRefreshMs: 2_592_000_000,
  /** How long tokens are kept that have expired, and apps that registered themselves and take no token. */
  appTokensKeptMs: 86_400_000,
  appRegistrationsKeptMs: 7_776_000_000,
  appsForgetRows: 1_000,
  appNameCharsMax: 100,
  appRedirectsMax: 10,
  /** What an app says of itself, at its address. */
  appDocumentBytesMax: 5_120,
  /** Apps that registered themselves within a day and that nobody connected: of one address in an hour, and in all. */
  appRegistrationsPerHour: 10,
  appRegistrationsUnusedMax: 1_000,
  /** Requests of an address for tokens. */
  appTokensPerMinute: 60,
  appsShownMax: 200,
  /** A sign-in with the company: how long it may take, and how long its session lasts, so that roles are read again daily. */
  companyAttemptMs: 600_000,
  companySessionMs: 43_200_000,
  companySubjectCharsMax: 255,
  companyIdentitiesShownMax: 1_000,
  sessionIdleMs: 43_200_000,
  sessionMs: 604_800_000,
  /** Ended links and sessions that are deleted at once. */
  signInsForgetRows: 1_000,
  /** Per client address. */
  consolePagesPerMinute: 600,
  consoleFormBytesMax: 65_536,
  consoleRowsPerPage: 50,
  /** The longest network address that a session shows. */
  addressCharsMax: 64,
  /** Members of one import, and the size of its file. */
  membersImportMax: 1_000,
  membersImportBytesMax: 262_144,
  /** Wrong lines that one answer names. */
  importProblemsShownMax: 50,
  /** The chart of the overview: its days, the proposals of a day and the decisions that it counts. */
  overviewDays: 14,
  overviewProposalsPerDayMax: 10_000,
  overviewDecisionsMax: 10_000,
  /** Cards of what waits on the overview. */
  overviewCardsMax: 6,
  /** Proposals that one page of a member's list shows with their cards, and that one press decides. */
  inboxRowsMax: 50,
  /** What it says of proposals that ended meanwhile, and after which pause a look at it is a new one. */
  inboxEndedShownMax: 5,
  inboxLookMs: 600_000,
  /** Lists that stay open and are told of changes: of a session, an account and a process; how often is looked, and for how long. */
  inboxStreamsPerSession: 4,
  inboxStreamsPerAccount: 100,
  inboxStreamsMax: 500,
  inboxPollMs: 1_000,
  inboxAliveMs: 15_000,
  inboxStreamMs: 3_600_000,
  /** Identity notices: attempts, and delays, which double. */
  /** Deputies of a member at a time, members whose deputy one is, how long, and how many are listed. */
  delegationsGivenMax: 5,
  delegationsHeldMax: 10,
  delegationMsMax: 30 * 24 * 3_600_000,
  delegationsListedMax: 100,
  /** Hours in which a break-glass is reviewed. */
  glassReviewHoursMax: 720,
  glassBreaksListedMax: 100,
  identityNoticeTriesMax: 8,
  identityNoticeAgainMs: 60_000,
  /** Background tasks of a process, by who causes them; more are dropped and logged. */
  backgroundTasksMax: 200,
  signInTasksMax: 200,
  refusedKeyTasksMax: 100,
  /**
   * How many of what anyone can cause run at once. Sign-ins of one mailbox wait for each other, each with a connection to the
   * database: they must leave some to others.
   */
  signInTasksAtOnce: 5,
  refusedKeyTasksAtOnce: 2,
  shutdownGraceMs: 10_000,
  drainSecondsDefault: 5,
  drainSecondsMax: 300,
  /** Attempts to claim DATA_DIR, and to start an embedded server on a free port. */
  runFileAttemptsMax: 5,
  embeddedStartAttemptsMax: 3,
  postgresInitMs: 120_000,
  postgresStartMs: 120_000,
  /** How long connections of a killed database server can take to end, where the system does not tell which they are. */
  postgresOrphansMs: 30_000,
  /** How often a Temporal server of ours is written to, how long one write may take, and after how long stuck it is restarted. */
  temporalProbeEveryMs: 1_000,
  temporalProbeMs: 5_000,
  temporalInterruptedMs: 5_000,
  /** Size of the pieces in which a program is searched for the version of its database driver. */
  programChunkBytes: 4_194_304,
  serverLogBytesMax: 10_485_760,
  serverLogTailBytesMax: 16_384,
  /** The demo account: conversations that are checked, and members in `demo.json`. */
  demoConversationsReadMax: 100,
  demoMembersShownMax: 50,
  failedAuthenticationsPerMinute: 120,
  /** How long a readiness answer is cached. */
  readinessKeptMs: 1_000,
  /** Characters of a form's field name, and of a wrong value, that an error repeats. */
  formNameEchoCharsMax: 100,
  formValueEchoCharsMax: 30,
  /** Rows that one query reads, where all of a list are read. */
  rowsPerRead: 500,
  // Fields that the hooks of agent runners report.
  /** A session, a call, a subagent, and an MCP server. */
  runnerIdCharsMax: 255,
  runnerToolCharsMax: 255,
  runnerVersionCharsMax: 64,
  /** PATH_MAX of Linux. */
  runnerCwdCharsMax: 4_096,
  /** The input of a tool call: its texts and names, its values, and how deep they are nested. */
  runnerInputBytesMax: 524_288,
  runnerInputValuesMax: 20_000,
  runnerInputDepthMax: 32,
  /** One call to Slack or Resend, or one sign-in at a mail server; and one call to Stripe. */
  providerCallMs: 15_000,
  stripeCallMs: 20_000,
  /** One message to a mail server, to its answer; its bytes; and messages that are claimed together where no rate is set. */
  smtpMessageMs: 30_000,
  mailBytesMax: 1_048_576,
  smtpClaimedMax: 20,
  /** The delay after a failed connection or a failed read. */
  providerConnectRetryMs: 5_000,
  /** The longest delay that is accepted from a provider that limits the rate. */
  providerRetryAfterMsMax: 3_600_000,
  /** Messages a second. */
  slackRatePerSecond: 3,
  smtpRatePerSecond: 10,
  /** How long a message with unknown outcome gets to appear in Slack's history. */
  slackReconcileMs: 30_000,
  /** Stripe's page size. */
  stripePageRowsMax: 100,
  // The stand-ins.
  /** The sandbox: what it stores, shows and accepts. */
  sandboxMessagesMax: 20_000,
  sandboxAnswersMax: 20_000,
  sandboxObjectsPerKindMax: 10_000,
  sandboxOperationsMax: 10_000,
  sandboxBodyBytesMax: 16_777_216,
  sandboxPageRowsDefault: 200,
  sandboxPageRowsMax: 20_000,
  /** Mailboxes in the filter of its page, those with the newest messages first, and the seconds between two reloads. */
  sandboxMailboxesMax: 200,
  sandboxReloadSeconds: 5,
  sandboxPressMs: 5_000,
  sandboxSlackCodesMax: 1_000,
  sandboxSlackHistoryRowsMax: 200,
  /** Limits of Resend and Stripe that the sandbox imitates. */
  sandboxResendBatchMax: 100,
  sandboxResendRecipientsMax: 50,
  sandboxResendKeyCharsMax: 256,
  sandboxResendTagCharsMax: 256,
  sandboxStripeBodyBytesMax: 262_144,
  sandboxStripeRowsDefault: 10,
  sandboxStripeRowsMax: 100,
  sandboxStripeParametersMax: 500,
  sandboxStripeDepthMax: 5,
  sandboxStripeListMax: 100,
  sandboxStripeMetadataKeysMax: 50,
  sandboxLineItemsMax: 100,
  sandboxCheckoutCentsMin: 50,
  sandboxCheckoutCentsMax: 99_999_999,
  sandboxCheckoutSecondsMin: 1_800,
  sandboxCheckoutSecondsMax: 86_400,
  // Witnesses of the ledger's seals.
  /** A trust policy, and its names: logs, and witnesses with groups. */
  policyFileBytesMax: 65_536,
  policyNamesMax: 256,
  /** All questions to one witness about one checkpoint, and how many there are. */
  witnessAskMs: 5_000,
  witnessTriesMax: 3,
  /** The time to receive a request. */
  witnessRequestMs: 10_000,
  // MCP servers behind the gate.
  /** Servers of one account. */
  upstreamsMax: 20,
  /** Characters of an address, of the names and values of headers, and how many there are. */
  upstreamUrlCharsMax: 2_000,
  upstreamHeadersMax: 20,
  upstreamHeaderNameCharsMax: 100,
  upstreamHeaderCharsMax: 8_192,
  /** Characters of a tool's name with its server's. */
  upstreamToolNameCharsMax: 64,
  /** One answer of a server. */
  upstreamAnswerBytesMax: 1_048_576,
  /** Connecting, reading the whole list of tools, and one call. */
  upstreamConnectMs: 15_000,
  upstreamListMs: 30_000,
  upstreamCallMs: 50_000,
  /** Open connections of a process, and how long one is kept that nobody uses. */
  upstreamConnectionsMax: 100,
  upstreamIdleMs: 600_000,
  /** Connections to one host at once. What more there is to send waits. */
  upstreamSocketsMax: 32,
  /** How often the tools of a server are read, within what time after it says that they changed, and how often is looked. */
  upstreamRefreshMs: 300_000,
  /** How late a server is read again that could not be read for long. */
  upstreamPutOffMs: 1_800_000,
  upstreamHastenMs: 10_000,
  upstreamPollMs: 2_000,
  /** Servers that a worker reads at once, and how many of one account. */
  upstreamsAtOnce: 5,
  upstreamsOfAccountAtOnce: 2,
  /** Each text of a server about itself, such as its name. */
  upstreamWordsCharsMax: 100,
  // Executors of declared kinds.
  executorUrlCharsMax: 2_000,
  /** Entries of EXECUTOR_ALLOW. */
  executorAllowMax: 100,
  /** One call, with its whole answer. */
  executorCallMs: 30_000,
  executorAnswerBytesMax: 65_536,
  /** The longest time a call inside a workflow task is waited for. After that it goes on beside the task. */
  executorBriefMs: 1_000,
  /** How often it is looked whether a call of another process has ended. */
  executorLookAgainMs: 1_000,
  /** A call whose outcome is lost is repeated for so long, first and at last after these times. */
  executorRepeatMs: 86_400_000,
  executorAgainMs: 1_000,
  executorAgainMsMax: 3_600_000,
  /** Long work is asked about at last this often. */
  executorPollMsMax: 300_000,
  /** How often `status_url` is asked where it gives no answer. */
  executorStatusTriesMax: 5,
  /** When an action is looked at again whose account has as many calls under way as it may. Spread, so that not all come at once. */
  executorFullAgainMsMin: 5_000,
  executorFullAgainMsMax: 30_000,
  /** How long the lookup of a name is waited for. See executors/name-lookups.ts. */
  executorLookupMs: 10_000,
  /** A lookup that fails after this time hung. Its name is refused for a while, which doubles each time. */
  executorLookupHungMs: 5_000,
  executorSlowNameRestMs: 60_000,
  /** How long a process that ends waits for its calls. */
  executorCloseMs: 5_000,
  /** Endpoints of an account, and events that one replay queues. */
  endpointsMax: 20,
  eventsReplayedMax: 10_000,
  /** How long an endpoint may take, and what is sent to it and kept of its answer. */
  eventCallMs: 15_000,
  eventBytesMax: 20_000,
  eventAnswerCharsMax: 500,
  /** How long deliveries that ended are kept, and how far back a replay goes. */
  eventsKeptMs: 2_592_000_000,
  /** An endpoint that fails for so long is turned off. */
  endpointOffAfterMs: 432_000_000,
} as const
