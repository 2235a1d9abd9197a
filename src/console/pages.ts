import { overviewPage } from './overview.ts'
import { type ConsolePage } from './page.ts'
import { habitsPage } from './habits.ts'
import { disconnectPage, integrationsPage } from './integrations.ts'
import { ledgerPage } from './ledger/list-page.ts'
import { rowPage } from './ledger/row-page.ts'
import { ledgerDownload, verifyPage } from './ledger/verify-page.ts'
import { policyHistoryPage, policyVersionPage } from './policies/history.ts'
import { policiesPage, policyExplainPage, policyJsonPage, policyReviewPage } from './policies/pages.ts'
import { endSessionPage, sessionsPage } from './sessions.ts'

/** Every page of the console but those of signing in. A new one is its file and its line here. */
export const pages: ConsolePage[] = [
  overviewPage,
  sessionsPage,
  endSessionPage,
  policiesPage,
  policyReviewPage,
  policyJsonPage,
  policyExplainPage,
  policyHistoryPage,
  policyVersionPage,
  ledgerPage,
  rowPage,
  verifyPage,
  ledgerDownload,
  integrationsPage,
  disconnectPage,
  habitsPage,
]
