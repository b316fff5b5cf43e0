/** The request log, and expectations about it. */
import type { ControlClient, RouteInput } from '../client/control.js'
import type { LoggedCall, LoggedCallDetails } from '../client/types/control.js'
import { type Filter, readAll } from './lists.js'
import type { ObjectReader } from './objects.js'

/** Only the named fields of a body are compared. `times`: the exact number (default: at least one). */
export type ExpectedCall = RouteInput<'POST /requests/verify'>['body']

export interface SandboxRequests extends ObjectReader<LoggedCall, LoggedCallDetails, Filter<'GET /requests'>> {
  /** Resolves to the number of matching calls. Throws `SandboxError` (`CONFLICT`), which reports how near misses differ. */
  expect(call: ExpectedCall): Promise<number>
  /** Calls that were rejected with a 4xx, newest first. */
  unexpected(): Promise<LoggedCall[]>
  /** Calls that the platform accepts but that are probably mistakes, newest first: each has `warnings`. */
  warnings(): Promise<LoggedCall[]>
  /** Repeats the call, with a fresh token and signature if it needs them. */
  replay(id: string): Promise<LoggedCallDetails>
}

export function requestsOf(control: ControlClient): SandboxRequests {
  const list: SandboxRequests['list'] = (filter = {}) => readAll(control, 'GET /requests', filter)
  return {
    list,
    get: (id) => control.call('GET /requests/{id}', { params: { id } }),
    async expect(body = {}) {
      const { matched } = await control.call('POST /requests/verify', { body })
      if (matched > 0 || body.times !== undefined) return matched
      return (await control.call('POST /requests/verify', { body: { ...body, times: 1 } })).matched
    },
    unexpected: async () => (await list()).filter(({ status }) => status >= 400 && status < 500),
    warnings: () => list({ warnings: 'true' }),
    replay: (id) => control.call('POST /requests/{id}/replay', { params: { id } }),
  }
}
