/** `connectSandbox`: a sandbox object for a sandbox that runs elsewhere. */

import { withoutTrailing } from '../base/text.js'
import { UsageError } from '../client/errors.js'
import { defaultUrl } from '../protocol/settings/address.js'
import { openHandle } from './handle.js'
import { requireKnown } from './options.js'
import type { Sandbox } from './sandbox.js'

export interface ConnectOptions {
  /** Required if the sandbox has an admin token. */
  adminToken?: string | undefined
  /** An existing workspace, instead of `default`. */
  workspace?: string | undefined
}

const names = ['adminToken', 'workspace'] as const satisfies readonly (keyof ConnectOptions)[]

/**
 * Throws `UsageError` if `url` is not a URL, `UnreachableError` if no sandbox answers there. Closing leaves the sandbox
 * running.
 */
export async function connectSandbox(url: string, options: ConnectOptions = {}): Promise<Sandbox> {
  requireKnown('connectSandbox', options, names)
  if (typeof url !== 'string' || !URL.canParse(url))
    throw new UsageError(`connectSandbox requires the URL of a sandbox, such as ${defaultUrl}`)
  return openHandle({ root: withoutTrailing(url, '/'), ...options }, null)
}
