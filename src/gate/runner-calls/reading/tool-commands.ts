import { writesControls } from '../command/allowed-arguments.ts'
import type { ReadCommand } from '../command/options.ts'

const texts: ReadCommand = { operands: 'texts', optionsAnywhere: true }
/** Names of one thing, such as a container or a formula. */
const named: ReadCommand = {
  ...texts,
  allows: ({ operands }) => operands.every((name) => /^[\w.+@/:-]+$/.test(name)),
}
const alone: ReadCommand = { ...texts, operandsMax: 0 }

/** Columns of docker that show no part of an environment. */
const columns = new Set(
  'ID Name Names Image Status State Ports Repository Tag Size CreatedAt CreatedSince RunningFor Driver Scope Networks'.split(
    ' ',
  ),
)
const showsColumns = (format: string): boolean =>
  !writesControls(format) &&
  format
    .split(/\{\{|\}\}/)
    .every((part, at) => (at % 2 === 0 ? !/[{}]/.test(part) : columns.has(part.trim().replace(/^\./, ''))))
const lists: ReadCommand = {
  ...alone,
  flags: 'aqsl',
  valued: 'nf',
  long: 'all quiet no-trunc size latest last= filter= format= digests',
  allows: ({ options }) => options.every(({ name, value }) => name !== 'format' || showsColumns(value!)),
}
const docker: Record<string, ReadCommand> = {
  ps: lists,
  images: { ...lists, operandsMax: 1 },
  version: alone,
  'container ls': lists,
  'container ps': lists,
  'image ls': { ...lists, operandsMax: 1 },
  'volume ls': lists,
  'network ls': lists,
  'context ls': alone,
  'context show': alone,
  'system df': { ...alone, flags: 'v' },
  port: named,
  logs: { ...named, flags: 'ft', valued: 'n', long: 'tail= since= until= timestamps follow details' },
  'container logs': {
    ...named,
    flags: 'ft',
    valued: 'n',
    long: 'tail= since= until= timestamps follow details',
  },
  stats: { ...named, flags: 'a', long: 'no-stream no-trunc all' },
}

/**
 * Programs that read by some of their subcommands, each with the options that leave it so. Left out on purpose: what uses the network,
 * shows the environment of others (`docker inspect`), or obeys a file of the folder (`docker compose`, `bundle list`, `npm ls`).
 */
export const toolCommands: Record<string, Record<string, ReadCommand>> = {
  docker,
  // With an address of another cluster it would ask there.
  kubectl: {
    'version --client': { ...alone, valued: 'o', long: 'short output=' },
    'config current-context': alone,
    'config get-contexts': { ...alone, valued: 'o', long: 'output= no-headers' },
    'config get-clusters': alone,
  },
  helm: { version: { ...alone, long: 'short client' }, 'env HELM_NAMESPACE': alone },
  gem: {
    list: { ...named, flags: 'aldi', long: 'local all versions no-versions details installed exact' },
    which: named,
  },
  rustup: {
    show: alone,
    'show active-toolchain': alone,
    'toolchain list': { ...alone, flags: 'v' },
    'target list': { ...alone, long: 'installed' },
    'component list': { ...alone, long: 'installed' },
  },
  brew: {
    list: { ...named, flags: '1lrt', long: 'versions formula cask full-name pinned' },
    ls: { ...named, flags: '1lrt', long: 'versions formula cask full-name pinned' },
    leaves: alone,
    '--prefix': named,
    '--cellar': named,
    '--caskroom': alone,
    '--repository': alone,
  },
  go: {
    env: {
      ...texts,
      allows: ({ operands }) => operands.length > 0 && operands.every((name) => goSettings.has(name)),
    },
  },
  php: { '-m': alone, '--ini': alone, '--modules': alone },
  defaults: Object.fromEntries(
    ['dock', 'finder', 'screencapture', 'spaces', 'AppleMultitouchTrackpad'].map((domain) => [
      `read com.apple.${domain}`,
      named,
    ]),
  ),
  sw_vers: { '-productName': alone, '-productVersion': alone, '-buildVersion': alone },
  'xcode-select': { '-p': alone, '--print-path': alone },
  xcodebuild: { '-version': alone, '-showsdks': alone },
  pmset: { '-g': named },
  diskutil: { list: named, info: named },
  scutil: {
    '--get ComputerName': alone,
    '--get LocalHostName': alone,
    '--get HostName': alone,
    '--dns': alone,
  },
  launchctl: { list: alone },
  plutil: { '-p': {}, '-lint': {} },
  lipo: { '-info': {}, '-archs': {}, '-detailed_info': {} },
  system_profiler: {
    SPHardwareDataType: alone,
    SPSoftwareDataType: alone,
    SPDisplaysDataType: alone,
    SPUSBDataType: alone,
    SPStorageDataType: alone,
    SPMemoryDataType: alone,
  },
  systemctl: {
    status: { ...named, flags: 'l', valued: 'n', long: 'no-pager full lines= user' },
    'is-active': { ...named, long: 'quiet user' },
    'is-enabled': { ...named, long: 'quiet user' },
    'list-units': { ...named, flags: 'a', long: 'no-pager all failed type= state= user no-legend' },
    'list-unit-files': { ...named, long: 'no-pager type= state= user no-legend' },
  },
  dpkg: {
    '-l': named,
    '-s': named,
    '-L': named,
    '-S': named,
    '--print-architecture': alone,
  },
  rpm: { '-qa': alone, '-q': named, '-qi': named, '-ql': named },
  apt: { list: { ...named, long: 'installed upgradable' } },
  'apt-cache': { policy: named, show: named, search: named },
}

const goSettings = new Set(
  'GOPATH GOROOT GOOS GOARCH GOARM GOMODCACHE GOCACHE GOVERSION GOBIN GOMOD GOWORK GOTOOLCHAIN GOHOSTOS GOHOSTARCH CGO_ENABLED'.split(
    ' ',
  ),
)

/** The reading that the first words of a command name, and how many these are; null: none. Pure. */
export function toolCommand(name: string, words: string[]): { command: ReadCommand; words: number } | null {
  const table = Object.hasOwn(toolCommands, name) ? toolCommands[name]! : {}
  for (const count of [2, 1]) {
    const action = words.slice(0, count).join(' ')
    if (words.length >= count && Object.hasOwn(table, action))
      return { command: table[action]!, words: count }
  }
  return null
}
