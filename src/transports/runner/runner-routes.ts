import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { requireKeyNow } from '../../operations/authenticate.ts'
import { parseInput } from '../../operations/parse.ts'
import { type FilesWanted, type HookFiles, fileReport } from '../../operations/runner-calls/bind-files.ts'
import { decideToolCall } from '../../operations/runner-calls/decide-tool-call.ts'
import { signedAnswer } from '../../operations/runner-calls/signed-request.ts'
import { nonceTaker } from '../../operations/runner-calls/take-nonce.ts'
import { refuseUnreadable } from '../../operations/runner-calls/refuse-unreadable.ts'
import { recordToolOutcome } from '../../operations/runner-calls/report-tool-outcome.ts'
import type { RunnerAnswer } from '../../operations/runner-calls/runner-answer.ts'
import { type RunnerContext, runnerContext } from '../../operations/runner-calls/runner-context.ts'
import { type Dialect, isProblem } from '../../runner-hooks/dialect.ts'
import { runnerDialects } from '../../runner-hooks/registry.ts'
import { writeText } from '../../runner-hooks/write-text.ts'
import { sendError } from '../../web/answer-errors.ts'
import { hangUp } from '../../web/hang-up.ts'
import { queryOf } from '../../web/query-of.ts'
import { note } from '../../web/request-log.ts'
import { inexactBody } from '../json-body.ts'
import { refuseOtherMethods } from '../rest.ts'
import { callQuery, outcomeQuery, outcomesPath, toolCallsPath } from './runner-query.ts'
import { depsOf } from '../../web/request-deps.ts'

/**
 * The gate of agent runners: what their hooks ask before a tool call, and report after it. Each speaks its own form, so these
 * are no operations. An error permits nothing: only an exact permission lets a call run.
 * @source docs/runners.md
 */
export function runnerRoutes(app: FastifyInstance, deps: Deps): void {
  app.addHook('onSend', (request, reply, payload, done) =>
    done(null, request.signed ? signedAnswer(request.signed, reply.statusCode, String(payload)) : payload),
  )

  app.route({
    method: 'POST',
    url: toolCallsPath,
    bodyLimit: limits.toolCallBytesMax,
    config: {
      tool: 'runner_tool_call',
      isOfKeyMember: true,
      judgesInexact: true,
      authenticatesWithinMs: limits.toolCallMs,
      // `decideToolCall` itself says when it does.
      mayWriteTwice: () => false,
    },
    async handler(request, reply) {
      const given = parseInput(callQuery, queryOf(request))
      const dialect = runnerDialects[given.runner]
      const answer = await decide(contextOf(deps, request, reply, given.as), { request, reply }, given)
      if ('wants' in answer) return send(reply, answer.wants)
      if (answer.actionId !== null) note(request, { action: answer.actionId })
      return send(reply, given.as === 'text' ? writeText(answer) : dialect.writeAnswer(answer))
    },
  })

  app.route({
    method: 'POST',
    url: outcomesPath,
    bodyLimit: limits.toolCallBytesMax,
    config: {
      tool: 'runner_outcome',
      isOfKeyMember: true,
      // The answer of a tool is not stored.
      judgesInexact: true,
      authenticatesWithinMs: limits.toolCallMs,
    },
    async handler(request, reply) {
      const { runner, as } = parseInput(outcomeQuery, queryOf(request))
      const context = contextOf(deps, request, reply, as)
      const outcome = runnerDialects[runner].readOutcome(request.body)
      if (isProblem(outcome)) await requireKeyNow(context)
      const isRecorded = !isProblem(outcome) && (await recordToolOutcome(context, runner, outcome))
      return send(reply, as === 'text' ? 'ok' : { recorded: isRecorded })
    },
  })

  refuseOtherMethods(app, toolCallsPath, ['POST'])
  refuseOtherMethods(app, outcomesPath, ['POST'])
}

function contextOf(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  as: 'json' | 'text',
): RunnerContext {
  const { caller, signed } = request
  const context = runnerContext({
    deps: depsOf(deps, request),
    ...caller!,
    source: 'runner',
    hungUp: hangUp(reply),
  })
  if (!signed) return context
  if (as !== 'text')
    throw new GateError(
      'invalid',
      'A signed request must have as=text: the MAC is the last line of the answer.',
      {
        param: 'as',
      },
    )
  if (!signed.hasBody) throw new GateError('malformed', 'The body is not the one that was signed.')
  return { ...context, takeNonce: nonceTaker(context, signed.signature.nonce) }
}

function decide(
  context: RunnerContext,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { runner, wait, version, headless, entrypoint, files: told }: z.output<typeof callQuery>,
): Promise<RunnerAnswer | FilesWanted> {
  const dialect: Dialect = runnerDialects[runner]
  if (request.inexact) return refuseUnreadable(context, runner, inexactBody(request.inexact).message)
  const { files, body } = filesIn(request, told)
  const call = dialect.readCall(body, { version: version ?? null })
  if (isProblem(call)) return refuseUnreadable(context, runner, call.problem)
  const canDefer =
    runner === 'claude' && call.agentId === null && headless === '1' && isHeadlessClaude(request, entrypoint)
  return decideToolCall(context, call, {
    decideMs: Math.max(0, limits.toolCallMs - reply.elapsedTime),
    waitMs: (wait ?? waitSeconds[runner] ?? limits.hookWaitSecondsMax) * 1_000,
    canDefer,
    files,
  })
}

/** What the hook reports about files, and the runner's own JSON. Only what a hook has signed is its word. */
function filesIn(
  { signed, body }: FastifyRequest,
  told: 'able' | 'read' | undefined,
): { files: HookFiles; body: unknown } {
  if (told === undefined) return { files: null, body }
  if (!signed) throw new GateError('invalid', 'Only a signed request can report files.', { param: 'files' })
  if (told === 'able') return { files: 'able', body }
  const [files, call] = parseInput(filesAndCall, body)
  return { files, body: call }
}

const filesAndCall = z.tuple([fileReport, z.unknown()])

// Copilot lets a call run when its hook takes longer than 30 seconds.
const waitSeconds: Partial<Record<keyof typeof runnerDialects, number>> = { copilot: 20 }

/**
 * Claude Code without a terminal ends its turn on `defer`, and asks again when it is resumed. At a terminal it takes `defer` for
 * no opinion, and a subagent is not resumed: so both the installation and the process must say that there is no terminal.
 */
const isHeadlessClaude = ({ headers, signed }: FastifyRequest, entrypoint: string | undefined): boolean =>
  // A header is not signed.
  String(entrypoint ?? (signed ? '' : headers['x-runner-entrypoint']) ?? '').startsWith('sdk')

function send(reply: FastifyReply, answer: string | object): FastifyReply {
  const isText = typeof answer === 'string'
  return reply.type(isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8').send(answer)
}

/** Answers an error of these routes: to a signed request as text, which its hook shows. */
export function sendRunnerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!request.signed) return sendError(error, request, reply)
  // Its status, headers and log entry are those of every error.
  reply.serializer((body) => (body as { error: string }).error)
  return sendError(error, request, reply.type('text/plain; charset=utf-8'))
}
