/** The yardstick of start and idle memory: a bare server of Node, without any package. */
import { createServer } from 'node:http'

const server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ event: 'ready', base_url: `http://127.0.0.1:${server.address().port}` }))
})
