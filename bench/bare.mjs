/** The yardstick: a bare Hono server that parses a JSON body and responds. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
app.post('/', async (c) => {
  const body = await c.req.json()
  return c.json({
    success: true,
    data: { amount: body.amount, currency: body.currency },
    request_id: 'req_0',
    timestamp: '2026-01-01T00:00:00.000Z',
  })
})
app.get('/', (c) => c.text('ok'))
serve({ fetch: app.fetch, port: Number(process.argv[2] ?? 0), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(JSON.stringify({ event: 'ready', base_url: `http://127.0.0.1:${port}` }))
})
