/** The log of API calls, and what a test expects of it. */
import type { ControlClient, RouteInput } from '../client/control.js'
import type { LoggedCall, LoggedCallInFull } from '../client/types/control.js'
import { type Filter, readAll } from './lists.js'
import type { Listing } from './objects.js'

/** Of a body only the fields that are named count. `times`: exactly so many; at least one where absent. */
export type ExpectedCall = RouteInput<'POST /requests/verify'>['body']

export interface SandboxRequests extends Listing<LoggedCall, LoggedCallInFull, Filter<'GET /requests'>> {
  /** Resolves to how many such calls came. Throws `SandboxError` (`CONFLICT`) that tells how those that nearly were the ones differ. */
  expect(call: ExpectedCall): Promise<number>
  /** The calls that were refused with a 4xx, newest first. */
  unexpected(): Promise<LoggedCall[]>
  /** The calls that are probably mistakes although the platform accepts them, newest first: each has `warnings`. */
  warnings(): Promise<LoggedCall[]>
  /** The same call again, with a fresh token and signature where it needs them. */
  replay(id: string): Promise<LoggedCallInFull>
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
