import { broadcast } from './broadcast.ts'
import { capability } from './capability.ts'
import type { BenchCase } from './case.ts'
import { confirm } from './confirm.ts'
import { cycle } from './cycle.ts'
import { hookProgram } from './hook-program.ts'
import { mcp } from './mcp.ts'
import { propose } from './propose.ts'
import { recovery } from './recovery.ts'
import { telemetry } from './telemetry.ts'
import { toolCalls } from './tool-calls.ts'
import { upstream } from './upstream.ts'

/** All cases, in the order in which they run. docs/performance.md says the target of each. */
export const cases: BenchCase[] = [
  capability,
  toolCalls,
  hookProgram,
  upstream,
  propose,
  mcp,
  confirm,
  cycle,
  broadcast,
  recovery,
  telemetry,
]
