import type { Page } from 'playwright-core'

// What somebody does who has a telephone and no pointer: only keys.

export const telephone = { viewport: { width: 390, height: 844 }, isMobile: true }

const nameOfFocused = `(() => {
  const at = document.activeElement
  const label = at?.id ? document.querySelector('label[for="' + CSS.escape(at.id) + '"]')?.textContent : null
  return (at?.getAttribute('aria-label') ?? label ?? at?.textContent ?? '').replace(/\\s+/g, ' ').trim()
})()`

/** Moves the focus by the Tab key to a control, as the page offers it. @param name  how its name begins */
export async function tabTo(page: Page, name: string): Promise<void> {
  const focused = () => page.evaluate<string>(nameOfFocused)
  for (let tabs = 0; tabs < 120; tabs++) {
    if ((await focused()).startsWith(name)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no key leads to ${name} on ${page.url()}`)
}

/** Presses Enter on a control that leads to another page. */
export async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  const loaded = page.waitForNavigation()
  await page.keyboard.press('Enter')
  await loaded
}

/** Writes into a field, in place of what is there. */
export async function type(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}
