import type { BotSeen } from '../../operations/maintenance/teams-bots.ts'
import { type Part, html } from '../../web/html.ts'
import { moment } from '../parts.ts'

/** Who has a Teams identity, and how its requests ended. */
export const botFacts = ({ members, sent, failed, code, failed_at: at }: BotSeen): [string, Part][] => [
  ['Members with a Teams identity', members],
  ['Requests in 24 hours', failed === 0 ? `${sent} sent` : html`${sent} sent, ${failed} not certainly sent`],
  ...(at === null ? [] : [['Last failure', html`${moment(at)} (${code ?? 'unknown'})`] as [string, Part]]),
]

/** A bot that sent nothing lately, where it was to. Nothing where there is none. */
export const botPart = (bot: BotSeen | undefined): Part =>
  bot === undefined || bot.failed === 0 || bot.sent > 0
    ? ''
    : html`<p class="problem">
        The bot in Microsoft Teams sent no consent request in 24 hours, and ${bot.failed} failed, the last
        ${moment(bot.failed_at!)} (${bot.code ?? 'unknown'}). Members are asked by e-mail.
        <a href="/console/integrations#teams_bot">View the connection</a>
      </p>`
