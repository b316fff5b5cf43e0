/** Every figure: what it is, what it is to reach, the file that measures it, and the row of its floor. A ratio is to a bare program in the same run. */

const atLeast = (bound, unit = '') => ({ bound, unit, sign: '>=', isMet: (value) => value >= bound })
const atMost = (bound, unit = '') => ({ bound, unit, sign: '<=', isMet: (value) => value <= bound })

export const rows = {
  'cashin-file': {
    figure: 'cash-in, durable file (FULL), of bare Hono',
    goal: atLeast(0.48),
    file: 'calls',
    floor: 'floor-file',
  },
  'cashin-memory': {
    figure: 'cash-in, in memory, of bare Hono',
    goal: atLeast(0.58),
    file: 'calls',
    floor: 'floor-memory',
  },
  'withdrawal-file': {
    figure: 'signed withdrawal, durable file, of bare Hono',
    goal: atLeast(0.4),
    file: 'calls',
    floor: 'floor-withdrawal',
  },
  balance: { figure: 'balance, durable file, of bare Hono', goal: atLeast(0.8), file: 'calls' },
  'floor-file': { figure: 'the floor of a cash-in, durable file, of bare Hono', goal: null, file: 'calls' },
  'floor-memory': { figure: 'the floor of a cash-in, in memory, of bare Hono', goal: null, file: 'calls' },
  'floor-withdrawal': {
    figure: 'the floor of a signed withdrawal, durable file, of bare Hono',
    goal: null,
    file: 'calls',
  },
  'cashin-million': { figure: 'cash-in at 1,000,000 stored, of that at 1,000', goal: atLeast(0.92), file: 'store' },
  'list-million': {
    figure: 'list of 50 out of 1,000,000, of bare Hono',
    goal: atLeast(0.25),
    file: 'store',
    floor: 'floor-list',
  },
  'floor-list': { figure: 'the floor of that list, of bare Hono', goal: null, file: 'store' },
  'webhooks-one': {
    figure: 'webhooks, one receiver, of a bare client as wide',
    goal: atLeast(0.8),
    file: 'webhooks',
    floor: 'floor-webhooks',
  },
  'floor-webhooks': { figure: 'the floor of these, of that client', goal: null, file: 'webhooks' },
  'webhooks-many': {
    figure: 'webhooks, 8 receivers, of a bare client as wide',
    goal: atLeast(0.8),
    file: 'webhooks',
    floor: 'floor-webhooks-many',
  },
  'floor-webhooks-many': { figure: 'the floor of those to 8 receivers', goal: null, file: 'webhooks' },
  'webhooks-lag': { figure: 'oldest webhook while 30 callers create and pay', goal: atMost(1, ' s'), file: 'webhooks' },
  p99: {
    figure: 'p99 at 300 mixed calls a second with webhooks, of bare Hono',
    goal: atMost(3, 'x'),
    file: 'latency',
    floor: 'floor-p99',
  },
  'floor-p99': { figure: 'the floor of that p99, of bare Hono', goal: null, file: 'latency' },
  start: { figure: 'start to first answer, of bare Hono', goal: atMost(1.3, 'x'), file: 'begin', floor: 'floor-start' },
  memory: { figure: 'idle memory, of bare Hono', goal: atMost(1.3, 'x'), file: 'begin', floor: 'floor-idle' },
  version: { figure: '--version, of node -e 0', goal: atMost(1.2, 'x'), file: 'begin', floor: 'floor-version' },
  'floor-start': { figure: 'the floor of a start, of bare Hono', goal: null, file: 'begin' },
  'floor-idle': { figure: 'the floor of idle memory, of bare Hono', goal: null, file: 'begin' },
  'floor-version': { figure: 'the floor of --version, of node -e 0', goal: null, file: 'begin' },
  library: {
    figure: 'startSandbox once more, of opening and migrating :memory:',
    goal: atMost(1, 'x'),
    file: 'library',
    floor: 'floor-library',
  },
  'floor-library': { figure: 'the floor of that: a bare server and an empty database', goal: null, file: 'library' },
  reset: { figure: 'reset, of opening and migrating :memory:', goal: atMost(0.5, 'x'), file: 'library' },
  workspaces: {
    figure: 'a workspace made, used and dropped, of 1,000',
    goal: atMost(2, ' ms'),
    file: 'workspaces',
    floor: 'floor-workspaces',
  },
  'workspaces-memory': {
    figure: 'memory after 1,000 workspaces, of that after 100',
    goal: atMost(1.2, 'x'),
    file: 'workspaces',
    floor: 'floor-workspaces-memory',
  },
  'floor-workspaces': { figure: 'the floor of such a workspace', goal: null, file: 'workspaces', unit: ' ms' },
  'floor-workspaces-memory': { figure: 'the floor of that memory', goal: null, file: 'workspaces' },
}
