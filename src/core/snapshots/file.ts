/**
 * Snapshot files: all rows with a version and a hash as JSON, written and read in pieces; and the hash behind the
 * bytes of an image.
 */

import { sha256Hex, sha256Stream } from '../../base/crypto.js'
import { JsonPieces, UnexpectedJson } from '../../base/json.js'
import { messageOf } from '../../base/unknown.js'
import { type SnapshotValue, snapshotFormat, snapshotVersion } from '../../protocol/control/snapshots.js'
import { type Db, requireSameSchema, schemaNumber, UnusableDatabase } from '../../store/db.js'
import { dumpedTables, TableFiller } from '../../store/dump.js'

/** Approximate length of a piece of text. */
const pieceChars = 256 * 1024

/**
 * Generates the text of the file: one row on each line, so that a diff shows changes. The hash covers the JSON text of
 * `[version, schema, tables]`.
 */
export function* fileText(db: Db): Generator<string> {
  const addToHash = createTextHasher()
  addToHash(`[${snapshotVersion},${schemaNumber},{`)
  let text = `{\n  "format": ${JSON.stringify(snapshotFormat)},\n  "version": ${snapshotVersion},\n  "schema": ${schemaNumber},\n  "tables": {`
  let between = ''
  for (const { name, columns, rows } of dumpedTables(db)) {
    addToHash(`${between}${JSON.stringify(name)}:{"columns":${JSON.stringify(columns)},"rows":[`)
    text += `${between}\n    ${JSON.stringify(name)}: {\n      "columns": ${JSON.stringify(columns)},\n      "rows": [`
    let comma = ''
    for (const row of rows) {
      const line = JSON.stringify(row)
      addToHash(comma + line)
      text += `${comma}\n      ${line}`
      comma = ','
      if (text.length < pieceChars) continue
      yield text
      text = ''
    }
    addToHash(']}')
    text += comma === '' ? ']\n    }' : '\n      ]\n    }'
    between = ','
  }
  yield `${text}\n  },\n  "sha256": "${addToHash('}]').hex()}"\n}\n`
}

/**
 * Fills an empty database from a file. Throws `UnusableDatabase` with the reason, or the database's error if it cannot
 * be written.
 */
export function fillFromFile(db: Db, pieces: Iterable<string>): void {
  try {
    db.transaction(() => readFile(db, new JsonPieces(pieces)))
  } catch (error) {
    if (error instanceof UnusableDatabase || db.isUnavailable(error)) throw error
    if (error instanceof UnexpectedJson) throw damaged(error.message)
    throw new UnusableDatabase(`its rows do not match the schema: ${messageOf(error)}`)
  }
}

/** Decodes bytes to text. Throws `UnusableDatabase` for bytes that are not UTF-8. */
export function* textOf(pieces: Iterable<Uint8Array>): Generator<string> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  try {
    for (const piece of pieces) yield utf8.decode(piece, { stream: true })
    yield utf8.decode()
  } catch (error) {
    throw error instanceof TypeError ? foreignFile('it is not UTF-8') : error
  }
}

type Head = Readonly<Record<string, unknown>>

function readFile(db: Db, json: JsonPieces): void {
  if (json.peek() !== '{') throw foreignFile('it is not a JSON object')
  // A file can have any keys, `__proto__` too.
  const head: Record<string, unknown> = Object.create(null)
  let hash: string | undefined
  json.object((key) => {
    if (key !== 'tables') head[key] = json.value()
    else if (hash !== undefined) throw damaged('it contains a table twice')
    else {
      requireHead(head)
      hash = readTables(db, json)
    }
  })
  if (hash === undefined) {
    requireHead(head)
    throw damaged('its tables are missing')
  }
  if (json.peek() !== undefined) throw damaged('it has data after its end')
  if (head.sha256 !== hash) throw new UnusableDatabase('the file is damaged: its rows have changed since the export')
}

/** Throws `UnusableDatabase` with the version or schema number if this sandbox does not read it. */
function requireHead({ format, version, schema }: Head): void {
  if (format !== snapshotFormat) throw foreignFile(`its format is not "${snapshotFormat}"`)
  if (!isNumber(version) || !isNumber(schema)) throw damaged('its version or its schema is missing')
  requireNotNewer('version', version, snapshotVersion)
  requireNotNewer('schema', schema, schemaNumber)
  requireSameSchema(schema)
}

function requireNotNewer(field: 'version' | 'schema', found: number, newest: number): void {
  if (found > newest)
    throw new UnusableDatabase(
      `the file was written by a newer sandbox: its ${field} is ${found}, this sandbox supports ${field} ${newest}`,
    )
}

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0

function readTables(db: Db, json: JsonPieces): string {
  const filling = new TableFiller(db)
  const seal = createTextHasher()
  seal(`[${snapshotVersion},${schemaNumber},{`)
  let between = ''
  json.object((name) => {
    seal(`${between}${JSON.stringify(name)}:`)
    between = ','
    readTable(name, json, filling, seal)
  })
  return seal('}]').hex()
}

function readTable(name: string, json: JsonPieces, filling: TableFiller, seal: TextHasher): void {
  let columns: unknown
  let hasRows = false
  json.object((key) => {
    if (key === 'columns' && columns === undefined) {
      columns = json.value()
      if (!isTexts(columns)) throw damaged(`the columns of ${name} are not a list of names`)
      filling.table(name, columns)
      seal(`{"columns":${JSON.stringify(columns)},"rows":[`)
    } else if (key === 'rows' && columns !== undefined && !hasRows) {
      hasRows = true
      let comma = ''
      json.list(() => {
        const row = json.value()
        if (!isRow(row)) throw damaged(`a row of ${name} is not a list of strings and integers`)
        seal(comma + JSON.stringify(row))
        comma = ','
        filling.row(row)
      })
    } else throw damaged(`unknown key ${key} of the table ${name}`)
  })
  if (!hasRows) throw damaged(`the rows of ${name} are missing`)
  seal(']}')
}

type TextHasher = (text: string) => { hex(): string }

/** Hashes short texts in large pieces. */
function createTextHasher(): TextHasher {
  const utf8 = new TextEncoder()
  const hash = sha256Stream()
  let waiting = ''
  const flush = () => {
    hash.update(utf8.encode(waiting))
    waiting = ''
  }
  return (text) => {
    waiting += text
    if (waiting.length >= pieceChars) flush()
    return {
      hex() {
        flush()
        return hash.hex()
      },
    }
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
const isRow = (value: unknown): value is SnapshotValue[] => Array.isArray(value) && value.every(isValue)
const isValue = (value: unknown) => value === null || typeof value === 'string' || Number.isSafeInteger(value)

const damaged = (what: string) => new UnusableDatabase(`the file is damaged: ${what}`)
const foreignFile = (what: string) => new UnusableDatabase(`the file is not a snapshot of a payments sandbox: ${what}`)

const mark = '\n-- payments-sandbox snapshot 1 sha256 '
export const sealLength = mark.length + 64 + 1

/** Returns the seal that follows bytes with that hash. */
export const sealOf = (hashHex: string): Uint8Array => new TextEncoder().encode(`${mark}${hashHex}\n`)

/** Returns the hash in the last `sealLength` bytes; null if they are no seal. */
export function sealedHash(end: Uint8Array): string | null {
  const text = new TextDecoder('latin1').decode(end)
  return end.length === sealLength && text.startsWith(mark) && text.endsWith('\n') ? text.slice(mark.length, -1) : null
}

export function addSeal(image: Uint8Array): Uint8Array {
  const seal = sealOf(sha256Hex(image))
  const whole = new Uint8Array(image.length + seal.length)
  whole.set(image)
  whole.set(seal, image.length)
  return whole
}

/** Returns the image without its seal, and whether its hash is correct; an image without a seal counts as intact. */
export function removeSeal(bytes: Uint8Array): { image: Uint8Array; isIntact: boolean } {
  const at = Math.max(0, bytes.length - sealLength)
  const hash = sealedHash(bytes.subarray(at))
  if (hash === null) return { image: bytes, isIntact: true }
  const image = bytes.subarray(0, at)
  return { image, isIntact: hash === sha256Hex(image) }
}
