/** The TLS settings of `start`: the sandbox's own certificate, or one that the user brings. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { readInputFile } from '../../runtime/node/files/input.js'
import type { ServerTls } from '../../runtime/node/server/serve.js'
import { UsageError } from '../errors.js'
import type { Settings } from '../settings/settings.js'
import { serverCertificate } from '../tls/authority.js'

const ownHosts = ['localhost', '127.0.0.1', '::1']

/** Returns null for plain HTTP. Throws `UsageError` for settings that contradict each other, and `UnusableFile`. */
export async function tlsOf(settings: Settings): Promise<ServerTls | null> {
  const { tls, tls_cert: certificateFile, tls_key: keyFile, allow_host: allowHosts, host } = settings
  if (certificateFile !== null && keyFile !== null) {
    if (tls) throw new UsageError('--tls creates its own certificate: remove --tls, or --tls-cert and --tls-key')
    return readOwn(certificateFile, keyFile)
  }
  if (certificateFile !== null) throw new UsageError('--tls-cert requires --tls-key')
  if (keyFile !== null) throw new UsageError('--tls-key requires --tls-cert')
  if (!tls) return null
  const names = allowHosts.map((name) => name.replace(/:\d{1,5}$/, '')).filter((name) => !name.includes(':'))
  const address = isIP(host) === 4 && host !== '0.0.0.0' ? [host] : []
  const { certificate, key, authority } = await serverCertificate([...new Set([...ownHosts, ...names, ...address])])
  return { certificate, key, authority }
}

function readOwn(certificateFile: string, keyFile: string): ServerTls {
  const certificate = readInputFile('certificate', certificateFile, 'name another with --tls-cert').toString('utf8')
  const key = readInputFile('certificate', keyFile, 'name another with --tls-key').toString('utf8')
  const parsed = parse(`${certificateFile} is not a certificate in PEM`, () => new X509Certificate(certificate))
  const privateKey = parse(`${keyFile} is not a private key in PEM without a passphrase`, () => createPrivateKey(key))
  if (!parsed.checkPrivateKey(privateKey))
    throw new UsageError(`the key ${keyFile} does not belong to the certificate ${certificateFile}`)
  return { certificate, key, authority: null }
}

function parse<T>(message: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw new UsageError(message)
  }
}
