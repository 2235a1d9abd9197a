const words = (text: string): Set<string> => new Set(text.split(' '))

const networkCommands = words(
  'curl wget wget2 http https xh httpie aria2c ssh scp sftp slogin rsync nc ncat netcat socat telnet ftp tftp lftp ' +
    'ping ping6 dig nslookup host drill whois traceroute tracepath mtr nmap ssh-copy-id autossh mosh rclone ' +
    'openssl-s_client croc ngrok cloudflared bore wscat websocat grpcurl mail mailx sendmail mutt',
)
const publishers = words('npm pnpm yarn bun cargo gem twine poetry flit hatch uv pdm')

/** npm takes the start of a command's name for all of it. */
const publishes = /^(publ|publi|publis|publish|pub|upload|push)$/

/** Whether an argument may be the command itself: before it stand options alone, and what may be their values. */
const isSubcommand = (args: string[], at: number): boolean =>
  args
    .slice(0, at)
    .every(
      (arg, i) => /^[-+]/.test(arg) || (args[i - 1]?.startsWith('-') && !/^(run|exec|x|test)$/.test(arg)),
    )

/** Whether a command uses the network. What installs packages runs their programs, and is not here. Pure. */
export function isNetworkCommand(name: string, args: string[]): boolean {
  if (publishers.has(name)) return args.some((arg, at) => publishes.test(arg) && isSubcommand(args, at))
  return networkCommands.has(name) || (name === 'openssl' && args[0] === 's_client')
}

const showsVariables = (args: string[]): boolean => args.every((arg) => arg.startsWith('-'))

/** Commands that print the environment, the variables or what was typed before. */
const credentialCommands: Record<string, (args: string[]) => boolean> = {
  env: (args) => args.every((arg) => arg.startsWith('-') || /^\w+=/.test(arg)),
  printenv: () => true,
  set: (args) => args.length === 0,
  export: showsVariables,
  readonly: showsVariables,
  declare: showsVariables,
  typeset: showsVariables,
  local: showsVariables,
  history: () => true,
  fc: () => true,
  security: () => true,
  'secret-tool': () => true,
  pass: () => true,
}

/** Whether a command shows secrets of the process, the shell or a store of them. Pure. */
export const showsSecrets = (name: string, args: string[]): boolean =>
  Object.hasOwn(credentialCommands, name) && credentialCommands[name]!(args)

const shells = words('sh bash rbash zsh dash ksh mksh oksh yash ash fish csh tcsh nu xonsh elvish')

/** Whether a program is a shell. Pure. */
export const isShell = (name: string): boolean => shells.has(baseName(name))

/** The text that a shell is given to run: the first operand where `-c` is among the options before it; null: none. Pure. */
export function scriptOf(name: string, args: string[]): string | null {
  if (name === 'eval') return (args[0] === '--' ? args.slice(1) : args).join(' ')
  if (!isShell(name)) return null
  const option = args.findIndex(
    (arg) => (/^-[A-Za-z]+$/.test(arg) && arg.includes('c')) || /^--command(=|$)/.test(arg),
  )
  if (option < 0) return null
  if (args[option]!.startsWith('--command=')) return args[option]!.slice('--command='.length)
  for (let at = option; at < args.length; at++) {
    const arg = args[at]!
    if (arg === '--') return args[at + 1] ?? null
    if (!/^[-+]./.test(arg)) return arg
    // The name of a setting follows.
    if (/^[-+]\w*[oO]$/.test(arg)) at++
  }
  return null
}

const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/** Programs that tell their version without a look at the settings of the folder. */
const versioned = words(
  'node npm deno bun python python3 ruby perl java javac gcc g++ clang make docker psql rg jq curl gh bash zsh',
)

const shortVersions: Record<string, string> = {
  node: '-v',
  npm: '-v',
  python: '-V',
  python3: '-V',
  ruby: '-v',
  perl: '-v',
  java: '-version',
  javac: '-version',
  gcc: '-v',
  rg: '-V',
}

/** Whether a command only tells the version of a known program. Pure. */
export const tellsVersion = (name: string, args: string[]): boolean =>
  args.length === 1 &&
  ((versioned.has(name) && args[0] === '--version') ||
    (Object.hasOwn(shortVersions, name) && args[0] === shortVersions[name]))
