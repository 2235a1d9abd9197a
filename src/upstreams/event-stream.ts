/** What the lines of a stream of events say. */
export interface EventHandlers {
  /** The data of a message. */
  onData(data: string): void
  /** The number of an event that came to its end: a stream that breaks off can be resumed after it. */
  onId(id: string): void
  /** The delay that the server asks for before that. */
  onRetry(ms: number): void
}

/**
 * Reads a stream of server-sent events, of which it keeps what is not complete: the caller bounds it.
 * @returns takes what came next
 * @source https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export function eventReader({ onData, onId, onRetry }: EventHandlers): (part: Uint8Array) => void {
  const decoder = new TextDecoder()
  // Pieces of the line that is not complete: joined once, because a server may send it byte by byte.
  let pieces: string[] = []
  let isAfterReturn = false
  let type = ''
  let data: string[] = []
  let id: string | undefined

  function takeLine(line: string): void {
    if (line === '') return dispatch()
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') data.push(value)
    else if (field === 'event') type = value
    else if (field === 'id' && value !== '' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) onRetry(Number(value))
  }

  function dispatch(): void {
    const text = data.join('\n')
    const isMessage = type === '' || type === 'message'
    data = []
    type = ''
    if (isMessage && text !== '') onData(text)
    // Not before: a stream that is resumed after an event that broke off would never bring that event.
    if (id !== undefined) onId(id)
    id = undefined
  }

  return (part) => {
    let text = decoder.decode(part, { stream: true })
    if (text === '') return
    if (isAfterReturn && text.startsWith('\n')) text = text.slice(1)
    isAfterReturn = text.endsWith('\r')
    const lines = text.split(/\r\n|\n|\r/)
    const rest = lines.pop()!
    for (const line of lines) {
      takeLine(pieces.join('') + line)
      pieces = []
    }
    if (rest !== '') pieces.push(rest)
  }
}
