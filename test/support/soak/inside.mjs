/** Comes into the program before it starts, and tells its test how much it holds after a collection: memory, timers, sockets. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

process.on('message', () => {
  for (let turn = 0; turn < 3; turn++) collect()
  const { heapUsed, external, rss } = process.memoryUsage()
  const resources = {}
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1
  const { user, system } = process.cpuUsage()
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  process.send({
    heapMb: (heapUsed + external) / 2 ** 20,
    rssMb: rss / 2 ** 20,
    resources,
    listeners,
    cpuMs: (user + system) / 1000,
  })
})
// What asks must not keep it alive.
process.channel?.unref()
