/** Loaded into the program before it starts. Reports memory, timers and sockets after a garbage collection to the test. */
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
// The channel to the test must not keep the program alive.
process.channel?.unref()
