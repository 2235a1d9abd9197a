import type { Runner } from '../gate/runner-calls/tool-call.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import type { Dialect } from './dialect.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'

/** How each runner's hook is read and answered. */
export const runnerDialects: Record<Runner, Dialect> = { claude, codex, gemini, cursor, copilot, opencode }
