/**
 * The floor of a recorded webhook: claims its job, signs and posts its body, and writes job, event and attempt, many in one transaction.
 * It has no delivery queue, retries, timeouts or rules. `POST /run {posts, urls, body, width}` starts it.
 */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import Database from 'better-sqlite3'
import { Pool } from 'undici'

const batch = 256
const gatherMs = 20

const db = new Database(process.argv[2])
db.exec(`pragma locking_mode = EXCLUSIVE; pragma journal_mode = WAL; pragma synchronous = NORMAL; pragma wal_autocheckpoint = 4000;
  create table events (seq integer primary key, id text unique, body text, url text, status text, attempts integer);
  create table jobs (seq integer primary key, claimed integer, due integer, ref text);
  create index by_due on jobs (due, seq) where claimed = 0; create index by_ref on jobs (ref);
  create table attempts (seq integer primary key, event_seq integer, at integer, headers text, outcome text, status integer, answer text);
  create index by_event on attempts (event_seq); create index by_time on attempts (at)`)
const addEvent = db.prepare("insert into events values (?, ?, ?, ?, 'pending', 0)")
const addJob = db.prepare('insert into jobs values (?, 0, 0, ?)')
const due = db.prepare(`select j.seq, e.seq, e.id, e.url, e.body from jobs j join events e on e.id = j.ref
  where j.claimed = 0 and j.due <= 0 order by j.due, j.seq limit ${batch}`)
const claim = db.prepare('update jobs set claimed = 1 where seq in (select value from json_each(?))')
const removeJob = db.prepare('delete from jobs where seq = ?')
const deliver = db.prepare("update events set status = 'delivered', attempts = attempts + 1 where seq = ?")
const addAttempt = db.prepare("insert into attempts values (null, ?, ?, ?, 'ok', ?, ?)")

let count = 0
const fill = db.transaction((posts, urls, body) => {
  for (let index = 0; index < posts; index++) {
    const id = `evt_${String(++count).padStart(24, '0')}`
    addEvent.run(count, id, body, urls[index % urls.length])
    addJob.run(count, id)
  }
})
const take = db.transaction(() => {
  const jobs = due.raw().all()
  claim.run(JSON.stringify(jobs.map(([seq]) => seq)))
  return jobs
})
const record = db.transaction((done) => {
  for (const { job, event, headers, status, answer } of done) {
    removeJob.run(job)
    deliver.run(event)
    addAttempt.run(event, Date.now(), JSON.stringify(headers), status, answer)
  }
})

const signed = (id, body) => ({
  'Content-Type': 'application/json',
  'X-Webhook-Event': 'cashin.confirmed',
  'X-Webhook-Signature': createHmac('sha256', 'secret').update(body).digest('hex'),
  'X-Webhook-Id': id,
  'X-Webhook-Timestamp': String(Math.floor(Date.now() / 1000)),
  'User-Agent': 'Service-Webhook/2.0',
  'X-Sandbox': '1',
})

async function run({ posts, urls, body, width }) {
  fill(posts, urls, body)
  const pools = new Map(urls.map((url) => [url, new Pool(new URL(url).origin)]))
  const waiting = []
  const done = []
  const timer = setInterval(() => record(done.splice(0)), gatherMs)
  const worker = async () => {
    for (;;) {
      if (waiting.length === 0) waiting.push(...take())
      const next = waiting.shift()
      if (next === undefined) return
      const [job, event, id, url, text] = next
      const headers = signed(id, text)
      const response = await pools.get(url).request({ method: 'POST', path: '/hook', headers, body: text })
      done.push({ job, event, headers, status: response.statusCode, answer: await response.body.text() })
    }
  }
  await Promise.all(Array.from({ length: width * urls.length }, worker))
  clearInterval(timer)
  record(done)
  for (const pool of pools.values()) await pool.close()
}

const server = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  await run(JSON.parse(text))
  response.end()
})
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ event: 'ready', base_url: `http://127.0.0.1:${server.address().port}` }))
})
