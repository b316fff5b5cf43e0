/** Clients with one fault each: the edit that makes the reference wrong, and the one rule that it breaks. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the edits are pieces of source text
import type { Mutant } from './mutants.js'

const renewal = "if (result?.answer.error?.code !== 'TOKEN_EXPIRED') return result"
const serialized = 'const body = JSON.stringify(fields)'
const headersOf = "const headers = () => ({ 'Content-Type': 'application/json', ...(isSigned ? signature(body) : {}) })"
const persisted = "return dataOf(await persist(() => sendWithToken('POST', path, body, headers)))"
const through = 'if (result !== null && (result.status < 400 || !result.answer.error.retryable)) return result'
const paused = 'await pause(seconds ? Number(seconds) * 1000 : pauseMs * 2 ** count)'
const looked = 'for (const { transaction_id, status } of items) store.set(transaction_id, status)'

const newName: Mutant['edits'] = [
  [serialized, 'let count = 0'],
  [
    headersOf,
    'const text = () => JSON.stringify({ ...fields, ...(fields.external_id ? { external_id: `${fields.external_id}-${++count}` } : {}) })',
  ],
  [
    persisted,
    "return dataOf(await persist(() => {\n      const body = text()\n      return sendWithToken('POST', path, body, () => ({ 'Content-Type': 'application/json', ...(isSigned ? signature(body) : {}) }))\n    }))",
  ],
]

export const clientMutants: readonly Mutant[] = [
  {
    fault: 'fetches a token for each call',
    edits: [['token ??= await fetchToken()', 'token = await fetchToken()']],
    breaks: 'token.reused',
  },
  { fault: 'does not know that tokens expire', edits: [[renewal, 'return result']], breaks: 'token.renewed' },
  {
    fault: 'repeats with the old token',
    edits: [['    token = await fetchToken()\n    return send', '    await fetchToken()\n    return send']],
    breaks: 'token.renewed',
  },
  {
    fault: 'fetches a new token and leaves it at that',
    edits: [
      [
        '    token = await fetchToken()\n    return send(method, path, { Authorization: `Bearer ${token}`, ...headers() }, body)',
        '    token = await fetchToken()\n    return result',
      ],
    ],
    breaks: 'token.renewed',
  },
  {
    fault: 'signs another text than it sends',
    edits: [
      [
        'update(`${timestamp}.${nonce}.${body}`)',
        'update(`${timestamp}.${nonce}.${JSON.stringify(JSON.parse(body), null, 1)}`)',
      ],
    ],
    breaks: 'sign.body',
  },
  {
    fault: 'forgets to sign',
    edits: [['key, external_id: id }, true)', 'key, external_id: id })']],
    breaks: 'sign.body',
  },
  {
    fault: 'makes the nonce once',
    edits: [
      ['const nonce = randomUUID()', 'const nonce = nonces[0]'],
      ['const attempts = 5', 'const attempts = 5\nconst nonces = [randomUUID()]'],
    ],
    breaks: 'sign.nonce',
  },
  {
    fault: 'signs once for all attempts',
    edits: [
      [
        headersOf,
        "const once = { 'Content-Type': 'application/json', ...(isSigned ? signature(body) : {}) }\n    const headers = () => once",
      ],
    ],
    breaks: 'sign.nonce',
  },
  {
    fault: 'signs with milliseconds',
    edits: [['String(Math.floor(Date.now() / 1000))', 'String(Date.now())']],
    breaks: 'sign.time',
  },
  {
    fault: 'names no charge',
    edits: [["currency: 'BRL', external_id: id }),", "currency: 'BRL' }),"]],
    breaks: 'repeat.named',
  },
  {
    fault: 'has one name for all charges of a day',
    edits: [["currency: 'BRL', external_id: id }),", "currency: 'BRL', external_id: 'today' }),"]],
    breaks: 'repeat.named',
  },
  { fault: 'never repeats', edits: [[through, 'if (true) return result']], breaks: 'repeat.done' },
  {
    fault: 'gives up when a connection breaks',
    edits: [[through, `if (result === null) return result\n      ${through}`]],
    breaks: 'repeat.done',
  },
  {
    fault: 'does not take a 502 for retryable',
    edits: [[through, `if (result?.status === 502) return result\n      ${through}`]],
    breaks: 'repeat.done',
  },
  {
    fault: 'takes a new name for each attempt',
    edits: newName,
    breaks: 'repeat.same',
  },
  {
    fault: 'takes a new name for each attempt, also after a new token',
    edits: [
      ...newName,
      [
        '    token = await fetchToken()\n    return send(method, path, { Authorization: `Bearer ${token}`, ...headers() }, body)',
        "    token = await fetchToken()\n    const renamed = path.endsWith('cashin') ? body.replace('\"external_id\":\"', '$&again-') : body\n    return send(method, path, { Authorization: `Bearer ${token}`, ...headers() }, renamed)",
      ],
    ],
    breaks: 'repeat.same',
  },
  {
    fault: 'pays again after the lost answer of a withdrawal',
    edits: [
      [
        "      post('/v2/transactions/cashout', { amount: Number(amount), currency: 'BRL', key, external_id: id }, true),",
        `      post('/v2/transactions/cashout', { amount: Number(amount), currency: 'BRL', key, external_id: id }, true).catch((error) => {
        if (!error.message.startsWith('lost')) throw error
        return post('/v2/transactions/cashout', { amount: Number(amount), currency: 'BRL', key, external_id: id + '-new' }, true)
      }),`,
      ],
      [through, `if (result === null && path.endsWith('cashout')) throw new Error('lost')\n      ${through}`],
      ['async function persist(attempt) {', "async function persist(attempt, path = '') {"],
      [persisted, persisted.replace('headers)))', 'headers), path))')],
      ['count % 4 === 1', '[6, 9].includes(count)'],
    ],
    breaks: 'repeat.same',
  },
  {
    fault: 'repeats with another body',
    edits: [
      [serialized, 'let count = 0'],
      [
        headersOf,
        'const text = () => JSON.stringify({ ...fields, ...(fields.external_id ? { description: `attempt ${++count}` } : {}) })',
      ],
      [
        persisted,
        "return dataOf(await persist(() => {\n      const body = text()\n      return sendWithToken('POST', path, body, () => ({ 'Content-Type': 'application/json', ...(isSigned ? signature(body) : {}) }))\n    }))",
      ],
    ],
    breaks: 'repeat.same',
  },
  {
    fault: 'hammers',
    edits: [[paused, 'await pause(seconds ? Number(seconds) * 1000 : 20)']],
    breaks: 'repeat.pauses',
  },
  {
    fault: 'repeats without any pause',
    edits: [[paused, 'if (seconds) await pause(Number(seconds) * 1000)']],
    breaks: 'repeat.pauses',
  },
  {
    fault: 'never gives up',
    edits: [
      ['if (count === attempts - 1) return result', ''],
      [paused, 'await pause(seconds ? Number(seconds) * 1000 : Math.min(2000, pauseMs * 1.3 ** count))'],
    ],
    breaks: 'repeat.ends',
  },
  {
    fault: 'repeats a call after an error that is not retryable',
    edits: [[through, 'if (result !== null && (result.status < 400 || result.status === 401)) return result']],
    breaks: 'repeat.not',
  },
  {
    fault: 'does not read Retry-After',
    edits: [
      [
        paused,
        `await pause(${'result?.status === 429'} ? pauseMs : seconds ? Number(seconds) * 1000 : pauseMs * 2 ** count)`,
      ],
    ],
    breaks: 'wait.rate',
  },
  {
    fault: 'takes a 429 for the end',
    edits: [[through, `if (result?.status === 429) return result\n      ${through}`]],
    breaks: 'wait.rate',
  },
  {
    fault: 'asks for tokens while it is locked out',
    edits: [
      [
        paused,
        'await pause(result?.status === 403 ? pauseMs : seconds ? Number(seconds) * 1000 : pauseMs * 2 ** count)',
      ],
    ],
    breaks: 'wait.lockout',
  },
  {
    fault: 'sends amounts as text',
    edits: [
      ["{ amount: Number(amount), currency: 'BRL', external_id: id }", "{ amount, currency: 'BRL', external_id: id }"],
    ],
    breaks: 'amounts.decimal',
  },
  {
    fault: 'calculates in floats',
    edits: [
      [
        "{ amount: Number(amount), currency: 'BRL', external_id: id }",
        "{ amount: Number(amount) * 1.1, currency: 'BRL', external_id: id }",
      ],
    ],
    breaks: 'amounts.decimal',
  },
  {
    fault: 'knows all fields that there are',
    edits: [
      [
        'return result.answer.data\n',
        "if ('x_since' in result.answer) throw new Error('unknown field x_since')\n  return result.answer.data\n",
      ],
    ],
    breaks: 'answers.more-fields',
  },
  {
    fault: 'takes confirmed for the end',
    edits: [[looked, looked.replace('store.set', "if (status !== 'refunded') store.set")]],
    breaks: 'withdrawal.refunded',
  },
  {
    fault: 'takes 202 for success',
    edits: [
      [
        'if (begun) store.set(begun.transaction_id, begun.status)',
        "if (begun) store.set(begun.transaction_id, 'confirmed')",
      ],
    ],
    breaks: 'withdrawal.pending',
  },
  {
    fault: 'does not see that a withdrawal failed',
    edits: [
      [
        looked,
        "for (const { transaction_id, status } of items) if (status !== 'failed') store.set(transaction_id, status)",
      ],
    ],
    breaks: 'withdrawal.failed',
  },
  {
    fault: 'never asks for the list',
    edits: [
      ['const { items } = await client.list()', 'const items = []'],
      ['if (begun) store.set(begun.transaction_id, begun.status)', 'if (begun) store.hear(begun.transaction_id)'],
    ],
    breaks: 'missed.found',
  },
  {
    fault: 'asks only for the list of withdrawals',
    edits: [['{ page: 1, page_size: 100 }', "{ page: 1, page_size: 100, type: 'cashout' }"]],
    breaks: 'missed.found',
  },
  {
    fault: 'lets disputes lie',
    edits: [["if (status === 'open') await client.reply", "if (status === 'never') await client.reply"]],
    breaks: 'dispute.answered',
  },
]
