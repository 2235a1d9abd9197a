/** The result of an action as an answer has it and its row too: without what an executor or a tool said, which is kept elsewhere. */
export function shownResult(body: { result?: Record<string, unknown> }): Record<string, unknown> | null {
  if (!body.result) return null
  const { result: _said, tool_result: _answered, ...shown } = body.result
  return shown
}
