/** The control API calls of scenario tests, on a sandbox in this process. */
import { randomUUID } from 'node:crypto'
import type { Config } from '../../src/protocol/settings/platform.js'
import type { SandboxOptions } from '../../src/runtime/node/sandbox.js'
import { openClient } from './client.js'
import { type Body, control, send } from './http.js'
import { openSandbox } from './sandbox.js'

export const cashin = '/v2/transactions/cashin'
export const cashout = '/v2/transactions/cashout'

/** The body of a PIX charge. */
export const chargeBody = (more: Record<string, unknown> = {}) => ({ amount: 25.5, currency: 'BRL', ...more })

/** The body of a withdrawal over Tron with a new `external_id`. */
export const payoutBody = (more: Record<string, unknown> = {}) => ({
  external_id: randomUUID(),
  amount: 12,
  currency: 'USDT',
  network: 'tron',
  key: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  ...more,
})

export async function scenarioSandbox(
  config: Partial<Config> = {},
  options: Partial<Omit<SandboxOptions, 'config'>> = {},
) {
  const sandbox = await openSandbox(config, options)
  return { sandbox, url: sandbox.url, ...callsOf(sandbox.url), api: await openClient(sandbox.url) }
}

export function callsOf(url: string) {
  const call = control(url)
  const upload = (text: string) =>
    send('POST', `${url}/_sandbox/scenarios`, text, { 'Content-Type': 'application/yaml' })
  const run = async (name: string, given: Body = { fast_forward: true }): Promise<Body> =>
    (await call('POST', `/scenarios/${name}/run`, given)).body
  return {
    call,
    upload,
    run,
    /** Uploads and runs a scenario; returns the run. */
    async play(text: string, given?: Body): Promise<Body> {
      const uploaded = await upload(text)
      if (uploaded.status !== 200) throw new Error(JSON.stringify(uploaded.body))
      return run(uploaded.body.name, given)
    },
    async arm(name: string, given: Body = {}): Promise<Body> {
      const armed = await call('POST', `/scenarios/${name}/arm`, given)
      if (armed.status !== 200) throw new Error(JSON.stringify(armed.body))
      return armed.body
    },
    runs: async (): Promise<Body[]> => (await call('GET', '/runs')).body.data,
    /** Returns the request log's entry of a response. */
    entryOf: async (answer: { headers: Headers }): Promise<Body> =>
      (await call('GET', `/requests/${answer.headers.get('x-request-id')}`)).body,
    events: async (): Promise<string[]> =>
      (await call('GET', '/webhooks')).body.data.map((row: Body) => row.event).reverse(),
  }
}

/** Describes the steps of a run that did not pass. */
export const troubles = (run: Body): string[] =>
  run.steps
    .filter((step: Body) => step.status !== 'passed')
    .map((step: Body) => `${step.step} ${step.status}: ${step.detail}`)
