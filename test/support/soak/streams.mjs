/** `node streams.mjs URL COUNT` opens COUNT streams of a sandbox and prints the number of received changes each second. */
import { get } from 'node:http'

const [url, count] = process.argv.slice(2)
let changes = 0
for (let at = 0; at < Number(count); at++)
  get(`${url}/_sandbox/stream`, { agent: false }, (response) => {
    response.on('data', (chunk) => {
      for (let from = chunk.indexOf('\ndata:'); from >= 0; from = chunk.indexOf('\ndata:', from + 1)) changes += 1
    })
    response.on('end', () => process.exit(3))
  }).on('error', () => process.exit(4))
setInterval(() => console.log(changes), 1000)
