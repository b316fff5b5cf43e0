/** `npm run workers:dev`: runs the sandbox under workerd on this machine and stores its objects in a folder. Options: `--port N`, `--storage FOLDER`, and PAYMENTS_SANDBOX_… variables. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildWorkers } from './build-workers.mjs'
import { startWorkerd, wakeWorkspaces } from './workerd.mjs'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4010' },
    storage: { type: 'string', default: join(process.cwd(), '.workers') },
  },
})

await buildWorkers()
const settings = Object.entries(process.env).filter(([name]) => name.startsWith('PAYMENTS_SANDBOX_'))
const variables = { PAYMENTS_SANDBOX_LOCAL: 'true', ...Object.fromEntries(settings) }
const { url, child, stop } = await startWorkerd({
  storage: values.storage,
  variables,
  port: Number(values.port),
  onLine: (line) => process.stderr.write(line),
})
const operatorToken = variables.PAYMENTS_SANDBOX_OPERATOR_TOKEN
const count = await wakeWorkspaces(url, operatorToken === undefined ? {} : { 'X-Sandbox-Admin-Token': operatorToken })
console.log(`payments-sandbox under workerd: ${url} (workspaces: ${count}, stored in ${values.storage})`)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop())
child.once('exit', (code) => {
  process.exitCode = code ?? 0
})
