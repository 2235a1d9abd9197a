import { limits } from '../../limits.ts'
import { escapeSlackText } from '../../text/escape.ts'

/** Says a sentence to the person who pressed a button, where they pressed it, and to nobody else. @returns whether Slack took it */
export type AnswerPress = (responseUrl: string, text: string) => Promise<boolean>

/**
 * @param placeOf  where an answer to a `response_url` is sent; undefined: nowhere
 * @source Slack, Handling user interaction: `response_url`, 5 answers within 30 minutes
 */
export function pressAnswers(placeOf: (url: URL) => URL | undefined): AnswerPress {
  return async (responseUrl, text) => {
    const place = URL.canParse(responseUrl) ? placeOf(new URL(responseUrl)) : undefined
    if (place === undefined) return false
    try {
      const answer = await fetch(place, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          response_type: 'ephemeral',
          replace_original: false,
          text: escapeSlackText(text),
        }),
        redirect: 'error',
        signal: AbortSignal.timeout(limits.providerCallMs),
      })
      await answer.body?.cancel()
      return answer.ok
    } catch {
      return false
    }
  }
}

/** Slack's own hosts for answers, in its commercial and its government cloud. Pure. */
export const atSlack = (url: URL): URL | undefined => (slackHooks.has(url.origin) ? url : undefined)

const slackHooks = new Set(['https://hooks.slack.com', 'https://hooks.slack-gov.com'])
