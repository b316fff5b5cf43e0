/** Certification under workerd, the runtime of Durable Objects. */
import { beforeAll, expect, test } from 'vitest'
import { certifyReceiver, connectSandbox } from '../../src/testing/index.js'
import { builtWorkers } from '../support/built.js'
import { openTried } from '../support/certify.js'
import { deploy } from '../support/deployment.js'
import { closeAfter } from '../support/hooks.js'
import { control, send } from '../support/http.js'

beforeAll(builtWorkers)

test('receivers are certified under workerd: a correct one, and one that forgets what it received', async () => {
  const { url } = await deploy()
  const sandbox = await connectSandbox(url)
  const [right, forgetful] = await Promise.all([openTried(), openTried([['if (seen.has(id)) return 200', '']])])
  closeAfter(async () => void (await Promise.all([right.close(), forgetful.close(), sandbox.close()])))
  await expect(certifyReceiver({ url: right.url, load: '20/s', sandbox })).rejects.toThrow(/cannot run load tests/)
  const [one, other] = await Promise.all(
    [right, forgetful].map(({ close: _, ...addresses }) => certifyReceiver({ ...addresses, sandbox })),
  )
  expect(one?.rules.filter(({ result }) => result !== 'passed').map(({ id }) => id)).toEqual([
    'production.sandbox',
    'production.https',
  ])
  const broken = other?.rules.filter(({ result }) => result === 'failed').map(({ id }) => id)
  expect([one?.verdict, other?.verdict, broken]).toEqual([
    'passed',
    'failed',
    expect.arrayContaining(['duplicate.in-a-row']),
  ])
  expect((await control(url)('GET', '/transactions')).body.data).toEqual([])
})

test('the certifications of a hosted workspace are limited with 429', async () => {
  const token = 'the-operator'
  const { url } = await deploy({
    PAYMENTS_SANDBOX_OPERATOR_TOKEN: token,
    PAYMENTS_SANDBOX_CERTIFICATIONS_PER_HOUR: '1',
  })
  const admin = { 'X-Sandbox-Admin-Token': token }
  await send('POST', `${url}/_sandbox/workspaces`, { name: 'shop' }, admin)
  const call = (method: string, path: string, body?: unknown) =>
    send(method, `${url}/w/shop/_sandbox${path}`, body, admin)
  expect((await call('GET', '/health')).body.hosted.limits.certifications_per_hour).toBe(1)
  const certify = () => call('POST', '/certify/receiver', { url: 'https://127.0.0.1:9/' })
  expect(await Promise.all([(await certify()).status, (await certify()).status])).toEqual([200, 429])
})
