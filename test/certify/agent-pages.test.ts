/** The pages for agents, the skill and llms.txt: their commands run in order, like an agent runs them. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { openTried } from '../support/certify.js'
import { cloneLikeFolder, temporaryFolder } from '../support/folder.js'
import { freePort } from '../support/free-port.js'
import { closeAfter } from '../support/hooks.js'
import { ended, launchShell } from '../support/program.js'

beforeAll(async () => void (await built()))

const root = join(import.meta.dirname, '../..')
const read = (page: string): string => readFileSync(join(root, page), 'utf8')
const skill = read('skills/payments-sandbox/SKILL.md')
const commandsOf = (page: string): string[] => [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code)

test('the commands of the skill and of llms.txt work one after the other, and its receiver and client pass', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const receiver = await openTried()
  closeAfter(receiver.close)
  const folder = cloneLikeFolder()
  // The package is already installed; any other call of npm fails.
  writeFileSync(join(folder, 'npm'), '#!/bin/sh\ntest "$*" = "install --save-dev payments-sandbox"\n', { mode: 0o755 })
  copyFileSync(join(root, 'examples/client.mjs'), join(folder, 'client.mjs'))
  const lines = [...commandsOf(skill), ...commandsOf(read('llms.txt'))].join('')
  const script = `set -ex\nPATH="${folder}:$PATH"\ntrap 'payments-sandbox stop --all' EXIT\n${lines}`
    .replaceAll('http://127.0.0.1:4010', url)
    .replaceAll('http://localhost:3000/webhooks', receiver.url)
    .replaceAll('http://localhost:3000/state', receiver.stateUrl)
  const env = {
    PAYMENTS_SANDBOX_URL: url,
    PAYMENTS_SANDBOX_PORT: new URL(url).port,
    PAYMENTS_SANDBOX_STATE_FOLDER: temporaryFolder(),
  }
  const { code, stdout, stderr } = await ended(launchShell(script, { cwd: folder, env }))
  expect(code, stdout + stderr).toBe(0)
  expect(stdout.match(/^passed: /gm), stdout).toHaveLength(3)
  expect(stdout).toMatch(/cashin\.confirmed .* valid/)
  for (const [name] of skill.matchAll(/PAYMENTS_SANDBOX_[A-Z_]+/g))
    expect(readFileSync(join(folder, '.env'), 'utf8')).toMatch(new RegExp(`^${name}=.`, 'm'))
})
