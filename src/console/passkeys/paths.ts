export const passkeysPath = '/console/passkeys'
