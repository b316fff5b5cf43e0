/** What the request log warns about in the calls of a client, each warning once. */
import type { WarnedCalls } from '../../protocol/rules.js'
import type { ClientCall } from './calls.js'

/** Bodies are other people's text: a report has at most so many. */
const mostWarnings = 20

export function warnedCalls(calls: readonly ClientCall[]): WarnedCalls[] {
  const found = new Map<string, WarnedCalls>()
  for (const { entry } of calls) {
    const path = entry.path.split('?')[0] ?? ''
    for (const warning of entry.warnings) {
      const key = JSON.stringify([warning.code, warning.field, entry.method, path])
      const known = found.get(key)
      if (known !== undefined) known.calls++
      else if (found.size < mostWarnings)
        found.set(key, { ...warning, method: entry.method, path, calls: 1, request_id: entry.request_id })
    }
  }
  return [...found.values()]
}
