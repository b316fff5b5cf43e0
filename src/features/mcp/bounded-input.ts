/** Bounds the memory for messages: discards and rejects those that are too large. */
import { Transform } from 'node:stream'
import { maxMessageBytes } from './routes.js'

/** Number of bytes at the start and at the end of a message in which its id is searched. */
const idSearchBytes = 200
const lineFeed = 10

/**
 * Returns a stream that forwards lines, each of which is a message, and calls `refuse` for each line longer than
 * `maxMessageBytes`, with its id or null.
 */
export function limitLineLength(refuse: (id: number | string | null) => void): Transform {
  let pieces: Buffer[] = []
  let size = 0
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)

  const addPiece = (piece: Buffer) => {
    size += piece.length
    if (head.length < idSearchBytes) head = Buffer.concat([head, piece.subarray(0, idSearchBytes)])
    tail = Buffer.concat([tail, piece.subarray(-idSearchBytes)]).subarray(-idSearchBytes)
    if (size > maxMessageBytes) pieces = []
    else pieces.push(piece)
  }
  const endLine = (stream: Transform) => {
    if (size > maxMessageBytes) refuse(idIn(head.toString(), tail.toString()))
    else stream.push(Buffer.concat(pieces))
    pieces = []
    size = 0
    head = tail = Buffer.alloc(0)
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0
      for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
        addPiece(chunk.subarray(from, at + 1))
        endLine(this)
        from = at + 1
      }
      if (from < chunk.length) addPiece(chunk.subarray(from))
      done()
    },
  })
}

const id = '("id":\\s*(?<id>\\d{1,15}|"[^"\\\\]{0,100}"))'
const atHead = new RegExp(`^\\s*\\{\\s*("jsonrpc":\\s*"2\\.0",\\s*)?${id}`)
const atEnd = new RegExp(`${id}(,\\s*"jsonrpc":\\s*"2\\.0")?\\s*\\}\\s*$`)

function idIn(head: string, tail: string): number | string | null {
  const found = atHead.exec(head) ?? atEnd.exec(tail)
  return found?.groups?.id === undefined ? null : JSON.parse(found.groups.id)
}
