import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * What stands in the way of those who hear, zoom or do not see colours, each as rule and element; and whether the page is
 * wider than its window. For a page of a context with scripts and `bypassCSP`: our pages forbid every script.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const found: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then((done) => done.violations)`,
  )
  const beyond: number = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  return [
    ...found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`)),
    ...(beyond > 0 ? [`wider than the window by ${beyond} px`] : []),
  ]
}
