/** Runs the shops of `examples/shop`, in Node and in Python, correct or with bugs. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Sandbox, startSandbox } from '../../src/testing/index.js'
import { temporaryFolder } from './folder.js'
import { closeAfter } from './hooks.js'
import { type Ended, ended, printed } from './program.js'

const files = join(import.meta.dirname, '../../examples/shop')

export const shopCommands = {
  node: [process.execPath, join(files, 'shop.mjs')],
  python: ['python3', join(files, 'shop.py')],
} as const
export type ShopLanguage = keyof typeof shopCommands

export interface Shop {
  sandbox: Sandbox
  /** The path of the ledger that the shop writes after a day. */
  ledgerFile: string
  /** The arguments that run the shop for a day. */
  day: string[]
  /** Runs the shop with another command to its end. */
  run(command: string, input?: string): Promise<Ended>
  /** Starts the shop's receiver; resolves to its URL. */
  serve(): Promise<string>
}

/** Opens a shop with its own sandbox, which the caller closes. `bugs` are separated by commas. */
export async function openShop(
  language: ShopLanguage,
  { bugs, hours }: { bugs: string; hours: number },
): Promise<Shop> {
  const sandbox = await startSandbox({ rateLimits: false })
  const ledgerFile = join(temporaryFolder(), 'ledger.csv')
  const [program, file] = shopCommands[language]
  const { merchant } = sandbox.accounts
  const env = {
    SHOP_LEDGER: ledgerFile,
    SHOP_BUG: bugs,
    SHOP_HOURS: String(hours),
    PAYMENTS_SANDBOX_WEBHOOK_SECRET: merchant.webhook_secret,
  }
  const start = (command: string) => spawn(program, [file, command], { env: { ...process.env, ...env } })
  const setting = ['SHOP_LEDGER', 'SHOP_BUG', 'SHOP_HOURS'].map((name) => `${name}='${env[name as keyof typeof env]}'`)
  return {
    sandbox,
    ledgerFile,
    day: ['sh', '-c', `${setting.join(' ')} exec '${program}' '${file}' day`],
    run(command, input = '') {
      const child = start(command)
      child.stdin.end(input)
      return ended(child)
    },
    async serve() {
      const child = start('serve')
      closeAfter(() => child.kill())
      return (await printed(child, /\n/)).trim()
    },
  }
}
