import { broadcast } from './broadcast.ts'
import { capability } from './capability.ts'
import type { BenchCase } from './case.ts'
import { claudeHook } from './claude-hook.ts'
import { confirm } from './confirm.ts'
import { cycle } from './cycle.ts'
import { declared } from './declared.ts'
import { expiry } from './expiry.ts'
import { hookProgram } from './hook-program.ts'
import { limitedBroadcast } from './limited-broadcast.ts'
import { list } from './list.ts'
import { mcp } from './mcp.ts'
import { memory } from './memory.ts'
import { open } from './open.ts'
import { page } from './page.ts'
import { preview } from './preview.ts'
import { processes } from './processes.ts'
import { propose } from './propose.ts'
import { recovery } from './recovery.ts'
import { seal } from './seal.ts'
import { start } from './start.ts'
import { toolCalls } from './tool-calls.ts'
import { upstream } from './upstream.ts'
import { workspace } from './workspace.ts'

/** All cases, in the order in which they run. */
export const cases: BenchCase[] = [
  // First: what rests has done nothing yet.
  memory,
  capability,
  mcp,
  toolCalls,
  claudeHook,
  hookProgram,
  upstream,
  propose,
  confirm,
  declared,
  cycle,
  processes,
  broadcast,
  limitedBroadcast,
  page,
  list,
  workspace,
  preview,
  start,
  recovery,
  expiry,
  seal,
  open,
]
