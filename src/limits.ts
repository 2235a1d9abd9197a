/** All limits of the service. The unit is at the end of each name. */
export const limits = {
  bodyBytesMax: 1_048_576,
  /** Node's own limit, which includes the request line. */
  headersBytesMax: 16_384,
  /** The time to receive a request, and to keep an idle connection: longer than load balancers usually do. */
  requestMs: 30_000,
  keepAliveMs: 72_000,
  pageRowsDefault: 50,
  /** Over MCP: a model reads every row. */
  toolPageRowsDefault: 20,
  pageRowsMax: 200,
  /** Accounts that the command line lists where one must be chosen. */
  accountsNamedMax: 20,
  /** Invalid fields that one error names. */
  inputIssuesNamedMax: 5,
  /** Kinds that one error names. */
  kindsNamedMax: 20,
  kindCharsMax: 64,
  /** The beginning of the year 1: the calendar of PostgreSQL has no year 0. */
  instantMsMin: Date.parse('0001-01-01T00:00:00Z'),
  /** The end of the year 9999: later times are written in another form, which PostgreSQL does not read. */
  instantMsMax: Date.UTC(9999, 11, 31, 23, 59, 59, 999),
  /** In one filter of a list. */
  kindsExcludedMax: 20,
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
  /** What is indexed must be short. */
  declaredSubjectCharsMax: 255,
  /** A payload as it is stored: its card must be readable. */
  declaredPayloadCharsMax: 10_000,
  claimLeaseMinutesMax: 1_440,
  kindVersionMax: 2_000_000_000,
  kindVersionsPerPage: 10,
  /** How long declared kinds are kept in memory, of how many accounts, and how many versions. They are found by version. */
  kindsKeptMs: 3_600_000,
  kindsKeptMax: 100,
  kindVersionsKeptMax: 1_000,
  /** A card in an answer. A longer one is left out, because a cut one would hide something. */
  cardCharsMax: 8_000,
  /** Of what the agent wrote, on the page after a decision. */
  aboutTextCharsMax: 160,
  policyDocumentCharsMax: 100_000,
  bandsMax: 20,
  expiresAfterHoursMax: 8_760,
  openPerMemberMax: 10_000,
  /** The longest time for which a policy can treat decisions through a changed identity as agent_attested. */
  settlesAfterHoursMax: 720,
  /** Confirmed actions that are counted for daily limits; more are too many under any policy. */
  velocityRowsMax: 10_000,
  velocityActionsMax: 9_999,
  amountCentsMax: 99_999_999_999,
  paymentsDefault: 20,
  paymentsMax: 100,
  returnUrlCharsMax: 1_000,
  quantityMax: 1_000_000,
  descriptionCharsMax: 250,
  providerIdCharsMax: 255,

  /** A key that was checked longer ago is checked again once the body of its request has arrived. */
  authenticationFreshMs: 100,
  /** Members, kinds and networks of one key. */
  keyActorsMax: 100,
  keyKindsMax: 50,
  keyNetworksMax: 20,
  /** How long a rotated key keeps working. */
  keyOverlapHoursDefault: 24,
  keyOverlapHoursMax: 168,
  /** A process takes this part of a key's requests of a minute at once, where all processes count them together. */
  keyShareParts: 50,
  /** How long it waits for them, and how long it counts alone where it could not. */
  keyShareWaitMs: 5_000,
  keyShareAgainMs: 1_000,
  /** Keys whose requests a process counts with the others. */
  keysSharedMax: 10_000,

  /** Participants that are created together with their conversation, in one ledger entry. */
  participantsAtOnceMax: 100,
  /** Conversations that the command line reads at once. */
  conversationsPerPage: 500,

  /** One page of a file, and of a listing. */
  fileBytesPerPage: 65_536,
  filesPerPage: 1_000,
  /** Path length and depth in a workspace. Files beyond that are not listed and cannot be read. */
  workspacePathBytesMax: 1_024,
  workspaceDepthMax: 64,
  /** A folder with more entries is left out of listings. */
  folderEntriesMax: 100_000,
  /** Names of a folder that a listing keeps in memory. */
  folderEntriesBufferedMax: 5_000,
  /** Entries and folders that one page of a listing examines before it ends early. */
  listingEntriesMax: 200_000,
  listingFoldersMax: 1_000,
  /** Entries that one call reads from a folder. */
  folderEntriesPerCall: 1_024,
  /** Parts that are too large, as named in the note of a listing. */
  leftOutNamedMax: 3,
  /** Files whose sizes are read in parallel. */
  fileStatsInParallel: 128,
  /** The size of one .gitignore, the rules that apply to a file, and the length of a rule. */
  ignoreFileBytesMax: 65_536,
  ignoreRulesMax: 2_000,
  ignoreRuleCharsMax: 256,
  /** Character comparisons for .gitignore rules in one request: about a tenth of a second. */
  ignoreStepsMax: 20_000_000,
  /** Attempts to open or read a file that changes meanwhile. */
  fileTriesMax: 3,
  /** The copy of a workspace for a preview. */
  copyFilesMax: 50_000,
  copyEntriesMax: 500_000,
  copyBytesMax: 536_870_912,
  copyPartBytes: 262_144,

  /** An anchors file: about 100,000 heads. */
  anchorsFileBytesMax: 16_777_216,
  anchorsPerPage: 1_000,

  /** Pages of a verification and of an export. */
  ledgerEntriesPerPage: 1_000,
  verifyActionsPerPage: 500,
  verifyRecipientSetsPerPage: 20,
  verifyAuthorityRowsPerPage: 500,
  /** An action has at most five ledger entries that change it; more would already fail the check of the chain. */
  ledgerEntriesPerActionMax: 20,

  /** One file of an archive: one step, which deletes these entries from the database. gate_private.archive_entries has the same. */
  archiveEntriesPerFile: 10_000,
  archiveFileCharsMax: 16_777_216,
  /** Files of one account's archive: a thousand million entries. */
  archiveFilesMax: 100_000,
  /** How old an entry must be to be archived: everything that may be repeated by its event is long over. */
  archiveAfterDaysDefault: 365,
  archiveAfterDaysMin: 30,
  archiveAfterDaysMax: 36_500,

  /** How often ledgers are sealed, after how long that is late, and what one epoch seals at most: accounts, and entries. */
  sealEveryMs: 10_000,
  sealOverdueMs: 300_000,
  /** How often a sealer checks that the seals of ledgers without new entries still exist. */
  sealLookEveryMs: 600_000,
  /** The time until it checks again after a check that failed. */
  sealLookAgainMs: 60_000,
  sealAccountsPerEpoch: 500,
  sealEntriesPerEpoch: 65_536,
  /** Of how many accounts `gate doctor` asks since when their entries wait for a seal. */
  sealStatusAccountsMax: 1_000,
  /** Accounts with MCP servers that `gate doctor` looks at. */
  upstreamAccountsSeenMax: 1_000,
  /**
   * Seals that a process keeps to prove entries with, one an account; paths above 4,096 entries, up to 0.2 MB each; and for how long
   * they are used.
   */
  provingSealsKeptMax: 200,
  provingPathsKeptMax: 200,
  provingSealsKeptMs: 600_000,
  /** Proofs between epochs, which anyone may ask for: how many are made at once, and how many are kept, and for how long. */
  epochPathsAtOnceMax: 2,
  /** Requests for them, of one address: a witness needs one for each epoch. */
  epochPathsPerMinute: 240,
  epochPathsKeptMax: 1_000,
  epochPathsKeptMs: 3_600_000,
  /** How long a request for a proof can wait for the next seal, and how often it looks. */
  sealWaitSeconds: 25,
  sealWaitPollMs: 500,
  /** How long `gate ledger seal` waits for its turn while other processes seal, and how often it tries. */
  sealTurnWaitMs: 30_000,
  sealTurnPollMs: 250,
  /** How long a key of the log signs beside the one that replaced it. */
  logKeyOverlapMs: 604_800_000,

  /** Capability checks that one statement appends. */
  checksPerAppendMax: 100,
  /** Capability checks of one account that wait to be appended; more are answered with 503. */
  checksWaitingMax: 10_000,
  /** How long API keys and the facts of members are kept, for answers whose statement checks them again, and how many. */
  factsKeptMs: 60_000,
  factsKeptMax: 1_000,
  /** Tool calls of agent runners: how long the gate takes to decide one, its body, the input that a row keeps, and that is masked. */
  toolCallMs: 15_000,
  toolCallBytesMax: 2_097_152,
  toolInputKeptCharsMax: 20_000,
  toolInputMaskedCharsMax: 100_000,
  /** A rule reads the input of a past call again in a dry run, if it is not longer. */
  toolInputReadAgainCharsMax: 4_096,
  /**
   * Signed requests of hooks: how far their time may be off, for how long their nonces are known (twice that, and some), how many of
   * them a process knows, and how long it keeps what a key signs with.
   */
  hookClockOffMs: 300_000,
  hookNonceMs: 660_000,
  hookNoncesKeptMax: 20_000,
  signerKeptMs: 3_600_000,
  /** How long a runner's key and the facts of its member are kept, and of how many keys. */
  holderKeptMs: 60_000,
  holdersKeptMax: 1_000,
  /** How long a call without an id of its own counts as the same one. */
  toolCallSameMs: 10_000,
  /** How long a member's consent to a call can be used. */
  grantMs: 1_800_000,
  /**
   * The files that a consent to a tool call is bound to: how many, what is read and shown of the start of each, and in how many approved
   * calls it is looked for what they were before.
   */
  boundFilesMax: 12,
  fileStartHexMax: 65_536,
  fileStartShownBytes: 2_048,
  fileStartLinesMax: 60,
  /** Of all files of a call, and with its input: a longer card cannot be shown in Slack. */
  fileStartsCharsMax: 4_500,
  toolInputWithFilesCharsMax: 8_000,
  approvedCallsReadMax: 200,
  /**
   * Mandates: how long one is in force, its commands, after how many approvals one is proposed, among how many of the newest calls they
   * are looked for, for how long a declined one is not proposed again, requests of a key in a day, those that are compared with a
   * call and listed, and the calls that a member who was asked too often is told.
   */
  mandateMs: 2_592_000_000,
  mandateCommandsMax: 20,
  mandateAfterApprovals: 2,
  mandateCallsReadMax: 100,
  mandateDeclinedMs: 604_800_000,
  mandateRequestsPerDayMax: 4,
  mandatesComparedMax: 20,
  mandatesShownMax: 100,
  askedMostShownMax: 5,
  askedMostCharsMax: 120,
  /** How long a hook can wait for a member. */
  hookWaitSecondsMax: 50,
  /** After this time without a report, a call that was allowed is unreported. */
  toolOutcomeMs: 600_000,
  toolCallsPerAppendMax: 100,
  toolCallsWaitingMax: 10_000,
  /** How long calls are kept. Counts of an hour are noted in the ledger when no more can come. */
  toolCallsKeptDays: 30,
  toolCountsLateMs: 300_000,
  /** With 255 characters a tool, each escaped, they fit in an entry. */
  toolCountsPerEntryMax: 25,
  /** Entries of counts, and thousands of old calls to delete, of an account in one round of the reconciler. */
  toolCountRoundsMax: 20,
  /** The console's page of runners: keys, calls of each that tell its runners, counts of a day, calls without a report. */
  runnerKeysShownMax: 100,
  runnersSeenCallsMax: 50,
  toolCountsPerDayMax: 10_000,
  unreportedCountedMax: 10_000,
  unreportedShownMax: 10,
  /** The rules about tool calls. */
  rulesMax: 200,
  rulePatternCharsMax: 500,
  ruleValuesMax: 100,
  ruleFieldsMax: 10,
  ruleFieldCharsMax: 100,
  ruleNoteCharsMax: 200,
  /** Attempts of a decision whose facts change. */
  staleTriesMax: 3,
  /** Attempts of a decision whose daily counts change. */
  movedTriesMax: 200,
  /** Cached recipient sets, by account and roster version, and after which time one is stored again: sets are forgotten 90 days
   * after they were last stored. */
  recipientSetsCachedMax: 200,
  recipientSetKeptMs: 3_600_000,

  databaseConnectionsMax: 10,
  databaseStatementMs: 15_000,
  databaseConnectSeconds: 5,
  databaseCallMs: 20_000,
  /** How long the work of a request may go on after its caller hung up. Later, an error in it no longer knows of its writes. */
  abandonedRequestMs: 120_000,
  /** Before a statement whose connection was lost is sent again. */
  databaseAgainMs: 20,

  /** Proposals of an account that one statement records: it holds the end of the ledger, about two milliseconds for each. */
  proposalsPerAppendMax: 16,
  proposalsWaitingMax: 1_000,

  /** When an outbox row is due: the direct call had enough time before. */
  outboxDueMs: 2_000,
  outboxAgainMs: 5_000,
  outboxPollMs: 1_000,
  outboxBatchRows: 200,
  outboxOverdueMs: 30_000,
  claimUnendedMs: 120_000,
  /** So long after its action should have ended or gone on, a workflow in which nothing is under way is replaced. */
  workflowStalledMs: 300_000,
  /** How long after the consent a confirmed action can be claimed, and what is reported of it beside the outcome. */
  claimWindowMs: 86_400_000,
  reportedResultBytesMax: 65_536,
  reportedResultDepthMax: 64,
  /** Of what an executor says of an action, on its page. */
  executorResultCharsShownMax: 2_000,
  /** After which doctor names an action that is still being executed. */
  executionLongMs: 3_600_000,
  /** How often a page of the console is loaded again while it waits: at first soon, later less often, and not for ever. */
  pageRefreshSoonSeconds: 3,
  decidedRefreshSeconds: 10,
  pageRefreshesSoonMax: 20,
  pageRefreshLaterSeconds: 30,
  pageRefreshesMax: 120,
  /** After which administrators are told that an executor or a provider fails. */
  failingNoticeMs: 300_000,
  /** Failing executors and providers that `gate doctor` names. */
  failingNamedMax: 10,
  /** How often a worker closes expired proposals, how many it reads at a time, and how many it closes at once. */
  expiryPollMs: 1_000,
  expiryRowsMax: 200,
  expiryRowsAtOnce: 2,
  /** Rows the reconciler reads at a time, and how many of them it mends at once. */
  reconcileRowsMax: 1_000,
  reconcileRowsAtOnce: 8,
  /** How long each of its four parts begins further rows: together they end before the 50 seconds that a pass has. */
  reconcilePartMs: 7_000,
  /** Actions whose workflows `gate repair` restarts in parallel. */
  repairRowsPerPage: 32,
  /** Old rows that one statement forgets, and how many statements of an account there are in a pass of the reconciler. */
  idempotencyForgetRows: 10_000,
  recipientSetsForgetRows: 100,
  forgetStepsMax: 10,

  /** Workflow starts that a process runs in the background; the relay does the rest. */
  inlineStartsMax: 64,
  /** A proposal that is decided within this time needs no start of its own. Less than `outboxDueMs`. */
  startAfterMs: 250,
  /** Then it waits until nobody has proposed for so long, as nobody waits for it; but not longer than this in all. */
  startCalmMs: 25,
  startLatestMs: 1_000,
  startsWaitingMax: 1_000,
  temporalConnectMs: 1_000,
  temporalSignalMs: 1_000,
  temporalStartMs: 5_000,
  temporalRelayMs: 5_000,
  /** Registering search attributes and the schedule: a server that just started, or is busy, takes its time. */
  temporalPrepareMs: 30_000,
  confirmSignalMsMax: 30_000,
  confirmWaitMsMax: 120_000,
  /** How often a waiting confirm polls for the end of its action, in case a notification is lost. */
  executionPollMs: 1_000,
  /** How long a request can wait for an action to end, how often it reads the action, and how many requests can wait. */
  awaitSecondsDefault: 25,
  awaitSecondsMax: 50,
  awaitPollMs: 5_000,
  awaitsPerKeyMax: 20,
  awaitsPerAccountMax: 100,
  awaitsMax: 500,

  workflowTasksMax: 40,
  workflowsCachedMax: 300,
  /** How long a workflow task waits for the worker that has the workflow cached, before any other may take it. */
  stickyQueueMs: 1_000,
  ledgerActivitiesMax: 100,
  deliveryActivitiesMax: 16,
  /** Parallel steps of one action. */
  stepsWindow: 8,
  /** Recipients in a slice, which is claimed, sent and recorded together. Resend accepts 100 in a batch. */
  sliceRecipientsMax: { slack: 20, email: 100 },
  /** Slices of a broadcast step, and how many of them run in parallel. */
  slicesPerStepMax: 50,
  slicesInFlight: 3,
  heartbeatEveryMs: 5_000,
  /** How long a delivery inside a workflow task waits for the rate limit. */
  briefTurnMs: 5_000,
  /** Retries of a slice that was certainly not delivered (429). */
  sliceRoundsMax: 6,
  sliceRetryAfterMsMax: 120_000,
  /** The delay before an idempotent slice with an unknown outcome is sent again, and the maximum age of its key. */
  sliceUnknownAgainMs: 1_000,
  sliceKeyAgeMsMax: 72_000_000,
  /** How long an execution waits for a credential that cannot be decrypted, before it fails. */
  credentialUnreadableMs: 72_000_000,

  /** Parallel calls to a payment provider in a process. */
  billingActivitiesMax: 64,
  /** Attempts of a call with an unknown outcome under its key. */
  billingTriesMax: 20,
  /** Attempts after which it is no longer searched for either. */
  billingSearchesMax: 25,
  billingAgainMs: 1_000,
  /** The delays double up to this factor. */
  billingBackoffMax: 64,
  billingRetryAfterMsMax: 120_000,
  billingKeyAgeMsMax: 72_000_000,

  /** How long a connect link works, and how many credentials can be tried with it. */
  connectLinkMs: 900_000,
  connectTriesMax: 5,
  connectFormBytesMax: 8_192,
  /** Per client address. */
  connectPagesPerMinute: 240,
  /** How long the page waits for the connection to become active. */
  connectWaitMs: 10_000,
  /** How long after a change of the payment provider connection page consent is required for money. */
  providerChangeGuardMs: 86_400_000,
  /** Administrators who are notified of a change by mail. */
  adminsNotifiedMax: 50,
  /** Ended links that are deleted at once. */
  connectLinksForgetRows: 1_000,
  /** The shortest time between two consent requests about the same action. */
  consentAskEveryMs: 600_000,
  /** Consent requests to one member in an hour: more would be approved without a review. */
  consentAsksPerHourMax: 30,
  /** The same in 24 hours. One key can use half of both while other keys can act for the member. */
  consentAsksPerDayMax: 100,
  consentRemindMs: 86_400_000,
  /** How long a request that a provider does not accept is retried. */
  consentSendMs: 21_600_000,
  /** Unsent requests of an action that are read at once: more than `consentAsksPerHourMax` allows within `consentSendMs`. */
  consentUnsentMax: 200,
  consentSendsInParallel: 8,
  /** How long the page and the message wait for the end of an approved action. */
  decideWaitMs: 10_000,
  /** A click in Slack is answered after this time at the latest: Slack waits three seconds. */
  slackAckMs: 2_000,
  slackClockSkewMs: 300_000,
  slackInteractionBytesMax: 262_144,
  /** Of one press: Slack sends one. */
  slackPressedButtonsMax: 10,
  slackResponseUrlCharsMax: 2_000,
  consentTokensForgetRows: 1_000,
  credentialCheckMs: 10_000,
  credentialCharsMax: 255,
  senderCharsMax: 320,
  /** Accounts whose own providers a process caches. */
  accountsOpenedMax: 100,
  integrationsListedMax: 200,
  secretsKeysMax: 10,
  /** How long a receipt of consent can be used. */
  receiptLastsMs: 2_592_000_000,
  /** A new key of receipts is published so long before it signs. Longer than `receiptKeysKeptMs` and `jwksKeptSeconds`. */
  receiptKeyLeadMs: 900_000,
  /** A replaced key stays published until its last receipt has expired, and so long for clocks that differ. */
  receiptKeySlackMs: 300_000,
  /** Keys of receipts at a time, so that the published set stays small. */
  receiptKeysMax: 20,
  /** How long a process keeps the keys of receipts, and how long it waits after it could not read them. */
  receiptKeysKeptMs: 60_000,
  receiptKeysAgainMs: 2_000,
  /** How old the published ones may be: a rotated key is there at once, and a flood of requests reads little. */
  receiptKeysPublishedMs: 100,
  /** How long others may keep the published keys. */
  jwksKeptSeconds: 300,
  /** Signed receipts that a process keeps, and for how long. */
  receiptsKeptMax: 1_000,
  receiptsKeptMs: 60_000,
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
  /** Parallel activities of a host, besides one per preview that watches it. */
  previewActivitiesMax: 20,
  /** How long start waits for `running`, stop for `stopped`, and status for the workflow. */
  previewStartWaitMs: 8_000,
  previewStopWaitMs: 5_000,
  previewPollMs: 1_000,
  previewQueryMs: 500,
  /** When the reconciler starts a missing workflow, and when it ends an expired preview. */
  previewDueMs: 10_000,
  previewLateMs: 60_000,
  previewLinkMs: 900_000,
  /** The token of a preview link, and the cookies of one request that are checked. */
  previewTokenCharsMax: 200,
  previewCookiesReadMax: 4,
  /** The end of a preview's output that an answer shows. */
  previewLogShownChars: 8_192,
  previewHostCharsMax: 200,
  previewsListedMax: 100,
  /** The page parameter in the address of a listing. */
  previewPlaceCharsMax: 64,
  /** The gateway: connections, idle time of a connection, and the piece of a file in memory while it is sent. */
  previewConnectionsMax: 1_000,
  previewSilenceMs: 60_000,
  previewPieceBytes: 262_144,
  /** The cache of a preview's small files. */
  previewCachedFileBytesMax: 131_072,
  previewCachedBytesMax: 4_194_304,
  previewCachedFilesMax: 500,
  /** How often a host removes the files of dead hosts. */
  previewSweepMs: 60_000,
  /** A host folder without an owner file belongs to a starting host for this time. */
  previewFolderUnclaimedMs: 60_000,
  /** The stored end of a preview's output, and how often output is forwarded. */
  previewLogBytesMax: 65_536,
  previewLogEveryMs: 100,
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
  /** How often memory use is checked; between two checks it can exceed the limit. */
  previewMemoryCheckMs: 100,
  previewAppConnectionsMax: 128,
  /** How often a starting preview is checked. */
  previewReadyPollMs: 250,
  previewStopMs: 10_000,
  previewProbeMs: 10_000,
  packageJsonBytesMax: 1_048_576,
  packagesDeclaredMax: 1_000,
  scriptHopsMax: 3,
  previewScriptCharsMax: 1_000,
  bubblewrapReportCharsMax: 4_096,
  /** Requests to a preview in command mode, and their answers. */
  previewRequestsMax: 64,
  previewRequestBytesMax: 10_485_760,
  previewRequestMs: 60_000,
  previewAnswerBytesMax: 52_428_800,
  previewAnswerHeadersBytesMax: 16_384,
  previewAnswerSilenceMs: 30_000,

  /** The past proposals that a new policy is tried on. */
  dryRunDays: 30,
  dryRunRowsPerPage: 1_000,
  dryRunRowsPerKindMax: 5_000,
  dryRunListedMax: 25,
  /** The newest tool calls; those that are decided at one go; and how long all of it takes. */
  dryRunToolCallsMax: 10_000,
  dryRunToolCallsPerPage: 250,
  dryRunToolCallsAtOnce: 5,
  dryRunToolCallsMs: 5_000,
  /** Policy dry runs in parallel. */
  dryRunsAtOnceMax: 4,
  policyVersionsPerPage: 20,
  /** What an administrator writes about a change of the policy. */
  policyNoteCharsMax: 300,
  policyVersionMax: 1_000_000_000,
  /** Revoked and expired keys on the keys page. */
  inactiveKeysShownMax: 50,
  /** The policy form: every kind with its bands, and empty rows for new ones. */
  policyFormBytesMax: 262_144,
  policyFormRowsMax: 300,
  policyFieldCharsMax: 100,
  /** The tool, input and folder of an example tool call in a policy test. */
  exampleInputCharsMax: 2_000,
  /** A field of the form of a rule about tool calls: its conditions can be long. */
  ruleFormCharsMax: 20_000,
  emptyBandRows: 2,

  /** Kinds in the filter of the ledger. */
  ledgerKindsMax: 200,
  /** Its filter by text: actions that are read at once and that are searched for one page, and characters of the text. */
  ledgerSearchRows: 200,
  ledgerSearchedMax: 2_000,
  ledgerSearchCharsMax: 100,
  /** Entries and recipients on the page of one action. */
  timelineEntriesMax: 500,
  timelineRefusalsMax: 50,
  timelineRecipientsMax: 100,
  /** Delivery counts by channel, state and reason, and calls to a payment provider. */
  timelineTalliesMax: 200,
  timelineCallsMax: 100,
  timelineCallChangesMax: 200,
  /** Longer ledgers must be verified on the command line. */
  verifyOnPageEntriesMax: 25_000,
  /** Parallel verifications on pages. */
  verifiesAtOnceMax: 1,

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
  /** Sign-in mails of a process per hour: enough for a company's morning, and below a provider's quota. */
  signInMailsPerHourMax: 300,
  /** Of those, mails requested by networks that have never signed in with the mailbox: all together, and each. */
  signInMailsPerHourOfStrangersMax: 200,
  signInMailsPerHourOfStrangerMax: 100,
  /** Accounts of one mailbox in a sign-in mail. */
  signInAccountsMax: 20,
  /** Per client address. */
  signInsPerMinute: 10,
  /** Attempts to send a mail under its key, and the longest delay between them. */
  signInMailTriesMax: 3,
  signInMailAgainMsMax: 10_000,
  /** The idle time and the lifetime of a session. */
  sessionIdleMs: 43_200_000,
  sessionMs: 604_800_000,
  sessionsListedMax: 100,
  /** Ended links and sessions that are deleted at once. */
  signInsForgetRows: 1_000,
  /** Per client address. */
  consolePagesPerMinute: 600,
  consoleFormBytesMax: 65_536,
  /** Path and query of the page that signing in returns to. */
  returnPathCharsMax: 1_000,
  /** How long a form that was sent twice waits for its first request, and how often it looks. */
  formWaitMs: 8_000,
  formPollMs: 200,
  consoleRowsPerPage: 50,
  /** What a session shows of its browser and address. */
  browserCharsMax: 256,
  addressCharsMax: 64,
  /** Members of one import, and the size of its file. The form carries the file twice as long where it is all escapes. */
  membersImportMax: 1_000,
  membersImportBytesMax: 262_144,
  membersImportFormBytesMax: 1_000_000,
  /** Wrong lines that one answer names. */
  importProblemsShownMax: 50,
  /** Members that are named where a change lowers tiers. */
  loweredMembersNamedMax: 10,
  /** Curricula whose progress one row of the list of members shows. */
  curriculaPerRowMax: 3,
  /** Decisions on the page of a member's own access. */
  ownDecisionsShownMax: 10,
  /** The chart of the overview: its days, the proposals of a day and the decisions that it counts. */
  overviewDays: 14,
  overviewProposalsPerDayMax: 10_000,
  overviewDecisionsMax: 10_000,
  /** Cards of what waits on the overview, and reasons of denials. */
  overviewCardsMax: 6,
  overviewReasonsMax: 8,
  /** Further open proposals that the page of a decided one lists. */
  othersWaitingShownMax: 5,
  /** Denials of a day that the overview counts and shows. */
  denialsCountedMax: 1_000,
  denialsShownMax: 5,
  /** Identity notices: poll interval, batch size, attempts, and delays, which double. */
  identityNoticePollMs: 1_000,
  identityNoticesAtOnce: 10,
  identityNoticeTriesMax: 8,
  identityNoticeAgainMs: 60_000,
  identityNoticeSendMs: 30_000,
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
  /** For background tasks: as long as a statement that is sent twice. */
  shutdownTasksMs: 45_000,
  drainSecondsDefault: 5,
  drainSecondsMax: 300,
  /** How often a server that stops closes connections whose request has been answered. */
  shutdownIdleMs: 100,
  startReadyMs: 60_000,
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
  /** Of a program in which the version of its database driver is looked for. */
  programChunkBytes: 4_194_304,
  serverLogBytesMax: 10_485_760,
  serverLogTailBytesMax: 16_384,
  /** The demo account: conversations that are checked, and members in `demo.json`. */
  demoConversationsReadMax: 100,
  demoMembersShownMax: 50,
  failedAuthenticationsPerMinute: 120,
  /** Keys that recently worked, which failed authentications from the same address do not affect. */
  goodKeysRememberedMax: 10_000,
  /** How long a readiness answer is cached. */
  readinessKeptMs: 1_000,

  /** Characters of a form's field name, and of a wrong value, that an error repeats. */
  formNameEchoCharsMax: 100,
  formValueEchoCharsMax: 30,
  /** Rows that one query reads, where all of a list are read. */
  rowsPerRead: 500,

  // What the hooks of agent runners report.
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

  // Messages to providers, and calls to them.
  /** How often messages in Slack are looked for that are to show the outcome of their action; how many at once. */
  messageUpdatePollMs: 1_000,
  messageUpdatesAtOnce: 10,
  /** After a failed update: the first delay, which doubles, and how many tries there are: about an hour. */
  messageUpdateAgainMs: 15_000,
  messageUpdateTriesMax: 8,
  /** Of a host: longer ones are in no DNS. @source RFC 1035 */
  hostCharsMax: 253,
  /** Hosts of a card that look like others, of which each is told. */
  lookAlikesTold: 5,
  /** Characters of what a provider says about its refusal. */
  providerWordsCharsMax: 300,
  /** Of what it says about an action, for one line of its card. */
  providerFactCharsMax: 300,
  /** Of these, for a name or an address that others wrote. */
  providerNameCharsMax: 100,
  /** Of a customer's name in the title of a decision card. */
  titleNameCharsMax: 40,
  /** Columns of a quoted line on a card, with its bar: a phone does not wrap it, even one with very large letters. */
  quoteColumnsMax: 20,
  /** A card in Slack: characters of a block, blocks without the buttons, characters in all (not documented by Slack). */
  slackBlockCharsMax: 3_000,
  slackBlocksMax: 40,
  slackMessageCharsMax: 10_000,

  /** One call to Slack or Resend, one call to Stripe, and one read of a key's account. */
  providerCallMs: 15_000,
  stripeCallMs: 20_000,
  stripeAccountReadMs: 5_000,
  /**
   * By how much calls are spaced wider than a provider's limit asks for, and how much of a late timer is made up for: less
   * than the reserve of a second, so that what leaves within a second stays within the limit.
   */
  rateReserveShare: 0.025,
  rateLateMs: 10,
  /** The delay after a failed connection or a failed read. */
  providerConnectRetryMs: 5_000,
  /** The delay where a provider sends a rate limit without one, and the longest delay that is accepted from it. */
  slackRetryAfterMsDefault: 30_000,
  resendRetryAfterMsDefault: 1_000,
  stripeRetryAfterMsDefault: 2_000,
  providerRetryAfterMsMax: 3_600_000,
  /** Messages a second, and conversations opened for broadcasts a minute: Slack allows 50, of which two are for consent requests. */
  slackRatePerSecond: 3,
  slackOpeningsPerMinute: 48,
  /** Recipients of a Slack slice that are sent to concurrently, and conversations whose id is remembered. */
  slackRecipientsAtOnce: 8,
  slackDirectChannelsMax: 20_000,
  /** Slices of recipients that are remembered as all looked up. */
  slackGroupsKnownMax: 10_000,
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
  sandboxRecipientsAtOnce: 20,
  sandboxReconcileMs: 500,
  sandboxRetryMs: 100,
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
  /** All questions to one witness about one checkpoint, how many there are, and the bytes of an answer. */
  witnessAskMs: 5_000,
  witnessTriesMax: 3,
  witnessAnswerBytesMax: 65_536,
  /** A witness that could not be reached within the first time is asked again after the second. */
  witnessSlowMs: 1_000,
  witnessAgainMs: 30_000,
  /** How far the time of a cosignature may be from ours. */
  witnessClockSkewMs: 600_000,
  /** The server of a witness: where it listens, and what it accepts. */
  witnessPort: 8790,
  witnessBodyBytesMax: 65_536,
  witnessProofLinesMax: 63,
  /** The text of a checkpoint, and the signatures of a log that are kept with it. */
  witnessTextCharsMax: 16_384,
  witnessSignaturesKeptMax: 16,
  /** The time to receive a request. */
  witnessRequestMs: 10_000,
  witnessConnectionsMax: 256,
  /** Of one address, and the addresses that are counted. */
  witnessRequestsPerMinute: 600,
  witnessAddressesMax: 10_000,

  // MCP servers behind the gate.
  /** Of an account, and tools of one server. */
  upstreamsMax: 20,
  upstreamToolsMax: 256,
  /** Characters of an address, of the names and values of headers, and how many there are. */
  upstreamUrlCharsMax: 2_000,
  upstreamHeadersMax: 20,
  upstreamHeaderNameCharsMax: 100,
  upstreamHeaderCharsMax: 8_192,
  /** Characters of a tool's name with its server's, bytes of its definition, and how deep that is nested. */
  upstreamToolNameCharsMax: 64,
  upstreamDefinitionBytesMax: 65_536,
  upstreamDefinitionDepthMax: 32,
  /** Of a JSON Pointer into the arguments of a tool. */
  upstreamPointerCharsMax: 300,
  /** A rule as JSON, and the form of a server with its headers, as the console takes them. */
  upstreamRuleCharsMax: 20_000,
  upstreamFormBytesMax: 262_144,
  /** Tools that cannot be served: how many are listed, with so many characters of their names. */
  upstreamRefusedMax: 20,
  /** What cannot be kept exactly in one answer. */
  upstreamInexactMax: 1_000,
  upstreamRefusedCharsMax: 100,
  /** One answer of a server. */
  upstreamAnswerBytesMax: 1_048_576,
  /** How deep the JSON of a tool's answer may be nested. */
  upstreamAnswerDepthMax: 100,
  /** Messages of a server within one answer: the answer itself, and what it says or asks beside it. */
  upstreamMessagesMax: 1_000,
  /** Of these, its own requests: each costs one of ours, with the answer. */
  upstreamAskedMax: 32,
  /** Requests of a server in its answer to `initialize`. */
  upstreamOpeningAskedMax: 16,
  /** Requests by which one answer may be resumed, and the delay before each unless the server asks for another. */
  upstreamResumesMax: 10,
  upstreamResumeMs: 1_000,
  /** Connecting, reading the whole list of tools, and one call. */
  upstreamConnectMs: 15_000,
  upstreamListMs: 30_000,
  upstreamCallMs: 50_000,
  upstreamPagesMax: 20,
  /** Open connections of a process, how long one is kept that nobody uses, and how long its end may take. */
  upstreamConnectionsMax: 100,
  upstreamIdleMs: 600_000,
  upstreamEndMs: 1_000,
  upstreamsEndMs: 5_000,
  /** How long a connection below it is kept for the next request. */
  upstreamSocketIdleMs: 1_000,
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
  /** What a server says of itself, and why it could not be read. */
  upstreamWordsCharsMax: 100,
  upstreamFailureCharsMax: 300,
  /** Servers with troubles that `gate doctor` names. */
  upstreamTroublesNamedMax: 10,
  /** The operator's file of commands. */
  upstreamCommandsBytesMax: 65_536,
  /** How long the tools of accounts are kept beside their version, and of how many accounts. */
  upstreamToolsKeptMs: 3_600_000,
  upstreamAccountsKeptMax: 200,
  /** How often a call is tried where the server cannot be reached, and the first delay, which doubles. */
  upstreamTriesMax: 4,
  upstreamAgainMs: 1_000,

  // Executors of declared kinds.
  executorUrlCharsMax: 2_000,
  /** Of EXECUTOR_ALLOW. */
  executorAllowMax: 100,
  /** One call, with its whole answer. */
  executorCallMs: 30_000,
  executorAnswerBytesMax: 65_536,
  /** How deep the JSON of an answer may be nested. */
  executorAnswerDepthMax: 64,
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
  /** How often a signature is tried whose key cannot be read, where only the status is left to ask: about a day. */
  executorUnsignedTriesMax: 36,
  /** For how long an attempt's intent and record are tried where the database is out of reach, and how often. */
  executorRecordMs: 30_000,
  executorRecordAgainMs: 250,
  /** When an action is looked at again whose account has as many calls under way as it may. Spread, so that not all come at once. */
  executorFullAgainMsMin: 5_000,
  executorFullAgainMsMax: 30_000,
  /** Names that are looked up at once, and how long one is waited for. See executors/name-lookups.ts. */
  executorLookupsMax: 1,
  executorLookupMs: 10_000,
  /** A lookup that fails after this time hung. Its name is refused for a while, which doubles each time up to the longest. */
  executorLookupHungMs: 5_000,
  executorSlowNameRestMs: 60_000,
  executorSlowNameRestMsMax: 3_600_000,
  /** Names of which it is remembered that they hung. */
  executorSlowNamesMax: 1_000,
  /** How long a process that ends waits for its calls. */
  executorCloseMs: 5_000,
  /** Calls of one account that a process has under way, and steps that wait for calls. */
  executorCallsPerAccountMax: 20,
  executorActivitiesMax: 100,
  /** How long a replaced secret still signs. */
  kindSecretOverlapMs: 86_400_000,
} as const
