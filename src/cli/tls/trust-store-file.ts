/** `env --truststore`: the certificate authority of `start --tls` for programs in Java. */
import { writeOutput } from '../../runtime/node/files/output.js'
import { derOf } from '../../runtime/node/tls/certificates.js'
import { trustStore } from '../../runtime/node/tls/trust-store.js'
import { Failure } from '../errors.js'
import { authorityCertificate } from './authority.js'

/** The default password of Java. The store contains no secret. */
export const trustStorePassword = 'changeit'

/** Writes the trust store. Throws `Failure` if there is no authority yet, and `UnusableFile`. */
export async function writeTrustStore(file: string): Promise<void> {
  const certificate = authorityCertificate()
  if (certificate === undefined)
    throw new Failure('there is no certificate authority yet: start a sandbox with --tls first')
  const store = trustStore(derOf(certificate), 'payments-sandbox', trustStorePassword, Date.now())
  await writeOutput({ file, kind: 'trustStore', flag: '--truststore' }, store)
}
