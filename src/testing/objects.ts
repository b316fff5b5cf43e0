/** What the sandbox knows beyond the faked API: objects with their history, and the journal of calls. */
import type { ControlClient } from '../client/control.js'
import type { JournalEntry, JournalEntryInFull, ObjectInFull, SandboxObject } from './answers.js'
import { type Filter, part, readAll } from './lists.js'

export interface Listing<Row, Whole> {
  /** Newest first; the filter's names are those of the control API. */
  list(filter?: Filter): Promise<Row[]>
  get(id: string | number): Promise<Whole>
}

const listing = <Row, Whole>(control: ControlClient, path: string): Listing<Row, Whole> => ({
  list: (filter) => readAll(control, path, filter),
  get: (id) => control.call('GET', `${path}/${part(id)}`),
})

/** Of every kind. */
export type SandboxObjects = Listing<SandboxObject, ObjectInFull>
export type SandboxRequests = Listing<JournalEntry, JournalEntryInFull>

export const objectsOf = (control: ControlClient, kind: 'transactions' | 'disputes' | 'wallets'): SandboxObjects =>
  listing(control, `/${kind}`)

export const requestsOf = (control: ControlClient): SandboxRequests => listing(control, '/requests')
