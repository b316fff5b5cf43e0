/** Stores the snapshots of a workspace in chunks: the runtime accepts no value of more than 2 MB. */

import { joinChunks } from '../../base/bytes.js'
import type { Images } from '../../core/snapshots/images.js'
import type { ObjectStorage } from './runtime.js'

const pieceBytes = 1024 * 1024

export function createImages(storage: ObjectStorage, wall: () => number): Images {
  const run = (sqlText: string, ...params: unknown[]) => storage.sql.exec(sqlText, ...params).toArray()
  run(`create table if not exists kept_images (name text, piece integer, saved_wall_ms integer, bytes blob,
    primary key (name, piece))`)
  return {
    put(name, bytes) {
      const savedWallMs = wall()
      storage.transactionSync(() => {
        run('delete from kept_images where name = ?', name)
        for (let at = 0, piece = 0; at < bytes.length || piece === 0; at += pieceBytes, piece++)
          run('insert into kept_images values (?, ?, ?, ?)', name, piece, savedWallMs, bytes.slice(at, at + pieceBytes))
      })
    },
    get(name) {
      const pieces = run('select bytes from kept_images where name = ? order by piece', name)
      if (pieces.length === 0) return undefined
      // The column contains only bytes, so the cast is safe.
      return joinChunks(pieces.map(({ bytes }) => new Uint8Array(bytes as ArrayBuffer)))
    },
    list: () =>
      run('select name, sum(length(bytes)) as size, max(saved_wall_ms) as saved from kept_images group by name').map(
        ({ name, size, saved }) => ({ name: String(name), sizeBytes: Number(size), savedWallMs: Number(saved) }),
      ),
    remove: (name) => run('delete from kept_images where name = ? returning piece', name).length > 0,
  }
}
