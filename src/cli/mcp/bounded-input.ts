/** Bounds the memory for messages: discards and rejects those that are too large. */
import { Transform } from 'node:stream'

/** A message of the protocol is one line. The largest useful one contains a scenario file. */
export const mostMessageBytes = 1024 * 1024
/** The id of a message is within so many bytes of its start or its end. */
const edgeBytes = 200
const lineFeed = 10

/** Forwards lines. Calls `refuse` for each line longer than `mostMessageBytes`, with its id or null. */
export function boundedLines(refuse: (id: number | string | null) => void): Transform {
  let pieces: Buffer[] = []
  let size = 0
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)

  const take = (piece: Buffer) => {
    size += piece.length
    if (head.length < edgeBytes) head = Buffer.concat([head, piece.subarray(0, edgeBytes)])
    tail = Buffer.concat([tail, piece.subarray(-edgeBytes)]).subarray(-edgeBytes)
    if (size > mostMessageBytes) pieces = []
    else pieces.push(piece)
  }
  const end = (stream: Transform) => {
    if (size > mostMessageBytes) refuse(idIn(head.toString(), tail.toString()))
    else stream.push(Buffer.concat(pieces))
    pieces = []
    size = 0
    head = tail = Buffer.alloc(0)
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0
      for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
        take(chunk.subarray(from, at + 1))
        end(this)
        from = at + 1
      }
      if (from < chunk.length) take(chunk.subarray(from))
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
