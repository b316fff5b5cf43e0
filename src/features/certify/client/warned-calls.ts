/** Collects the request log's warnings about a client's calls, each warning once. */
import type { WarnedCalls } from '../report/rules.js'
import type { ClientCall } from './calls.js'

/**
 * Largest number of warnings in a report. Warnings contain paths and field names that the client chooses, so their
 * number has no other bound.
 */
const maxWarnings = 20

export function warnedCalls(calls: readonly ClientCall[]): WarnedCalls[] {
  const found = new Map<string, WarnedCalls>()
  for (const { entry } of calls) {
    const path = entry.path.split('?')[0] ?? ''
    for (const warning of entry.warnings) {
      const key = JSON.stringify([warning.code, warning.field, entry.method, path])
      const known = found.get(key)
      if (known !== undefined) known.calls++
      else if (found.size < maxWarnings)
        found.set(key, { ...warning, method: entry.method, path, calls: 1, request_id: entry.request_id })
    }
  }
  return [...found.values()]
}
