/** One row for each figure: its name, its goal, the file that measures it (or, as `of`, the two rows whose ratio it is) and the row of its floor. With `byCpu` the verdict uses CPU instead of time. */

const atLeast = (bound, unit = '') => ({ bound, unit, sign: '>=', isMet: (value) => value >= bound })
const atMost = (bound, unit = '') => ({ bound, unit, sign: '<=', isMet: (value) => value <= bound })

export const rows = {
  'cashin-file': {
    figure: 'charges on a file, relative to a bare Hono server',
    goal: atLeast(0.48),
    byCpu: true,
    file: 'calls',
    floor: 'floor-file',
  },
  'cashin-memory': {
    figure: 'charges in memory, relative to a bare Hono server',
    goal: atLeast(0.62),
    byCpu: true,
    file: 'calls',
    floor: 'floor-memory',
  },
  'cashin-of-floor': {
    figure: 'charges on a file, relative to their floor',
    goal: atLeast(0.8),
    of: ['cashin-file', 'floor-file'],
  },
  'withdrawal-file': {
    figure: 'signed withdrawals on a file, relative to a bare Hono server',
    goal: atLeast(0.42),
    byCpu: true,
    file: 'calls',
    floor: 'floor-withdrawal',
  },
  balance: { figure: 'balances on a file, relative to a bare Hono server', goal: atLeast(0.8), file: 'calls' },
  'floor-file': { figure: 'floor of charges on a file, relative to a bare Hono server', goal: null, file: 'calls' },
  'floor-memory': { figure: 'floor of charges in memory, relative to a bare Hono server', goal: null, file: 'calls' },
  'floor-withdrawal': {
    figure: 'floor of signed withdrawals on a file, relative to a bare Hono server',
    goal: null,
    file: 'calls',
  },
  'cashin-million': {
    figure: 'charges a second with 1,000,000 stored charges, relative to 1,000 stored charges',
    goal: atLeast(0.92),
    file: 'store',
  },
  'list-million': {
    figure: 'list of 50 out of 1,000,000, relative to a bare Hono server',
    goal: atLeast(0.25),
    file: 'store',
    floor: 'floor-list',
  },
  'floor-list': { figure: 'floor of that list, relative to a bare Hono server', goal: null, file: 'store' },
  'webhooks-one': {
    figure: 'webhooks to one receiver, relative to a bare client with as many connections',
    goal: atLeast(0.8),
    file: 'webhooks',
    floor: 'floor-webhooks',
  },
  'webhooks-of-floor': {
    figure: 'recorded webhooks to one receiver, relative to their floor',
    goal: atLeast(0.85),
    of: ['webhooks-one', 'floor-webhooks'],
  },
  'floor-webhooks': {
    figure: 'floor of webhooks to one receiver, relative to the bare client',
    goal: null,
    file: 'webhooks',
  },
  'webhooks-many': {
    figure: 'webhooks to 8 receivers, relative to a bare client with as many connections',
    goal: atLeast(0.8),
    file: 'webhooks',
    floor: 'floor-webhooks-many',
  },
  'floor-webhooks-many': {
    figure: 'floor of webhooks to 8 receivers, relative to the bare client',
    goal: null,
    file: 'webhooks',
  },
  backlog: {
    figure: 'age of the oldest webhook while 30 callers create, pay and read charges on a file',
    goal: atMost(1, ' s'),
    file: 'backlog',
  },
  'backlog-left': { figure: 'webhooks not sent 1 s after that load', goal: atMost(0), file: 'backlog' },
  p99: {
    figure: 'p99 at 300 mixed calls a second with webhooks, relative to a bare Hono server',
    goal: atMost(3, 'x'),
    file: 'latency',
    floor: 'floor-p99',
  },
  'floor-p99': { figure: 'floor of that p99, relative to a bare Hono server', goal: null, file: 'latency' },
  'record-added': {
    figure: 'median time that the recorder adds to a call at 500 calls a second',
    goal: atMost(1, ' ms'),
    file: 'record',
  },
  start: {
    figure: 'start to first response, relative to a bare Hono server',
    goal: atMost(1.25, 'x'),
    file: 'begin',
    floor: 'floor-start',
  },
  memory: {
    figure: 'idle memory, relative to a bare Hono server',
    goal: atMost(1.25, 'x'),
    file: 'begin',
    floor: 'floor-idle',
  },
  version: {
    figure: '--version, relative to node -e 0',
    goal: atMost(1.2, 'x'),
    file: 'begin',
    floor: 'floor-version',
  },
  'floor-start': { figure: 'floor of a start, relative to a bare Hono server', goal: null, file: 'begin' },
  'floor-idle': { figure: 'floor of idle memory, relative to a bare Hono server', goal: null, file: 'begin' },
  'floor-version': { figure: 'floor of --version, relative to node -e 0', goal: null, file: 'begin' },
  command: {
    figure: 'command against a running sandbox, relative to node -e 0',
    goal: atMost(2.3, 'x'),
    file: 'begin',
  },
  'isolated-workspace': {
    figure: 'CPU of an isolated test in a workspace of a shared sandbox',
    goal: atMost(10, ' ms'),
    file: 'isolated',
    floor: 'floor-isolated',
  },
  'isolated-own': {
    figure: 'CPU of an isolated test in its own sandbox',
    goal: atMost(15, ' ms'),
    file: 'isolated',
    floor: 'floor-isolated',
  },
  'isolated-many': {
    figure: 'wall time of each of 200 isolated tests, 8 at a time',
    goal: atMost(12, ' ms'),
    file: 'isolated',
  },
  'floor-isolated': { figure: 'floor of an isolated test', goal: null, file: 'isolated', unit: ' ms' },
  install: {
    figure: 'installing the published package without optional packages',
    goal: atMost(5, ' s'),
    file: 'install',
  },
  'install-size': { figure: 'size of the installed package on disk', goal: atMost(3, ' MB'), file: 'install' },
  library: {
    figure: 'another startSandbox, relative to opening a database in memory',
    goal: atMost(1, 'x'),
    file: 'library',
    floor: 'floor-library',
  },
  'floor-library': {
    figure: 'floor of another startSandbox: a bare server and an empty database',
    goal: null,
    file: 'library',
  },
  reset: { figure: 'reset, relative to opening a database in memory', goal: atMost(0.5, 'x'), file: 'library' },
  workspaces: {
    figure: 'time to create, use and delete one of 1,000 workspaces',
    goal: atMost(2, ' ms'),
    file: 'workspaces',
    floor: 'floor-workspaces',
  },
  'workspaces-memory': {
    figure: 'memory after 1,000 workspaces, relative to the memory after 100',
    goal: atMost(1.2, 'x'),
    file: 'workspaces',
    floor: 'floor-workspaces-memory',
  },
  'floor-workspaces': { figure: 'floor of such a workspace', goal: null, file: 'workspaces', unit: ' ms' },
  'floor-workspaces-memory': { figure: 'floor of that memory', goal: null, file: 'workspaces' },
}
