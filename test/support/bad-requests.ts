/** Bytes that a server must reject before the app sees them, each with the status and code of the response. */
type BadRequest = [name: string, bytes: string | Buffer, status: number, code: string]

const host = 'Host: 127.0.0.1\r\n'
const chunked = `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n`

/** Bytes that the HTTP parser rejects. */
export const noRequests: BadRequest[] = [
  ['garbage', 'garbage\r\n\r\n', 400, 'INVALID_VALUE'],
  ['binary garbage', Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10]), 400, 'INVALID_VALUE'],
  ['the start of a TLS handshake', Buffer.from('1603010200010001fc0303', 'hex'), 400, 'INVALID_VALUE'],
  ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, 'INVALID_VALUE'],
  ['HTTP/3.0', `GET / HTTP/3.0\r\n${host}\r\n`, 505, 'INVALID_VALUE'],
  ['an unknown method', `BREW /pot HTTP/1.1\r\n${host}\r\n`, 405, 'METHOD_NOT_ALLOWED'],
  ['a method of RTSP', `DESCRIBE / HTTP/1.1\r\n${host}\r\n`, 405, 'METHOD_NOT_ALLOWED'],
  ['another method of RTSP', `SETUP / HTTP/1.1\r\n${host}\r\n`, 405, 'METHOD_NOT_ALLOWED'],
  ['a method with an underscore', `GET_PARAMETER / HTTP/1.1\r\n${host}\r\n`, 405, 'METHOD_NOT_ALLOWED'],
  ['a known method with a misspelt version', `GET / HTPP/1.1\r\n${host}\r\n`, 400, 'INVALID_VALUE'],
  ['a method in small letters', `get / HTTP/1.1\r\n${host}\r\n`, 405, 'METHOD_NOT_ALLOWED'],
  ['CONNECT', `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`, 405, 'METHOD_NOT_ALLOWED'],
  ['a target with a space', `GET /a b HTTP/1.1\r\n${host}\r\n`, 400, 'INVALID_VALUE'],
  ['a target with NUL', `GET /a\0b HTTP/1.1\r\n${host}\r\n`, 400, 'INVALID_VALUE'],
  ['a target with CR', `GET /a\rb HTTP/1.1\r\n${host}\r\n`, 400, 'INVALID_VALUE'],
  ['a header without a colon', `GET / HTTP/1.1\r\nnonsense\r\n\r\n`, 400, 'INVALID_VALUE'],
  ['a header name with a space', `GET / HTTP/1.1\r\nHost : a\r\n\r\n`, 400, 'INVALID_VALUE'],
  ['a header value with NUL', `GET / HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`, 400, 'INVALID_VALUE'],
  ['headers over 16 KiB', `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(17_000)}\r\n\r\n`, 431, 'PAYLOAD_TOO_LARGE'],
  ['a target over 16 KiB', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\n${host}\r\n`, 431, 'PAYLOAD_TOO_LARGE'],
  ['Transfer-Encoding with Content-Length', `${chunked}Content-Length: 3\r\n\r\n0\r\n\r\n`, 400, 'INVALID_VALUE'],
  [
    'two values of Content-Length',
    `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    400,
    'INVALID_VALUE',
  ],
  ['a negative Content-Length', `POST / HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`, 400, 'INVALID_VALUE'],
  [
    'an unknown transfer encoding',
    `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n`,
    400,
    'INVALID_VALUE',
  ],
  ['an invalid chunk size', `${chunked}\r\nzz\r\n`, 400, 'INVALID_VALUE'],
  ['endless chunk extensions', `${chunked}\r\n1;${'a'.repeat(20_000)}\r\n`, 413, 'PAYLOAD_TOO_LARGE'],
]

/** Requests that the parser accepts, but whose URL is invalid. */
export const noAddresses: BadRequest[] = [
  ['HTTP/1.1 without Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'INVALID_VALUE'],
  ['Host with a space', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 403, 'FORBIDDEN_ORIGIN'],
  ['Host with a user', 'GET / HTTP/1.1\r\nHost: 127.0.0.1@evil.example\r\n\r\n', 403, 'FORBIDDEN_ORIGIN'],
  ['Host with a path', 'GET / HTTP/1.1\r\nHost: 127.0.0.1/x\r\n\r\n', 403, 'FORBIDDEN_ORIGIN'],
  ['Host with an invalid port', 'GET / HTTP/1.1\r\nHost: 127.0.0.1:99999\r\n\r\n', 403, 'FORBIDDEN_ORIGIN'],
  ['Host that resembles an IPv4 address', 'GET / HTTP/1.1\r\nHost: 1.2.3.4.5\r\n\r\n', 403, 'FORBIDDEN_ORIGIN'],
  ['Host with an open bracket', 'GET / HTTP/1.1\r\nHost: [::1\r\n\r\n', 403, 'FORBIDDEN_ORIGIN'],
  [
    'Host in another spelling of IPv6',
    `GET / HTTP/1.1\r\nHost: [0:0::1]\r\nConnection: close\r\n\r\n`,
    400,
    'INVALID_VALUE',
  ],
  ['a backslash in the path', `GET /a\\..\\b HTTP/1.1\r\n${host}\r\n`, 400, 'INVALID_VALUE'],
  ['absolute form without a host', `GET http:// HTTP/1.1\r\n${host}\r\n`, 400, 'INVALID_VALUE'],
  ['absolute form with a user', `GET http://a:b@127.0.0.1/ HTTP/1.1\r\n${host}\r\n`, 400, 'INVALID_VALUE'],
  ['absolute form with another scheme', `GET ftp://127.0.0.1/ HTTP/1.1\r\n${host}\r\n`, 400, 'INVALID_VALUE'],
  ['authority form', `GET 127.0.0.1:80 HTTP/1.1\r\n${host}\r\n`, 400, 'INVALID_VALUE'],
  ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 404, 'NOT_FOUND'],
]
