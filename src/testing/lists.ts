/** Lists and reads transactions, disputes, wallets and requests through the control API, all pages, and expectations about requests. */
import type { ControlClient, RouteInput } from '../client/control.js'
import type {
  ControlRoute,
  ControlRoutes,
  Dispute,
  DisputeDetails,
  LoggedCall,
  LoggedCallDetails,
  Transaction,
  TransactionDetails,
  Wallet,
  WalletDetails,
} from '../client/types/control.js'

interface Page<Row> {
  data: Row[]
  next: string | null
}

/** The routes with pages, except the inbox, which has a name in its path. */
type ListRoute = {
  [Route in ControlRoute]: ControlRoutes[Route] extends { params: unknown }
    ? never
    : ControlRoutes[Route] extends { query: { after?: string | undefined }; answer: Page<unknown> }
      ? Route
      : never
}[ControlRoute]
export type Filter<Route extends ListRoute> = Omit<ControlRoutes[Route]['query'], 'limit' | 'after'>
type RowOf<Route extends ListRoute> = ControlRoutes[Route]['answer'] extends Page<infer Row> ? Row : never

/** Every row, newest first. */
export async function readAll<Route extends ListRoute>(
  control: ControlClient,
  route: Route,
  filter: Filter<Route>,
): Promise<RowOf<Route>[]> {
  const rows: RowOf<Route>[] = []
  for (let after: string | null | undefined; after !== null; ) {
    // The compiler cannot express what all lists have in common.
    const input = { query: { ...filter, limit: 500, after } } as unknown as RouteInput<'GET /runs'>
    const page = (await control.call(route as 'GET /runs', input)) as unknown as Page<RowOf<Route>>
    rows.push(...page.data)
    after = page.next
  }
  return rows
}

export interface ObjectReader<Row, Details, Query> {
  /** Newest first; filters have the names of the control API. */
  list(filter?: Query): Promise<Row[]>
  get(id: string | number): Promise<Details>
}

/** All kinds, distinguished by `type`. */
export type SandboxTransactions = ObjectReader<Transaction, TransactionDetails, Filter<'GET /transactions'>>
export type SandboxDisputes = ObjectReader<Dispute, DisputeDetails, Filter<'GET /disputes'>>
export type SandboxWallets = ObjectReader<Wallet, WalletDetails, Filter<'GET /wallets'>>

export const transactionsOf = (control: ControlClient): SandboxTransactions => ({
  list: (filter = {}) => readAll(control, 'GET /transactions', filter),
  get: (id) => control.call('GET /transactions/{id}', { params: { id } }),
})

export const disputesOf = (control: ControlClient): SandboxDisputes => ({
  list: (filter = {}) => readAll(control, 'GET /disputes', filter),
  get: (id) => control.call('GET /disputes/{id}', { params: { id } }),
})

export const walletsOf = (control: ControlClient): SandboxWallets => ({
  list: (filter = {}) => readAll(control, 'GET /wallets', filter),
  get: (id) => control.call('GET /wallets/{id}', { params: { id } }),
})

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
