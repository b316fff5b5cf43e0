/** Every kind of file that users can name as output, and how to recognise it: only a file of the same kind is replaced. */
import { snapshotFormat } from '../../../protocol/control/shapes/snapshot-file.js'

export interface OutputKind {
  /** Name in error messages: `it is not an exported snapshot`. */
  name: string
  /** Pattern of the beginning of such a file; null if an existing file is never replaced. */
  begins: RegExp | null
  /** Whether the file contains secrets: only its owner can then read it, whatever the permissions of the replaced file. */
  isPrivate?: true
}

export const outputKinds = {
  snapshot: { name: 'an exported snapshot', begins: new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${snapshotFormat}"`) },
  junit: {
    name: 'a JUnit report of payments-sandbox',
    begins: /^<\?xml[^>]*\?>\s*<testsuites name="payments-sandbox"/,
  },
  markdown: { name: 'a certification report', begins: /^# Certification of a (receiver|client)\b/ },
  comparison: { name: 'a report of a comparison', begins: /^# Comparison with the platform\b/ },
  profile: { name: 'a profile of the platform', begins: /^# Profile of the platform\b/ },
  badge: { name: 'a certification badge', begins: /^<svg [^>]*aria-label="webhook (receiver|client): / },
  ready: { name: 'a file of --config-out', begins: /^\s*\{\s*"event"\s*:\s*"ready"/, isPrivate: true },
  recording: {
    name: 'a recording of payments-sandbox',
    begins: /^\{"log":\{"version":"1\.2","creator":\{"name":"payments-sandbox record"/,
  },
  certificate: { name: 'a certificate', begins: /^-----BEGIN CERTIFICATE-----/ },
  privateKey: { name: 'a private key', begins: /^-----BEGIN PRIVATE KEY-----/, isPrivate: true },
  // When bytes that are not UTF-8 are read as text, they become U+FFFD.
  trustStore: { name: 'a trust store', begins: /^[\ufffd\xfe]{1,2}/ },
  postmanCollection: {
    name: 'a Postman collection of payments-sandbox',
    begins: /^\{\s*"info":\s*\{\s*"name":\s*"payments-sandbox"/,
  },
  postmanEnvironment: {
    name: 'a Postman environment of payments-sandbox',
    begins: /^\{\s*"name":\s*"payments-sandbox",\s*"values"/,
    isPrivate: true,
  },
  brunoCollection: {
    name: 'a Bruno collection of payments-sandbox',
    begins: /^\{\s*"version":\s*"1",\s*"name":\s*"payments-sandbox"/,
  },
  brunoEnvironment: { name: 'a Bruno environment', begins: /^vars \{\s+base_url:/, isPrivate: true },
  brunoFile: { name: 'a file of a Bruno collection', begins: /^(meta|auth) \{/ },
  scenario: { name: 'a new file', begins: null },
  scenarioSchema: {
    name: 'the JSON Schema of scenario files',
    begins: /^\{\s*"\$schema":\s*"https:\/\/json-schema\.org\/draft\/2020-12\/schema"/,
  },
  record: { name: 'the record of a sandbox in the background', begins: /^\{"base_url":/, isPrivate: true },
} as const satisfies Record<string, OutputKind>

export type OutputKindName = keyof typeof outputKinds
