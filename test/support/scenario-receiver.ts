/** A receiver of webhooks that checks them as an integrator should, and remembers what came, in order. */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { secretsOf } from './signing.js'

interface Hook {
  event: string
  id: string
  body: string
  genuine: boolean
  fresh: boolean
  atMs: number
}

/** Answers 401 to what is not genuine or not fresh, unless `lenient`; 500 to the first so many. Closed after the test. */
export async function openReceiver(options: { lenient?: boolean; refuse?: number; answer?: () => Promise<void> } = {}) {
  const hooks: Hook[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString()
      const header = (name: string) => String(request.headers[name] ?? '')
      const genuine = ['merchant', 'customer'].some(
        (name) =>
          createHmac('sha256', secretsOf(name).webhookSecret).update(body).digest('hex') ===
          header('x-webhook-signature'),
      )
      const fresh = Math.abs(Date.now() / 1000 - Number(header('x-webhook-timestamp'))) <= 300
      hooks.push({
        event: header('x-webhook-event'),
        id: header('x-webhook-id'),
        body,
        genuine,
        fresh,
        atMs: Date.now(),
      })
      await options.answer?.()
      const refused = hooks.length <= (options.refuse ?? 0)
      response.statusCode = refused ? 500 : options.lenient === true || (genuine && fresh) ? 200 : 401
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${address.port}/hook`, hooks, names: () => hooks.map((hook) => hook.event) }
}
