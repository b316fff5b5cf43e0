/** What a deployment hands to its code: the objects by name, and its variables and secrets. */
import type { CertifyOptions } from '../../certify/core/check-context.js'
import type { ReceiverRule } from '../../certify/protocol/receiver-rules.js'
import type { Report, RuleReport } from '../../certify/protocol/rules.js'
import type { MadeWorkspace } from '../../http/host.js'
import type { Config } from '../../protocol/settings/platform.js'
import type { ObjectsByName } from './runtime.js'
import type { Variables } from './settings.js'

/** What one object asks of another. Errors lose their kind on the way, so that refusals are answers. */
export interface WorkspaceMethods {
  /** Makes the workspace of this object; `tokenHash` is the SHA-256 of what its control API asks for. */
  make(name: string, tokenHash: string | null): Promise<MadeWorkspace>
  /** Deletes it and all in it. */
  drop(): Promise<void>
}

export interface DirectoryMethods {
  /** At most so many, in order, from behind that name on. */
  names(after: string, most: number): Promise<string[]>
  has(name: string): Promise<boolean>
  add(name: string): Promise<'added' | 'taken' | 'full'>
  /** Whether there was one. */
  remove(name: string): Promise<boolean>
}

/** A workspace, and where callers reach the deployment that it is in. */
export interface Home {
  origin: string
  workspace: string
}

export interface CertificationMethods {
  /** `told` hears of each rule as soon as it is known, and answers whether anybody still wants to know. `home` is the workspace that asks. */
  certify(
    home: Home,
    config: Config,
    options: CertifyOptions,
    told: (rule: RuleReport) => Promise<boolean>,
  ): Promise<Report<ReceiverRule>>
}

export interface Bindings extends Variables {
  readonly WORKSPACES: ObjectsByName<WorkspaceMethods>
  readonly DIRECTORY: ObjectsByName<DirectoryMethods>
  readonly CERTIFICATIONS: ObjectsByName<CertificationMethods>
  /** What the operator's calls bring; without it nobody gets in, unless the deployment is local. */
  readonly PAYMENTS_SANDBOX_OPERATOR_TOKEN?: string
}

/** There is one directory. */
export const directoryOf = ({ DIRECTORY }: Bindings) => DIRECTORY.getByName('directory')
