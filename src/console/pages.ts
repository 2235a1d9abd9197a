import { overviewPage } from './overview.ts'
import { type ConsolePage } from './page.ts'
import { endSessionPage, sessionsPage } from './sessions.ts'

/** Every page of the console but those of signing in. A new one is its file and its line here. */
export const pages: ConsolePage[] = [overviewPage, sessionsPage, endSessionPage]
