/** The rows of the request log. Secrets are masked; signing keys are not stored here but read from the credential. */
import { base64Of } from '../../base/bytes.js'
import { storedBytes, storedJson } from '../../store/columns.js'
import { type Db, reader, runner } from '../../store/db.js'
import type { RequestEntry, StoredSignature } from '../../store/schema.js'
import { findCredential } from '../auth/account.js'
import type { SignedCall } from '../auth/signature/doctor.js'

/** Everything is computed only when it is read or saved: most calls are never looked at. */
export interface RequestRecord {
  id: string
  /** Approximate memory of the record. */
  bytes: number
  entry(): RequestEntry
  /** The inputs from which the signature of the call can be checked again; null if the route requires no signature. */
  signed(): SignedCall | null
}

export interface NumberedRecord extends RequestRecord {
  seq: number
}

type RecordKey = Pick<NumberedRecord, 'seq' | 'id' | 'bytes'>

const insert = runner('insert into requests (seq, id, bytes, entry, signed) values (?, ?, ?, ?, ?)')
const all = reader<RecordKey>('select seq, id, bytes from requests order by seq')
const one = reader<{ entry: string; signed: string | null }>('select entry, signed from requests where seq = ?')
export const deleteRequestsBefore = runner('delete from requests where seq < ?')

export function saveRequest(db: Db, record: NumberedRecord): void {
  const signed = record.signed()
  const signedJson = signed === null ? null : JSON.stringify(withoutKeys(signed))
  insert(db, record.seq, record.id, record.bytes, JSON.stringify(record.entry()), signedJson)
}

/** Returns all saved calls, in order of arrival. */
export const savedRequests = (db: Db): NumberedRecord[] => all(db).map((key) => storedRecord(db, key))

/** Returns a record that is read from the database on demand. */
export function storedRecord(db: Db, { seq, id, bytes }: RecordKey): NumberedRecord {
  const read = () => {
    const [found] = one(db, seq)
    if (found === undefined) throw new Error(`the call ${id} is no longer in the log`)
    return found
  }
  return {
    seq,
    id,
    bytes,
    entry: () => storedJson<RequestEntry>(read().entry),
    signed() {
      const { signed } = read()
      return signed === null ? null : withKeys(db, storedJson(signed))
    },
  }
}

const withoutKeys = ({ keys, body, ...call }: SignedCall): StoredSignature => ({
  ...call,
  clientId: keys.client_id,
  bodyBase64: base64Of(body),
})

function withKeys(db: Db, { clientId, bodyBase64, ...call }: StoredSignature): SignedCall {
  const credential = findCredential(db, clientId)
  return { ...call, body: storedBytes(bodyBase64), keys: keysOf(credential ?? noKeys(clientId)) }
}

type CredentialSecrets = Parameters<typeof keysOf>[0]

const noKeys = (clientId: string): CredentialSecrets => ({
  clientId,
  clientSecret: '',
  signingKey: '',
  webhookSecret: '',
})

/** Returns all secrets of a credential that a caller may have signed with, including those that are not meant for signing. */
export const keysOf = (credential: {
  clientId: string
  clientSecret: string
  signingKey: string
  webhookSecret: string
}): SignedCall['keys'] => ({
  signing_key: credential.signingKey,
  client_secret: credential.clientSecret,
  webhook_secret: credential.webhookSecret,
  client_id: credential.clientId,
})
