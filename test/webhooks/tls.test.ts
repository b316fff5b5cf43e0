/** Certificates are always verified, whatever the environment says; the environment can add a private authority. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSender } from '../../src/runtime/node/send/send.js'
import { answer } from '../support/hostile-answers.js'
import { sendFromChild } from '../support/hostile-child.js'
import { certificatePath, type HostileReceiver, startHostile } from '../support/hostile-receiver.js'

const names = ['valid', 'expired', 'wrong-name', 'self-signed'] as const
const targets: HostileReceiver[] = []
const sender = createSender({ guardPrivate: false, allowHosts: [], httpsOnly: true })
const request = (url = '') => ({ url, headers: {}, body: '{}' })

beforeAll(async () => {
  for (const certificate of names) {
    targets.push(await startHostile({ certificate, onRequest: (socket) => socket.write(answer(200, 'ok')) }))
  }
})
afterAll(async () => {
  await sender.close()
  await Promise.all(targets.map((target) => target.close()))
})

describe('a webhook over https', () => {
  test.each(names)('to a receiver with an untrusted certificate is rejected: %s', async (name) => {
    const target = targets[names.indexOf(name)]
    const result = await sender.send(request(target?.url))
    expect(result).toMatchObject({ outcome: 'tls', status: null, responseBody: null })
    expect(result.detail).not.toBe('')
    expect(target?.requests).toEqual([])
  })

  test('to a receiver that speaks plain HTTP is a TLS failure', async () => {
    const plain = await startHostile({ onConnection: (socket) => socket.end(answer(400, 'speak http')) })
    expect(await sender.send(request(`https://localhost:${plain.port}`))).toMatchObject({ outcome: 'tls' })
    await plain.close()
  })

  test('to a receiver that closes in the handshake is a reset', async () => {
    const rude = await startHostile({ onConnection: (socket) => socket.resetAndDestroy() })
    expect(await sender.send(request(`https://127.0.0.1:${rude.port}`))).toMatchObject({ outcome: 'reset' })
    await rude.close()
  })

  test('with a private authority reaches valid certificates only, by name and by address', async () => {
    const urls = targets.map(({ url }) => url)
    const byAddress = urls.map((url) => url.replace('localhost', '127.0.0.1'))
    const env = { NODE_EXTRA_CA_CERTS: certificatePath('ca.pem') }
    const results = await sendFromChild([...urls, ...byAddress], env)
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'tls', 'tls', 'tls', 'ok', 'tls', 'tls', 'tls'])
    const [, expired, wrongName, selfSigned] = results.map(({ detail }) => detail)
    expect([expired, wrongName, selfSigned]).toEqual([
      expect.stringContaining('expired'),
      expect.stringContaining('altnames'),
      expect.stringContaining('self-signed'),
    ])
    expect(targets.map(({ requests }) => requests.length)).toEqual([2, 0, 0, 0])
  })

  test('stays verified when the environment disables verification', async () => {
    const results = await sendFromChild(
      targets.map(({ url }) => url),
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    )
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['tls']))
  })
})

test('a proxy in the environment is ignored', async () => {
  const proxy = await startHostile({ onRequest: (socket) => socket.write(answer(502, 'proxy')) })
  const plain = await startHostile({ onRequest: (socket) => socket.write(answer(200, 'direct')) })
  const variables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
  const env = {
    ...Object.fromEntries(variables.map((name) => [name, proxy.url])),
    NO_PROXY: '',
    no_proxy: '',
    NODE_USE_ENV_PROXY: '1',
  }
  const [result] = await sendFromChild([plain.url], env)
  expect(result).toMatchObject({ outcome: 'ok', responseBody: 'direct' })
  expect(proxy.connections).toBe(0)
  await Promise.all([proxy.close(), plain.close()])
})
