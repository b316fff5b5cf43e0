/** Chaos: random faults of calls and webhooks, the same for the same seed. */
import type { ControlClient } from '../client/control.js'
import type { Chaos } from '../client/types/control.js'
import type { PlatformOptions } from '../client/types/settings.js'
import { chaosPresets } from '../protocol/settings/chaos.js'

export interface SandboxChaos {
  /** `{}` means no faults. */
  read(): Promise<Chaos>
  /** Replaces the earlier faults. A preset is `gentle`, `rough` or `off`. */
  set(faults: NonNullable<PlatformOptions['chaos']>): Promise<Chaos>
  /** Stops injecting faults. */
  off(): Promise<void>
}

export function chaosOf(control: ControlClient): SandboxChaos {
  return {
    read: () => control.call('GET /chaos'),
    set: (faults) => control.call('PUT /chaos', { body: typeof faults === 'string' ? chaosPresets[faults] : faults }),
    async off() {
      await control.call('DELETE /chaos')
    },
  }
}
