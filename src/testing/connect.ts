/** `connectSandbox`: the sandbox object over one that runs elsewhere. */

import { withoutTrailing } from '../base/text.js'
import { UsageError } from '../client/errors.js'
import { defaultUrl } from '../protocol/settings/address.js'
import { openHandle } from './handle.js'
import { requireKnown } from './options.js'
import type { Sandbox } from './sandbox.js'

export interface ConnectOptions {
  /** Where the sandbox asks for one: off loopback. */
  adminToken?: string | undefined
  /** One that is there already, instead of `default`. */
  workspace?: string | undefined
}

const names = ['adminToken', 'workspace'] as const satisfies readonly (keyof ConnectOptions)[]

/** Throws `UsageError` for what is no URL, `UnreachableError` where no sandbox answers at `url`. Closing leaves the sandbox running. */
export async function connectSandbox(url: string, options: ConnectOptions = {}): Promise<Sandbox> {
  requireKnown('connectSandbox', options, names)
  if (typeof url !== 'string' || !URL.canParse(url))
    throw new UsageError(`connectSandbox needs the URL of a sandbox, such as ${defaultUrl}`)
  return openHandle({ root: withoutTrailing(url, '/'), ...options }, null)
}
