import type { CDPSession, Page } from 'playwright-core'

/** Gives a browser's page a device that keeps passkeys. @returns its id */
export async function addAuthenticator(cdp: CDPSession, hasUserVerification = true): Promise<string> {
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification,
      isUserVerified: hasUserVerification,
      automaticPresenceSimulation: true,
    },
  })
  return authenticatorId
}

/** Adds a passkey of somebody who has just signed in. */
export async function addPasskey(page: Page): Promise<void> {
  await page.goto('/console/passkeys/new')
  await page.getByLabel('Name of the passkey').fill('Laptop')
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByText('Passkey added.').waitFor()
}
