import { broadcast } from './broadcast.ts'
import { capability } from './capability.ts'
import type { BenchCase } from './case.ts'
import { claudeHook } from './claude-hook.ts'
import { confirm } from './confirm.ts'
import { list } from './list.ts'
import { open } from './open.ts'
import { preview } from './preview.ts'
import { propose } from './propose.ts'
import { toolCalls } from './tool-calls.ts'
import { workspace } from './workspace.ts'

/** All cases, in the order in which they run. */
export const cases: BenchCase[] = [
  capability,
  toolCalls,
  claudeHook,
  propose,
  confirm,
  broadcast,
  list,
  workspace,
  preview,
  open,
]
