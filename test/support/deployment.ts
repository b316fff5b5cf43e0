/** A local deployment under workerd, the runtime of Durable Objects. It is killed after the test. */
import { startWorkerd, type Workerd } from '../../scripts/workerd.mjs'
import { temporaryFolder } from './folder.js'
import { closeAfter } from './hooks.js'
import { type Answer, control } from './http.js'

interface Deployment {
  readonly url: string
  call(method: string, path: string, body?: unknown): Promise<Answer>
  kill(): Promise<void>
  start(): Promise<void>
}

/** Starts a local deployment (default variables: local). Its storage survives `kill`. */
export async function deploy(
  variables: Record<string, unknown> = { PAYMENTS_SANDBOX_LOCAL: 'true' },
): Promise<Deployment> {
  const storage = temporaryFolder()
  let running: Workerd | undefined
  const start = async () => {
    running = await startWorkerd({ storage, variables })
  }
  const kill = async () => void (await running?.stop('SIGKILL'))
  closeAfter(kill)
  await start()
  const url = () => running?.url ?? ''
  return {
    get url() {
      return url()
    },
    call: (method, path, body) => control(url())(method, path, body),
    kill,
    start,
  }
}
