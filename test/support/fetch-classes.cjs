/** Comes into the program before it starts, and tells its test whether Node's own fetch has been loaded; asked for more, whether its classes are what they should be. */
const isLoaded = () => process.moduleLoadList.some((name) => name.includes('undici'))

async function kinds(url) {
  const answer = await fetch(url, new Request(url, { headers: new Headers({ accept: 'application/json' }) }))
  const headers = new Headers([['x-a', '1']])
  headers.append('x-a', '2')
  class Own extends Headers {}
  return {
    answer: [answer.headers instanceof Headers, answer instanceof Headers, answer instanceof Request, answer.status],
    headers: [headers instanceof Headers, headers instanceof Own, headers.get('x-a')],
    own: [new Own({ a: 'b' }) instanceof Own, new Own() instanceof Headers, new Own({ a: 'b' }).get('a')],
    others: [null, undefined, 1, {}, []].filter((value) => value instanceof Headers || value instanceof Response),
    copy: await new Response(answer.body, answer).json().then(({ status }) => status),
    made: [Response.json({ a: 1 }).headers.get('content-type'), new Request(url).url === `${url}`],
  }
}

process.on('message', async (url) =>
  process.send({ isLoaded: isLoaded(), kinds: url === '' ? null : await kinds(url) }),
)
// What asks must not keep it alive.
process.channel?.unref()
