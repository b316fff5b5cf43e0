/** The yardstick for webhooks: a bare undici client that posts the same bodies, `width` at a time to each receiver. `POST /run {posts, urls, body, width}` starts it. */
import { createServer } from 'node:http'
import { Pool } from 'undici'

const headers = {
  'Content-Type': 'application/json',
  'X-Webhook-Event': 'cashin.confirmed',
  'X-Webhook-Signature': '0'.repeat(64),
  'X-Webhook-Id': `evt_${'0'.repeat(24)}`,
  'X-Webhook-Timestamp': '1790000000',
  'User-Agent': 'Service-Webhook/2.0',
  'X-Sandbox': '1',
}

async function post(url, posts, body, width) {
  const pool = new Pool(new URL(url).origin)
  let left = posts
  const worker = async () => {
    while (left-- > 0) {
      const response = await pool.request({ method: 'POST', path: '/hook', headers, body })
      await response.body.text()
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  await pool.close()
}

const server = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { posts, urls, body, width } = JSON.parse(text)
  await Promise.all(urls.map((url) => post(url, posts / urls.length, body, width)))
  response.end()
})
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ event: 'ready', base_url: `http://127.0.0.1:${server.address().port}` }))
})
