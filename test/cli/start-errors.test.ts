/** A start that fails: one line says what is wrong, where, and how to fix it, within two seconds, and the file stays unchanged. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built, executable } from '../support/built.js'
import { openPlain } from '../support/database.js'
import { someOf } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { type Ended, run, runProcess, startForTest, startHereForTest, withinTwoSeconds } from '../support/program.js'

beforeAll(async () => {
  await built()
})

const start = (args: string[], how = {}) => withinTwoSeconds(() => run(['start', '--port', '0', ...args], how))
/** Runs the program in its own process, for a few cases that measure its output and its time. */
const startProcess = (args: string[]) => withinTwoSeconds(() => runProcess(['start', '--port', '0', ...args]))
const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

function isOneLine({ stderr, stdout }: Ended): string {
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^payments-sandbox: [^\n]+\n$/)
  expect(stderr).not.toMatch(/\s at .*:\d+:\d+/)
  return stderr
}

function foreign(file: string, sqlText: string): void {
  const database = openPlain(file)
  database.exec(sqlText)
  database.close()
}

const meta = (schema: string) =>
  `create table meta (key text primary key, value text); insert into meta values ('schema', '${schema}')`

/** Each creates a file in the folder that a sandbox cannot open. */
const unusable: Record<string, { make: (file: string) => void; says: RegExp }> = {
  'a text file': {
    make: (file) => writeFileSync(file, 'no database '.repeat(200)),
    says: /is not a readable database/,
  },
  'a database of another program': {
    make: (file) => foreign(file, 'create table accounts (a); insert into accounts values (1)'),
    says: /another program/,
  },
  'a database of some other program that has a table of the same name': {
    make: (file) => foreign(file, meta('1')),
    says: /another program/,
  },
  'a database of a newer version': {
    make: (file) => foreign(file, `pragma application_id = ${0x50415953}; ${meta('999')}`),
    says: /newer version .* update payments-sandbox/,
  },
}

for (const [what, { make, says }] of Object.entries(unusable)) {
  test(`${what} is rejected as a database file and stays unchanged`, async () => {
    const file = join(temporaryFolder(), 'given.db')
    make(file)
    const before = hash(file)
    const ended = await startProcess(['--db', file])
    expect(ended.code).toBe(1)
    const line = isOneLine(ended)
    expect(line).toMatch(says)
    expect(line).toContain(file)
    expect(line).toContain('--db')
    expect(hash(file)).toBe(before)
    for (const suffix of ['-wal', '-journal', '-shm']) expect(existsSync(file + suffix)).toBe(false)
  })
}

test('a damaged database of the sandbox is rejected and stays unchanged', async () => {
  const file = join(temporaryFolder(), 'ours.sqlite')
  const sandbox = await startForTest(['--db', file])
  await sandbox.stop()
  const bytes = readFileSync(file)
  bytes.fill(0x5a, 4096, 4096 * 6)
  writeFileSync(file, bytes)
  const before = hash(file)
  const ended = await start(['--db', file])
  expect(ended.code).toBe(1)
  expect(isOneLine(ended)).toContain(file)
  expect(hash(file)).toBe(before)
})

/** Each puts files into the scenario folder that stop a start. */
const badScenarios: Record<
  string,
  { files: Record<string, string>; flags: (folder: string) => string[]; says: RegExp }
> = {
  'a folder of scenarios that does not exist': {
    files: {},
    flags: (folder) => ['--scenarios', join(folder, 'none')],
    says: /the scenario folder \S+none does not exist: name another with --scenarios/,
  },
  'a file in the place of the folder of scenarios': {
    files: { 'one.yaml': '' },
    flags: (folder) => ['--scenarios', join(folder, 'one.yaml')],
    says: /the scenario folder \S+one\.yaml is a file: name another with --scenarios/,
  },
  'a mistake in a scenario file': {
    files: { 'one.yaml': 'name: one\nstepz: []\n' },
    flags: (folder) => ['--scenarios', folder],
    says: /^payments-sandbox: \S+one\.yaml:\d+:\d+: /,
  },
  'a name that two scenario files have': {
    files: { 'one.yaml': 'name: same\nsteps: [cashin.pay]\n', 'two.yaml': 'name: same\nsteps: [cashin.pay]\n' },
    flags: (folder) => ['--scenarios', folder],
    says: /^payments-sandbox: \S+two\.yaml and \S+one\.yaml are both named same: rename one/,
  },
  'an armed scenario that does not exist': {
    files: {},
    flags: () => ['--arm', 'refund'],
    says: /^payments-sandbox: --arm: There is no scenario refund/,
  },
}
for (const [what, { files, flags, says }] of Object.entries(badScenarios)) {
  test(`${what} stops the start with an error that names the file and the fix`, async () => {
    const folder = temporaryFolder()
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const ended = await start(flags(folder))
    expect(ended.code).toBe(1)
    expect(isOneLine(ended)).toMatch(says)
  })
}

test('a database that another sandbox has open is rejected, and that sandbox continues', async () => {
  const file = join(temporaryFolder(), 'shared.sqlite')
  const first = await startForTest(['--db', file])
  const second = await start(['--db', file])
  expect(second.code).toBe(1)
  expect(isOneLine(second)).toMatch(/in use by another process.*--db/)
  expect((await fetch(`${first.url}/_sandbox/health`)).status).toBe(200)
  expect(await first.stop()).toBe(0)
})

test('a port that a sandbox uses is named as such, with the commands to use and to end that sandbox', async () => {
  for (const flags of [[], ['--admin-token', 'open-sesame']]) {
    const first = await startForTest(flags)
    const { port } = new URL(first.url)
    const { code, stderr } = await runProcess(['start', '--port', port])
    expect(code).toBe(1)
    expect(stderr).toContain(`port ${port} on 127.0.0.1 is in use by a running sandbox`)
    expect(stderr).toContain(`use it (payments-sandbox env --url ${first.url}), end it (`)
    expect(await first.stop()).toBe(0)
  }
})

test('a missing folder, a folder instead of a file and a file instead of a folder have different errors', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  const missing = await start(['--db', join(folder, 'nowhere', 'a.sqlite')])
  expect(isOneLine(missing)).toContain(`the folder ${join(folder, 'nowhere')} does not exist`)
  const itself = await start(['--db', folder])
  expect(isOneLine(itself)).toContain('is a folder: name a file in it')
  const inFile = await start(['--db', join(folder, 'file', 'a.sqlite')])
  expect(isOneLine(inFile)).toContain('is not a folder')
  expect([missing.code, itself.code, inFile.code]).toEqual([1, 1, 1])
})

// Root can always write, so root runs the program as another user.
const withoutRights = process.getuid?.() === 0 ? { uid: 65_534 } : {}
const runsNode = spawnSync(process.execPath, ['--version'], withoutRights).status === 0
const notRun = 'not run, because another user cannot run this Node, which is in the home of root'

test('a folder without write permission is reported', async (context) => {
  if (!runsNode) context.skip(notRun)
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  const closed = join(folder, 'closed')
  mkdirSync(closed)
  chmodSync(closed, 0o555)
  const ended = await start(['--db', join(closed, 'a.sqlite')], withoutRights)
  expect(ended.code).toBe(1)
  expect(isOneLine(ended)).toContain(`the folder ${closed} is not writable`)
})

test('a file without write permission is reported, and not opened', async (context) => {
  if (!runsNode) context.skip(notRun)
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  const file = join(folder, 'ours.sqlite')
  await (await startForTest(['--db', file])).stop()
  chmodSync(file, 0o444)
  const before = hash(file)
  const ended = await start(['--db', file], withoutRights)
  expect(ended.code).toBe(1)
  expect(isOneLine(ended)).toContain('cannot be written')
  expect(hash(file)).toBe(before)
})

const badFlags: [flags: string[], says: RegExp][] = [
  [['--port', 'abc'], /--port must be a whole number from 0 to 65535, not "abc"/],
  [['--port', '65536'], /--port must be/],
  [['--clock', 'manul'], /--clock must be one of realtime, manual, not "manul": did you mean manual\?/],
  [['--log-level', 'inof'], /did you mean info\?/],
  [['--webhook-url', 'example'], /--webhook-url must be an http/],
  [['--webhook-url', 'http://example.com/hooks'], /http:\/\/ is allowed only for loopback and private addresses/],
  [['--prot', '1'], /unknown option '--prot' \(Did you mean --port\?\)/],
  [['extra'], /too many arguments/],
]
for (const [flags, says] of someOf(badFlags, 5)) {
  test(`${flags.join(' ')} is a usage error with the correct form`, async () => {
    const ended = await start(flags)
    expect(ended.code).toBe(2)
    expect(isOneLine(ended)).toMatch(says)
  })
}

test('every mistake of a start has its own line: flags, variables and the configuration file', async () => {
  const file = join(temporaryFolder(), 'sandbox.yaml')
  writeFileSync(file, 'port: x\nclok: manual\nratess: {}\nclock: y\n')
  const inFile = await start(['--config', file])
  const lines = [
    `${file}:1:1: port must be a whole number from 0 to 65535, not "x"`,
    `${file}:2:1: clok is not a setting; did you mean clock?`,
    `${file}:3:1: ratess is not a setting; did you mean rates?`,
    `${file}:4:1: clock must be one of realtime, manual, not "y"`,
  ]
  expect([inFile.code, inFile.stdout, inFile.stderr]).toEqual([1, '', `payments-sandbox: ${lines.join('\n')}\n`])
  const everywhere = await start(['--config', file, '--clock', 'manul', '--log-level', 'inof'], {
    env: { PAYMENTS_SANDBOX_CLOK: 'manual', PAYMENTS_SANDBOX_RATE_LIMITS: 'maybe' },
  })
  expect(everywhere.code).toBe(2)
  for (const line of [
    '--clock must be',
    '--log-level must be',
    'RATE_LIMITS must be',
    'unknown variable PAYMENTS_SANDBOX_CLOK;',
    ...lines,
  ])
    expect(everywhere.stderr).toContain(line)
  writeFileSync(file, 'port: [1\nclock: "y\n')
  expect((await start(['--config', file])).stderr.trimEnd().split('\n').length).toBeGreaterThan(1)
})

test('an unknown variable stops the start with a suggestion', async () => {
  for (const [variable, says] of [
    ['PAYMENTS_SANDBOX_CLOK', 'did you mean PAYMENTS_SANDBOX_CLOCK?'],
    ['PAYMENTS_SANDBOX_WEBHOOKURL', 'did you mean PAYMENTS_SANDBOX_WEBHOOK_URL?'],
    ['PAYMENTS_SANDBOX_NO_RATE_LIMIT', 'did you mean PAYMENTS_SANDBOX_NO_RATE_LIMITS?'],
    ['PAYMENTS_SANDBOX_ACCOUNTS', 'set it in the configuration file'],
    ['PAYMENTS_SANDBOX_QUITE_ELSE', 'unknown variable PAYMENTS_SANDBOX_QUITE_ELSE; remove it'],
  ] as const) {
    const ended = await start([], { env: { [variable]: 'manual' } })
    expect(ended.code).toBe(2)
    expect(isOneLine(ended)).toContain(variable)
    expect(ended.stderr).toContain(says)
  }
})

test('variables of other commands, empty ones, and those of a Kubernetes service called payments-sandbox are accepted', async () => {
  const env = {
    PAYMENTS_SANDBOX_URL: 'http://127.0.0.1:1',
    PAYMENTS_SANDBOX_WORKSPACE: 'team',
    PAYMENTS_SANDBOX_SIGNING_KEY: 'key',
    PAYMENTS_SANDBOX_CLOK: '',
    PAYMENTS_SANDBOX_SERVICE_HOST: '10.0.0.1',
    PAYMENTS_SANDBOX_SERVICE_PORT_HTTP: '4010',
    PAYMENTS_SANDBOX_PORT: 'tcp://10.0.0.1:4010',
    PAYMENTS_SANDBOX_PORT_4010_TCP: 'tcp://10.0.0.1:4010',
    PAYMENTS_SANDBOX_PORT_4010_TCP_ADDR: '10.0.0.1',
  }
  const { code, stderr } = await runProcess(['exec', '--', 'true'], { env })
  expect([code, stderr]).toEqual([0, ''])
})

test('an invalid variable is a usage error that names it', async () => {
  const ended = await withinTwoSeconds(() => run(['start'], { env: { PAYMENTS_SANDBOX_PORT: 'http' } }))
  expect(ended.code).toBe(2)
  expect(isOneLine(ended)).toContain('PAYMENTS_SANDBOX_PORT must be a whole number')
})

const badFiles: Record<string, { text: string; says: RegExp }> = {
  'a mistyped setting': { text: 'seed: a\nclok: manual\n', says: /:2:1: clok is not a setting; did you mean clock\?/ },
  'a mistyped value': {
    text: 'clock: maunal\n',
    says: /:1:1: clock must be one of realtime, manual, not "maunal": did you mean manual\?/,
  },
  'a mistyped field of an account': {
    text: 'accounts:\n  - username: shop\n    blances: {}\n',
    says: /:3:5: accounts\.0\.blances is not a setting; did you mean balances\?/,
  },
  'an unknown currency': {
    text: 'rates:\n  USDTT: 1\n',
    says: /:2:3: rates\.USDTT is not a supported currency.*did you mean USDT\?/,
  },
  'an unknown alias': { text: 'port: *other\n', says: /sandbox\.yaml: Unresolved alias/ },
  'aliases that expand without end': {
    text: `a: &a [${'x,'.repeat(90)}]\nb: &b [${'*a,'.repeat(90)}]\nc: [${'*b,'.repeat(90)}]\n`,
    says: /sandbox\.yaml: Excessive alias count/,
  },
  'a bad duration': { text: 'pix_charge_life: soon\n', says: /:1:1: pix_charge_life must be a duration such as/ },
  'a missing field': { text: 'accounts:\n  - name: Shop\n', says: /accounts\.0\.username must be .* but is missing/ },
  'an open bracket': { text: 'port: [1\nclock: manual\n', says: /:1:7: this \[ is not closed; add \] at the end/ },
  'an open quote': { text: 'seed: a\nwebhook_url: "x\nport: 1\n', says: /:2:14: this " is not closed; add " at/ },
  'a tab': { text: 'port: 1\n\tclock: x\n', says: /:2:1: not valid YAML: Tabs .*; indent with spaces/ },
  'a line without a colon': { text: 'port 4010\nclock: x\n', says: /:1:1: .*write each setting as "name: value"/ },
  'JSON without a comma': { text: '{"port": 1 "seed": "x"}', says: /:1:10: .*put a comma between the entries/ },
  'a list in the place of a table': { text: '- port\n', says: /the configuration must be a map of settings/ },
}
for (const [what, { text, says }] of someOf(Object.entries(badFiles), 6)) {
  test(`${what} in the configuration file is reported with line and column`, async () => {
    const file = join(temporaryFolder(), 'sandbox.yaml')
    writeFileSync(file, text)
    const ended = await start(['--config', file])
    expect(ended.code).toBe(1)
    expect(isOneLine(ended)).toMatch(says)
    expect(ended.stderr).toContain(`${file}:`)
  })
}

test('a missing configuration file and an output that cannot be written are reported', async () => {
  const folder = temporaryFolder()
  const missing = await start(['--config', join(folder, 'none.yaml')])
  expect(isOneLine(missing)).toContain('there is no such file')
  const unwritable = await start(['--config-out', join(folder, 'nowhere', 'ready.json')])
  expect(isOneLine(unwritable)).toContain('--config-out')
  expect([missing.code, unwritable.code]).toEqual([1, 1])
})

test('--allow-host refuses wildcards, line breaks and everything else that is not a name, so none gets into a certificate', async () => {
  const env = { PAYMENTS_SANDBOX_STATE_FOLDER: temporaryFolder() }
  for (const name of [
    '*',
    '*.test',
    'a\nb',
    'x y',
    'a\u0001',
    // No process can have this argument; a file and the library can.
    ...(executable === undefined ? ['a\u0000'] : []),
    'https://a.test',
    'a.test/path',
    'münchen.test',
    `${'a'.repeat(300)}`,
  ]) {
    const { code, stderr } = await start(['--tls', '--allow-host', name], { env })
    expect([name, code]).toEqual([name, 2])
    expect(stderr).toMatch(
      /^payments-sandbox: [^\n]*--allow-host must be host names or addresses without wildcards[^\n]*\n$/,
    )
  }
  expect(existsSync(join(env.PAYMENTS_SANDBOX_STATE_FOLDER, 'tls'))).toBe(false)
})

test('--allow-host accepts names and addresses, with and without a port', async () => {
  const names = ['app', 'web_1', 'pay.test.', 'pay.test:4010', '10.0.0.7', '[fd00::7]:4010', 'fd00::7', '::1']
  const { url } = await startHereForTest(names.flatMap((name) => ['--allow-host', name]))
  expect(url).toContain('127.0.0.1')
})

test('a key of the certificate authority that others can read is refused', async () => {
  const folder = temporaryFolder()
  const env = { PAYMENTS_SANDBOX_STATE_FOLDER: folder }
  await (await startForTest(['--tls'], { env })).stop()
  for (const name of ['ca-key.pem', 'localhost-key.pem']) {
    const key = join(folder, 'tls', name)
    for (const mode of [0o644, 0o640, 0o602]) {
      chmodSync(key, mode)
      const refused = await start(['--tls'], { env })
      expect(refused.code).toBe(1)
      expect(isOneLine(refused)).toContain(`the private key ${key} is open to other users (mode 0${mode.toString(8)})`)
    }
    chmodSync(key, 0o600)
  }
  await (await startForTest(['--tls'], { env })).stop()
})

test('a folder for certificates that is a dangling link or a file is reported in one line', async () => {
  for (const make of [
    (path: string) => symlinkSync('/no/such/folder', path),
    (path: string) => writeFileSync(path, ''),
  ]) {
    const folder = temporaryFolder()
    make(join(folder, 'tls'))
    const { code, stdout, stderr } = await start(['--tls'], { env: { PAYMENTS_SANDBOX_STATE_FOLDER: folder } })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^payments-sandbox: the state folder \S+\/tls cannot be used \([^)]+\); set another with [A-Z_]+\n$/,
    )
  }
})
