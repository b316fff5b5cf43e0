/** Sandboxes that run for the time of a command, and sandboxes in the background. */
import { spawn } from 'node:child_process'
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { built } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { launch, printed, run, runProcess, startHereForTest, withoutProgress } from '../support/program.js'

beforeAll(async () => {
  await built()
})

const node = (code: string) => [process.execPath, '-e', code]

describe('exec', () => {
  test('gives the command its own sandbox in the variables that env prints, and passes its output through', async () => {
    const code = `fetch(process.env.PAYMENTS_SANDBOX_URL + '/_sandbox/clock').then((answer) => answer.json()).then(({ mode }) =>
      console.log(mode, Object.keys(process.env).filter((name) => name.startsWith('PAYMENTS_SANDBOX_')).sort().join()))`
    const { stdout, stderr, code: status } = await run(['exec', '--clock', 'manual', '--', ...node(code)])
    expect([stdout, stderr, status]).toEqual([
      'manual PAYMENTS_SANDBOX_ACCOUNT,PAYMENTS_SANDBOX_CLIENT_ID,PAYMENTS_SANDBOX_CLIENT_SECRET,PAYMENTS_SANDBOX_SIGNING_KEY,PAYMENTS_SANDBOX_URL,PAYMENTS_SANDBOX_WEBHOOK_SECRET\n',
      '',
      0,
    ])
  })

  test('has a help page that says that the default port is any free one', async () => {
    const { stdout } = await run(['exec', '--help'])
    expect(stdout).toMatch(/--port <number> +port to listen on \(default: any free port\)/)
    expect(stdout).not.toContain('4010')
  })

  test('exits with the code of the command, or with 128 plus the signal that ended it', async () => {
    expect((await run(['exec', '--', ...node('process.exit(7)')])).code).toBe(7)
    expect((await run(['exec', '--', ...node('process.kill(process.pid, "SIGTERM")')])).code).toBe(128 + 15)
  })

  test('passes the flags after the command to the command, with and without --', async () => {
    const show = ['-p', 'process.argv.slice(1).join()', 'x', '--port', '9']
    for (const line of [
      ['exec', '--', process.execPath, ...show],
      ['exec', process.execPath, ...show],
    ])
      expect((await run(line)).stdout).toBe('x,--port,9\n')
  })

  test('ends with the command, and forwards signals to it', async () => {
    const child = launch([
      'exec',
      '--',
      ...node('console.log(process.env.PAYMENTS_SANDBOX_URL); setInterval(() => {}, 1000)'),
    ])
    const url = (await printed(child, /\n/)).trim()
    expect((await fetch(`${url}/_sandbox/health`)).status).toBe(200)
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGTERM')
    expect(await closed).toBe(128 + 15)
    await expect(fetch(`${url}/_sandbox/health`)).rejects.toThrow()
  })

  test('reports a command that does not exist, a missing command, and a wrong setting', async () => {
    expect(await run(['exec', '--', 'no-such-command'])).toMatchObject({
      code: 1,
      stderr: 'payments-sandbox: command not found: no-such-command\n',
    })
    expect((await run(['exec'])).code).toBe(2)
    expect((await run(['exec', '--clock', 'fast', '--', 'true'])).code).toBe(2)
  })
})

describe('start --detach', () => {
  const state = () => {
    const env = { PAYMENTS_SANDBOX_STATE_FOLDER: temporaryFolder() }
    onTestFinished(async () => {
      await run(['stop', '--all'], { env })
    })
    return env
  }

  test('keeps running after its response, is listed by status, and is stopped by stop', async () => {
    const env = state()
    const started = await run(['start', '--detach', '--port', '0', '--json'], { env })
    expect(started.code, started.stderr).toBe(0)
    const { base_url } = JSON.parse(started.stdout)
    expect((await fetch(`${base_url}/_sandbox/health`)).status).toBe(200)
    const status = await run(['status', '--json'], { env })
    expect(JSON.parse(status.stdout).data).toMatchObject([{ base_url, db: ':memory:' }])
    const at = await run(['status', '--json', '--url', new URL(base_url).host], { env })
    expect([at.code, at.stdout]).toEqual([0, status.stdout])
    const elsewhere = await run(['status', '--url', 'http://127.0.0.1:1'], { env })
    expect([elsewhere.code, elsewhere.stdout]).toEqual([3, expect.stringContaining('at http://127.0.0.1:1')])
    expect(await run(['stop'], { env })).toMatchObject({ code: 0, stdout: `${base_url} has stopped\n` })
    await expect(fetch(`${base_url}/_sandbox/health`)).rejects.toThrow()
    expect((await run(['status'], { env })).code).toBe(3)
  })

  test('stores its state for the next start when it has a file', async () => {
    const env = state()
    const db = join(temporaryFolder(), 'sandbox.db')
    const begin = async () =>
      JSON.parse((await run(['start', '--detach', '--port', '0', '--json', '--db', db], { env })).stdout)
    const first = await begin()
    await run(['account', 'create', 'kept', '--url', first.base_url])
    expect((await run(['stop', '--url', first.base_url], { env })).code).toBe(0)
    const second = await begin()
    expect((await run(['account', 'list', '--url', second.base_url])).stdout).toContain('kept')
  })

  test('reports why it cannot start, and leaves no process behind', async () => {
    const env = state()
    const { code, stderr } = await run(['start', '--detach', '--port', '0', '--db', '/no/such/folder/x.db'], { env })
    expect(code).toBe(1)
    expect(stderr).toContain('the folder /no/such/folder does not exist')
    expect((await run(['status'], { env })).code).toBe(3)
  })

  test('needs no home folder: its records are then with the temporary files, if nobody else can write there', async () => {
    const folder = temporaryFolder()
    const env = { HOME: '/nonexistent', XDG_STATE_HOME: '', TMPDIR: folder }
    const started = await runProcess(['start', '--detach', '--port', '0', '--json'], { env })
    expect(started.code, started.stderr).toBe(0)
    const [name = ''] = readdirSync(folder).filter((one) => one.startsWith('payments-sandbox-'))
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o700)
    expect((await runProcess(['stop'], { env })).stdout).toBe(`${JSON.parse(started.stdout).base_url} has stopped\n`)
    chmodSync(join(folder, name), 0o777)
    for (const args of [['start', '--detach', '--port', '0'], ['status'], ['stop']]) {
      const refused = await runProcess(args, { env })
      expect([args, refused.code]).toEqual([args, 1])
      expect(refused.stderr).toMatch(
        /^payments-sandbox: the folder \S+ belongs to another user or is open to others; [^\n]+\n$/,
      )
    }
  })

  test('reports an unusable state folder in one line', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    const { code, stderr } = await run(['start', '--detach', '--port', '0'], {
      env: { PAYMENTS_SANDBOX_STATE_FOLDER: file },
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^payments-sandbox: the state folder [^\n]+PAYMENTS_SANDBOX_STATE_FOLDER\n$/)
  })

  test('makes stop ask which of two sandboxes is meant, unless a flag or a variable names it, and stop both with --all', async () => {
    const env = state()
    const start = async () => JSON.parse((await run(['start', '--detach', '--port', '0', '--json'], { env })).stdout)
    const { base_url } = await start()
    for (let count = 0; count < 2; count++) await start()
    const named = await run(['stop'], { env: { ...env, PAYMENTS_SANDBOX_URL: base_url } })
    expect(named).toMatchObject({ code: 0, stdout: `${base_url} has stopped\n` })
    const asked = await run(['stop'], { env })
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('2 sandboxes run in the background')])
    expect((await run(['stop', '--all'], { env })).stdout.split('\n')).toHaveLength(3)
  })

  test('is found and stopped without the program ps, and no record contains its token', async () => {
    const env = { ...state(), PATH: '/nowhere' }
    const db = join(temporaryFolder(), 'sandbox.db')
    for (const shared of [[], ['--host', '0.0.0.0'], ['--host', '0.0.0.0', '--admin-token', 'mine', '--db', db]]) {
      const started = await run(['start', '--detach', '--port', '0', '--json', ...shared], { env })
      expect(started.code, started.stderr).toBe(0)
      const { base_url, admin_token } = JSON.parse(started.stdout)
      // The token in the record is invalid now, so `stop` identifies the process by the system's process list.
      if (admin_token === 'mine')
        await fetch(`${base_url}/_sandbox/admin-token`, {
          method: 'POST',
          headers: { 'X-Sandbox-Admin-Token': admin_token },
        })
      const status = await run(['status', '--json'], { env })
      expect(status.code, status.stderr).toBe(0)
      const [one, ...others] = JSON.parse(status.stdout).data
      expect([others, Object.keys(one)]).toEqual([[], ['base_url', 'pid', 'db', 'log', 'started_at']])
      const { code, stdout, stderr } = await run(['stop'], { env })
      expect([code, stdout, withoutProgress(stderr)]).toEqual([0, `${base_url} has stopped\n`, ''])
      await expect(fetch(`${base_url}/_sandbox/health`)).rejects.toThrow()
    }
  })

  test('deletes the record of a sandbox that was killed', async () => {
    const env = state()
    const started = await run(['start', '--detach', '--port', '0', '--json'], { env })
    const [{ pid }] = JSON.parse((await run(['status', '--json'], { env })).stdout).data
    const health = await (await fetch(`${JSON.parse(started.stdout).base_url}/_sandbox/health`)).json()
    expect(health).toMatchObject({ process: { pid, started_at: expect.stringMatching(/Z$/) } })
    process.kill(pid, 'SIGKILL')
    await eventually(
      async () => (await run(['status'], { env })).code,
      (code) => code === 3,
    )
    expect(readdirSync(env.PAYMENTS_SANDBOX_STATE_FOLDER)).toEqual([])
  })

  test('never stops a sandbox that it did not start, or a process that reuses its id', async () => {
    const env = state()
    const other = await startHereForTest()
    const refused = await run(['stop', '--url', other.url], { env })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('was not started with --detach')])
    const status = await run(['status', '--url', other.url], { env })
    expect([status.code, status.stdout]).toEqual([3, expect.stringContaining(`at ${other.url} was started without`)])
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    onTestFinished(() => void stranger.kill())
    const record = {
      base_url: 'http://127.0.0.1:9',
      pid: stranger.pid,
      mark: 'abcdefabcdef',
      db: ':memory:',
      log: 'x',
      started_at: '2026-01-01',
    }
    writeFileSync(join(env.PAYMENTS_SANDBOX_STATE_FOLDER, 'abcdefabcdef.json'), JSON.stringify(record))
    const elsewhere = { ...env, PAYMENTS_SANDBOX_URL: record.base_url }
    expect((await run(['stop'], { env: elsewhere })).code).toBe(3)
    expect(stranger.exitCode).toBe(null)
    expect((await fetch(`${other.url}/_sandbox/health`)).status).toBe(200)
  })
})
