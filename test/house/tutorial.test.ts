/** The tutorial: every block runs in order in one folder, in Node and in Python. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { cloneLikeFolder, temporaryFolder } from '../support/folder.js'
import { freePort } from '../support/free-port.js'
import { ended, launchShell } from '../support/program.js'
import { requireTools } from '../support/tools.js'

beforeAll(async () => void (await built()))

const page = readFileSync(join(import.meta.dirname, '../../docs/tutorial.md'), 'utf8')
const blocks = [...page.matchAll(/(?:as `([a-z.]+)`:\n\n)?```(\w+)\n([\s\S]*?)```/g)].map(
  ([, file, language = '', code = '']) => ({ file, language, code }),
)

const languages = [
  { language: 'js', tool: 'node', inLanguage: (code: string) => code },
  {
    language: 'python',
    tool: 'python3',
    inLanguage: (code: string) => code.replaceAll(/\bnode (\w+)\.mjs/g, 'python3 $1.py'),
  },
]

test('every program of the tutorial is there in each language, with the name of its file', () => {
  const programs = blocks.filter(({ language }) => language !== 'sh')
  expect(programs.map(({ file }) => file)).toEqual(['client.mjs', 'client.py', 'receiver.mjs', 'receiver.py'])
})

describe.concurrent('the tutorial', () => {
  for (const { language, tool, inLanguage } of languages)
    test(`works from beginning to end with ${tool}`, async (context) => {
      requireTools(context, tool, 'curl')
      const [port, receiverPort] = [await freePort(), await freePort()]
      const folder = cloneLikeFolder()
      // The package is already installed; any other call of npm fails.
      writeFileSync(join(folder, 'npm'), '#!/bin/sh\ntest "$*" = "install PATH_OF_THE_CLONE"\n', { mode: 0o755 })
      const steps = blocks.flatMap((block) => {
        if (block.language === 'sh') return [inLanguage(block.code)]
        return block.language === language ? [`cat > ${block.file} <<'END OF FILE'\n${block.code}END OF FILE\n`] : []
      })
      const stopped = 'kill $RECEIVER 2>/dev/null || true; payments-sandbox stop --all || true'
      const script = `set -e\nPATH="${folder}:$PATH"\ntrap '${stopped}' EXIT\n${steps.join('\necho\n')}`
        .replaceAll('localhost:3000', `localhost:${receiverPort}`)
        .replaceAll(/\b3000\b/g, String(receiverPort))
      const env = {
        PAYMENTS_SANDBOX_URL: `http://127.0.0.1:${port}`,
        PAYMENTS_SANDBOX_PORT: String(port),
        PAYMENTS_SANDBOX_STATE_FOLDER: temporaryFolder(),
      }
      const { code, stdout, stderr } = await ended(launchShell(script, { cwd: folder, env }))
      expect(code, stdout + stderr).toBe(0)
      // One failure and one repetition; the withdrawal exists once.
      expect(stdout).toContain('no response, so the result is unknown')
      expect(stdout.match(/ cashout .* payout-1 /g), stdout).toHaveLength(1)
      expect(stdout.match(/,charge,BRL,25\.00\n.*,charge_fee,BRL,-0\.25$/m), stdout).not.toBeNull()
      expect(stdout).toMatch(/,refund,BRL,-5\.00$/m)
      expect(stdout).toMatch(/,refund,BRL,-40\.00$/m)
      expect(stdout.match(/^passed: /gm), stdout).toHaveLength(2)
    })
})
