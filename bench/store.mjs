/** Compares charges and lists on a database with a million transactions with those on a small one. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { inTurn, ofBare } from './calls.mjs'
import { rawRequest } from './load.mjs'
import { startProgram } from './process.mjs'
import { charge, firstPage, here, inFolder, startSandbox } from './sandbox.mjs'

export const measure = (wants, report) =>
  inFolder(async (folder) => {
    const [few, many] = [join(folder, 'few.sqlite'), join(folder, 'many.sqlite')]
    for (const file of [few, many]) await (await startSandbox(file)).stop()
    fill(few, 1_000)
    fill(many, 1_000_000)
    const bare = await startProgram([here('bare.mjs')])
    const floor = wants('floor-list') ? await startFloor(many, join(folder, 'floor.sqlite')) : null
    const [small, large] = [await startSandbox(few), await startSandbox(many)]
    const found = await inTurn({
      bare: { ...bare, make: () => rawRequest(bare.base, 'POST', '/', {}, charge()) },
      ...(wants('list-million') ? { list: { ...large, make: large.list } } : {}),
      ...(floor === null
        ? {}
        : { floor: { ...floor, make: () => rawRequest(floor.base, 'POST', '/', {}, firstPage) } }),
      ...(wants('cashin-million')
        ? { few: { ...small, make: small.cashin }, many: { ...large, make: large.cashin } }
        : {}),
    })
    if (wants('list-million')) report('list-million', ...ofBare(found, 'list'))
    if (floor !== null) report('floor-list', ...ofBare(found, 'floor'))
    if (wants('cashin-million')) report('cashin-million', ...ofBare({ ...found, bare: found.few }, 'many'))
    for (const one of [small, large, bare, floor]) await one?.stop()
  })

/** Starts the floor on a copy, because a sandbox locks its own file. */
function startFloor(file, copy) {
  copyFileSync(file, copy)
  return startProgram([here('floor/list.mjs'), '0', copy])
}

/** Inserts old charges: expired, in order of creation. */
function fill(file, rows) {
  const db = new Database(file)
  db.prepare(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
    insert into transactions (seq, id, account_seq, credential_seq, type, status, source, currency, amount_minor, fee_minor, external_id, fingerprint,
      postback_url, network, detail, created_at_ms, updated_at_ms)
    select i, printf('tx_%07d%s', i, lower(hex(randomblob(6)))), 1, 1, 'cashin', 'expired', 'dynamic_qr', 'BRL', 2550, 26,
      printf('old-%d-%s', i, lower(hex(randomblob(8)))), lower(hex(randomblob(32))), null, null, printf('{"paymentInfo":{"qrcode":"%s"}}', hex(zeroblob(110))),
      1790000000000 + i, 1790000000000 + i from n`).run(rows)
  db.close()
}
