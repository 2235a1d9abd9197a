/**
 * The system call filter of a preview, in the form that bubblewrap's `--seccomp` reads: an array of `struct sock_filter`
 * for this machine. It blocks what namespaces do not isolate: memory that belongs to no process and is not limited (memfd,
 * System V and anonymous shared memory, message queues), sockets without a network namespace (vsock reaches the
 * hypervisor), access to other processes, and kernel features that no website needs.
 * @returns undefined for a processor whose system call numbers are not known
 * @source seccomp(2); linux/filter.h; the syscall tables of Linux 6.12
 */
export function seccompFilter(processor: string = process.arch): Buffer | undefined {
  const machine = machines[processor]
  if (!machine) return undefined
  const { audit, denied, mmap, socket, socketpair, foreignFrom } = machine
  const filter = [
    load(archOffset),
    jumpUnlessEqual(audit, 1),
    jump(1),
    answer(killProcess),
    load(numberOffset),
    // A second table of numbers for the same calls (x32) would bypass all rules below.
    ...(foreignFrom === undefined ? [] : [jumpIfBelow(foreignFrom, 1), answer(errno + ENOSYS)]),
    ...denied.flatMap((call) => [jumpUnlessEqual(call, 1), answer(errno + ENOSYS)]),
    jumpUnlessEqual(mmap, 5),
    load(argumentOffset(3)),
    keepBits(MAP_SHARED | MAP_ANONYMOUS),
    jumpUnlessEqual(MAP_SHARED | MAP_ANONYMOUS, 1),
    answer(errno + EPERM),
    answer(allow),
    jumpIfEqual(socket, 2),
    jumpIfEqual(socketpair, 1),
    answer(allow),
    load(argumentOffset(0)),
    ...[AF_UNIX, AF_INET, AF_INET6].flatMap((family) => [jumpUnlessEqual(family, 1), answer(allow)]),
    jumpIfEqual(AF_NETLINK, 1),
    answer(errno + EAFNOSUPPORT),
    load(argumentOffset(2)),
    jumpUnlessEqual(NETLINK_ROUTE, 1),
    answer(allow),
    answer(errno + EAFNOSUPPORT),
  ]
  return Buffer.concat(filter)
}

interface Machine {
  audit: number
  mmap: number
  socket: number
  socketpair: number
  /** Numbers from here on belong to another table. */
  foreignFrom?: number
  denied: number[]
}

// io_uring can open sockets and read files without the calls that are filtered here.
const sameEverywhere = { io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, memfd_secret: 447 }

const machines: Partial<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    mmap: 9,
    socket: 41,
    socketpair: 53,
    foreignFrom: 0x40000000,
    denied: Object.values({
      ...sameEverywhere,
      shmget: 29,
      shmat: 30,
      semget: 64,
      msgget: 68,
      ptrace: 101,
      mq_open: 240,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      perf_event_open: 298,
      process_vm_readv: 310,
      process_vm_writev: 311,
      kcmp: 312,
      memfd_create: 319,
      bpf: 321,
      userfaultfd: 323,
    }),
  },
  arm64: {
    audit: 0xc00000b7,
    mmap: 222,
    socket: 198,
    socketpair: 199,
    denied: Object.values({
      ...sameEverywhere,
      ptrace: 117,
      mq_open: 180,
      msgget: 186,
      semget: 190,
      shmget: 194,
      shmat: 196,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      perf_event_open: 241,
      process_vm_readv: 270,
      process_vm_writev: 271,
      kcmp: 272,
      memfd_create: 279,
      bpf: 280,
      userfaultfd: 282,
    }),
  },
}

const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, NETLINK_ROUTE] = [1, 2, 10, 16, 0]
const [MAP_SHARED, MAP_ANONYMOUS] = [0x01, 0x20]
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]
const [allow, errno, killProcess] = [0x7fff0000, 0x00050000, 0x80000000]

// struct seccomp_data: number, architecture, instruction pointer, six arguments; the lower half of each is compared.
const [numberOffset, archOffset] = [0, 4]
const argumentOffset = (index: number) => 16 + 8 * index

/** One instruction; a jump value is the number of following instructions to skip. */
function instruction(code: number, ifTrue: number, ifFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}

const load = (offset: number) => instruction(0x20, 0, 0, offset)
const keepBits = (mask: number) => instruction(0x54, 0, 0, mask)
const jump = (skipped: number) => instruction(0x05, 0, 0, skipped)
const jumpIfEqual = (value: number, skipped: number) => instruction(0x15, skipped, 0, value)
const jumpUnlessEqual = (value: number, skipped: number) => instruction(0x15, 0, skipped, value)
const jumpIfBelow = (value: number, skipped: number) => instruction(0x35, 0, skipped, value)
const answer = (verdict: number) => instruction(0x06, 0, 0, verdict)
