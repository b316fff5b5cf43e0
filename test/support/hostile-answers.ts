/** Responses of hostile receivers, each with the outcome that the sandbox must record. */
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Outcome } from '../../src/core/unit/ports.js'

export interface HostileAnswer {
  behave: (socket: Socket) => void
  outcome: Outcome
  status: number | null
  body: string | null
}

/** Returns a complete response that leaves the connection open. */
export function answer(status: number, body: string, extra = ''): string {
  return `HTTP/1.1 ${status} X\r\n${extra}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Writes while the other side reads. */
export function pour(socket: Socket, chunk: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

function drip(socket: Socket, first: string, drop: string): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(drop), 10)
  socket.on('close', () => clearInterval(timer))
}

const chunkedOk = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
/** 80 MiB of zeros, compressed to about 80 KiB. A gzip file may consist of several members. */
const bomb = Buffer.concat(Array<Buffer>(80).fill(gzipSync(Buffer.alloc(1024 * 1024))))

/** Responses with outcome, status and stored body. */
export const answers: Readonly<Record<string, HostileAnswer>> = {
  'answers 200': { behave: (s) => s.write(answer(200, 'olá')), outcome: 'ok', status: 200, body: 'olá' },
  'answers 204 without a body': {
    behave: (s) => s.write('HTTP/1.1 204 No Content\r\n\r\n'),
    outcome: 'ok',
    status: 204,
    body: '',
  },
  'answers 200 after 103': {
    behave: (s) => s.write(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${answer(200, 'late')}`),
    outcome: 'ok',
    status: 200,
    body: 'late',
  },
  'answers with a byte at a time': {
    behave: (s) => {
      const bytes = [...answer(200, 'slowly')]
      const timer = setInterval(() => s.write(bytes.shift() ?? ''), 1)
      s.on('close', () => clearInterval(timer))
    },
    outcome: 'ok',
    status: 200,
    body: 'slowly',
  },
  'answers 500': { behave: (s) => s.write(answer(500, 'broken')), outcome: 'http_error', status: 500, body: 'broken' },
  'answers 401 and closes': {
    behave: (s) => s.end(answer(401, 'who?', 'Connection: close\r\n')),
    outcome: 'http_error',
    status: 401,
    body: 'who?',
  },
  'sends binary': {
    behave: (s) =>
      s.write(Buffer.concat([Buffer.from(answer(200, 'xxxx').slice(0, -4)), Buffer.of(0, 0xff, 0xc3, 0x41)])),
    outcome: 'ok',
    status: 200,
    body: '\0\ufffd\ufffdA',
  },
  'resets in the middle of the headers': {
    behave: (s) => s.write('HTTP/1.1 200 OK\r\nX-Half: ', () => s.resetAndDestroy()),
    outcome: 'reset',
    status: null,
    body: null,
  },
  'resets without answering': { behave: (s) => s.resetAndDestroy(), outcome: 'reset', status: null, body: null },
  'closes without answering': { behave: (s) => s.end(), outcome: 'reset', status: null, body: null },
  'does not speak HTTP': {
    behave: (s) => s.write('SSH-2.0-OpenSSH_9.6\r\n'),
    outcome: 'reset',
    status: null,
    body: null,
  },
  'sends a malformed header': {
    behave: (s) => s.write('HTTP/1.1 200 OK\r\nBad Header\0: 1\r\n\r\n'),
    outcome: 'reset',
    status: null,
    body: null,
  },
  'sends endless headers': {
    behave: (s) => {
      s.write('HTTP/1.1 200 OK\r\n')
      pour(s, Buffer.from(`X-More: ${'a'.repeat(4000)}\r\n`))
    },
    outcome: 'reset',
    status: null,
    body: null,
  },
  'switches protocols': {
    behave: (s) => s.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    outcome: 'reset',
    status: null,
    body: null,
  },
  'breaks off after the headers of a 200': {
    behave: (s) => s.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart', () => s.end()),
    outcome: 'ok',
    status: 200,
    body: 'part',
  },
  'sends a malformed chunk after the headers of a 200': {
    behave: (s) => s.write(`${chunkedOk}4\r\npart\r\nzz\r\n`),
    outcome: 'ok',
    status: 200,
    body: 'part',
  },
}

/** The outcomes that differ with workerd's `fetch`: it takes the first status as the last, and waits for the rest of a line that is not HTTP. */
export const toFetch: Readonly<Record<string, Pick<HostileAnswer, 'outcome' | 'status'> & { body?: string | null }>> = {
  'answers 200 after 103': { outcome: 'http_error', status: 103, body: answer(200, 'late') },
  'does not speak HTTP': { outcome: 'timeout', status: null, body: null },
  'switches protocols': { outcome: 'http_error', status: 101, body: '' },
  'sends 103 forever': { outcome: 'http_error', status: 103 },
}

/** Endless or huge responses, with their outcome. Those that time out do so at any total time limit. */
export const floods: Readonly<Record<string, Pick<HostileAnswer, 'behave' | 'outcome' | 'status'>>> = {
  'says nothing': { behave: () => {}, outcome: 'timeout', status: null },
  'drips headers forever': {
    behave: (s) => drip(s, 'HTTP/1.1 200 OK\r\n', 'X-Drip: 1\r\n'),
    outcome: 'timeout',
    status: null,
  },
  'sends 103 forever': {
    behave: (s) => drip(s, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    outcome: 'timeout',
    status: null,
  },
  'drips a body forever': { behave: (s) => drip(s, chunkedOk, '1\r\nx\r\n'), outcome: 'ok', status: 200 },
  'drips the body of an error forever': {
    behave: (s) => drip(s, chunkedOk.replace('200', '503'), '1\r\nx\r\n'),
    outcome: 'http_error',
    status: 503,
  },
  'pours a body without end': {
    behave: (s) => {
      s.write('HTTP/1.1 200 OK\r\n\r\n')
      pour(s, Buffer.alloc(64 * 1024, 'a'))
    },
    outcome: 'ok',
    status: 200,
  },
  'pours binary without end': {
    behave: (s) => {
      s.write('HTTP/1.1 200 OK\r\n\r\n')
      pour(s, Buffer.alloc(64 * 1024, 0xff))
    },
    outcome: 'ok',
    status: 200,
  },
  'sends a gzip bomb': {
    behave: (s) => {
      s.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`)
      s.write(bomb)
    },
    outcome: 'ok',
    status: 200,
  },
}
