/** Every kind of file that users can name as output, and how to recognize it: only a file of the same kind is replaced. */
import { snapshotFormat } from '../../../protocol/control/shapes/snapshot-file.js'

export interface OutputKind {
  /** Name in error messages: `it is not an exported snapshot`. */
  name: string
  /** Pattern of the beginning of such a file; null if an existing file is never replaced. */
  beginning: RegExp | null
  /** Whether the file contains secrets: only its owner can then read it, whatever the permissions of the replaced file. */
  isPrivate?: true
}

export const outputKinds = {
  snapshot: { name: 'an exported snapshot', beginning: new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${snapshotFormat}"`) },
  junit: {
    name: 'a JUnit report of payments-sandbox',
    beginning: /^<\?xml[^>]*\?>\s*<testsuites name="payments-sandbox"/,
  },
  markdown: { name: 'a certification report', beginning: /^# Certification of a (receiver|client)\b/ },
  comparison: { name: 'a report of a comparison', beginning: /^# Comparison with the platform\b/ },
  profile: { name: 'a profile of the platform', beginning: /^# Profile of the platform\b/ },
  badge: { name: 'a certification badge', beginning: /^<svg [^>]*aria-label="webhook (receiver|client): / },
  ready: { name: 'a file of --config-out', beginning: /^\s*\{\s*"event"\s*:\s*"ready"/, isPrivate: true },
  recording: {
    name: 'a recording of payments-sandbox',
    beginning: /^\{"log":\{"version":"1\.2","creator":\{"name":"payments-sandbox record"/,
  },
  certificate: { name: 'a certificate', beginning: /^-----BEGIN CERTIFICATE-----/ },
  privateKey: { name: 'a private key', beginning: /^-----BEGIN PRIVATE KEY-----/, isPrivate: true },
  // When bytes that are not UTF-8 are read as text, they become U+FFFD.
  trustStore: { name: 'a trust store', beginning: /^[\ufffd\xfe]{1,2}/ },
  postmanCollection: {
    name: 'a Postman collection of payments-sandbox',
    beginning: /^\{\s*"info":\s*\{\s*"name":\s*"payments-sandbox"/,
  },
  postmanEnvironment: {
    name: 'a Postman environment of payments-sandbox',
    beginning: /^\{\s*"name":\s*"payments-sandbox",\s*"values"/,
    isPrivate: true,
  },
  brunoCollection: {
    name: 'a Bruno collection of payments-sandbox',
    beginning: /^\{\s*"version":\s*"1",\s*"name":\s*"payments-sandbox"/,
  },
  brunoEnvironment: { name: 'a Bruno environment', beginning: /^vars \{\s+base_url:/, isPrivate: true },
  brunoFile: { name: 'a file of a Bruno collection', beginning: /^(meta|auth) \{/ },
  scenario: { name: 'a new file', beginning: null },
  scenarioSchema: {
    name: 'the JSON Schema of scenario files',
    beginning: /^\{\s*"\$schema":\s*"https:\/\/json-schema\.org\/draft\/2020-12\/schema"/,
  },
  record: { name: 'the record of a sandbox in the background', beginning: /^\{"base_url":/, isPrivate: true },
} as const satisfies Record<string, OutputKind>

export type OutputKindName = keyof typeof outputKinds
