/** The rows of the request log: as masked as it is shown, and without the keys of signatures, which are the credential's. */
import { base64Of } from '../../base/base64.js'
import { type Db, reader, runner } from '../../store/db.js'
import type { KeptSignature, RequestEntry } from '../../store/schema.js'
import { storedBytes, storedJson } from '../../store/stored-json.js'
import { findCredential } from '../auth/account.js'
import type { SignedCall } from '../auth/signature/doctor.js'

/** Everything is worked out only when somebody reads it, or it is written down: most calls are never looked at. */
export interface RequestRecord {
  id: string
  /** About how much memory it holds on to. */
  bytes: number
  entry(): RequestEntry
  /** Of a signed route: what explains its signature. */
  signed(): SignedCall | null
}

export interface NumberedRecord extends RequestRecord {
  seq: number
}

type Place = Pick<NumberedRecord, 'seq' | 'id' | 'bytes'>

const insert = runner('insert into requests (seq, id, bytes, entry, signed) values (?, ?, ?, ?, ?)')
const all = reader<Place>('select seq, id, bytes from requests order by seq')
const one = reader<{ entry: string; signed: string | null }>('select entry, signed from requests where seq = ?')
export const forgetRequestsBefore = runner('delete from requests where seq < ?')

export function keepRequest(db: Db, record: NumberedRecord): void {
  const signed = record.signed()
  const kept = signed === null ? null : JSON.stringify(withoutKeys(signed))
  insert(db, record.seq, record.id, record.bytes, JSON.stringify(record.entry()), kept)
}

/** In the order in which they came. */
export const keptRequests = (db: Db): NumberedRecord[] => all(db).map((place) => storedRecord(db, place))

/** One that lies in the database: read when it is looked at. */
export function storedRecord(db: Db, { seq, id, bytes }: Place): NumberedRecord {
  const read = () => {
    const [found] = one(db, seq)
    if (found === undefined) throw new Error(`the call ${id} has left the log meanwhile`)
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

const withoutKeys = ({ keys, body, ...call }: SignedCall): KeptSignature => ({
  ...call,
  clientId: keys.client_id,
  bodyBase64: base64Of(body),
})

function withKeys(db: Db, { clientId, bodyBase64, ...call }: KeptSignature): SignedCall {
  const credential = findCredential(db, clientId)
  return { ...call, body: storedBytes(bodyBase64), keys: keysOf(credential ?? noKeys(clientId)) }
}

type Keys = Parameters<typeof keysOf>[0]

const noKeys = (clientId: string): Keys => ({ clientId, clientSecret: '', signingKey: '', webhookSecret: '' })

/** Those of a credential that might have been used, the wrong ones included. */
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
