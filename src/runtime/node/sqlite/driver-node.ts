/** SQLite through Node's own `node:sqlite`: nothing to compile and nothing to install, from Node 22.16 on. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stepInto } from '../../../base/unknown.js'
import type { Statement } from '../../../store/orm.js'
import { type Connection, type Driver, memory } from './driver.js'

/** As much of the module as is used; the types of the oldest Node that we run on do not have it. */
interface NodeStatement {
  run(...params: unknown[]): unknown
  all(...params: unknown[]): unknown[]
  get(...params: unknown[]): unknown
  setReturnArrays(enabled: boolean): void
}

interface NodeDatabase {
  prepare(sqlText: string): NodeStatement
  exec(sqlText: string): void
  close(): void
  readonly isTransaction: boolean
  /** From Node 24 on. */
  serialize?(): Uint8Array
  deserialize?(image: Uint8Array): void
}

type Library = new (file: string) => NodeDatabase

/** Throws where this Node has no `node:sqlite`, or one that lacks what we need. */
export function loadNodeSqlite(): Driver {
  const Database = quietly(libraryOf)
  return {
    name: 'node',
    open: (file) => connect(new Database(file)),
    openImage: (image) => openImage(Database, image),
  }
}

function libraryOf(): Library {
  // Our types are those of an older Node.
  const library = process.getBuiltinModule?.('node:sqlite') as
    | { DatabaseSync: Library; StatementSync: { prototype: object } }
    | undefined
  if (library === undefined) throw new Error(`Node ${process.versions.node} has no node:sqlite`)
  if (!('setReturnArrays' in library.StatementSync.prototype))
    throw new Error(`the node:sqlite of Node ${process.versions.node} is too old`)
  return library.DatabaseSync
}

/** That the module is called experimental is told in our pages, not at every start. */
function quietly<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

const connect = (library: NodeDatabase, afterClose = () => {}): Connection => ({
  prepare: (sqlText) => prepare(library, sqlText),
  statement(sqlText) {
    const prepared = library.prepare(sqlText)
    return (params) => void prepared.run(...params)
  },
  query(sqlText) {
    const prepared = library.prepare(sqlText)
    return (params) => prepared.all(...params)
  },
  scalar(sqlText) {
    const prepared = listing(library, sqlText)
    return () => stepInto(prepared.get(), 0)
  },
  exec: (sqlText) => library.exec(sqlText),
  get inTransaction() {
    return library.isTransaction
  },
  serialize: () => library.serialize?.() ?? copied(library),
  close() {
    library.close()
    afterClose()
  },
})

/** Rows as lists are asked for of a statement of its own: which form it answers in is a state of the statement. */
function prepare(library: NodeDatabase, sqlText: string): Statement {
  const objects = library.prepare(sqlText)
  let lists: NodeStatement | undefined
  return {
    run: (...params) => objects.run(...params),
    all: (...params) => objects.all(...params),
    get: (...params) => objects.get(...params),
    raw() {
      lists ??= listing(library, sqlText)
      return lists
    },
  }
}

function listing(library: NodeDatabase, sqlText: string): NodeStatement {
  const statement = library.prepare(sqlText)
  statement.setReturnArrays(true)
  return statement
}

/** An older Node makes and reads images through files that are gone with them. */
function copied(library: NodeDatabase): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-'))
  try {
    const file = join(folder, 'image')
    library.prepare('vacuum into ?').run(file)
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function openImage(Database: Library, image: Uint8Array): Connection {
  const inMemory = new Database(memory)
  if (inMemory.deserialize !== undefined && image.length > 0) {
    try {
      inMemory.deserialize(image)
      return connect(inMemory)
    } catch (error) {
      inMemory.close()
      throw error
    }
  }
  inMemory.close()
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    writeFileSync(join(folder, 'image'), image)
    return connect(new Database(join(folder, 'image')), remove)
  } catch (error) {
    remove()
    throw error
  }
}
