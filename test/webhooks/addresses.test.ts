/** Where webhooks may go: private addresses in every notation, plain http, strict webhooks, and names whose address changes. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parsePostbackUrl } from '../../src/core/auth/authenticate.js'
import { addressKind } from '../../src/protocol/platform/webhook-hosts.js'
import { createSender, type Sender, type SenderOptions } from '../../src/runtime/node/send/send.js'
import { createAddressGuard } from '../../src/runtime/shared/address-guard.js'
import { kinds, privateHosts } from '../support/hostile-addresses.js'
import { answer } from '../support/hostile-answers.js'
import { type HostileReceiver, startHostile } from '../support/hostile-receiver.js'

let target: HostileReceiver
const senders: Sender[] = []
beforeEach(async () => {
  target = await startHostile({ onRequest: (socket) => socket.write(answer(200, 'ok')) })
})
afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.close()))
  await target.close()
})

function post(url: string, options: Partial<SenderOptions> = {}) {
  const sender = createSender({ guardPrivate: false, allowHosts: [], httpsOnly: false, ...options })
  senders.push(sender)
  return sender.send({ url, headers: {}, body: '{}' })
}

/** Runs `act` and returns how many connections were started meanwhile. */
async function connectionsBegun(act: () => Promise<unknown>): Promise<number> {
  let begun = 0
  const count = () => {
    begun += 1
  }
  subscribe('undici:client:beforeConnect', count)
  try {
    await act()
  } finally {
    unsubscribe('undici:client:beforeConnect', count)
  }
  return begun
}

const found = (...addresses: string[]) =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

describe('an address', () => {
  test.each(Object.entries(kinds))('is recognized as %s in every notation', (kind, addresses) => {
    expect(addresses.filter((address) => addressKind(address) !== kind)).toEqual([])
  })
})

describe('plain http://', () => {
  const guard = createAddressGuard({ guardPrivate: false, allowHosts: [] })
  /** A URL is rejected when it is set if and only if it is rejected when it is called. */
  const verdicts = (host: string) => {
    const { hostname } = new URL(`http://${host}/`)
    let named = true
    try {
      parsePostbackUrl(`http://${host}/`, false)
    } catch {
      named = false
    }
    const bare = hostname.replace(/^\[|\]$/g, '')
    return { host, named, called: guard('http:', bare, bare) === undefined }
  }
  const inUrl = (address: string) => (address.includes(':') ? `[${address}]` : address)

  test('is allowed to the same addresses whether they are named or numeric', () => {
    const addresses = Object.values(kinds).flat()
    const hosts = addresses.filter((address) => /[.:]/.test(address) && URL.canParse(`http://${inUrl(address)}/`))
    expect(hosts.length).toBeGreaterThan(60)
    for (const { host, named, called } of hosts.map((address) => verdicts(inUrl(address))))
      expect({ host, allowed: named }).toEqual({ host, allowed: called })
    expect(verdicts('100.64.1.1')).toMatchObject({ named: true, called: true })
    expect(verdicts('8.8.8.8')).toMatchObject({ named: false, called: false })
  })

  test('gets the same decision for any notation of an address', () => {
    const v4 = fc.ipV4()
    const near = fc.constantFrom('100.63.255.', '100.64.0.', '172.15.255.', '172.32.0.', '169.254.169.', '192.0.0.')
    const text = fc.oneof(
      v4,
      fc.tuple(near, fc.nat(255)).map(([start, end]) => start + end),
      fc.ipV6().map((ip) => `[${ip}]`),
    )
    fc.assert(
      fc.property(text, (host) => {
        const { named, called } = verdicts(host)
        return named === called
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a shared sandbox', () => {
  test.each(privateHosts)('rejects %s without a connection', async (host) => {
    for (const scheme of ['http', 'https']) {
      const begun = await connectionsBegun(async () => {
        const result = await post(`${scheme}://${host}:${target.port}/`, { guardPrivate: true })
        const insecure = scheme === 'http' && (host === '224.0.0.1' || host === '[ff02::1]')
        expect(result).toMatchObject({ outcome: insecure ? 'insecure_url' : 'refused', status: null })
        expect(result.detail).toMatch(insecure ? /use https/ : /address, which this sandbox is not allowed to call/)
      })
      expect(begun).toBe(0)
    }
    expect(target.connections).toBe(0)
  })

  test.each(['localhost', 'LOCALHOST', 'localhost.'])('rejects the name %s', async (host) => {
    const result = await post(`http://${host}:${target.port}/`, {
      guardPrivate: true,
      resolve: async () => found('127.0.0.1'),
    })
    expect(result).toMatchObject({ outcome: 'refused' })
    expect(await post(`http://localhost:${target.port}/`, { guardPrivate: true })).toMatchObject({ outcome: 'refused' })
    expect(target.connections).toBe(0)
  })

  test('rejects a zoned address as a URL', async () => {
    expect(await post('http://[fe80::1%25lo]/', { guardPrivate: true })).toMatchObject({ outcome: 'insecure_url' })
  })

  test.each([['127.0.0.1'], ['LocalHost'], ['::ffff:127.0.0.1'], ['[0:0:0:0:0:ffff:7f00:1]']])(
    'allows %s',
    async (allowed) => {
      const host = allowed === 'LocalHost' ? 'localhost' : '127.0.0.1'
      const result = await post(`http://${host}:${target.port}/`, { guardPrivate: true, allowHosts: [allowed] })
      expect(result).toMatchObject({ outcome: 'ok' })
    },
  )

  test('connects a name to its allowed address, and to none of its others', async () => {
    const resolve = async () => found('10.0.0.1', '127.0.0.1', '169.254.169.254')
    const result = await post(`http://hooks.test:${target.port}/`, {
      guardPrivate: true,
      allowHosts: ['127.0.0.1'],
      resolve,
    })
    expect(result).toMatchObject({ outcome: 'ok' })
    expect(target.requests[0]?.head).toContain(`host: hooks.test:${target.port}`)
  })

  test('connects to none of the addresses of a rejected name', async () => {
    const resolve = async () => found('127.0.0.1', '127.0.0.2')
    const options = { guardPrivate: true, allowHosts: ['127.0.0.2'], resolve, timeouts: { connectMs: 500 } }
    const result = await post(`http://hooks.test:${target.port}/`, options)
    expect(result).toMatchObject({ status: null })
    expect(target.connections).toBe(0)
  })

  test('checks a name again at each connection, so that it cannot change in between', async () => {
    const answers = [found('127.0.0.1'), found('127.0.0.2'), found('::ffff:7f00:2')]
    const options = { guardPrivate: true, allowHosts: ['127.0.0.1'], httpsOnly: false }
    const sender = createSender({ ...options, resolve: async () => answers.shift() ?? [] })
    senders.push(sender)
    const request = { url: `http://hooks.test:${target.port}/`, headers: { Connection: 'close' }, body: '{}' }
    const results = [await sender.send(request)]
    await target.idle()
    for (let count = 0; count < 3; count += 1) results.push(await sender.send(request))
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'refused', 'refused', 'dns'])
    expect(target.connections).toBe(1)
  })
})

describe('plain http', () => {
  test.each(['203.0.113.7', '8.8.8.8', '134744072', '[2606:4700::1111]', '[::ffff:8.8.8.8]', '224.0.0.1'])(
    'to %s is insecure, and nothing is connected',
    async (host) => {
      const begun = await connectionsBegun(async () => {
        expect(await post(`http://${host}/`, { allowHosts: [host] })).toMatchObject({
          outcome: 'insecure_url',
          status: null,
        })
      })
      expect(begun).toBe(0)
    },
  )

  test('to a name with only public addresses is insecure', async () => {
    const result = await post('http://hooks.test/', { resolve: async () => found('203.0.113.7', '2606:4700::1111') })
    expect(result).toMatchObject({ outcome: 'insecure_url' })
    expect(result.detail).toContain('hooks.test (203.0.113.7)')
  })

  test('to a name with both kinds of addresses goes to the private one', async () => {
    const resolve = async () => found('203.0.113.7', '127.0.0.1')
    expect(await post(`http://hooks.test:${target.port}/`, { resolve })).toMatchObject({ outcome: 'ok' })
  })

  test('to loopback is allowed, by name and by address', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      expect(await post(`http://${host}:${target.port}/`)).toMatchObject({ outcome: 'ok' })
    }
  })

  test('is never allowed when webhooks are strict', async () => {
    for (const host of ['127.0.0.1', 'localhost', '203.0.113.7']) {
      const result = await post(`http://${host}:${target.port}/`, { httpsOnly: true, allowHosts: [host] })
      expect(result).toMatchObject({ outcome: 'insecure_url', status: null, responseBody: null })
    }
    expect(target.connections).toBe(0)
  })

  test.each(['', 'hooks', 'ftp://127.0.0.1/', 'file:///etc/passwd', 'http://', 'javascript:1'])(
    'does not include %j',
    async (url) => {
      expect(await post(url)).toMatchObject({ outcome: 'insecure_url', detail: 'not an http:// or https:// URL' })
    },
  )
})
