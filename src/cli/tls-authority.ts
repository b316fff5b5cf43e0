/** The sandbox's own certificate authority, in the state folder: it is created once, and only its owner can read the key. */
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { dayMs } from '../base/duration.js'
import { readInputFile } from '../runtime/node/files/input.js'
import { writeOutput } from '../runtime/node/files/output.js'
import { type CertificateWithKey, createAuthority, issueCertificate } from '../runtime/node/tls/certificates.js'
import { Failure } from './errors.js'
import { isPrivate, prepareFolder, stateFolder } from './state-folder.js'

/** Remaining time below which a certificate is replaced, so that a long run does not outlive it. */
const renewBeforeMs = 30 * dayMs

const folderName = 'tls'

function authorityFiles() {
  const folder = join(stateFolder(), folderName)
  const file = (name: string) => join(folder, name)
  return {
    certificate: file('ca.pem'),
    /** The key, followed by the certificate: both are written at once and always belong together. */
    key: file('ca-key.pem'),
    /** The authority and the public authorities, for programs that trust the authorities of one file only. */
    bundle: file('ca-bundle.pem'),
    serverCertificate: file('localhost.pem'),
    /** The key, followed by the certificate. */
    serverKey: file('localhost-key.pem'),
  }
}

/** Returns the certificate of the authority; undefined if there is none yet. */
export function authorityCertificate(): string | undefined {
  const { certificate } = authorityFiles()
  return existsSync(certificate) ? readPem(certificate) : undefined
}

/** Returns the variables by which clients of an https sandbox trust the authority; none if there is none yet. */
export function trustVariables(url: string): Record<string, string> {
  const { certificate, bundle } = authorityFiles()
  if (!url.startsWith('https:') || !existsSync(certificate)) return {}
  return {
    // This variable adds to the authorities that Node.js trusts; the other variables replace them.
    NODE_EXTRA_CA_CERTS: certificate,
    SSL_CERT_FILE: bundle,
    REQUESTS_CA_BUNDLE: bundle,
    CURL_CA_BUNDLE: bundle,
  }
}

/** Returns a certificate for `hosts`, signed by the authority. Creates both on first use. Throws `Failure` and `UnusableFile`. */
export async function serverCertificate(hosts: readonly string[]): Promise<CertificateWithKey & { authority: string }> {
  prepareFolder()
  prepareFolder(folderName)
  const files = authorityFiles()
  const authority = await open(files.key, isLasting, () => createAuthority(Date.now(), randomBytes(16)))
  const server = await open(
    files.serverKey,
    (saved) => isLasting(saved) && isFor(saved, authority, hosts),
    () => issueCertificate(authority, hosts, Date.now(), randomBytes(16)),
  )
  await save(files.certificate, authority.certificate)
  await save(files.bundle, [authority.certificate, ...rootCertificates, ''].join('\n'))
  await save(files.serverCertificate, server.certificate)
  return { ...server, authority: authority.certificate }
}

/** Returns the contents of the file if they are still usable; otherwise creates and saves them. */
async function open(
  file: string,
  isUsable: (saved: CertificateWithKey) => boolean,
  create: () => CertificateWithKey,
): Promise<CertificateWithKey> {
  const saved = readKeyFile(file)
  if (saved !== undefined && isUsable(saved)) return saved
  const { key, certificate } = create()
  try {
    await writeOutput({ file, kind: 'privateKey' }, key + certificate)
  } catch (error) {
    // Another sandbox that starts at the same time may have written it first.
    const written = readKeyFile(file)
    if (written === undefined || !isUsable(written)) throw error
    return written
  }
  return { key, certificate }
}

async function save(file: string, certificates: string): Promise<void> {
  if (!existsSync(file) || readPem(file) !== certificates)
    await writeOutput({ file, kind: 'certificate' }, certificates).catch((error: unknown) => {
      if (!existsSync(file) || readPem(file) !== certificates) throw error
    })
}

const readPem = (file: string) => readInputFile('certificate', file).toString('utf8')

/** Returns undefined if the file does not exist or is damaged. Throws `Failure` if others than the owner can read it. */
function readKeyFile(file: string): CertificateWithKey | undefined {
  if (!existsSync(file)) return undefined
  const { mode } = statSync(file)
  if (!isPrivate(mode))
    throw new Failure(
      `the private key ${file} is open to other users (mode ${(mode & 0o777).toString(8).padStart(4, '0')}); if nobody has copied it, run chmod 600 on it, otherwise delete it and a new one is created`,
    )
  const [key, certificate] = readPem(file).split(/(?=-----BEGIN CERTIFICATE-----)/)
  try {
    if (key === undefined || certificate === undefined) return undefined
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)) ? { key, certificate } : undefined
  } catch {
    return undefined
  }
}

const isLasting = ({ certificate }: CertificateWithKey) =>
  Date.parse(new X509Certificate(certificate).validTo) - Date.now() > renewBeforeMs

function isFor({ certificate }: CertificateWithKey, authority: CertificateWithKey, hosts: readonly string[]): boolean {
  const x509 = new X509Certificate(certificate)
  const isNamed = (host: string) => (isIP(host) === 0 ? x509.checkHost(host) : x509.checkIP(host)) !== undefined
  return x509.checkIssued(new X509Certificate(authority.certificate)) && hosts.every(isNamed)
}
