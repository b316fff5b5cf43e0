/** An integrator's webhook receiver: it checks what comes by the rules of the interface (§6.1), and keeps it. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventTable } from '../../src/protocol/platform/events.js'
import { bodyMisfits } from './interface.js'
import { note } from './noted.js'
import type { Body } from './sandbox.js'
import { strictly } from './strict.js'

export interface Hook {
  id: string
  event: string
  headers: IncomingHttpHeaders
  /** The bytes as they came, as text. */
  raw: string
  body: Body
  data: Body
}

export interface Receiver {
  url: string
  /** Accepted ones, in the order in which they came. */
  hooks: Hook[]
  /** Whatever was wrong with something that came; a test that ends with any has failed. */
  problems: string[]
  names(): string[]
  /** `data` of every hook of that name. */
  dataOf(event: string): Body[]
  /** The statuses of the next answers; 200 after them. */
  answerNext(...statuses: number[]): void
  /** From here on answers 503 to everything, or takes it again. */
  refuse(refusing: boolean): void
  close(): Promise<void>
}

const signedWith = (secret: string, raw: Buffer) => createHmac('sha256', secret).update(raw).digest()

/** What a careful receiver refuses a hook for, or null. */
function refusal(headers: IncomingHttpHeaders, raw: Buffer, secret: string): string | null {
  const signature = String(headers['x-webhook-signature'])
  if (!/^[0-9a-f]{64}$/.test(signature)) return `the signature is ${signature}`
  if (!timingSafeEqual(Buffer.from(signature, 'hex'), signedWith(secret, raw))) return 'the signature is wrong'
  const stamp = String(headers['x-webhook-timestamp'])
  if (!/^\d{10}$/.test(stamp) || Math.abs(Number(stamp) - Date.now() / 1000) > 300) return `the timestamp is ${stamp}`
  return null
}

function headerMisfits(headers: IncomingHttpHeaders, body: Body): string[] {
  const expected = {
    'content-type': /^application\/json$/,
    'user-agent': /^Service-Webhook\/2\.0$/,
    'x-webhook-id': /^evt_[0-9A-Za-z]{8,}$/,
    'x-webhook-event': new RegExp(`^${String(body.event).replace('.', '\\.')}$`),
    'x-sandbox': /^1$/,
  }
  return Object.entries(expected).flatMap(([name, pattern]) =>
    pattern.test(String(headers[name])) ? [] : [`${name}: ${String(headers[name])}`],
  )
}

function schemaMisfits(body: Body): string[] {
  const row = eventTable[body.event as keyof typeof eventTable]
  const result = strictly(row.data).safeParse(body.data)
  return result.success ? [] : result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
}

/** Listens on a free port of loopback. */
export async function openReceiver(secret: string): Promise<Receiver> {
  const hooks: Hook[] = []
  const problems: string[] = []
  const statuses: number[] = []
  let refusing = false
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      const refused = refusal(request.headers, raw, secret)
      const body = JSON.parse(raw.toString()) as Body
      note('event', String(body.event))
      problems.push(...(refused === null ? [] : [refused]), ...bodyMisfits(body))
      problems.push(...headerMisfits(request.headers, body), ...schemaMisfits(body))
      const status = refused !== null ? 401 : refusing ? 503 : (statuses.shift() ?? 200)
      if (status === 200) {
        const id = String(request.headers['x-webhook-id'])
        hooks.push({ id, event: body.event, headers: request.headers, raw: raw.toString(), body, data: body.data })
      }
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    hooks,
    problems,
    names: () => hooks.map((hook) => hook.event),
    dataOf: (event) => hooks.filter((hook) => hook.event === event).map((hook) => hook.data),
    answerNext: (...next) => void statuses.push(...next),
    refuse: (wish) => {
      refusing = wish
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
