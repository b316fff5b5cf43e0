/** Answers as `Response`, and their text for callers in the same process. */
import type { ResponseData } from './bodies.js'

const texts = new WeakMap<Response, string>()

export function toResponse({ status, headers, body }: ResponseData): Response {
  const response = new Response(body, { status, headers })
  texts.set(response, body)
  return response
}

/** The body of a response, for callers in this process: reading it as a stream is expensive. */
export const responseText = (response: Response): string | Promise<string> => texts.get(response) ?? response.text()
