import { appsPage, endAppPage } from './apps/apps-page.ts'
import { connectAppPage } from './apps/connect-page.ts'
import { adminsPage } from './admins/list-page.ts'
import { adoptMembersPage, directoryPage, endDirectoryPage } from './company/directory-page.ts'
import { companyPeoplePage, unlinkPersonPage } from './company/people-page.ts'
import { companySettingsPage, removeCompanyPage } from './company/settings-page.ts'
import { removeAdminPage } from './admins/remove-page.ts'
import { connectAgentPage } from './connect/choose-page.ts'
import { connectClientPage } from './connect/client-page.ts'
import { connectWaitingPage } from './connect/waiting-page.ts'
import { changeKindPage, newKindPage, reviewKindPage } from './declared-kinds/document-pages.ts'
import { kindPage } from './declared-kinds/kind-page.ts'
import { kindSecretPage } from './declared-kinds/secret-page.ts'
import { kindsPage } from './declared-kinds/list-page.ts'
import { kindVersionPage, kindVersionsPage } from './declared-kinds/versions-page.ts'
import { retireKindPage } from './declared-kinds/retire-page.ts'
import {
  changeEndpointPage,
  removeEndpointPage,
  replayEventPage,
  rotateEndpointPage,
  testEndpointPage,
  turnEndpointPage,
} from './endpoints/change-pages.ts'
import { endpointPage } from './endpoints/endpoint-page.ts'
import { endpointsPage, newEndpointPage } from './endpoints/list-page.ts'
import {
  activateMemberPage,
  addMemberPage,
  deactivateMemberPage,
  eraseMemberPage,
  editMemberPage,
} from './members/change-member.ts'
import { editCurriculumPage, reviewCurriculumPage } from './curricula/change-page.ts'
import { addCurriculumPage, curriculaPage } from './curricula/list-page.ts'
import { restoreCurriculumPage, retireCurriculumPage } from './curricula/retire-page.ts'
import { confirmIdentityPage } from './members/confirm-identity.ts'
import {
  endMandatePage,
  freezeMandatePage,
  mandatesPage,
  resumeMandatePage,
} from './mandates/mandates-page.ts'
import { ceilingPage } from './mandates/ceiling-page.ts'
import { newMandatePage } from './mandates/new-mandate-page.ts'
import { groupPage, removeGroupMemberPage } from './groups/group-page.ts'
import { groupsPage, removeGroupPage, renameGroupPage } from './groups/list-page.ts'
import { keyLimitsPage } from './keys/limits-page.ts'
import { keysPage, revokeKeyPage } from './keys/list-page.ts'
import { rotateKeyPage } from './keys/rotate-key.ts'
import { importMembersPage, importReviewPage, membersDownload } from './members/import-members.ts'
import { memberPassesPage, revokePassesPage } from './members/member-passes.ts'
import { memberTierPage } from './members/member-tier.ts'
import { memberPage } from './members/member-page.ts'
import { membersPage } from './members/list-page.ts'
import { mintKeyPage } from './keys/mint-key.ts'
import { mintRunnerKeyPage } from './keys/mint-runner-key.ts'
import { ownAccessPage } from './members/own-access.ts'
import { overviewPage } from './overview/overview-page.ts'
import { glassPage } from './break-glass/glass-page.ts'
import { glassReviewPage } from './break-glass/review-page.ts'
import { endDelegationPage } from './delegations/end-page.ts'
import { delegationsPage } from './delegations/list-page.ts'
import type { ConsolePage } from './page.ts'
import { addPasskeyPage } from './passkeys/add-page.ts'
import { passkeysPage } from './passkeys/list-page.ts'
import { removeOfMemberPage, removePasskeyPage } from './passkeys/remove-page.ts'
import { decisionHabitsPage } from './members/decision-habits.ts'
import { connectPage } from './integrations/connect-page.ts'
import { disconnectPage, integrationsPage } from './integrations/list-page.ts'
import { entriesDownload } from './audit/audit-file.ts'
import { auditPage } from './audit/audit-page.ts'
import { auditEntryPage } from './audit/entry-page.ts'
import { checkPage } from './ledger/check-page.ts'
import { ledgerPage } from './ledger/list-page.ts'
import { rowPage } from './ledger/row-page.ts'
import { actionsDownload } from './ledger/list-file.ts'
import { proofDownload } from './ledger/seal-part.ts'
import { ledgerDownload, policyDownload, verifyPage } from './ledger/verify-page.ts'
import { policyHistoryPage, policyVersionPage } from './policies/history.ts'
import { policyExplainPage } from './policies/explain-page.ts'
import { policiesPage } from './policies/policy-page.ts'
import { policyKindPage, policySettingsPage } from './policies/part-page.ts'
import { runnerRulesPage } from './runner-rules/rules-page.ts'
import { policyJsonPage } from './policies/json-page.ts'
import { policyPresetPage } from './policies/preset-page.ts'
import { policyReviewPage } from './policies/review-page.ts'
import { cancelProposalPage, proposalPage } from './proposals/proposal-page.ts'
import { previewsPage, stopPreviewPage } from './previews/list-page.ts'
import { proposalsPage } from './proposals/inbox-page.ts'
import { receiptDownload } from './proposals/receipt.ts'
import { runnersPage } from './runners/runners-page.ts'
import { upstreamsPage } from './upstreams/list-page.ts'
import { toolReviewPage } from './upstreams/review-page.ts'
import {
  addUpstreamPage,
  refreshUpstreamPage,
  removeUpstreamPage,
  upstreamHeadersPage,
} from './upstreams/server-forms.ts'
import { upstreamPage } from './upstreams/server-page.ts'
import { toolPage, toolRulePage } from './upstreams/tool-page.ts'
import { addDevicePage } from './devices/add-page.ts'
import { removeDevicePage } from './devices/remove-page.ts'
import { endSessionPage, sessionsPage } from './sign-in/sessions.ts'
import { signOutEverywherePage } from './sign-in/sign-out-everywhere.ts'
import { resumePage, suspendPage } from './stop-switch.ts'

/** Every page of the console except the sign-in pages. A new page needs a file and a line here. */
export const pages: ConsolePage[] = [
  overviewPage,
  suspendPage,
  resumePage,
  ownAccessPage,
  sessionsPage,
  endSessionPage,
  signOutEverywherePage,
  addDevicePage,
  removeDevicePage,
  passkeysPage,
  addPasskeyPage,
  removePasskeyPage,
  removeOfMemberPage,
  mandatesPage,
  newMandatePage,
  ceilingPage,
  freezeMandatePage,
  resumeMandatePage,
  endMandatePage,
  delegationsPage,
  glassPage,
  glassReviewPage,
  endDelegationPage,
  appsPage,
  connectAppPage,
  endAppPage,
  proposalsPage,
  proposalPage,
  cancelProposalPage,
  connectAgentPage,
  connectClientPage,
  connectWaitingPage,
  keysPage,
  keyLimitsPage,
  mintKeyPage,
  mintRunnerKeyPage,
  rotateKeyPage,
  revokeKeyPage,
  membersPage,
  addMemberPage,
  importMembersPage,
  importReviewPage,
  memberPage,
  editMemberPage,
  deactivateMemberPage,
  eraseMemberPage,
  activateMemberPage,
  confirmIdentityPage,
  memberTierPage,
  memberPassesPage,
  revokePassesPage,
  adminsPage,
  removeAdminPage,
  companySettingsPage,
  removeCompanyPage,
  companyPeoplePage,
  unlinkPersonPage,
  directoryPage,
  endDirectoryPage,
  adoptMembersPage,
  endpointsPage,
  newEndpointPage,
  endpointPage,
  changeEndpointPage,
  rotateEndpointPage,
  turnEndpointPage,
  testEndpointPage,
  replayEventPage,
  removeEndpointPage,
  groupsPage,
  groupPage,
  renameGroupPage,
  removeGroupPage,
  removeGroupMemberPage,
  curriculaPage,
  addCurriculumPage,
  editCurriculumPage,
  reviewCurriculumPage,
  retireCurriculumPage,
  restoreCurriculumPage,
  policiesPage,
  policyKindPage,
  policySettingsPage,
  runnerRulesPage,
  policyReviewPage,
  policyPresetPage,
  policyJsonPage,
  policyExplainPage,
  policyHistoryPage,
  policyVersionPage,
  kindsPage,
  newKindPage,
  reviewKindPage,
  kindPage,
  changeKindPage,
  kindVersionsPage,
  kindVersionPage,
  kindSecretPage,
  retireKindPage,
  upstreamsPage,
  addUpstreamPage,
  upstreamPage,
  upstreamHeadersPage,
  refreshUpstreamPage,
  removeUpstreamPage,
  toolPage,
  toolRulePage,
  toolReviewPage,
  ledgerPage,
  rowPage,
  verifyPage,
  checkPage,
  auditPage,
  auditEntryPage,
  integrationsPage,
  connectPage,
  disconnectPage,
  decisionHabitsPage,
  runnersPage,
  previewsPage,
  stopPreviewPage,
]

/** File downloads, under the same addresses and rules. */
export const downloads: ConsolePage[] = [
  actionsDownload,
  entriesDownload,
  ledgerDownload,
  membersDownload,
  policyDownload,
  proofDownload,
  receiptDownload,
]
