/** The store of `server.mjs`: tables like the sandbox's, all calls of one turn of the event loop in one transaction. */
import Database from 'better-sqlite3'

const tables = `create table charges (seq integer primary key, id text unique, account integer, type text, status text, external_id text, amount integer, fee integer, print text, detail text, at integer);
  create unique index by_external_id on charges (account, external_id);
  create index by_time on charges (account, at);
  create table jobs (seq integer primary key, due integer, ref text);
  create index by_due on jobs (due, seq); create index by_ref on jobs (ref);
  create table usage (account integer, day integer, used integer, primary key (account, day));
  create table balances (account integer, currency text, available integer, blocked integer, pending integer, primary key (account, currency)) without rowid;
  create table postings (seq integer primary key, entry integer, bucket text, amount integer, ref text, at integer); create index postings_by_ref on postings (ref);
  create table nonces (nonce text primary key, at integer) without rowid;
  create table events (seq integer primary key, id text unique, ref text, body text, status text);
  create table attempts (seq integer primary key, event_seq integer, at integer, headers text, outcome text, status integer, answer text);
  create index by_event on attempts (event_seq); create index attempts_by_time on attempts (at);
  insert into balances values (1, 'BRL', 900000000000, 0, 0)`

/** `unit` runs its work at the end of the turn, together with others. */
export function openStore(file) {
  const db = new Database(file)
  const isFile = file !== ':memory:'
  if (isFile)
    db.exec(
      'pragma locking_mode = EXCLUSIVE; pragma journal_mode = WAL; pragma synchronous = NORMAL; pragma wal_autocheckpoint = 4000',
    )
  else db.exec('pragma journal_mode = MEMORY; pragma synchronous = OFF')
  db.exec(tables)
  const [begin, commit] = ['begin immediate', 'commit'].map((text) => db.prepare(text))

  let waiting = []
  const flush = () => {
    const group = waiting
    waiting = []
    begin.run()
    const values = group.map(({ work }) => work())
    commit.run()
    for (const [index, { resolve }] of group.entries()) resolve(values[index])
  }
  const unit = (work) =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ work, resolve })
    })
  return { db, unit }
}
