import { globMatcher } from './glob.ts'
import type { ResolvedPath } from './paths.ts'
import {
  isForm,
  isPlainName,
  mayBeSettings,
  mayNameSecret,
  secretsIn,
  withoutBackup,
} from './secret-names.ts'

/** Folders whose content is credentials, wherever they are. */
const credentialFolders = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.oci',
  '.password-store',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.config/op',
  '.config/github-copilot',
  'local/github-copilot',
  // This folder has the keys of the hooks and copies of settings.
  '.config/qualification-gate',
  '.local/share/keyrings',
  'application support/gcloud',
  'library/keychains',
  'etc/ssl/private',
  'run/secrets',
  'system-connections',
]

/** The ends of paths that are credentials: folders and a name, which may be a glob. */
const credentialFiles = [
  '*.env',
  '_netrc',
  '.config/git/credentials',
  '.vault-token',
  '.docker/config.json',
  '.cargo/credentials*',
  '.gem/credentials',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.bundle/config',
  '.gradle/gradle.properties',
  'opencode/mcp-auth.json',
  '.claude.json*',
  '.copilot/config.json',
  '.config/stripe/config.toml',
  '.cache/huggingface/token',
  '.cache/huggingface/stored_tokens',
  'sops/age/keys.txt',
  'pypoetry/auth.toml',
  '.kaggle/kaggle.json',
  '.fly/config.yml',
  'rclone.conf',
  '.rclone.conf',
  'etc/shadow*',
  'etc/gshadow*',
  'backups/shadow*',
  'backups/gshadow*',
  'etc/master.passwd',
  'etc/sudoers',
  'etc/krb5.keytab',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '.*_history',
  '.history',
  '.lesshst',
  '.viminfo',
  'fish_history',
  'consolehost_history.txt',
]
/** Likewise, but not below the working folder: there they are a project's own settings and code. */
const credentialFilesOutside = [
  // The hook's key is in it.
  '.claude/settings*.json',
  ...'login data,login data-journal,login data for account,cookies,cookies-journal'.split(','),
  ...'cookies.sqlite,cookies.binarycookies,logins.json,logins-backup.json,key3.db,key4.db'.split(','),
  ...'signons.sqlite,web data,web data-journal,local state'.split(','),
]

const exactFiles = new Set(credentialFiles.filter((path) => !path.includes('*')))
const matchersOf = (paths: string[]) => paths.map((path) => path.split('/').map(globMatcher))
const globFiles = matchersOf(credentialFiles.filter((path) => path.includes('*')))
const filesOutside = matchersOf(credentialFilesOutside)

/** Files with tokens that programs look for by these names, and copies of them such as `.npmrc-ci`. */
const tokenFile =
  /^\.(netrc|npmrc|yarnrc\.yml|pypirc|pgpass|my\.cnf|mylogin\.cnf|dockercfg|git-credentials|gitcookies|terraformrc|msmtprc|mbsyncrc|fetchmailrc|offlineimaprc|s3cfg|boto|databrickscfg|erlang\.cookie|xauthority|iceauthority)([-_.~]|$)|^(netrc|npmrc|pypirc|msmtprc|pgpass(\.conf)?)$/
/** Files whose ending says that they hold keys, or the like. */
const keyEnding =
  /\.(env|key|pem|p8|p12|pfx|pkcs12|jks|jceks|bks|keystore|kdbx?|ppk|pvk|psk|ovpn|keytab|jwk|nmconnection|(mobile)?provision(profile)?|kubeconfig|opvault|agilekeychain|1p(if|ux)|psafe3|macaroon)$/
/** A path without the second names that systems have for their root, as `/private/etc` is `/etc`, and for their homes. */
export const fromRoot = (path: string): string =>
  path
    .replace(/^((\/system)?\/volumes\/[^/]+)?(\/private)?(?=\/|$)/i, '')
    .replace(
      /^(\/var\/services(?=\/homes\/)|\/network(\/servers\/[^/]+)?(?=\/users\/)|\/usr(?=\/(users|people)\/))/i,
      '',
    )
/** The root of a disk of Windows, also in its subsystems. */
export const driveRoot = '([a-z]:|(/mnt|/cygdrive|/host_mnt|/mnt/host|/run/desktop/mnt/host)?/[a-z])'
/** Where systems keep home folders: `/home`, `/data/home`, `/nfs/a/home2`, `/u`. */
export const homesFolder = `((/[^/]+|/(mnt|media|net|nfs|export|data|srv)/[^/]+)?/homes?\\d*|(/(data|export|net|nfs|srv))?/users|/people|/u\\d*|${driveRoot}/(users|documents and settings))`
/** Where the members of a domain have theirs, one folder below: `/home/CORP`, `/home/example.com`. In lower case `/home/ada` is a home. */
export const domainHomes =
  '/home/([A-Z][A-Z0-9-]*|[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*\\.(com|net|org|edu|gov|int|io|local|localdomain|lan|corp|internal|intra|intern|ad|test|example))'
export const homeFolder = `(${homesFolder}/[^/]+|(/var)?/root|/data/data/com\\.termux/files/home|~[^/]*)`

/** Folders of the system whose content is keys, whatever they are called. */
const systemFolder =
  /^\/(etc|var\/lib|usr\/local\/etc|opt\/homebrew\/etc)\/(.*\/)?(private|priv|sssd?|tailscale|zerotier-one|freeradius|raddb|asterisk|(private|host)[-_]?keys|secrets|credstore[^/]*|wireguard|openvpn|kubernetes|rancher|letsencrypt|sudoers\.d|wpa_supplicant|ppp)\/|^\/var\/lib\/cloud\//

const endsInPublic = /^id_.*\.pub$/

const processFiles = ['environ', 'mem', 'fd', 'root', 'cwd', 'task', 'map_files']
const memoryFiles = ['kcore', 'keys']

/** Whether a path holds credentials, by its text. Pure. */
export function isCredentialPath({ start, segments }: ResolvedPath): boolean {
  const folded = segments.map(fold)
  const isProcess =
    start === '' &&
    folded[0] === 'proc' &&
    folded.some((s, i) => (i > 1 ? processFiles : memoryFiles).includes(s))
  if (isProcess || hasFolder(folded, credentialFolders)) return true
  if (start === '' && systemFolder.test(fromRoot(`/${folded.join('/')}/`))) return true
  const name = folded.at(-1) ?? ''
  if (endsInPublic.test(name)) return false
  if ([1, 2, 3].some((parts) => exactFiles.has(folded.slice(-parts).join('/')))) return true
  if (globFiles.some((parts) => endsWith(folded, parts)) || keyEnding.test(withoutBackup(name))) return true
  return !isForm(name) && (tokenFile.test(name) || secretsIn(folded) === 'sure')
}

/** Whether a path, if it is one of a file and no other word, likely holds credentials, by its text. Pure. */
export const isLikelyCredential = ({ segments }: ResolvedPath): boolean =>
  secretsIn(segments.map(fold)) !== null

/** Whether a path that is not below the working folder holds credentials, by its text. Pure. */
export function isCredentialOutside({ segments }: ResolvedPath): boolean {
  const folded = segments.slice(-2).map(fold)
  return filesOutside.some((parts) => endsWith(folded, parts))
}

/**
 * Whether a path that does not count as inside leads to hidden files, or to the settings of programs in a home folder: no list
 * names every file there that has a token. Pure.
 * @param around  the working folder, if the path is below it: where that is hidden itself, nothing in it is
 */
export const isHiddenOutside = (path: ResolvedPath, around: ResolvedPath | null): boolean =>
  hasHidden(path) && !(around !== null && hasHidden(around))

function hasHidden({ start, segments }: ResolvedPath): boolean {
  const folded = segments.map(fold)
  // On Windows a name such as `CONFIG~1` stands for a longer one.
  return (
    folded.some((name) => /^\.|^appdata$|~\d/.test(name)) ||
    homeLibrary.test(fromRoot([start, ...folded].join('/')))
  )
}

const homeLibrary = new RegExp(`^${homeFolder}/(library|application data|local settings)(/|$)`)

/** Whether a path is a configuration or a log of git, by its text: addresses in it may contain tokens. Pure. */
export function isGitConfig({ segments }: ResolvedPath): boolean {
  const folded = segments.map(fold)
  const name = folded.at(-1) ?? ''
  const folders = folded.slice(0, -1)
  if (folders.includes('.git') && folded.includes('logs')) return true
  if (name !== 'config' && name !== 'config.worktree') return name === '.gitconfig'
  return folders.includes('.git') || hasFolder(folders.slice(-2), ['.config/git'])
}

const keyStarts = [
  'id_',
  'service-account',
  'service_account',
  'application_default',
  'client_secret',
  'auth.',
]

/**
 * Whether a path with wildcards inside the working folder may stand for credentials: not where the name has a plain ending, no
 * folder is hidden, and its start is none of a known name. Pure.
 */
export function mayMatchCredentials(segments: string[]): boolean {
  const folded = segments.map((segment) => segment.normalize('NFKC').toUpperCase().toLowerCase())
  if (folded.some((segment) => segment.startsWith('.'))) return true
  const name = folded.at(-1) ?? ''
  const start = /^[^*?[]*/.exec(name)![0]
  if (start === name) return false
  if (mayBeSettings(start, name)) return true
  if (isPlainName(name)) return false
  if (!/\.[a-z0-9]+$/.test(name) || keyEnding.test(name)) return true
  return mayNameSecret(start) || keyStarts.some((known) => known.startsWith(start) || start.startsWith(known))
}

/** Whether a glob of a search stands only for files of one or more plain endings. Pure. */
export function isHarmlessGlob(glob: string): boolean {
  const endings = /^(?:\*\*\/)?(?:[A-Za-z0-9][\w-]*\/)*(?:\*\*\/)?\*\.(\w+|\{[\w,]+\})$/.exec(glob)?.[1]
  return endings !== undefined && endings.split(/[{},]/).every(isHarmlessEnding)
}

/** `*.npmrc` stands for `.npmrc` too, and `*.local` for `.env.local`. */
const isHarmlessEnding = (ending: string): boolean =>
  ending === '' || isPlainName(`x.${ending.toLowerCase()}`) || settingsEnding.test(ending.toLowerCase())

const settingsEnding = /^(jsonc?|json5|ya?ml|toml|ini|cfg|conf|properties|xml|txt|csv|plist)$/

/** One spelling for the names that a file system may take for the same. */
export function fold(segment: string): string {
  if (plainName.test(segment)) return segment.toLowerCase()
  const name = segment.normalize('NFKC').toUpperCase().toLowerCase()
  return (/^[^:]+(?=:)/.exec(name)?.[0] ?? name).replace(/(?<=[^. ])[. ]+$/, '')
}

/** ASCII without a colon, which ends in neither a dot nor a space: only its case can differ. */
const plainName = /^[!-9;-~]*[!-\-/-9;-~]$/

/** Whether one of some folders, each in lower case and with one or more segments, is on a path. */
export const hasFolder = (segments: string[], folders: string[]): boolean => {
  const path = `/${segments.join('/')}/`
  return folders.some((folder) => path.includes(`/${folder}/`))
}

const endsWith = (segments: string[], parts: ((text: string) => boolean)[]): boolean =>
  parts.length <= segments.length &&
  parts.every((matches, i) => matches(segments[segments.length - parts.length + i]!))
