/** Every kind of file that a command writes because somebody names it, and how one is recognised: only a file of the same kind is replaced. */
import { snapshotFormat } from '../../../protocol/control/shapes/snapshot-file.js'

export interface OutputKind {
  /** How a message calls it: `it is not an exported snapshot`. */
  name: string
  /** What such a file begins with; null: an existing file is never replaced. */
  begins: RegExp | null
  /** It holds secrets: only its owner can read it, whatever the permissions of the file that it replaces. */
  isPrivate?: true
}

export const outputKinds = {
  snapshot: { name: 'an exported snapshot', begins: new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${snapshotFormat}"`) },
  junit: {
    name: 'a JUnit report of payments-sandbox',
    begins: /^<\?xml[^>]*\?>\s*<testsuites name="payments-sandbox"/,
  },
  markdown: { name: 'a certification report', begins: /^# Certification of a (receiver|client)\b/ },
  badge: { name: 'a certification badge', begins: /^<svg [^>]*aria-label="webhook (receiver|client): / },
  ready: { name: 'a file of --config-out', begins: /^\s*\{\s*"event"\s*:\s*"ready"/, isPrivate: true },
  scenario: { name: 'a new file', begins: null },
  record: { name: 'the record of a sandbox in the background', begins: /^\{"base_url":/, isPrivate: true },
} as const satisfies Record<string, OutputKind>

export type OutputKindName = keyof typeof outputKinds
