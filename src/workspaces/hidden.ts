import type { View } from './store.ts'

/**
 * Whether nobody sees a file or folder of that name, wherever it lies: credentials and version control, and for who reads
 * (not for who runs) installed packages. Upper and lower case are one: so they are on some file systems.
 * @param name  one part of a path
 */
export function isHiddenName(name: string, view: View): boolean {
  const lower = name.toLowerCase()
  return secretNames.has(lower) || secretForms.test(lower) || (view === 'shown' && lower === 'node_modules')
}

const secretNames = new Set([
  '.git',
  '.hg',
  '.svn',
  '.ssh',
  '.gnupg',
  '.aws',
  '.npmrc',
  '.yarnrc.yml',
  '.netrc',
  '.pypirc',
  '.pgpass',
  '.htpasswd',
  '.git-credentials',
])

// .env, .env.local, .envrc; private keys by their usual names and formats, with whatever stands behind: id_rsa.bak.
const secretForms = /^\.env|^id_(rsa|dsa|ecdsa|ed25519)|\.(pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx)$/
