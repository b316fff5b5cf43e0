/** Shell completion: the suggested words, and that the shells use them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { actionNames } from '../../src/protocol/actions/actions.js'
import { cashoutFailureCodes } from '../../src/protocol/platform/failures.js'
import { built } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { ended, launchShell, run, startHereForTest } from '../support/program.js'
import { answers } from '../support/tools.js'

beforeAll(async () => {
  await built()
})

/** Returns the suggestions for the last word. */
async function offered(words: string[], env: Record<string, string> = {}): Promise<string[]> {
  const { stdout, stderr, code } = await run(['completion', 'words', '--', ...words], {
    env: { PAYMENTS_SANDBOX_URL: 'http://127.0.0.1:9', ...env },
  })
  expect([stderr, code]).toEqual(['', 0])
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t')[0] ?? '')
}

describe('the completions', () => {
  test('start with the commands, followed by their arguments from the tables', async () => {
    expect(await offered(['tri'])).toEqual(['trigger'])
    expect(await offered(['trigger', ''])).toEqual([...actionNames])
    expect(await offered(['trigger', 'cashout.fail', '--error-code', ''])).toEqual([...cashoutFailureCodes])
    expect(await offered(['clock', 'a'])).toEqual(['advance'])
    expect(await offered(['env', '--format', 'd'])).toEqual(['dotenv'])
    expect(await offered(['start', '--web'])).toEqual(['--webhook-url'])
    expect(await offered(['no-such-command', 'x'])).toEqual([])
  })

  test('include names from the running sandbox, and are empty without one', async () => {
    const { url } = await startHereForTest()
    const env = { PAYMENTS_SANDBOX_URL: url }
    // On a busy machine the suggestions may come too late for the first Tab; a second Tab shows them.
    await eventually(
      () => offered(['scenario', 'run', 'tron-e'], env),
      (words) => words.join() === 'tron-energy-fail',
    )
    await eventually(
      () => offered(['transactions', '--account', ''], env),
      (words) => words.includes('customer') && words.includes('merchant'),
    )
    expect(await offered(['scenario', 'run', 'tron-e'])).toEqual([])
  })
})

const asks: Record<string, string> = {
  bash: `source <(payments-sandbox completion bash); COMP_WORDS=(payments-sandbox trigger cashin.); COMP_CWORD=2; _payments_sandbox; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `autoload -U compinit; compinit -D; source <(payments-sandbox completion zsh); _describe() { print -l -- "\${(@P)2}" }; words=(payments-sandbox trigger cashin.); CURRENT=3; _payments_sandbox`,
  fish: `payments-sandbox completion fish | source; complete -C 'payments-sandbox trigger cashin.'`,
}

/** Tests bash always, and other shells if they are installed. */
const installed = Object.keys(asks).filter((shell) => shell === 'bash' || answers(`${shell} --version`))

test.each(installed)('%s loads its completion script and completes words', async (shell) => {
  const quoted = (asks[shell] ?? '').replaceAll("'", `'\\''`)
  const { stdout, stderr } = await ended(launchShell(`exec ${shell} -c '${quoted}'`))
  expect(stderr).toBe('')
  const words = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/[\t:]/)[0])
  expect(words.toSorted()).toEqual(['cashin.expire', 'cashin.pay', 'cashin.refund'])
})

test('an unknown shell is a usage error', async () => {
  expect((await run(['completion', 'tcsh'])).code).toBe(2)
})
