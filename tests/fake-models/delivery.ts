/** Puts an answer, or a scripted failure, on the wire. */
import type { ServerResponse } from 'node:http'
import { errorBody } from './errors.ts'
import type { Answer, Failure } from './script.ts'
import { promptTooLongError } from './too-long.ts'
import type { Rendered, Wire, WireDriver } from './wire.ts'

const page = '<!doctype html><html><head><title>Sign in</title></head><body>Sign in</body></html>'

export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(JSON.stringify(body))
}

export async function sendAnswer(
  res: ServerResponse,
  {
    driver,
    wire,
    rendered,
    answer,
    stream,
  }: {
    driver: WireDriver
    wire: Wire
    rendered: Rendered
    answer: Answer
    stream: boolean
  },
): Promise<void> {
  if (!stream) return sendJson(res, 200, rendered.body)
  sendStreamHeaders(res, wire)
  const { flaw, pace } = answer
  const contents = rendered.events.filter(({ isContent }) => isContent).length
  const flawedAt = Math.min(contents, flaw?.after ?? Math.max(1, Math.floor(contents / 2)))
  let sent = 0
  let isFlawed = false
  for (const [index, { text, isContent }] of rendered.events.entries()) {
    const isTime = sent === flawedAt && (isContent || (sent === contents && index > 0))
    if (flaw && !isFlawed && isTime) {
      isFlawed = true
      if (flaw.kind === 'disconnect') return disconnect(res)
      if (flaw.kind === 'silence') return
      if (flaw.kind === 'truncated') return void res.end(text.slice(0, text.length / 2))
      if (flaw.kind === 'error-event') return void res.end(driver.errorEvent())
      res.write(driver.brokenEvent)
      sent++
      if (isContent) continue // the broken event took its place
    }
    if (isContent && pace) await pace(sent)
    if (res.destroyed) return
    res.write(text)
    if (isContent) sent++
  }
  res.end()
}

export function sendFailure(
  res: ServerResponse,
  wire: Wire,
  failure: Failure,
  contextChars: number,
): void {
  if ('disconnect' in failure) {
    if (failure.disconnect === 'before-headers') return void res.socket?.destroy()
    sendStreamHeaders(res, wire)
    return disconnect(res)
  }
  if ('silence' in failure) {
    if (failure.silence === 'before-first-event') sendStreamHeaders(res, wire)
    return
  }
  if ('promptTooLong' in failure) {
    const { message, details } = promptTooLongError(wire, contextChars + 4, contextChars)
    return sendJson(res, 400, errorBody(wire, { status: 400, message, ...details }))
  }
  if (!('status' in failure)) {
    res.writeHead(200, { 'content-type': 'text/html' })
    return void res.end(page)
  }
  const { status, message, code, html, retryAfter } = failure
  const inBody = wire === 'google' && retryAfter && 'seconds' in retryAfter
  const headers = retryAfter && !inBody ? retryHeaders(retryAfter) : {}
  if (html) {
    res.writeHead(status, { 'content-type': 'text/html', ...headers })
    return void res.end(page)
  }
  const body = errorBody(wire, {
    status,
    message,
    code,
    retryAfterSeconds: inBody ? retryAfter.seconds : undefined,
  })
  sendJson(res, status, body, headers)
}

function retryHeaders(
  after: { seconds: number } | { ms: number } | { date: Date },
): Record<string, string> {
  if ('ms' in after) return { 'retry-after-ms': String(after.ms) }
  return { 'retry-after': 'date' in after ? after.date.toUTCString() : String(after.seconds) }
}

function sendStreamHeaders(res: ServerResponse, wire: Wire): void {
  const charset = wire === 'google' ? '' : '; charset=utf-8'
  res.writeHead(200, {
    'content-type': `text/event-stream${charset}`,
    'cache-control': 'no-cache',
  })
  res.flushHeaders()
}

/** Cuts the connection once everything written so far has left. */
function disconnect(res: ServerResponse): void {
  res.write('', () => setImmediate(() => res.socket?.destroy()))
}
