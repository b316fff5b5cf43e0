/** A local server that gives functions a URL for a certification: the state of a transaction, and a restart. */
import { createServer } from 'node:http'
import { UsageError } from '../../inside/client.js'
import { originOf } from '../../inside/node.js'
import { messageOf, rowAt } from '../../inside/values.js'
import { stateErrorField } from './receiver/state-reader.js'

/** What the integrator's application did with a transaction. */
export interface TransactionState {
  /** Compared if it is a status of the platform API; other values are only shown. */
  status?: string | null | undefined
  /** The amount that is credited to the customer, as a decimal. */
  credited: string | number
}

export interface StateOptions<State = TransactionState> {
  /** URL that answers `?transaction_id=` with a `TransactionState` as JSON. */
  stateUrl?: string | undefined
  /** Function that does the same as `stateUrl`; give one of them. null: the transaction is unknown. */
  getState?: ((transactionId: string) => State | null | Promise<State | null>) | undefined
}

/** The options of the library as the source of states. */
export function stateOf(what: string, { stateUrl, getState }: StateOptions<unknown>) {
  if (getState === undefined) return stateUrl
  if (stateUrl !== undefined) throw new UsageError(`${what}: stateUrl and getState do the same; give one of them`)
  return async (id: string) => JSON.stringify(await getState(id))
}

/** A URL, or a function that resolves to the text of an answer. */
export type StateSource = string | ((transactionId: string) => Promise<unknown>) | undefined

/** Gives each function a URL until `close`; a URL stays as it is. An exception becomes a 500 with its message. */
export async function openCallbacks(state: StateSource, restart?: StateSource) {
  const sources = { '/state': state, '/restart': restart }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const source = rowAt<StateSource>(sources, pathname)
    if (typeof source !== 'function') return void response.writeHead(404).end()
    try {
      response.end(String((await source(searchParams.get('transaction_id') ?? '')) ?? ''))
    } catch (error) {
      response.writeHead(500).end(JSON.stringify({ [stateErrorField]: messageOf(error) }))
    }
  })
  if (typeof state === 'function' || typeof restart === 'function')
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve)
    })
  const urlOf = (path: keyof typeof sources) => {
    const source = sources[path]
    return typeof source === 'function' ? `${originOf(server)}${path}` : source
  }
  return {
    stateUrl: urlOf('/state'),
    restart: urlOf('/restart'),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
