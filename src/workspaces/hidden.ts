import type { View } from './store.ts'

/**
 * Whether a file or folder with this name is hidden in every folder: credentials and version control, and in the view
 * `shown` also installed packages. Ignores case, as some file systems do.
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

// .env, .env.local, .envrc; private keys by their usual names and formats, with any suffix, such as id_rsa.bak.
const secretForms = /^\.env|^id_(rsa|dsa|ecdsa|ed25519)|\.(pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx)$/
