/**
 * The OpenAPI 3.1 document of the platform API and of the control API, generated from the tables of endpoints, events
 * and control routes.
 */

import { endpointTags } from '../../protocol/platform/endpoints/row.js'
import { emulatedInterface, emulatedInterfaceText } from '../../protocol/platform/interface-version.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { RouteSet } from '../host.js'
import { type Extensions, extensions } from './assumptions.js'
import { components } from './components.js'
import { controlPaths } from './control.js'
import { endpointPaths } from './paths.js'
import { withSettings } from './settings.js'
import type { Document } from './types.js'
import { webhookItems } from './webhooks.js'

// biome-ignore format: one table row per line
const tags = [
  ...endpointTags,
  { name: 'Webhooks', description: 'Signed webhooks that the platform sends to your receiver.' },
  { name: 'Control API', description: 'Not part of the platform API: act as the payer and the provider, control the clock, and inspect the state.' },
]

export type SandboxDocument = Document & Extensions

interface DocumentOptions {
  /** Address of the sandbox, without a trailing slash. */
  baseUrl: string
  version: string
  /** The routes of the features (default: none). */
  features?: readonly RouteSet[]
}

const description = `A sandbox of a payments platform: charges, withdrawals, fixed wallets, internal transfers, conversions and disputes with stored state and signed webhooks.

Every part that the platform does not document is an assumption of the sandbox and has \`x-assumed: true\`. Paths under \`/_sandbox\` are the sandbox's own control API.`

export function buildDocument({ baseUrl, version, features = [] }: DocumentOptions): SandboxDocument {
  const control = controlPaths(features)
  const shared = components()
  return {
    openapi: '3.1.0',
    info: {
      title: 'payments-sandbox',
      version,
      summary: `The ${emulatedInterfaceText}, and the control API of its sandbox.`,
      'x-interface': emulatedInterface,
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: serversOf(baseUrl),
    tags: tags.map((tag) => ({ ...tag })),
    paths: { ...endpointPaths(), ...control.paths },
    webhooks: webhookItems(),
    components: { ...shared, schemas: { ...shared.schemas, ...control.schemas } },
    ...extensions(),
  }
}

/** Builds the document at the first call, and once for each configuration what its settings change. */
export function documentCache(): (options: DocumentOptions & { config: Config }) => SandboxDocument {
  let built: SandboxDocument | undefined
  const byConfig = new WeakMap<Config, SandboxDocument>()
  return ({ config, ...options }) => {
    built ??= buildDocument(options)
    const own = byConfig.get(config) ?? withSettings(built, config)
    byConfig.set(config, own)
    return { ...own, info: { ...own.info, version: options.version }, servers: serversOf(options.baseUrl) }
  }
}

const serversOf = (url: string) => [{ url, description: 'This sandbox' }]
