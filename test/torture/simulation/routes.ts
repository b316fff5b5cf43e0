/** Control routes that read, and routes that change what no transaction depends on. The model must stay as it is. */
import type { Name } from '../../support/model.js'
import type { Chance } from './chance.js'
import { hold } from './violation.js'
import type { Answer } from './workspace.js'
import type { World } from './world.js'

const reads = [
  '/accounts',
  '/accounts/merchant',
  '/accounts/customer/statement',
  '/actions',
  '/activity',
  '/chaos',
  '/clock',
  '/clock/jobs',
  '/counts',
  '/disputes',
  '/disputes/{dispute}',
  '/fidelity',
  '/health',
  '/inbox',
  '/ledger',
  '/openapi.json',
  '/requests',
  '/requests/{request}',
  '/runs',
  '/runs/{run}',
  '/scenarios',
  '/scenarios/schema.json',
  '/search?q=tx',
  '/settings',
  '/snapshots',
  '/transactions',
  '/transactions/{transaction}',
  '/wallets',
  '/wallets/{wallet}',
  '/webhooks',
  '/webhooks/{event}',
  '/workspaces',
] as const

export type Look = (typeof reads)[number]
export const drawLook = (chance: Chance): Look => chance.pick(reads)

const ok = (answer: Answer, what: string): Answer => {
  hold(answer.status < 400, () => `${what} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer
}

/** Reads a route; an id is that of the newest object. */
export async function look(world: World, route: Look): Promise<void> {
  const lists = { request: '/requests', run: '/runs', wallet: '/wallets', event: '/webhooks' }
  const [, kind] = /\{(.*)\}/.exec(route) ?? []
  let path: string = route
  if (kind !== undefined) {
    const id =
      kind === 'dispute' || kind === 'transaction'
        ? world.model.things.findLast((one) => (one.kind === 'dispute') === (kind === 'dispute'))?.id
        : // The kinds of the paths above.
          idOf((await world.control('GET', `${lists[kind as keyof typeof lists]}?limit=1`)).body.data[0])
    if (id === undefined) return
    path = route.replace(/\{.*\}/, id)
  }
  ok(await world.control('GET', path), path)
}

const idOf = (row: { id?: string; wallet_id?: string; request_id?: string } | undefined) =>
  row?.id ?? row?.wallet_id ?? row?.request_id

/** Each uses its own names, so that it can run at any time. */
const works = {
  async clock(world, _who, count) {
    ok(await world.control('PUT', '/clock', { mode: 'manual' }), 'PUT /clock')
    const by = `${1 + (count % 3)}ms`
    ok(await world.control('DELETE', '/clock/advance'), 'DELETE /clock/advance')
    ok(await world.control('POST', '/clock/advance', { by }), 'POST /clock/advance')
    world.model.advance(1 + (count % 3))
  },
  async account(world, _who, count) {
    const username = `guest${count}`
    ok(await world.control('POST', '/accounts', { username }), 'POST /accounts')
    const more = ok(await world.control('POST', `/accounts/${username}/credentials`, {}), 'POST credentials')
    ok(await world.control('PATCH', `/credentials/${more.body.client_id}`, { active: false }), 'PATCH /credentials')
  },
  async inbox(world, _who, count) {
    const path = `/inbox/box${count}`
    ok(await world.control('PUT', path, { responses: [{ status: 200 }] }), `PUT ${path}`)
    ok(await world.control('POST', path, { hello: count }), `POST ${path}`)
    const { body } = ok(await world.control('GET', path), `GET ${path}`)
    hold(body.data.length === 1, () => `an inbox has ${body.data.length} messages instead of 1`)
    ok(await world.control('DELETE', path), `DELETE ${path}`)
  },
  async scenario(world, who, count) {
    const scenario = { name: `mine${count}`, on: { operation: 'cashin' }, steps: [{ wait: '9d' }] }
    ok(await world.control('POST', '/scenarios/validate', scenario), 'validating')
    ok(await world.control('POST', '/scenarios', scenario), 'POST /scenarios')
    ok(await world.control('GET', `/scenarios/${scenario.name}`), 'GET /scenarios')
    const { body } = ok(await world.control('POST', `/scenarios/${scenario.name}/run`, { account: who }), 'the run')
    ok(await world.control('DELETE', `/runs/${body.id}`), 'DELETE /runs')
    ok(await world.control('DELETE', `/scenarios/${scenario.name}`), 'DELETE /scenarios')
  },
  async snapshot(world, _who, count) {
    const name = `kept${count}`
    ok(await world.control('POST', '/snapshots', { name }), 'POST /snapshots')
    ok(await world.control('PATCH', `/snapshots/${name}`, { name: `${name}-2` }), 'PATCH /snapshots')
    const { body } = ok(await world.control('GET', `/snapshots/${name}-2/export`), 'the export')
    ok(await world.control('POST', `/snapshots/${name}-3/import`, body), 'the import')
    for (const one of [`${name}-2`, `${name}-3`]) ok(await world.control('DELETE', `/snapshots/${one}`), 'its end')
  },
  async requests(world) {
    const verified = await world.control('POST', '/requests/verify', { method: 'GET', path: '/nowhere', times: 0 })
    ok(verified, 'POST /requests/verify')
    const { body } = await world.control('GET', '/requests?path=/v2/oauth/token&limit=1')
    const id = idOf(body.data[0])
    if (id !== undefined) ok(await world.control('POST', `/requests/${id}/replay`), 'the replay')
  },
  async waiting(world) {
    const { body } = await world.control('GET', '/webhooks?status=delivered&limit=1')
    const event = body.data[0]
    if (event === undefined) return
    const query = `event=${event.event}&transaction_id=${event.transaction_id}&timeout=1s`
    ok(await world.control('GET', `/webhooks/wait?${query}`), 'GET /webhooks/wait')
  },
} as const satisfies Record<string, (world: World, who: Name, count: number) => Promise<void>>

export type Work = keyof typeof works
// The names of a table's own rows.
export const drawWork = (chance: Chance): Work => chance.pick(Object.keys(works) as Work[])

export const manage = (world: World, work: Work, who: Name, count: number): Promise<void> =>
  works[work](world, who, count)
