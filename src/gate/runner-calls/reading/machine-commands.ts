import { isPlainPs } from '../command/allowed-arguments.ts'
import type { ReadCommand } from '../command/options.ts'
import { tellsNoSecret } from '../command/variables.ts'

const texts: ReadCommand = { operands: 'texts' }

/** Commands that tell about the machine, its user and its processes, with every option that leaves them so. */
export const machineCommands: Record<string, ReadCommand> = {
  pwd: { flags: 'LP', operandsMax: 0 },
  whoami: { operandsMax: 0 },
  id: { ...texts, flags: 'unGgr' },
  groups: texts,
  hostname: { flags: 's', operandsMax: 0 },
  uname: { flags: 'asnrvmpio', long: 'all kernel-name machine', operandsMax: 0 },
  arch: { operandsMax: 0 },
  nproc: { long: 'all', operandsMax: 0 },
  uptime: { flags: 'ps', operandsMax: 0 },
  lscpu: { flags: 'aex', operandsMax: 0 },
  sw_vers: { long: 'productName productVersion buildVersion', operandsMax: 0 },
  vm_stat: { operandsMax: 0 },
  tty: { flags: 's', operandsMax: 0 },
  who: { flags: 'abHqu', operandsMax: 0 },
  sysctl: {
    ...texts,
    flags: 'n',
    allows: ({ operands }) => operands.length > 0 && operands.every((name) => /^[\w.]+$/.test(name)),
  },
  pgrep: { ...texts, flags: 'afilnovx', valued: 'uUPt' },
  lsof: { ...texts, flags: 'nPtlb', valued: 'ps', glued: 'i' },
  ss: { ...texts, flags: 'aHlnoptuwx46', operandsMax: 0 },
  netstat: { ...texts, flags: 'aglnptuvrs46', operandsMax: 0 },
  whereis: { ...texts, flags: 'bms' },
  lsb_release: { flags: 'acdirsv', long: 'all id description release codename short', operandsMax: 0 },
  // Alone it prints every variable.
  printenv: {
    ...texts,
    flags: '0',
    long: 'null',
    allows: ({ operands }) => operands.length > 0 && operands.every(tellsNoSecret),
  },
  ps: {
    ...texts,
    flags: 'efAFlw',
    valued: 'pou',
    long: 'sort= no-headers',
    optionsAnywhere: true,
    allows: isPlainPs,
  },
}
